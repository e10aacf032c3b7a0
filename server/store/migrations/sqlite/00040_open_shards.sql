-- +goose Up

-- Several status shards are open, and several more are published ahead. The next publication
-- makes and opens them. used is the number of entries at the time when a shard closed.
-- listed_at is the time when a shard was published first, as far as it is known.
DROP INDEX shards_open;
DROP INDEX shards_next;
CREATE INDEX shards_in_use ON shards (state, number) WHERE state <> 'closed';
ALTER TABLE shards ADD COLUMN listed_at INTEGER NOT NULL DEFAULT 0;
UPDATE trust_head SET wanted = wanted + 1 WHERE id = 1;

-- A count is the sum of its parts. SQLite has one writer, which uses part 0.
CREATE TABLE usage_in_parts (
    tenant TEXT    NOT NULL REFERENCES tenants (reference),
    month  INTEGER NOT NULL CHECK (month BETWEEN 200001 AND 999912), -- UTC, 202611
    kind   TEXT    NOT NULL CHECK (kind IN ('stamps', 'templates', 'bulk_jobs', 'documents', 'lifecycle', 'requests',
        'test_stamps', 'test_bulk_jobs', 'test_documents', 'test_requests')),
    part   INTEGER NOT NULL DEFAULT 0 CHECK (part BETWEEN 0 AND 255),
    used   INTEGER NOT NULL CHECK (used >= 0),
    PRIMARY KEY (tenant, month, kind, part)
) STRICT;
INSERT INTO usage_in_parts (tenant, month, kind, used) SELECT tenant, month, kind, used FROM usage_months;
DROP TABLE usage_months;
ALTER TABLE usage_in_parts RENAME TO usage_months;

CREATE TABLE days_in_parts (
    tenant TEXT    NOT NULL REFERENCES tenants (reference),
    day    INTEGER NOT NULL CHECK (day BETWEEN 20000101 AND 99991231), -- 20261127
    kind   TEXT    NOT NULL CHECK (kind IN ('stamps', 'documents', 'test_stamps', 'test_documents',
        'verifications', 'test_verifications', 'scans')),
    part   INTEGER NOT NULL DEFAULT 0 CHECK (part BETWEEN 0 AND 255),
    used   INTEGER NOT NULL CHECK (used >= 0),
    PRIMARY KEY (tenant, day, kind, part)
) STRICT;
INSERT INTO days_in_parts (tenant, day, kind, used) SELECT tenant, day, kind, used FROM usage_days;
DROP TABLE usage_days;
ALTER TABLE days_in_parts RENAME TO usage_days;
