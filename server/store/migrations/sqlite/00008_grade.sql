-- +goose Up

-- How well the stamp can be read, as JSON; empty for stamps that were made
-- before it was measured.
ALTER TABLE stamps ADD COLUMN grade TEXT NOT NULL DEFAULT '';
