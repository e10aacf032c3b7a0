-- +goose Up

-- The tenant whose stamp a second scan is of; '' if no tenant has it, and of rows from before.
ALTER TABLE scan_conflicts ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
CREATE INDEX scan_conflicts_of_tenant ON scan_conflicts (tenant, id);

-- Signed scans, and clock events, that were deleted because of their age: a copy of their batch is
-- no new one. id is a hash over the device and their id there.
CREATE TABLE swept_scans (
    id     BLOB NOT NULL CHECK (length(id) = 32),
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    PRIMARY KEY (id, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX device_clock_events_old ON device_clock_events (received_at);

-- Scans that arrived after the erasure of their stamp were stored whole.
UPDATE erasures SET step = 'scans', place = '', done_at = 0 WHERE step NOT IN ('answers', 'events');
