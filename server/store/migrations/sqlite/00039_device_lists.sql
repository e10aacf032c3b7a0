-- +goose Up

-- Devices of a tenant by what their screens select: by the version of the trust documents, those
-- that are refused, and those with findings. All in the order of the list.
CREATE INDEX tenant_devices_trust ON tenant_devices (tenant, trust_version, last_at, scanner_id);
CREATE INDEX tenant_devices_refused ON tenant_devices (tenant, last_at, scanner_id) WHERE refused_at <> 0;
CREATE INDEX tenant_devices_findings ON tenant_devices (tenant, last_at, scanner_id) WHERE findings > 0;
