-- +goose Up

-- How a tenant looks on public pages. The logo is a small picture that was encoded again.
CREATE TABLE brands (
    tenant      TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES tenants (reference),
    colour      TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(colour) IN (0, 7)),
    web         TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(web) <= 200),
    email       TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(email) <= 254),
    phone       TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(phone) <= 40),
    names       BIGINT           NOT NULL DEFAULT 0 CHECK (names IN (0, 1)),
    logo        BYTEA            NOT NULL DEFAULT '' CHECK (length(logo) <= 131072),
    logo_sha256 TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(logo_sha256) IN (0, 64)),
    logo_type   TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (logo_type IN ('', 'image/png', 'image/jpeg')),
    logo_width  BIGINT           NOT NULL DEFAULT 0,
    logo_height BIGINT           NOT NULL DEFAULT 0,
    updated_at  BIGINT           NOT NULL
);
SELECT separate_tenants('brands');
