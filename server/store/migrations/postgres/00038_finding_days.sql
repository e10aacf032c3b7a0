-- +goose Up

-- Signed scans of a tenant's live stamps that deserve a second look, by UTC day and by
-- finding (sync/wire, Finding, and two_scans: a second scan under an id), counted in the
-- transaction that stores them, with the last one.
CREATE TABLE finding_days (
    tenant     TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    day        INTEGER          NOT NULL CHECK (day BETWEEN 19700101 AND 99991231), -- 20261127
    finding    TEXT COLLATE "C" NOT NULL CHECK (finding <> ''),
    seen       BIGINT           NOT NULL CHECK (seen >= 1),
    last_at    BIGINT           NOT NULL,
    reference  BYTEA            NOT NULL, -- of the stamp of the last one
    scanner_id TEXT COLLATE "C" NOT NULL, -- of the device that sent it
    PRIMARY KEY (tenant, day, finding)
);
SELECT separate_tenants('finding_days');
INSERT INTO finding_days (tenant, day, finding, seen, last_at, reference, scanner_id)
SELECT s.tenant, CAST(to_char(to_timestamp(s.received_at / 1000) AT TIME ZONE 'UTC', 'YYYYMMDD') AS INTEGER) AS d, s.finding, count(*), max(s.received_at),
    (array_agg(s.reference ORDER BY s.received_at DESC))[1], (array_agg(s.scanner_id ORDER BY s.received_at DESC))[1]
FROM scans s JOIN stamps t ON t.reference = s.reference
WHERE s.tenant <> '' AND s.finding <> '' AND s.signed = 1 AND t.test = 0 AND s.received_at >= 0 GROUP BY s.tenant, d, s.finding;
