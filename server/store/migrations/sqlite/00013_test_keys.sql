-- +goose Up

-- Test keys reach test documents only: their lists, and external ids of their
-- own, so that no rehearsal blocks a live document.
CREATE INDEX stamps_tests ON stamps (tenant, created_at, id) WHERE test = 1;
CREATE INDEX documents_tests ON documents (tenant, created_at, id) WHERE test = 1;
DROP INDEX stamps_external_id;
CREATE UNIQUE INDEX stamps_external_id ON stamps (tenant, external_id, test) WHERE external_id <> '' AND replaced_by = '';
DROP INDEX documents_external_id;
CREATE UNIQUE INDEX documents_external_id ON documents (tenant, external_id, test) WHERE external_id <> '' AND replaced_by = '';

ALTER TABLE bulk_jobs ADD COLUMN test INTEGER NOT NULL DEFAULT 0 CHECK (test IN (0, 1));
UPDATE bulk_jobs SET test = 1 WHERE settings LIKE '%"Test":true%';
CREATE INDEX bulk_jobs_tests ON bulk_jobs (tenant, product, created_at, id) WHERE test = 1;

-- Lines from before count as live.
ALTER TABLE verifications ADD COLUMN test INTEGER NOT NULL DEFAULT 0 CHECK (test IN (0, 1));
CREATE INDEX verifications_tests ON verifications (tenant, kind, verified_at, id) WHERE test = 1;

-- The tenant that stamped an original first answers for it; and of those stamps,
-- live or test, the newest of each status is at an index's end.
DROP INDEX stamps_original;
CREATE INDEX stamps_original ON stamps (original_sha256, test, tenant, status, created_at, id);
CREATE INDEX stamps_first ON stamps (original_sha256, test, created_at, id, tenant);
DROP INDEX documents_original;
CREATE INDEX documents_original ON documents (original_sha256, test, tenant, status, created_at, id) WHERE original_sha256 IS NOT NULL;
CREATE INDEX documents_first ON documents (original_sha256, test, created_at, id, tenant) WHERE original_sha256 IS NOT NULL;
