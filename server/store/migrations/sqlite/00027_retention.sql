-- +goose Up

-- How long a tenant keeps a kind of data, in days; 0: forever. A kind without a row has
-- its default, see package privacy.
CREATE TABLE retention (
    tenant TEXT    NOT NULL REFERENCES tenants (reference),
    kind   TEXT    NOT NULL CHECK (kind <> ''),
    days   INTEGER NOT NULL CHECK (days >= 0),
    PRIMARY KEY (tenant, kind)
) STRICT;

-- Up to which time a sweep has done its work.
CREATE TABLE retention_sweeps (
    tenant TEXT    NOT NULL REFERENCES tenants (reference),
    kind   TEXT    NOT NULL CHECK (kind <> ''),
    swept  INTEGER NOT NULL,
    PRIMARY KEY (tenant, kind)
) STRICT;
