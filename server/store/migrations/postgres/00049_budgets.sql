-- +goose Up

-- Signed scans of known stamps get budgets, too: anyone who has one document can send any
-- number of them. The counts start again from zero. The kind finding counts findings, not bytes.
DROP TABLE claim_budgets;
CREATE TABLE claim_budgets (
    client TEXT COLLATE "C" NOT NULL, -- c ADDRESS, d DEVICE, t TENANT, or empty: all together
    kind   TEXT COLLATE "C" NOT NULL CHECK (kind IN ('known', 'unknown', 'stamp', 'signed', 'newcomer', 'proven', 'finding')),
    bytes  BIGINT NOT NULL,
    since  BIGINT NOT NULL,
    PRIMARY KEY (client, kind)
);

-- Since when a device has a history of scans of live stamps (0: it has none), and the bytes of
-- such scans since day_at.
ALTER TABLE devices ADD COLUMN known_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN day_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN day_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE devices SET known_at = first_at WHERE first_at > 0 AND scanner_id IN (SELECT scanner_id FROM tenant_devices);
