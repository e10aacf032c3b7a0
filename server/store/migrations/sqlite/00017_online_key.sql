-- +goose Up

-- The version of the root that first named the online key by which the published
-- documents were signed. A newer root may name another: all is signed again then.
ALTER TABLE trust_head ADD COLUMN online_since INTEGER NOT NULL DEFAULT 1;
