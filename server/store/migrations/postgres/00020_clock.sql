-- +goose Up

-- Corrections of their clocks that devices have reported: a proof of time showed that
-- scans or documents were dated ahead, or an operator vouched for the clock. Two
-- events under one id are both kept.
CREATE TABLE device_clock_events (
    scanner_id    TEXT COLLATE "C" NOT NULL,
    event_id      TEXT COLLATE "C" NOT NULL,
    digest        BYTEA            NOT NULL CHECK (length(digest) = 32), -- sync/wire/FORMAT.md section 9
    kind          TEXT COLLATE "C" NOT NULL CHECK (kind IN ('clock_was_ahead', 'clock_confirmed')),
    at            BIGINT           NOT NULL, -- the proven time, or the one that was vouched for
    was           BIGINT           NOT NULL, -- the latest date that it contradicts, 0: none
    trust_version BIGINT           NOT NULL, -- of the timestamp document dated ahead, 0: none
    scans         BIGINT           NOT NULL, -- how many were dated ahead
    after_seq     BIGINT           NOT NULL, -- the last scan before it
    batch_id      TEXT COLLATE "C" NOT NULL,
    received_at   BIGINT           NOT NULL,
    PRIMARY KEY (scanner_id, event_id, digest)
);
CREATE INDEX device_clock_events_newest ON device_clock_events (scanner_id, received_at);

ALTER TABLE devices ADD COLUMN clock_events BIGINT NOT NULL DEFAULT 0;

-- Part of what a device signed, where its batch had clock events.
ALTER TABLE scan_batches ADD COLUMN clock_digest BYTEA NOT NULL DEFAULT ''::bytea CHECK (length(clock_digest) IN (0, 32));
