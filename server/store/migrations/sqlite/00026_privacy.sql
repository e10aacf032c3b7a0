-- +goose Up

-- When the personal data of a record was erased; 0: it was not. Reference, hashes and
-- status stay. payload is then what is left of it, see stamp.Husk.
ALTER TABLE stamps ADD COLUMN erased_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN erased_at INTEGER NOT NULL DEFAULT 0;

-- Which row of a bulk job made a record.
CREATE INDEX bulk_rows_made ON bulk_rows (tenant, made) WHERE made <> '';

-- Whether a job names a file: public searches, without a tenant.
CREATE INDEX bulk_jobs_csv ON bulk_jobs (csv_sha256);
CREATE INDEX bulk_jobs_zip ON bulk_jobs (zip_sha256);

-- Erasures, and how far each is: the work after the transaction that erased the record
-- itself. place is where a step that reads a table continues.
CREATE TABLE erasures (
    tenant       TEXT    NOT NULL REFERENCES tenants (reference),
    id           TEXT    NOT NULL CHECK (length(id) = 36), -- of the record
    subject      TEXT    NOT NULL CHECK (subject IN ('stamp', 'document')),
    step         TEXT    NOT NULL CHECK (step IN ('answers', 'events', 'scans', 'conflicts', 'uploads', 'files', 'compact', 'done')),
    place        TEXT    NOT NULL DEFAULT '',
    requested_at INTEGER NOT NULL,
    due_at       INTEGER NOT NULL,
    done_at      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, id),
    CHECK ((step = 'done') = (done_at <> 0))
) STRICT;
CREATE INDEX erasures_due ON erasures (due_at) WHERE step <> 'done';

-- Files that a record has let go. A file is removed when no row names it any more.
CREATE TABLE leaving_files (
    tenant TEXT    NOT NULL REFERENCES tenants (reference),
    sha256 TEXT    NOT NULL CHECK (length(sha256) = 64), -- hexadecimal
    due_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, sha256)
) STRICT;
CREATE INDEX leaving_files_due ON leaving_files (due_at);
