-- +goose Up

-- Several status shards are open, and several more are published ahead. The next publication
-- makes and opens them. used is the number of entries at the time when a shard closed.
-- listed_at is the time when a shard was published first, as far as it is known.
DROP INDEX shards_open;
DROP INDEX shards_next;
CREATE INDEX shards_in_use ON shards (state, number) WHERE state <> 'closed';
ALTER TABLE shards ADD COLUMN listed_at BIGINT NOT NULL DEFAULT 0;
UPDATE trust_head SET wanted = wanted + 1 WHERE id = 1;

-- A count is the sum of its parts, so that transactions that count need not wait for each
-- other.
ALTER TABLE usage_months ADD COLUMN part INTEGER NOT NULL DEFAULT 0 CHECK (part BETWEEN 0 AND 255);
ALTER TABLE usage_months DROP CONSTRAINT usage_months_pkey;
ALTER TABLE usage_months ADD PRIMARY KEY (tenant, month, kind, part);
ALTER TABLE usage_days ADD COLUMN part INTEGER NOT NULL DEFAULT 0 CHECK (part BETWEEN 0 AND 255);
ALTER TABLE usage_days DROP CONSTRAINT usage_days_pkey;
ALTER TABLE usage_days ADD PRIMARY KEY (tenant, day, kind, part);
