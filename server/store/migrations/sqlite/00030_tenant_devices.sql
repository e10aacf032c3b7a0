-- +goose Up

-- What a tenant knows of a device that signs: the scans of the tenant's own stamps, what
-- they showed about the device, and what the tenant has decided. It changes nothing for
-- other tenants.
CREATE TABLE tenant_devices (
    tenant        TEXT    NOT NULL REFERENCES tenants (reference),
    scanner_id    TEXT    NOT NULL,
    first_at      INTEGER NOT NULL,           -- our clock, of the first batch with such a scan
    last_at       INTEGER NOT NULL,           -- of the last one
    last_scan     INTEGER NOT NULL,           -- the latest scan, by the device's clock
    scans         INTEGER NOT NULL,
    findings      INTEGER NOT NULL DEFAULT 0, -- of these, those that deserve a second look
    trust_version INTEGER NOT NULL DEFAULT 0, -- the highest that a scan was judged by
    skew_ms       INTEGER,                    -- device's clock minus ours in the last batch; NULL: not known
    name          TEXT    NOT NULL DEFAULT '',
    refused       TEXT    NOT NULL DEFAULT '', -- the reason
    refused_at    INTEGER NOT NULL DEFAULT 0,  -- 0: it is not refused
    PRIMARY KEY (tenant, scanner_id)
) STRICT;
CREATE INDEX tenant_devices_newest ON tenant_devices (tenant, last_at, scanner_id);
INSERT INTO tenant_devices (tenant, scanner_id, first_at, last_at, last_scan, scans, findings, trust_version)
SELECT tenant, scanner_id, min(received_at), max(received_at), max(scanned_at), count(*), sum(finding <> ''), max(trust_version)
FROM scans WHERE signed = 1 AND tenant <> '' GROUP BY tenant, scanner_id;

-- The audit log by time, and by what it is searched for.
DROP INDEX audit_of_tenant;
DROP INDEX audit_of_action;
CREATE INDEX audit_of_tenant ON audit (tenant, at, id);
CREATE INDEX audit_of_action ON audit (tenant, action, at, id);
CREATE INDEX audit_of_subject ON audit (tenant, subject, at, id);
CREATE INDEX audit_of_author ON audit (tenant, actor, by_name, at, id);
