-- +goose Up

-- Signed scans of stamps that no tenant has get a budget, too: anyone can make a
-- device key. The counts start again from zero.
DROP TABLE claim_budgets;
CREATE TABLE claim_budgets (
    client TEXT    NOT NULL,
    kind   TEXT    NOT NULL CHECK (kind IN ('known', 'unknown', 'signed')), -- signed: of a stamp that no tenant has
    bytes  INTEGER NOT NULL,
    since  INTEGER NOT NULL,
    PRIMARY KEY (client, kind)
) STRICT;
