-- +goose Up

-- Templates are hidden, never deleted: documents name them permanently.
CREATE TABLE trust_templates (
    tenant                TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    id                    TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    version               BIGINT           NOT NULL CHECK (version >= 1),
    status                TEXT COLLATE "C" NOT NULL CHECK (status IN ('Active', 'Archived')),
    name                  TEXT COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    description           TEXT COLLATE "C" NOT NULL CHECK (length(description) <= 1000),
    document_type         TEXT COLLATE "C" NOT NULL REFERENCES document_types (code),
    fields                TEXT COLLATE "C" NOT NULL, -- JSON: array of field.Definition
    placement_template_id TEXT COLLATE "C" NOT NULL DEFAULT '',
    archive_reason        TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(archive_reason) <= 500),
    hidden                INTEGER          NOT NULL CHECK (hidden IN (0, 1)),
    created_at            BIGINT           NOT NULL,
    updated_at            BIGINT           NOT NULL,
    archived_at           BIGINT           NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, id),
    CHECK ((status = 'Archived') = (archived_at <> 0)),
    CHECK (status = 'Archived' OR archive_reason = '')
);
SELECT separate_tenants('trust_templates');
CREATE INDEX trust_templates_newest ON trust_templates (tenant, created_at, id) WHERE hidden = 0;
CREATE INDEX trust_templates_active ON trust_templates (tenant, created_at, id) WHERE hidden = 0 AND status = 'Active';

CREATE TABLE documents (
    tenant            TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    id                TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    reference         BYTEA            NOT NULL CHECK (length(reference) = 10),
    status            TEXT COLLATE "C" NOT NULL CHECK (status IN ('Active', 'Suspended', 'Revoked', 'Expired')),
    document_type     TEXT COLLATE "C" NOT NULL REFERENCES document_types (code),
    template_id       TEXT COLLATE "C" NOT NULL,
    template_version  BIGINT           NOT NULL,
    recipient_name    TEXT COLLATE "C" NOT NULL CHECK (length(recipient_name) BETWEEN 1 AND 300),
    recipient_email   TEXT COLLATE "C" NOT NULL CHECK (length(recipient_email) <= 254),
    title             TEXT COLLATE "C" NOT NULL CHECK (length(title) <= 300),
    external_id       TEXT COLLATE "C" NOT NULL DEFAULT '',
    issuance_path     TEXT COLLATE "C" NOT NULL CHECK (issuance_path IN ('digital', 'tcode', 'both')),
    test              INTEGER          NOT NULL CHECK (test IN (0, 1)),
    original_sha256   BYTEA            CHECK (length(original_sha256) = 32), -- of the PDF, if there is one
    stamped_sha256    BYTEA            CHECK (length(stamped_sha256) = 32),
    stamp_id          TEXT COLLATE "C" NOT NULL DEFAULT '', -- the stamp it owns
    stamp_reference   BYTEA            CHECK (length(stamp_reference) = 10),
    warnings          TEXT COLLATE "C" NOT NULL, -- JSON: array of text
    key_seq           INTEGER          NOT NULL,
    algorithm         TEXT COLLATE "C" NOT NULL CHECK (algorithm IN ('Ed25519', 'ES256')),
    canonical         TEXT COLLATE "C" NOT NULL, -- the signed text
    content_sha256    BYTEA            NOT NULL CHECK (length(content_sha256) = 32), -- of canonical
    signature         BYTEA            NOT NULL CHECK (length(signature) = 64),
    twin              BYTEA            CHECK (length(twin) = 32), -- what the same document would have too
    replaces          TEXT COLLATE "C" NOT NULL DEFAULT '',
    replaced_by       TEXT COLLATE "C" NOT NULL DEFAULT '',
    reason            TEXT COLLATE "C" NOT NULL DEFAULT '',
    signed_expires_at BIGINT           NOT NULL DEFAULT 0,
    expires_at        BIGINT           NOT NULL DEFAULT 0,
    issued_at         BIGINT           NOT NULL,
    created_at        BIGINT           NOT NULL,
    updated_at        BIGINT           NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, key_seq) REFERENCES signing_keys (tenant, seq),
    FOREIGN KEY (tenant, template_id) REFERENCES trust_templates (tenant, id),
    CHECK (replaced_by = '' OR status = 'Revoked'),
    CHECK ((stamp_id = '') = (issuance_path = 'digital'))
);
SELECT separate_tenants('documents');
-- The public searches by reference and hash, without a tenant.
CREATE UNIQUE INDEX documents_reference ON documents (reference);
CREATE INDEX documents_original ON documents (original_sha256, status, created_at, id) WHERE original_sha256 IS NOT NULL;
CREATE INDEX documents_stamped ON documents (stamped_sha256, status, created_at, id) WHERE stamped_sha256 IS NOT NULL;
CREATE INDEX documents_content ON documents (content_sha256);
-- Every filter of the list has an index in the list's own order.
CREATE INDEX documents_newest ON documents (tenant, created_at, id);
CREATE INDEX documents_by_status ON documents (tenant, status, created_at, id);
CREATE INDEX documents_by_template ON documents (tenant, template_id, created_at, id);
CREATE INDEX documents_by_external_id ON documents (tenant, external_id, created_at, id) WHERE external_id <> '';
-- A replaced document hands its external id on to the one that replaces it.
CREATE UNIQUE INDEX documents_external_id ON documents (tenant, external_id) WHERE external_id <> '' AND replaced_by = '';
-- The same document is not issued twice while the first stands.
CREATE UNIQUE INDEX documents_twin ON documents (tenant, twin) WHERE twin IS NOT NULL AND status IN ('Active', 'Suspended');
-- Those whose time will be over: of all tenants for the sweep, and of one.
CREATE INDEX documents_due ON documents (expires_at) WHERE expires_at <> 0 AND status IN ('Active', 'Suspended');
CREATE INDEX documents_due_of ON documents (tenant, expires_at) WHERE expires_at <> 0 AND status IN ('Active', 'Suspended');

CREATE TABLE document_fields (
    tenant      TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    key         TEXT COLLATE "C" NOT NULL,
    value       TEXT COLLATE "C" NOT NULL,
    position    INTEGER          NOT NULL,
    created_at  BIGINT           NOT NULL, -- of the document
    PRIMARY KEY (tenant, document_id, key),
    FOREIGN KEY (tenant, document_id) REFERENCES documents (tenant, id)
);
SELECT separate_tenants('document_fields');
CREATE INDEX document_fields_by_key ON document_fields (tenant, key, created_at, document_id);
CREATE INDEX document_fields_by_value ON document_fields (tenant, key, value, created_at, document_id);

-- The words of recipient and title, in lower case, each once.
CREATE TABLE document_words (
    tenant      TEXT COLLATE "C" NOT NULL,
    word        TEXT COLLATE "C" NOT NULL CHECK (word <> ''),
    created_at  BIGINT           NOT NULL, -- of the document
    document_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, word, created_at, document_id)
);
SELECT separate_tenants('document_words');

CREATE TABLE document_files (
    tenant       TEXT COLLATE "C" NOT NULL,
    document_id  TEXT COLLATE "C" NOT NULL,
    kind         TEXT COLLATE "C" NOT NULL CHECK (kind IN ('stamped', 'original')),
    sha256       TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
    size_bytes   BIGINT           NOT NULL,
    content_type TEXT COLLATE "C" NOT NULL,
    file_name    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, document_id, kind),
    FOREIGN KEY (tenant, document_id) REFERENCES documents (tenant, id)
);
SELECT separate_tenants('document_files');

CREATE TABLE document_events (
    tenant      TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    seq         INTEGER          NOT NULL, -- 0 for the first
    action      TEXT COLLATE "C" NOT NULL CHECK (action IN ('issue', 'suspend', 'revoke', 'reinstate', 'expire', 'replace')),
    from_status TEXT COLLATE "C" NOT NULL CHECK (from_status IN ('', 'Active', 'Suspended', 'Revoked', 'Expired')),
    to_status   TEXT COLLATE "C" NOT NULL CHECK (to_status IN ('Active', 'Suspended', 'Revoked', 'Expired')),
    reason      TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(reason) <= 500),
    by_key      TEXT COLLATE "C" NOT NULL DEFAULT '',
    at          BIGINT           NOT NULL,
    PRIMARY KEY (tenant, document_id, seq),
    FOREIGN KEY (tenant, document_id) REFERENCES documents (tenant, id)
);
SELECT separate_tenants('document_events');

-- The reference of the document that owns a stamp: it changes with that alone.
ALTER TABLE stamps ADD COLUMN document TEXT COLLATE "C" NOT NULL DEFAULT '';

-- The histories of stamps and of documents are two lists.
ALTER TABLE verifications ADD COLUMN kind TEXT COLLATE "C" NOT NULL DEFAULT 'stamp' CHECK (kind IN ('stamp', 'document'));
DROP INDEX verifications_newest;
CREATE INDEX verifications_newest ON verifications (tenant, kind, verified_at, id);
