-- The chain of roots, version 1 first.
CREATE TABLE roots (
  version INTEGER NOT NULL PRIMARY KEY CHECK (version > 0),
  note    BLOB    NOT NULL
) STRICT;

-- One complete set, or none. The versions inside are the floors.
CREATE TABLE documents (
  kind TEXT NOT NULL PRIMARY KEY CHECK (kind IN ('timestamp', 'bundle', 'status')),
  note BLOB NOT NULL
) STRICT;

CREATE TABLE shards (
  number   INTEGER NOT NULL PRIMARY KEY CHECK (number BETWEEN 0 AND 65535),
  sha256   BLOB    NOT NULL CHECK (length(sha256) = 32), -- of the 16,384 inflated bytes
  deflated BLOB    NOT NULL
) STRICT;

CREATE TABLE survivors (
  sha256 TEXT NOT NULL PRIMARY KEY, -- lower-case hex, as the bundle names it
  marks  BLOB NOT NULL
) STRICT;

-- Stamps this device has seen revoked: permanently, whatever comes later.
CREATE TABLE remembered (
  core    BLOB    NOT NULL PRIMARY KEY CHECK (length(core) = 32), -- SHA-256 of the payload's core
  seen_at INTEGER NOT NULL                                        -- ms, device clock
) STRICT;

-- Single values: gateway, pinned_at, floor (s since 1970), generation,
-- attempt_at, attempt_error, refreshed_at.
CREATE TABLE facts (
  name  TEXT NOT NULL PRIMARY KEY,
  value ANY  NOT NULL
) STRICT;

INSERT INTO facts (name, value) VALUES ('generation', 0);
