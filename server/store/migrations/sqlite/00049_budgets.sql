-- +goose Up

-- Signed scans of known stamps get budgets, too: anyone who has one document can send any
-- number of them. The counts start again from zero. The kind finding counts findings, not bytes.
DROP TABLE claim_budgets;
CREATE TABLE claim_budgets (
    client TEXT NOT NULL, -- c ADDRESS, d DEVICE, t TENANT, or empty: all together
    kind   TEXT NOT NULL CHECK (kind IN ('known', 'unknown', 'stamp', 'signed', 'newcomer', 'proven', 'finding')),
    bytes  INTEGER NOT NULL,
    since  INTEGER NOT NULL,
    PRIMARY KEY (client, kind)
) STRICT;

-- Since when a device has a history of scans of live stamps (0: it has none), and the bytes of
-- such scans since day_at.
ALTER TABLE devices ADD COLUMN known_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN day_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN day_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE devices SET known_at = first_at WHERE first_at > 0 AND scanner_id IN (SELECT scanner_id FROM tenant_devices);
