-- +goose Up

-- Templates are hidden, never deleted: stamps name them permanently.
CREATE TABLE placement_templates (
    tenant      TEXT    NOT NULL REFERENCES tenants (reference),
    id          TEXT    NOT NULL CHECK (length(id) = 36),
    version     INTEGER NOT NULL CHECK (version >= 1),
    name        TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    description TEXT    NOT NULL CHECK (length(description) <= 500),
    spec        TEXT    NOT NULL, -- JSON: placement.Spec
    hidden      INTEGER NOT NULL CHECK (hidden IN (0, 1)),
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX placement_templates_newest ON placement_templates (tenant, created_at, id) WHERE hidden = 0;

CREATE TABLE tdoc_templates (
    tenant      TEXT    NOT NULL REFERENCES tenants (reference),
    id          TEXT    NOT NULL CHECK (length(id) = 36),
    version     INTEGER NOT NULL CHECK (version >= 1),
    status      TEXT    NOT NULL CHECK (status IN ('Active', 'Archived')),
    name        TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    description TEXT    NOT NULL CHECK (length(description) <= 1000),
    spec        TEXT    NOT NULL, -- JSON: tdoc.Spec
    hidden      INTEGER NOT NULL CHECK (hidden IN (0, 1)),
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    archived_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, id),
    CHECK ((status = 'Archived') = (archived_at <> 0))
) STRICT;
CREATE INDEX tdoc_templates_newest ON tdoc_templates (tenant, created_at, id) WHERE hidden = 0;

-- Values come back in the order they were sent in.
ALTER TABLE stamp_fields ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
-- All pages that carry the symbol, as JSON; '' is the one in page.
ALTER TABLE stamps ADD COLUMN pages TEXT NOT NULL DEFAULT '';
