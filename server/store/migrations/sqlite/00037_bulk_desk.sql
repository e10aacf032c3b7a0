-- +goose Up

-- Lists of bulk jobs over both products, and in one status. checked is the dry run whose
-- files a job has; a dry run is ordered at most once.
ALTER TABLE bulk_jobs ADD COLUMN checked TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX bulk_jobs_checked ON bulk_jobs (tenant, checked) WHERE checked <> '';
CREATE INDEX bulk_jobs_all ON bulk_jobs (tenant, created_at, id);
CREATE INDEX bulk_jobs_status ON bulk_jobs (tenant, status, created_at, id);
CREATE INDEX bulk_jobs_all_tests ON bulk_jobs (tenant, test, created_at, id) WHERE test = 1;
