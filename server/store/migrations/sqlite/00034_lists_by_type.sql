-- +goose Up

-- Lists of one document type, and the verifications of one stamp or document.
CREATE INDEX stamps_by_type ON stamps (tenant, document_type, created_at, id);
CREATE INDEX documents_by_type ON documents (tenant, document_type, created_at, id);
CREATE INDEX verifications_of ON verifications (tenant, kind, reference, verified_at);
