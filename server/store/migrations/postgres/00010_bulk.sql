-- +goose Up

-- Bulk jobs. wake_at is when a runner must look at a job that is not over, if none
-- has by then: the end of the hold of the runner that works on it.
CREATE TABLE bulk_jobs (
    tenant        TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    id            TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    product       TEXT COLLATE "C" NOT NULL CHECK (product IN ('tcode', 'trust')),
    status        TEXT COLLATE "C" NOT NULL CHECK (status IN ('Scheduled', 'Pending', 'Validating', 'Processing', 'Completed', 'CompletedWithErrors', 'Failed', 'Cancelling', 'Cancelled')),
    settings      TEXT COLLATE "C" NOT NULL, -- JSON: bulk.Order
    csv_sha256    TEXT COLLATE "C" NOT NULL CHECK (length(csv_sha256) = 64), -- hexadecimal
    csv_bytes     BIGINT           NOT NULL,
    zip_sha256    TEXT COLLATE "C" NOT NULL CHECK (length(zip_sha256) = 64),
    zip_bytes     BIGINT           NOT NULL,
    columns       TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON: array of text, the header of the CSV file
    problems      TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON: array of intake.Problem
    more_problems INTEGER          NOT NULL DEFAULT 0,
    warnings      TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON: array of text
    message       TEXT COLLATE "C" NOT NULL DEFAULT '',
    accepted      INTEGER          NOT NULL DEFAULT 0 CHECK (accepted IN (0, 1)), -- its rows are in bulk_rows
    total         INTEGER          NOT NULL DEFAULT 0,
    succeeded     INTEGER          NOT NULL DEFAULT 0,
    failed        INTEGER          NOT NULL DEFAULT 0,
    skipped       INTEGER          NOT NULL DEFAULT 0,
    created_by    TEXT COLLATE "C" NOT NULL,
    owner         TEXT COLLATE "C" NOT NULL DEFAULT '', -- the runner that works on it
    wake_at       BIGINT           NOT NULL,
    scheduled_for BIGINT           NOT NULL DEFAULT 0,
    created_at    BIGINT           NOT NULL,
    started_at    BIGINT           NOT NULL DEFAULT 0,
    finished_at   BIGINT           NOT NULL DEFAULT 0,
    updated_at    BIGINT           NOT NULL,
    PRIMARY KEY (tenant, id),
    CHECK (succeeded + failed + skipped <= total)
);
SELECT separate_tenants('bulk_jobs');
CREATE UNIQUE INDEX bulk_jobs_id ON bulk_jobs (id);
CREATE INDEX bulk_jobs_newest ON bulk_jobs (tenant, product, created_at, id);
CREATE INDEX bulk_jobs_wake ON bulk_jobs (wake_at) WHERE status IN ('Scheduled', 'Pending', 'Validating', 'Processing', 'Cancelling');

CREATE TABLE bulk_rows (
    tenant     TEXT COLLATE "C" NOT NULL,
    job        TEXT COLLATE "C" NOT NULL,
    number     INTEGER          NOT NULL CHECK (number >= 1),
    line       INTEGER          NOT NULL,
    state      TEXT COLLATE "C" NOT NULL CHECK (state IN ('Pending', 'Succeeded', 'Failed', 'Skipped')),
    file       TEXT COLLATE "C" NOT NULL, -- name in the archive
    cells      TEXT COLLATE "C" NOT NULL, -- JSON: object of text by column
    made       TEXT COLLATE "C" NOT NULL DEFAULT '', -- id of what was made
    reference  TEXT COLLATE "C" NOT NULL DEFAULT '', -- of that
    code       TEXT COLLATE "C" NOT NULL DEFAULT '',
    message    TEXT COLLATE "C" NOT NULL DEFAULT '',
    updated_at BIGINT           NOT NULL,
    PRIMARY KEY (tenant, job, number),
    FOREIGN KEY (tenant, job) REFERENCES bulk_jobs (tenant, id),
    CHECK ((state = 'Succeeded') = (made <> ''))
);
SELECT separate_tenants('bulk_rows');
CREATE INDEX bulk_rows_state ON bulk_rows (tenant, job, state, number);
