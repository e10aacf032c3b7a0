-- One row per scan. The columns down to row_sum are written once and never
-- change; the rest is the state machine's and the gateway's.
CREATE TABLE scans (
  scan_id        TEXT    NOT NULL PRIMARY KEY,            -- UUIDv7, made before the commit
  seq            INTEGER NOT NULL UNIQUE CHECK (seq > 0), -- this device's numbering, no gaps
  payload        BLOB,                                    -- payload bytes as read
  reference      TEXT,                                    -- as typed, when there was no payload
  scanned_at     INTEGER NOT NULL,                        -- ms since 1970, device clock
  verdict        TEXT    NOT NULL,
  assurance      TEXT    NOT NULL,
  binding        TEXT    NOT NULL,
  trust_version  INTEGER NOT NULL,                        -- timestamp document judged by, 0: none
  trust_issued   INTEGER NOT NULL,                        -- its issue time in ms, 0: none: how old the judgement's ground was
  flags          INTEGER NOT NULL,                        -- 1 stale, 2 clock suspect, 4 test document
  location       TEXT    NOT NULL,
  coordinates    INTEGER NOT NULL CHECK (coordinates IN (0, 1)),
  latitude_e6    INTEGER NOT NULL,
  longitude_e6   INTEGER NOT NULL,
  note           TEXT    NOT NULL,
  source         TEXT    NOT NULL,                        -- file the scan came from; stays on the device
  page           INTEGER NOT NULL,
  digest         BLOB    NOT NULL CHECK (length(digest) = 32), -- sync/wire/FORMAT.md section 2
  row_sum        BLOB    NOT NULL CHECK (length(row_sum) = 8), -- over everything above

  state          TEXT    NOT NULL CHECK (state IN ('queued', 'inflight', 'done', 'dead')),
  attempts       INTEGER NOT NULL DEFAULT 0,
  next_at        INTEGER NOT NULL DEFAULT 0,              -- ms, not sent before
  lease_until    INTEGER NOT NULL DEFAULT 0,              -- ms, while inflight
  batch_id       TEXT    NOT NULL DEFAULT '',             -- of the last batch it travelled in
  code           TEXT    NOT NULL DEFAULT '',             -- why dead, or why put back
  message        TEXT    NOT NULL DEFAULT '',

  result         TEXT    NOT NULL DEFAULT '',             -- accepted, duplicate, conflict, rejected
  conflict       INTEGER NOT NULL DEFAULT 0 CHECK (conflict IN (0, 1)),
  gw_verdict     TEXT    NOT NULL DEFAULT '',
  gw_at_scan     TEXT    NOT NULL DEFAULT '',
  gw_changed     INTEGER NOT NULL DEFAULT 0 CHECK (gw_changed IN (0, 1)),
  gw_reference   TEXT    NOT NULL DEFAULT '',
  gw_status      TEXT    NOT NULL DEFAULT '',
  gw_received_at INTEGER NOT NULL DEFAULT 0,              -- ms, gateway clock
  receipt        INTEGER REFERENCES receipts (id),

  CHECK ((payload IS NULL) <> (reference IS NULL)),
  CHECK (state <> 'done' OR receipt IS NOT NULL)          -- nothing is done on the gateway's bare word
) STRICT;

CREATE INDEX scans_due ON scans (next_at, seq) WHERE state = 'queued';
CREATE INDEX scans_inflight ON scans (lease_until) WHERE state = 'inflight';
CREATE INDEX scans_dead ON scans (seq) WHERE state = 'dead';
CREATE INDEX scans_scanned ON scans (scanned_at);

-- The gateway's signed receipts for batches that it stored, for tcode-scan audit.
CREATE TABLE receipts (
  id           INTEGER PRIMARY KEY,
  batch_id     TEXT    NOT NULL UNIQUE,
  scanner_id   TEXT    NOT NULL,
  batch_digest BLOB    NOT NULL CHECK (length(batch_digest) = 32),
  items        INTEGER NOT NULL,
  last_seq     INTEGER NOT NULL,
  issued_at    INTEGER NOT NULL, -- ms, gateway clock
  stored_at    INTEGER NOT NULL, -- ms, device clock
  note         TEXT    NOT NULL
) STRICT;

-- Single values: last_seq, scanner_id, pause_until.
CREATE TABLE facts (
  name  TEXT NOT NULL PRIMARY KEY,
  value ANY  NOT NULL
) STRICT;
