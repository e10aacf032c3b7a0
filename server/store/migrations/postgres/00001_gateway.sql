-- +goose Up

-- Times are milliseconds since 1970, 0 where there is none. Words in CHECKs are
-- the domain's own. Text is compared byte by byte, as SQLite does: COLLATE "C"
-- on every column, whatever the database's own collation is.

-- separate_tenants makes row-level security the second lock on a table, for its
-- owner too: a transaction sees and writes rows of the tenant that its setting
-- tcode.scope names, of all tenants if it is '*', and none without it. The
-- settings stand in subqueries so that they are read once a statement and not
-- once a row. Every table with a tenant column is followed by
--
--     SELECT separate_tenants('its_name');
--
-- Migrations run in scope '*'.
-- +goose StatementBegin
CREATE FUNCTION separate_tenants(tab regclass, col name DEFAULT 'tenant') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    mine text := format('%I = (SELECT nullif(current_setting(''tcode.scope'', true), ''''))', col)
        || ' OR (SELECT current_setting(''tcode.scope'', true)) = ''*''';
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tab);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tab);
    EXECUTE format('CREATE POLICY of_tenant ON %s USING (%s) WITH CHECK (%s)', tab, mine, mine);
END
$$;
-- +goose StatementEnd

CREATE TABLE tenants (
    reference  TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (reference ~ '^[0-9A-Z]{6}$'),
    name       TEXT COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    state      TEXT COLLATE "C" NOT NULL CHECK (state IN ('active', 'suspended')),
    created_at BIGINT           NOT NULL,
    updated_at BIGINT           NOT NULL
);
SELECT separate_tenants('tenants', 'reference');

-- The states of a tenant with their times: scans are judged as of their time, too.
CREATE TABLE tenant_states (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    seq    INTEGER          NOT NULL, -- 0 for the first
    state  TEXT COLLATE "C" NOT NULL CHECK (state IN ('active', 'suspended')),
    at     BIGINT           NOT NULL,
    PRIMARY KEY (tenant, seq)
);
SELECT separate_tenants('tenant_states');

CREATE TABLE api_keys (
    prefix       TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(prefix) = 8),
    tenant       TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    name         TEXT COLLATE "C" NOT NULL,
    test         INTEGER          NOT NULL CHECK (test IN (0, 1)),
    secret_hash  BYTEA            NOT NULL CHECK (length(secret_hash) = 32),
    created_at   BIGINT           NOT NULL,
    expires_at   BIGINT           NOT NULL DEFAULT 0,
    last_used_at BIGINT           NOT NULL DEFAULT 0,
    revoked_at   BIGINT           NOT NULL DEFAULT 0
);
SELECT separate_tenants('api_keys');
CREATE INDEX api_keys_of_tenant ON api_keys (tenant, created_at);

CREATE TABLE signing_keys (
    tenant            TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    seq               INTEGER          NOT NULL CHECK (seq BETWEEN 0 AND 255),
    algorithm         TEXT COLLATE "C" NOT NULL CHECK (algorithm IN ('Ed25519', 'ES256')),
    public            BYTEA            NOT NULL,
    state             TEXT COLLATE "C" NOT NULL CHECK (state IN ('announced', 'signing', 'verifying', 'compromised')),
    valid_from        BIGINT           NOT NULL,
    valid_until       BIGINT           NOT NULL DEFAULT 0,
    compromised_since BIGINT           NOT NULL DEFAULT 0,
    survivor_list     TEXT COLLATE "C" NOT NULL DEFAULT '',
    created_at        BIGINT           NOT NULL,
    sealed            BYTEA            NOT NULL,
    PRIMARY KEY (tenant, seq),
    CHECK ((state = 'compromised') = (compromised_since <> 0))
);
SELECT separate_tenants('signing_keys');
CREATE UNIQUE INDEX signing_keys_signing ON signing_keys (tenant) WHERE state = 'signing';
CREATE UNIQUE INDEX signing_keys_announced ON signing_keys (tenant) WHERE state = 'announced';

CREATE TABLE document_types (
    code         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (code ~ '^[0-9A-Z]{3}$'),
    names        TEXT COLLATE "C" NOT NULL, -- JSON: language to name
    field_labels TEXT COLLATE "C" NOT NULL, -- JSON: field key to language to label
    retired_at   BIGINT           NOT NULL DEFAULT 0
);

CREATE TABLE secrets (
    name   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    sealed BYTEA            NOT NULL
);

-- The published trust documents. wanted is counted up by every transaction that
-- changes what devices must learn, bundle_wanted by those that change tenants,
-- keys or document types; the published ones follow.
CREATE TABLE trust_head (
    id               BIGINT           NOT NULL PRIMARY KEY CHECK (id = 1),
    wanted           BIGINT           NOT NULL,
    published        BIGINT           NOT NULL,
    at               BIGINT           NOT NULL,
    version          BIGINT           NOT NULL,
    bundle_wanted    BIGINT           NOT NULL,
    bundle_published BIGINT           NOT NULL,
    bundle_version   BIGINT           NOT NULL,
    bundle_sha256    BYTEA            NOT NULL,
    bundle_expires   BIGINT           NOT NULL,
    status_version   BIGINT           NOT NULL,
    status_sha256    BYTEA            NOT NULL,
    status_expires   BIGINT           NOT NULL,
    timestamp        BYTEA
);
INSERT INTO trust_head VALUES (1, 1, 0, 0, 0, 1, 0, 0, decode(repeat('00', 32), 'hex'), 0, 0, decode(repeat('00', 32), 'hex'), 0, NULL);

CREATE TABLE trust_roots (
    version BIGINT           NOT NULL PRIMARY KEY CHECK (version >= 1),
    raw     BYTEA            NOT NULL
);

CREATE TABLE trust_objects (
    sha256        BYTEA            NOT NULL PRIMARY KEY CHECK (length(sha256) = 32),
    content_type  TEXT COLLATE "C" NOT NULL,
    data          BYTEA            NOT NULL,
    created_at    BIGINT           NOT NULL,
    superseded_at BIGINT           NOT NULL DEFAULT 0
);
CREATE INDEX trust_objects_superseded ON trust_objects (superseded_at) WHERE superseded_at <> 0;

CREATE TABLE shards (
    number    INTEGER          NOT NULL PRIMARY KEY CHECK (number BETWEEN 0 AND 65535),
    state     TEXT COLLATE "C" NOT NULL CHECK (state IN ('next', 'open', 'closed')),
    used      BIGINT           NOT NULL CHECK (used BETWEEN 0 AND 65536),
    changed   BIGINT           NOT NULL,
    published BIGINT           NOT NULL,
    version   BIGINT           NOT NULL,
    sha256    BYTEA            NOT NULL
);
CREATE UNIQUE INDEX shards_open ON shards (state) WHERE state = 'open';
CREATE UNIQUE INDEX shards_next ON shards (state) WHERE state = 'next';
INSERT INTO shards VALUES (0, 'open', 0, 1, 0, 0, decode(repeat('00', 32), 'hex')), (1, 'next', 0, 1, 0, 0, decode(repeat('00', 32), 'hex'));

-- One entry of the status list. It belongs to no tenant's view, so shard and
-- entry come first: they are drawn at random and may not be drawn twice.
CREATE TABLE status_entries (
    shard     INTEGER          NOT NULL REFERENCES shards (number),
    entry     INTEGER          NOT NULL CHECK (entry BETWEEN 0 AND 65535),
    tenant    TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    reference BYTEA            NOT NULL CHECK (length(reference) = 10),
    value     INTEGER          NOT NULL CHECK (value BETWEEN 0 AND 3),
    PRIMARY KEY (shard, entry)
);
SELECT separate_tenants('status_entries');
CREATE INDEX status_entries_set ON status_entries (shard, entry, value) WHERE value <> 0;

CREATE TABLE stamps (
    tenant                TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    id                    TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    reference             BYTEA            NOT NULL CHECK (length(reference) = 10),
    status                TEXT COLLATE "C" NOT NULL CHECK (status IN ('Active', 'Suspended', 'Revoked')),
    name                  TEXT COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    search_name           TEXT COLLATE "C" NOT NULL, -- name in lower case
    document_type         TEXT COLLATE "C" NOT NULL REFERENCES document_types (code),
    external_id           TEXT COLLATE "C" NOT NULL DEFAULT '',
    test                  INTEGER          NOT NULL CHECK (test IN (0, 1)),
    placement_template_id TEXT COLLATE "C" NOT NULL DEFAULT '',
    tdoc_template_id      TEXT COLLATE "C" NOT NULL DEFAULT '',
    page                  INTEGER          NOT NULL CHECK (page >= 1),
    modules               INTEGER          NOT NULL,
    module_mm             DOUBLE PRECISION NOT NULL,
    size_mm               DOUBLE PRECISION NOT NULL,
    box_mm                DOUBLE PRECISION NOT NULL,
    warnings              TEXT COLLATE "C" NOT NULL, -- JSON: array of text
    original_sha256       BYTEA            NOT NULL CHECK (length(original_sha256) = 32),
    stamped_sha256        BYTEA            NOT NULL CHECK (length(stamped_sha256) = 32),
    key_seq               INTEGER          NOT NULL,
    shard                 INTEGER          NOT NULL,
    entry                 INTEGER          NOT NULL,
    payload               BYTEA            NOT NULL, -- core and signature
    replaces              TEXT COLLATE "C" NOT NULL DEFAULT '',
    replaced_by           TEXT COLLATE "C" NOT NULL DEFAULT '',
    reason                TEXT COLLATE "C" NOT NULL DEFAULT '',
    issued_at             BIGINT           NOT NULL,
    created_at            BIGINT           NOT NULL,
    updated_at            BIGINT           NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, key_seq) REFERENCES signing_keys (tenant, seq),
    FOREIGN KEY (shard, entry) REFERENCES status_entries (shard, entry),
    CHECK (replaced_by = '' OR status = 'Revoked')
);
SELECT separate_tenants('stamps');
-- The public searches by reference and file hash, without a tenant.
CREATE UNIQUE INDEX stamps_reference ON stamps (reference);
CREATE INDEX stamps_original ON stamps (original_sha256);
CREATE INDEX stamps_stamped ON stamps (stamped_sha256);
CREATE INDEX stamps_newest ON stamps (tenant, created_at, id);
-- A replaced stamp hands its external id on to the one that replaces it.
CREATE UNIQUE INDEX stamps_external_id ON stamps (tenant, external_id) WHERE external_id <> '' AND replaced_by = '';

CREATE TABLE stamp_fields (
    tenant   TEXT COLLATE "C" NOT NULL,
    stamp_id TEXT COLLATE "C" NOT NULL,
    key      TEXT COLLATE "C" NOT NULL,
    value    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, stamp_id, key),
    FOREIGN KEY (tenant, stamp_id) REFERENCES stamps (tenant, id)
);
SELECT separate_tenants('stamp_fields');
CREATE INDEX stamp_fields_value ON stamp_fields (tenant, key, value);

CREATE TABLE stamp_files (
    tenant       TEXT COLLATE "C" NOT NULL,
    stamp_id     TEXT COLLATE "C" NOT NULL,
    kind         TEXT COLLATE "C" NOT NULL CHECK (kind IN ('stamped', 'original', 'barcode', 'payload')),
    sha256       TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
    size_bytes   BIGINT           NOT NULL,
    content_type TEXT COLLATE "C" NOT NULL,
    file_name    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, stamp_id, kind),
    FOREIGN KEY (tenant, stamp_id) REFERENCES stamps (tenant, id)
);
SELECT separate_tenants('stamp_files');

CREATE TABLE stamp_events (
    tenant      TEXT COLLATE "C" NOT NULL,
    stamp_id    TEXT COLLATE "C" NOT NULL,
    seq         INTEGER          NOT NULL, -- 0 for the first
    action      TEXT COLLATE "C" NOT NULL CHECK (action IN ('create', 'suspend', 'revoke', 'reactivate', 'replace')),
    from_status TEXT COLLATE "C" NOT NULL CHECK (from_status IN ('', 'Active', 'Suspended', 'Revoked')),
    to_status   TEXT COLLATE "C" NOT NULL CHECK (to_status IN ('Active', 'Suspended', 'Revoked')),
    reason      TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(reason) <= 500),
    by_key      TEXT COLLATE "C" NOT NULL DEFAULT '',
    at          BIGINT           NOT NULL,
    PRIMARY KEY (tenant, stamp_id, seq),
    FOREIGN KEY (tenant, stamp_id) REFERENCES stamps (tenant, id)
);
SELECT separate_tenants('stamp_events');

-- Answers kept for Idempotency-Key, inserted in the effect's own transaction.
CREATE TABLE once (
    tenant     TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    route      TEXT COLLATE "C" NOT NULL,
    key        TEXT COLLATE "C" NOT NULL,
    digest     BYTEA            NOT NULL CHECK (length(digest) = 32),
    status     INTEGER          NOT NULL,
    body       BYTEA            NOT NULL,
    created_at BIGINT           NOT NULL,
    PRIMARY KEY (tenant, route, key)
);
SELECT separate_tenants('once');
CREATE INDEX once_age ON once (created_at);

-- Verifications of known stamps. Those that find nothing belong to no tenant's
-- history, and anyone could fill the disk with them.
CREATE TABLE verifications (
    id          BIGINT           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant      TEXT COLLATE "C" NOT NULL,
    reference   BYTEA            NOT NULL,
    verdict     TEXT COLLATE "C" NOT NULL CHECK (verdict IN ('valid', 'suspended', 'revoked', 'expired', 'not_found')),
    method      TEXT COLLATE "C" NOT NULL CHECK (method IN ('reference', 'hash', 'payload')),
    viewer_key  TEXT COLLATE "C" NOT NULL DEFAULT '',
    verified_at BIGINT           NOT NULL
);
SELECT separate_tenants('verifications');
CREATE INDEX verifications_newest ON verifications (tenant, verified_at);

-- A batch as its device signed it. What it signed is recomputed from these
-- columns, and each scan's digest is among item_digests: proof of the scan.
CREATE TABLE scan_batches (
    id           BIGINT           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scanner_id   TEXT COLLATE "C" NOT NULL,
    batch_id     TEXT COLLATE "C" NOT NULL,
    item_digests BYTEA            NOT NULL CHECK (length(item_digests) % 32 = 0), -- in the batch's order
    device_key   TEXT COLLATE "C" NOT NULL,
    signature    TEXT COLLATE "C" NOT NULL,
    sent_at      BIGINT           NOT NULL,
    received_at  BIGINT           NOT NULL
);
CREATE INDEX scan_batches_of_scanner ON scan_batches (scanner_id, received_at);

-- signed is part of the identity: a stranger's claims under a device's name
-- can never block the scans that the device itself sends.
CREATE TABLE scans (
    id              BIGINT           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scanner_id      TEXT COLLATE "C" NOT NULL,
    signed          INTEGER          NOT NULL CHECK (signed IN (0, 1)),
    scan_id         TEXT COLLATE "C" NOT NULL,
    digest          BYTEA            NOT NULL CHECK (length(digest) = 32),
    batch_id        TEXT COLLATE "C" NOT NULL,
    seq             BIGINT           NOT NULL,
    payload         TEXT COLLATE "C" NOT NULL,
    typed_reference TEXT COLLATE "C" NOT NULL,
    tenant          TEXT COLLATE "C" NOT NULL, -- of the stamp, '' when none was found
    reference       BYTEA            NOT NULL, -- of the stamp, empty when none was found
    verdict         TEXT COLLATE "C" NOT NULL CHECK (verdict IN ('valid', 'suspended', 'revoked', 'expired', 'not_found')),
    verdict_at_scan TEXT COLLATE "C" NOT NULL CHECK (verdict_at_scan IN ('valid', 'suspended', 'revoked', 'expired', 'not_found')),
    offline_verdict TEXT COLLATE "C" NOT NULL CHECK (offline_verdict IN ('', 'not_found', 'revoked', 'expired', 'suspended', 'unverified', 'valid')),
    assurance       TEXT COLLATE "C" NOT NULL,
    binding         TEXT COLLATE "C" NOT NULL,
    trust_version   BIGINT           NOT NULL,
    location        TEXT COLLATE "C" NOT NULL,
    latitude_e6     INTEGER,
    longitude_e6    INTEGER,
    note            TEXT COLLATE "C" NOT NULL,
    scanned_at      BIGINT           NOT NULL, -- device's clock
    sent_at         BIGINT           NOT NULL, -- device's clock
    received_at     BIGINT           NOT NULL  -- our clock: the skew can be read off
);
SELECT separate_tenants('scans');
CREATE UNIQUE INDEX scans_once ON scans (scanner_id, signed, scan_id);
CREATE INDEX scans_of_document ON scans (tenant, reference, received_at);

-- A second scan under an id that another has: kept, and shown, never merged.
CREATE TABLE scan_conflicts (
    id          BIGINT           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scanner_id  TEXT COLLATE "C" NOT NULL,
    signed      INTEGER          NOT NULL CHECK (signed IN (0, 1)),
    scan_id     TEXT COLLATE "C" NOT NULL,
    digest      BYTEA            NOT NULL CHECK (length(digest) = 32),
    batch_id    TEXT COLLATE "C" NOT NULL,
    canonical   BYTEA            NOT NULL, -- the item as sync/wire writes it for its digest
    received_at BIGINT           NOT NULL
);
CREATE UNIQUE INDEX scan_conflicts_once ON scan_conflicts (scanner_id, signed, scan_id, digest);
