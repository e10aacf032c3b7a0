-- +goose Up

-- What test keys and test documents take is counted apart.
ALTER TABLE usage_months DROP CONSTRAINT usage_months_kind_check;
ALTER TABLE usage_months ADD CONSTRAINT usage_months_kind_check CHECK (kind IN ('stamps', 'templates', 'bulk_jobs', 'documents', 'lifecycle', 'requests',
    'test_stamps', 'test_bulk_jobs', 'test_documents', 'test_requests'));
