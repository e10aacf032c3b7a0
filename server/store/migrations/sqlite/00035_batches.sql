-- +goose Up

-- Orders to change the status of many stamps or documents. ids has 16 bytes for each of
-- them, in order; done counts those that are over.
CREATE TABLE batches (
    tenant     TEXT    NOT NULL,
    id         TEXT    NOT NULL CHECK (length(id) = 36),
    subject    TEXT    NOT NULL CHECK (subject IN ('stamp', 'document')),
    action     TEXT    NOT NULL,
    reason     TEXT    NOT NULL DEFAULT '',
    author     TEXT    NOT NULL,
    state      TEXT    NOT NULL CHECK (state IN ('Running', 'Done', 'Stopped')),
    stop       TEXT    NOT NULL DEFAULT '',
    ids        BLOB    NOT NULL,
    total      INTEGER NOT NULL CHECK (total BETWEEN 1 AND 10000),
    done       INTEGER NOT NULL DEFAULT 0 CHECK (done BETWEEN 0 AND total),
    changed    INTEGER NOT NULL DEFAULT 0 CHECK (changed BETWEEN 0 AND done),
    problems   TEXT    NOT NULL DEFAULT '[]',
    owner      TEXT    NOT NULL DEFAULT '',
    wake_at    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX batches_newest ON batches (tenant, subject, created_at, id);
CREATE UNIQUE INDEX batches_id ON batches (id);
CREATE INDEX batches_wake ON batches (wake_at) WHERE state = 'Running';
