-- +goose Up

-- The history of a tenant in its own order, so that a page is read off the end.
DROP INDEX verifications_newest;
CREATE INDEX verifications_newest ON verifications (tenant, verified_at, id);
