-- What a proof of time, or an operator, has corrected on this device.
CREATE TABLE clock_events (
  id        INTEGER PRIMARY KEY,
  event_id  TEXT    NOT NULL UNIQUE,           -- UUIDv7
  kind      TEXT    NOT NULL CHECK (kind IN ('clock_was_ahead', 'clock_confirmed')),
  at        INTEGER NOT NULL,                  -- ms since 1970: the proven time, or the one that the operator vouches for
  was       INTEGER NOT NULL,                  -- ms: the latest date that it contradicts, 0: none
  documents INTEGER NOT NULL,                  -- version of the timestamp document dated ahead, 0: none
  scans     INTEGER NOT NULL,                  -- how many scans were dated ahead
  after_seq INTEGER NOT NULL,                  -- the last scan before it
  told      INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)) -- a receipt says that the gateway knows
) STRICT;

-- The event that has shown a scan to be dated by a clock that ran ahead. The scan
-- keeps its date; it is no floor any more.
ALTER TABLE scans ADD COLUMN ahead INTEGER REFERENCES clock_events (id);

DROP INDEX scans_scanned;
CREATE INDEX scans_dated ON scans (scanned_at) WHERE ahead IS NULL;
CREATE INDEX scans_ahead ON scans (ahead) WHERE ahead IS NOT NULL;
