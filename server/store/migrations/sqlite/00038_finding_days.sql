-- +goose Up

-- Signed scans of a tenant's live stamps that deserve a second look, by UTC day and by
-- finding (sync/wire, Finding, and two_scans: a second scan under an id), counted in the
-- transaction that stores them, with the last one.
CREATE TABLE finding_days (
    tenant     TEXT    NOT NULL REFERENCES tenants (reference),
    day        INTEGER NOT NULL CHECK (day BETWEEN 19700101 AND 99991231), -- 20261127
    finding    TEXT    NOT NULL CHECK (finding <> ''),
    seen       INTEGER NOT NULL CHECK (seen >= 1),
    last_at    INTEGER NOT NULL,
    reference  BLOB    NOT NULL, -- of the stamp of the last one
    scanner_id TEXT    NOT NULL, -- of the device that sent it
    PRIMARY KEY (tenant, day, finding)
) STRICT;
INSERT INTO finding_days (tenant, day, finding, seen, last_at, reference, scanner_id)
SELECT s.tenant, CAST(strftime('%Y%m%d', s.received_at / 1000, 'unixepoch') AS INTEGER) AS d, s.finding, count(*), max(s.received_at), s.reference, s.scanner_id
FROM scans s JOIN stamps t ON t.reference = s.reference
WHERE s.tenant <> '' AND s.finding <> '' AND s.signed = 1 AND t.test = 0 AND s.received_at >= 0 GROUP BY s.tenant, d, s.finding;
