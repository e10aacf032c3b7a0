-- +goose Up

-- What a key opens: words of tenant.Scope. Keys from before had no manage.
ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT 'stamp verify-history';
-- Where the last request came from that needed the key; '': not known. Only the last one is kept.
ALTER TABLE api_keys ADD COLUMN last_from TEXT NOT NULL DEFAULT '';
-- Requests with the key on a UTC day, 20261127.
ALTER TABLE api_keys ADD COLUMN uses_day INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_keys ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;

-- What was issued and verified on a UTC day, counted in the transactions that store it.
-- What is there already is counted once, from the year 2000 on.
CREATE TABLE usage_days (
    tenant TEXT    NOT NULL REFERENCES tenants (reference),
    day    INTEGER NOT NULL CHECK (day BETWEEN 20000101 AND 99991231), -- 20261127
    kind   TEXT    NOT NULL CHECK (kind IN ('stamps', 'documents', 'test_stamps', 'test_documents',
        'verifications', 'test_verifications', 'scans')),
    used   INTEGER NOT NULL CHECK (used >= 0),
    PRIMARY KEY (tenant, day, kind)
) STRICT;
INSERT INTO usage_days (tenant, day, kind, used)
SELECT tenant, CAST(strftime('%Y%m%d', created_at / 1000, 'unixepoch') AS INTEGER) AS d, CASE test WHEN 1 THEN 'test_stamps' ELSE 'stamps' END, count(*)
FROM stamps WHERE created_at >= 946684800000 GROUP BY tenant, d, test;
INSERT INTO usage_days (tenant, day, kind, used)
SELECT tenant, CAST(strftime('%Y%m%d', created_at / 1000, 'unixepoch') AS INTEGER) AS d, CASE test WHEN 1 THEN 'test_documents' ELSE 'documents' END, count(*)
FROM documents WHERE created_at >= 946684800000 GROUP BY tenant, d, test;
INSERT INTO usage_days (tenant, day, kind, used)
SELECT tenant, CAST(strftime('%Y%m%d', verified_at / 1000, 'unixepoch') AS INTEGER) AS d, CASE test WHEN 1 THEN 'test_verifications' ELSE 'verifications' END, count(*)
FROM verifications WHERE tenant <> '' AND verified_at >= 946684800000 GROUP BY tenant, d, test;
INSERT INTO usage_days (tenant, day, kind, used)
SELECT s.tenant, CAST(strftime('%Y%m%d', s.received_at / 1000, 'unixepoch') AS INTEGER) AS d, 'scans', count(*)
FROM scans s JOIN stamps t ON t.reference = s.reference WHERE s.tenant <> '' AND s.received_at >= 946684800000 AND t.test = 0 GROUP BY s.tenant, d;
