-- What the status names: packs, each of which names up to 128 shards.
-- Some stores from before the first release have the table.
CREATE TABLE IF NOT EXISTS packs (
  number INTEGER NOT NULL PRIMARY KEY CHECK (number BETWEEN 0 AND 511),
  data   BLOB    NOT NULL
) STRICT;

-- Documents and shards had another form before: they are fetched again. Roots,
-- floors and remembered revocations stay.
DELETE FROM documents;
DELETE FROM shards;
