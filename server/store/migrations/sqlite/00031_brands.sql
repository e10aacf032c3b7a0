-- +goose Up

-- How a tenant looks on public pages. The logo is a small picture that was encoded again.
CREATE TABLE brands (
    tenant      TEXT    NOT NULL PRIMARY KEY REFERENCES tenants (reference),
    colour      TEXT    NOT NULL DEFAULT '' CHECK (length(colour) IN (0, 7)),
    web         TEXT    NOT NULL DEFAULT '' CHECK (length(web) <= 200),
    email       TEXT    NOT NULL DEFAULT '' CHECK (length(email) <= 254),
    phone       TEXT    NOT NULL DEFAULT '' CHECK (length(phone) <= 40),
    names       INTEGER NOT NULL DEFAULT 0 CHECK (names IN (0, 1)),
    logo        BLOB    NOT NULL DEFAULT x'' CHECK (length(logo) <= 131072),
    logo_sha256 TEXT    NOT NULL DEFAULT '' CHECK (length(logo_sha256) IN (0, 64)),
    logo_type   TEXT    NOT NULL DEFAULT '' CHECK (logo_type IN ('', 'image/png', 'image/jpeg')),
    logo_width  INTEGER NOT NULL DEFAULT 0,
    logo_height INTEGER NOT NULL DEFAULT 0,
    updated_at  INTEGER NOT NULL
) STRICT;
