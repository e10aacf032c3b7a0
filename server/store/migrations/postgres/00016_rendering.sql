-- +goose Up

-- How two engines draw the pages, as JSON; empty for stamps whose pages were not
-- compared.
ALTER TABLE stamps ADD COLUMN rendering TEXT COLLATE "C" NOT NULL DEFAULT '';
