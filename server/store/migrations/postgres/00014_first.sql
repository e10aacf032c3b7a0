-- +goose Up

-- Test documents may be few, and old. The index has the column test, too: SQLite
-- does not use a narrower index for its condition alone. A list of one status has
-- an index of its own.
DROP INDEX stamps_tests;
CREATE INDEX stamps_tests ON stamps (tenant, test, created_at, id) WHERE test = 1;
CREATE INDEX stamps_tests_by_status ON stamps (tenant, test, status, created_at, id) WHERE test = 1;
DROP INDEX documents_tests;
CREATE INDEX documents_tests ON documents (tenant, test, created_at, id) WHERE test = 1;
CREATE INDEX documents_tests_by_status ON documents (tenant, test, status, created_at, id) WHERE test = 1;
DROP INDEX bulk_jobs_tests;
CREATE INDEX bulk_jobs_tests ON bulk_jobs (tenant, product, test, created_at, id) WHERE test = 1;
DROP INDEX verifications_tests;
CREATE INDEX verifications_tests ON verifications (tenant, kind, test, verified_at, id) WHERE test = 1;

-- PostgreSQL would use an index that says who was first and is in the order of another
-- instead of it, and read all stamps of an original for the newest of a status.
DROP INDEX stamps_first;
CREATE INDEX stamps_first ON stamps (original_sha256, test, created_at, reference, tenant);
DROP INDEX documents_first;
CREATE INDEX documents_first ON documents (original_sha256, test, created_at, reference, tenant) WHERE original_sha256 IS NOT NULL;
