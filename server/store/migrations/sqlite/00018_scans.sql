-- +goose Up

-- Why a scan deserves a second look (sync/wire, Finding), or nothing.
ALTER TABLE scans ADD COLUMN finding TEXT NOT NULL DEFAULT '';
CREATE INDEX scans_with_finding ON scans (tenant, reference, finding, received_at, id) WHERE finding <> '';

-- Which scan of a device has a number: none has two, unless there are two devices
-- with one key.
CREATE INDEX scans_of_device ON scans (scanner_id, seq) WHERE signed = 1 AND seq > 0;

-- The state of devices that sign. flag is the last sign of a second device
-- with the same key, until an operator clears it.
CREATE TABLE devices (
    scanner_id  TEXT    NOT NULL PRIMARY KEY,
    first_at    INTEGER NOT NULL,
    last_at     INTEGER NOT NULL, -- our clock
    last_seq    INTEGER NOT NULL, -- the highest
    last_scan   INTEGER NOT NULL, -- device's clock at that scan
    scans       INTEGER NOT NULL,
    flag        TEXT    NOT NULL DEFAULT '' CHECK (flag IN ('', 'seq_reused', 'seq_went_back')),
    flag_seq    INTEGER NOT NULL DEFAULT 0,
    flag_scan   TEXT    NOT NULL DEFAULT '',
    flag_other  TEXT    NOT NULL DEFAULT '', -- the scan that had the number
    flag_count  INTEGER NOT NULL DEFAULT 0,  -- such scans since it was last cleared
    flagged_at  INTEGER NOT NULL DEFAULT 0,
    cleared_at  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX devices_flagged ON devices (scanner_id) WHERE flag <> '';

-- What is claimed of stamps that no tenant has, without a signature: kept for a
-- day, and within a budget of bytes.
CREATE TABLE scan_claims (
    id          INTEGER NOT NULL PRIMARY KEY,
    scanner_id  TEXT    NOT NULL,
    scan_id     TEXT    NOT NULL,
    digest      BLOB    NOT NULL CHECK (length(digest) = 32),
    canonical   BLOB    NOT NULL, -- the item as sync/wire writes it for its digest
    scanned_at  INTEGER NOT NULL, -- device's clock
    received_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX scan_claims_once ON scan_claims (scanner_id, scan_id, digest);
CREATE INDEX scan_claims_age ON scan_claims (received_at);

-- Bytes that claims took since a time, by address and, under '', of all.
CREATE TABLE claim_budgets (
    client TEXT    NOT NULL,
    kind   TEXT    NOT NULL CHECK (kind IN ('known', 'unknown')), -- whether a tenant has the stamp
    bytes  INTEGER NOT NULL,
    since  INTEGER NOT NULL,
    PRIMARY KEY (client, kind)
) STRICT;
