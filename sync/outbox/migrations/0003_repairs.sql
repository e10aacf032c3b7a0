-- Each time a damaged outbox was set aside and its rows were salvaged.
CREATE TABLE repairs (
  id      INTEGER PRIMARY KEY,
  at      INTEGER NOT NULL,         -- ms since 1970, device clock
  aside   TEXT    NOT NULL,         -- the damaged file, empty where none was left
  reason  TEXT    NOT NULL,
  kept    INTEGER NOT NULL,         -- scans that were salvaged
  seen    INTEGER NOT NULL DEFAULT 0 CHECK (seen IN (0, 1)) -- an operator has taken note
) STRICT;

-- Scans that were recorded and could not be salvaged: each number below the last
-- one is in scans or here.
CREATE TABLE losses (
  seq     INTEGER NOT NULL PRIMARY KEY CHECK (seq > 0),
  scan_id TEXT    NOT NULL,         -- as far as it could be read, empty: not at all
  repair  INTEGER NOT NULL REFERENCES repairs (id)
) STRICT;
