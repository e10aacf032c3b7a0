-- +goose Up

-- How long a tenant keeps a kind of data, in days; 0: forever. A kind without a row has
-- its default, see package privacy.
CREATE TABLE retention (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    kind TEXT COLLATE "C" NOT NULL CHECK (kind <> ''),
    days INTEGER NOT NULL CHECK (days >= 0),
    PRIMARY KEY (tenant, kind)
);
SELECT separate_tenants('retention');

-- Up to which time a sweep has done its work.
CREATE TABLE retention_sweeps (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    kind TEXT COLLATE "C" NOT NULL CHECK (kind <> ''),
    swept BIGINT NOT NULL,
    PRIMARY KEY (tenant, kind)
);
SELECT separate_tenants('retention_sweeps');
