-- +goose Up

-- What test keys and test documents take is counted apart.
CREATE TABLE usage_apart (
    tenant TEXT    NOT NULL REFERENCES tenants (reference),
    month  INTEGER NOT NULL CHECK (month BETWEEN 200001 AND 999912), -- UTC, 202611
    kind   TEXT    NOT NULL CHECK (kind IN ('stamps', 'templates', 'bulk_jobs', 'documents', 'lifecycle', 'requests',
        'test_stamps', 'test_bulk_jobs', 'test_documents', 'test_requests')),
    used   INTEGER NOT NULL CHECK (used >= 0),
    PRIMARY KEY (tenant, month, kind)
) STRICT;
INSERT INTO usage_apart (tenant, month, kind, used) SELECT tenant, month, kind, used FROM usage_months;
DROP TABLE usage_months;
ALTER TABLE usage_apart RENAME TO usage_months;
