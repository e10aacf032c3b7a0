-- +goose Up

-- Orders to change the status of many stamps or documents. ids has 16 bytes for each of
-- them, in order; done counts those that are over.
CREATE TABLE batches (
    tenant     TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    subject    TEXT COLLATE "C" NOT NULL CHECK (subject IN ('stamp', 'document')),
    action     TEXT COLLATE "C" NOT NULL,
    reason     TEXT COLLATE "C" NOT NULL DEFAULT '',
    author     TEXT COLLATE "C" NOT NULL,
    state      TEXT COLLATE "C" NOT NULL CHECK (state IN ('Running', 'Done', 'Stopped')),
    stop       TEXT COLLATE "C" NOT NULL DEFAULT '',
    ids        BYTEA            NOT NULL,
    total      INTEGER          NOT NULL CHECK (total BETWEEN 1 AND 10000),
    done       INTEGER          NOT NULL DEFAULT 0 CHECK (done BETWEEN 0 AND total),
    changed    INTEGER          NOT NULL DEFAULT 0 CHECK (changed BETWEEN 0 AND done),
    problems   TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    owner      TEXT COLLATE "C" NOT NULL DEFAULT '',
    wake_at    BIGINT           NOT NULL,
    created_at BIGINT           NOT NULL,
    updated_at BIGINT           NOT NULL,
    PRIMARY KEY (tenant, id)
);
SELECT separate_tenants('batches');
CREATE INDEX batches_newest ON batches (tenant, subject, created_at, id);
CREATE UNIQUE INDEX batches_id ON batches (id);
CREATE INDEX batches_wake ON batches (wake_at) WHERE state = 'Running';
