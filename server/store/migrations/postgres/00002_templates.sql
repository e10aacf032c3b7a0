-- +goose Up

-- Templates are hidden, never deleted: stamps name them permanently.
CREATE TABLE placement_templates (
    tenant      TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    id          TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    version     BIGINT           NOT NULL CHECK (version >= 1),
    name        TEXT COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    description TEXT COLLATE "C" NOT NULL CHECK (length(description) <= 500),
    spec        TEXT COLLATE "C" NOT NULL, -- JSON: placement.Spec
    hidden      INTEGER          NOT NULL CHECK (hidden IN (0, 1)),
    created_at  BIGINT           NOT NULL,
    updated_at  BIGINT           NOT NULL,
    PRIMARY KEY (tenant, id)
);
SELECT separate_tenants('placement_templates');
CREATE INDEX placement_templates_newest ON placement_templates (tenant, created_at, id) WHERE hidden = 0;

CREATE TABLE tdoc_templates (
    tenant      TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    id          TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    version     BIGINT           NOT NULL CHECK (version >= 1),
    status      TEXT COLLATE "C" NOT NULL CHECK (status IN ('Active', 'Archived')),
    name        TEXT COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    description TEXT COLLATE "C" NOT NULL CHECK (length(description) <= 1000),
    spec        TEXT COLLATE "C" NOT NULL, -- JSON: tdoc.Spec
    hidden      INTEGER          NOT NULL CHECK (hidden IN (0, 1)),
    created_at  BIGINT           NOT NULL,
    updated_at  BIGINT           NOT NULL,
    archived_at BIGINT           NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, id),
    CHECK ((status = 'Archived') = (archived_at <> 0))
);
SELECT separate_tenants('tdoc_templates');
CREATE INDEX tdoc_templates_newest ON tdoc_templates (tenant, created_at, id) WHERE hidden = 0;

-- Values come back in the order they were sent in.
ALTER TABLE stamp_fields ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
-- All pages that carry the symbol, as JSON; '' is the one in page.
ALTER TABLE stamps ADD COLUMN pages TEXT COLLATE "C" NOT NULL DEFAULT '';
