-- +goose Up

-- Corrections of their clocks that devices have reported: a proof of time showed that
-- scans or documents were dated ahead, or an operator vouched for the clock. Two
-- events under one id are both kept.
CREATE TABLE device_clock_events (
    scanner_id    TEXT    NOT NULL,
    event_id      TEXT    NOT NULL,
    digest        BLOB    NOT NULL CHECK (length(digest) = 32), -- sync/wire/FORMAT.md section 9
    kind          TEXT    NOT NULL CHECK (kind IN ('clock_was_ahead', 'clock_confirmed')),
    at            INTEGER NOT NULL, -- the proven time, or the one that was vouched for
    was           INTEGER NOT NULL, -- the latest date that it contradicts, 0: none
    trust_version INTEGER NOT NULL, -- of the timestamp document dated ahead, 0: none
    scans         INTEGER NOT NULL, -- how many were dated ahead
    after_seq     INTEGER NOT NULL, -- the last scan before it
    batch_id      TEXT    NOT NULL,
    received_at   INTEGER NOT NULL,
    PRIMARY KEY (scanner_id, event_id, digest)
) STRICT;
CREATE INDEX device_clock_events_newest ON device_clock_events (scanner_id, received_at);

ALTER TABLE devices ADD COLUMN clock_events INTEGER NOT NULL DEFAULT 0;

-- Part of what a device signed, where its batch had clock events.
ALTER TABLE scan_batches ADD COLUMN clock_digest BLOB NOT NULL DEFAULT x'' CHECK (length(clock_digest) IN (0, 32));
