-- +goose Up

-- The status document names packs of 128 shards. Shards have no version any more:
-- a published one has a hash that is not 0.
ALTER TABLE shards DROP COLUMN version;

-- Numbers have no gaps.
WITH RECURSIVE n (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM n WHERE number < (SELECT max(number) FROM shards))
INSERT INTO shards (number, state, used, changed, published, sha256)
SELECT number, 'closed', 0, 1, 0, decode(repeat('00', 32), 'hex') FROM n WHERE number NOT IN (SELECT number FROM shards);

-- All are published again, in another form of transit.
UPDATE shards SET changed = published + 1, published = 0, sha256 = decode(repeat('00', 32), 'hex');
DELETE FROM trust_objects WHERE content_type = 'application/zlib';
UPDATE trust_head SET wanted = wanted + 1 WHERE id = 1;

CREATE INDEX shards_changed ON shards (number) WHERE changed <> published;
CREATE INDEX shards_content ON shards (sha256);

CREATE TABLE packs (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number BETWEEN 0 AND 511),
    sha256 BYTEA    NOT NULL
);
CREATE INDEX packs_content ON packs (sha256);

-- The values of the entries that changed last, with the version of the status
-- that has them first: at most 4,096, and some hours.
CREATE TABLE status_delta (
    shard   INTEGER NOT NULL,
    entry   INTEGER NOT NULL,
    value   INTEGER NOT NULL,
    version BIGINT NOT NULL,
    at      BIGINT NOT NULL,
    PRIMARY KEY (shard, entry)
);
CREATE INDEX status_delta_age ON status_delta (version);

-- The oldest version that these lead from (0: none), and the hash of the delta.
ALTER TABLE trust_head ADD COLUMN delta_since BIGINT NOT NULL DEFAULT 0;
ALTER TABLE trust_head ADD COLUMN delta_sha256 BYTEA NOT NULL DEFAULT '';
