-- +goose Up

-- An external id is free again when the record that has it has ended.
DROP INDEX stamps_external_id;
CREATE UNIQUE INDEX stamps_external_id ON stamps (tenant, external_id, test) WHERE external_id <> '' AND status <> 'Revoked';
DROP INDEX documents_external_id;
CREATE UNIQUE INDEX documents_external_id ON documents (tenant, external_id, test) WHERE external_id <> '' AND status IN ('Active', 'Suspended');

-- A stamp without an external id is not made twice with the same values while the
-- first one stands. Stamps from before have no twin.
ALTER TABLE stamps ADD COLUMN twin BYTEA CHECK (length(twin) = 32);
CREATE UNIQUE INDEX stamps_twin ON stamps (tenant, twin) WHERE twin IS NOT NULL AND status <> 'Revoked';

-- Where and with what a symbol was read, as the caller says.
ALTER TABLE verifications ADD COLUMN scanner_id TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(scanner_id) <= 64);
ALTER TABLE verifications ADD COLUMN location TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(location) <= 200);
