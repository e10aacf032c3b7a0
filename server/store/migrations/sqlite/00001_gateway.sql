-- +goose Up

-- Times are milliseconds since 1970, 0 where there is none. Words in CHECKs are
-- the domain's own.

CREATE TABLE tenants (
    reference  TEXT    NOT NULL PRIMARY KEY CHECK (length(reference) = 6 AND reference NOT GLOB '*[^0-9A-Z]*'),
    name       TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    state      TEXT    NOT NULL CHECK (state IN ('active', 'suspended')),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- The states of a tenant with their times: scans are judged as of their time, too.
CREATE TABLE tenant_states (
    tenant TEXT    NOT NULL REFERENCES tenants (reference),
    seq    INTEGER NOT NULL, -- 0 for the first
    state  TEXT    NOT NULL CHECK (state IN ('active', 'suspended')),
    at     INTEGER NOT NULL,
    PRIMARY KEY (tenant, seq)
) STRICT;

CREATE TABLE api_keys (
    prefix       TEXT    NOT NULL PRIMARY KEY CHECK (length(prefix) = 8),
    tenant       TEXT    NOT NULL REFERENCES tenants (reference),
    name         TEXT    NOT NULL,
    test         INTEGER NOT NULL CHECK (test IN (0, 1)),
    secret_hash  BLOB    NOT NULL CHECK (length(secret_hash) = 32),
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER NOT NULL DEFAULT 0,
    revoked_at   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX api_keys_of_tenant ON api_keys (tenant, created_at);

CREATE TABLE signing_keys (
    tenant            TEXT    NOT NULL REFERENCES tenants (reference),
    seq               INTEGER NOT NULL CHECK (seq BETWEEN 0 AND 255),
    algorithm         TEXT    NOT NULL CHECK (algorithm IN ('Ed25519', 'ES256')),
    public            BLOB    NOT NULL,
    state             TEXT    NOT NULL CHECK (state IN ('announced', 'signing', 'verifying', 'compromised')),
    valid_from        INTEGER NOT NULL,
    valid_until       INTEGER NOT NULL DEFAULT 0,
    compromised_since INTEGER NOT NULL DEFAULT 0,
    survivor_list     TEXT    NOT NULL DEFAULT '',
    created_at        INTEGER NOT NULL,
    sealed            BLOB    NOT NULL,
    PRIMARY KEY (tenant, seq),
    CHECK ((state = 'compromised') = (compromised_since <> 0))
) STRICT;
CREATE UNIQUE INDEX signing_keys_signing ON signing_keys (tenant) WHERE state = 'signing';
CREATE UNIQUE INDEX signing_keys_announced ON signing_keys (tenant) WHERE state = 'announced';

CREATE TABLE document_types (
    code         TEXT    NOT NULL PRIMARY KEY CHECK (length(code) = 3 AND code NOT GLOB '*[^0-9A-Z]*'),
    names        TEXT    NOT NULL, -- JSON: language to name
    field_labels TEXT    NOT NULL, -- JSON: field key to language to label
    retired_at   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE secrets (
    name   TEXT NOT NULL PRIMARY KEY,
    sealed BLOB NOT NULL
) STRICT;

-- The published trust documents. wanted is counted up by every transaction that
-- changes what devices must learn, bundle_wanted by those that change tenants,
-- keys or document types; the published ones follow.
CREATE TABLE trust_head (
    id               INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    wanted           INTEGER NOT NULL,
    published        INTEGER NOT NULL,
    at               INTEGER NOT NULL,
    version          INTEGER NOT NULL,
    bundle_wanted    INTEGER NOT NULL,
    bundle_published INTEGER NOT NULL,
    bundle_version   INTEGER NOT NULL,
    bundle_sha256    BLOB    NOT NULL,
    bundle_expires   INTEGER NOT NULL,
    status_version   INTEGER NOT NULL,
    status_sha256    BLOB    NOT NULL,
    status_expires   INTEGER NOT NULL,
    timestamp        BLOB
) STRICT;
INSERT INTO trust_head VALUES (1, 1, 0, 0, 0, 1, 0, 0, zeroblob(32), 0, 0, zeroblob(32), 0, NULL);

CREATE TABLE trust_roots (
    version INTEGER NOT NULL PRIMARY KEY CHECK (version >= 1),
    raw     BLOB    NOT NULL
) STRICT;

CREATE TABLE trust_objects (
    sha256        BLOB    NOT NULL PRIMARY KEY CHECK (length(sha256) = 32),
    content_type  TEXT    NOT NULL,
    data          BLOB    NOT NULL,
    created_at    INTEGER NOT NULL,
    superseded_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX trust_objects_superseded ON trust_objects (superseded_at) WHERE superseded_at <> 0;

CREATE TABLE shards (
    number    INTEGER NOT NULL PRIMARY KEY CHECK (number BETWEEN 0 AND 65535),
    state     TEXT    NOT NULL CHECK (state IN ('next', 'open', 'closed')),
    used      INTEGER NOT NULL CHECK (used BETWEEN 0 AND 65536),
    changed   INTEGER NOT NULL,
    published INTEGER NOT NULL,
    version   INTEGER NOT NULL,
    sha256    BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX shards_open ON shards (state) WHERE state = 'open';
CREATE UNIQUE INDEX shards_next ON shards (state) WHERE state = 'next';
INSERT INTO shards VALUES (0, 'open', 0, 1, 0, 0, zeroblob(32)), (1, 'next', 0, 1, 0, 0, zeroblob(32));

-- One entry of the status list. It belongs to no tenant's view, so shard and
-- entry come first: they are drawn at random and may not be drawn twice.
CREATE TABLE status_entries (
    shard     INTEGER NOT NULL REFERENCES shards (number),
    entry     INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 65535),
    tenant    TEXT    NOT NULL REFERENCES tenants (reference),
    reference BLOB    NOT NULL CHECK (length(reference) = 10),
    value     INTEGER NOT NULL CHECK (value BETWEEN 0 AND 3),
    PRIMARY KEY (shard, entry)
) STRICT;
CREATE INDEX status_entries_set ON status_entries (shard, entry, value) WHERE value <> 0;

CREATE TABLE stamps (
    tenant                TEXT    NOT NULL REFERENCES tenants (reference),
    id                    TEXT    NOT NULL CHECK (length(id) = 36),
    reference             BLOB    NOT NULL CHECK (length(reference) = 10),
    status                TEXT    NOT NULL CHECK (status IN ('Active', 'Suspended', 'Revoked')),
    name                  TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    search_name           TEXT    NOT NULL, -- name in lower case
    document_type         TEXT    NOT NULL REFERENCES document_types (code),
    external_id           TEXT    NOT NULL DEFAULT '',
    test                  INTEGER NOT NULL CHECK (test IN (0, 1)),
    placement_template_id TEXT    NOT NULL DEFAULT '',
    tdoc_template_id      TEXT    NOT NULL DEFAULT '',
    page                  INTEGER NOT NULL CHECK (page >= 1),
    modules               INTEGER NOT NULL,
    module_mm             REAL    NOT NULL,
    size_mm               REAL    NOT NULL,
    box_mm                REAL    NOT NULL,
    warnings              TEXT    NOT NULL, -- JSON: array of text
    original_sha256       BLOB    NOT NULL CHECK (length(original_sha256) = 32),
    stamped_sha256        BLOB    NOT NULL CHECK (length(stamped_sha256) = 32),
    key_seq               INTEGER NOT NULL,
    shard                 INTEGER NOT NULL,
    entry                 INTEGER NOT NULL,
    payload               BLOB    NOT NULL, -- core and signature
    replaces              TEXT    NOT NULL DEFAULT '',
    replaced_by           TEXT    NOT NULL DEFAULT '',
    reason                TEXT    NOT NULL DEFAULT '',
    issued_at             INTEGER NOT NULL,
    created_at            INTEGER NOT NULL,
    updated_at            INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, key_seq) REFERENCES signing_keys (tenant, seq),
    FOREIGN KEY (shard, entry) REFERENCES status_entries (shard, entry),
    CHECK (replaced_by = '' OR status = 'Revoked')
) STRICT;
-- The public searches by reference and file hash, without a tenant.
CREATE UNIQUE INDEX stamps_reference ON stamps (reference);
CREATE INDEX stamps_original ON stamps (original_sha256);
CREATE INDEX stamps_stamped ON stamps (stamped_sha256);
CREATE INDEX stamps_newest ON stamps (tenant, created_at, id);
-- A replaced stamp hands its external id on to the one that replaces it.
CREATE UNIQUE INDEX stamps_external_id ON stamps (tenant, external_id) WHERE external_id <> '' AND replaced_by = '';

CREATE TABLE stamp_fields (
    tenant   TEXT NOT NULL,
    stamp_id TEXT NOT NULL,
    key      TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (tenant, stamp_id, key),
    FOREIGN KEY (tenant, stamp_id) REFERENCES stamps (tenant, id)
) STRICT;
CREATE INDEX stamp_fields_value ON stamp_fields (tenant, key, value);

CREATE TABLE stamp_files (
    tenant       TEXT    NOT NULL,
    stamp_id     TEXT    NOT NULL,
    kind         TEXT    NOT NULL CHECK (kind IN ('stamped', 'original', 'barcode', 'payload')),
    sha256       TEXT    NOT NULL CHECK (length(sha256) = 64),
    size_bytes   INTEGER NOT NULL,
    content_type TEXT    NOT NULL,
    file_name    TEXT    NOT NULL,
    PRIMARY KEY (tenant, stamp_id, kind),
    FOREIGN KEY (tenant, stamp_id) REFERENCES stamps (tenant, id)
) STRICT;

CREATE TABLE stamp_events (
    tenant      TEXT    NOT NULL,
    stamp_id    TEXT    NOT NULL,
    seq         INTEGER NOT NULL, -- 0 for the first
    action      TEXT    NOT NULL CHECK (action IN ('create', 'suspend', 'revoke', 'reactivate', 'replace')),
    from_status TEXT    NOT NULL CHECK (from_status IN ('', 'Active', 'Suspended', 'Revoked')),
    to_status   TEXT    NOT NULL CHECK (to_status IN ('Active', 'Suspended', 'Revoked')),
    reason      TEXT    NOT NULL DEFAULT '' CHECK (length(reason) <= 500),
    by_key      TEXT    NOT NULL DEFAULT '',
    at          INTEGER NOT NULL,
    PRIMARY KEY (tenant, stamp_id, seq),
    FOREIGN KEY (tenant, stamp_id) REFERENCES stamps (tenant, id)
) STRICT;

-- Answers kept for Idempotency-Key, inserted in the effect's own transaction.
CREATE TABLE once (
    tenant     TEXT    NOT NULL REFERENCES tenants (reference),
    route      TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    digest     BLOB    NOT NULL CHECK (length(digest) = 32),
    status     INTEGER NOT NULL,
    body       BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, route, key)
) STRICT;
CREATE INDEX once_age ON once (created_at);

-- Verifications of known stamps. Those that find nothing belong to no tenant's
-- history, and anyone could fill the disk with them.
CREATE TABLE verifications (
    id          INTEGER NOT NULL PRIMARY KEY,
    tenant      TEXT    NOT NULL,
    reference   BLOB    NOT NULL,
    verdict     TEXT    NOT NULL CHECK (verdict IN ('valid', 'suspended', 'revoked', 'expired', 'not_found')),
    method      TEXT    NOT NULL CHECK (method IN ('reference', 'hash', 'payload')),
    viewer_key  TEXT    NOT NULL DEFAULT '',
    verified_at INTEGER NOT NULL
) STRICT;
CREATE INDEX verifications_newest ON verifications (tenant, verified_at);

-- A batch as its device signed it. What it signed is recomputed from these
-- columns, and each scan's digest is among item_digests: proof of the scan.
CREATE TABLE scan_batches (
    id           INTEGER NOT NULL PRIMARY KEY,
    scanner_id   TEXT    NOT NULL,
    batch_id     TEXT    NOT NULL,
    item_digests BLOB    NOT NULL CHECK (length(item_digests) % 32 = 0), -- in the batch's order
    device_key   TEXT    NOT NULL,
    signature    TEXT    NOT NULL,
    sent_at      INTEGER NOT NULL,
    received_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX scan_batches_of_scanner ON scan_batches (scanner_id, received_at);

-- signed is part of the identity: a stranger's claims under a device's name
-- can never block the scans that the device itself sends.
CREATE TABLE scans (
    id              INTEGER NOT NULL PRIMARY KEY,
    scanner_id      TEXT    NOT NULL,
    signed          INTEGER NOT NULL CHECK (signed IN (0, 1)),
    scan_id         TEXT    NOT NULL,
    digest          BLOB    NOT NULL CHECK (length(digest) = 32),
    batch_id        TEXT    NOT NULL,
    seq             INTEGER NOT NULL,
    payload         TEXT    NOT NULL,
    typed_reference TEXT    NOT NULL,
    tenant          TEXT    NOT NULL, -- of the stamp, '' when none was found
    reference       BLOB    NOT NULL, -- of the stamp, empty when none was found
    verdict         TEXT    NOT NULL CHECK (verdict IN ('valid', 'suspended', 'revoked', 'expired', 'not_found')),
    verdict_at_scan TEXT    NOT NULL CHECK (verdict_at_scan IN ('valid', 'suspended', 'revoked', 'expired', 'not_found')),
    offline_verdict TEXT    NOT NULL CHECK (offline_verdict IN ('', 'not_found', 'revoked', 'expired', 'suspended', 'unverified', 'valid')),
    assurance       TEXT    NOT NULL,
    binding         TEXT    NOT NULL,
    trust_version   INTEGER NOT NULL,
    location        TEXT    NOT NULL,
    latitude_e6     INTEGER,
    longitude_e6    INTEGER,
    note            TEXT    NOT NULL,
    scanned_at      INTEGER NOT NULL, -- device's clock
    sent_at         INTEGER NOT NULL, -- device's clock
    received_at     INTEGER NOT NULL  -- our clock: the skew can be read off
) STRICT;
CREATE UNIQUE INDEX scans_once ON scans (scanner_id, signed, scan_id);
CREATE INDEX scans_of_document ON scans (tenant, reference, received_at);

-- A second scan under an id that another has: kept, and shown, never merged.
CREATE TABLE scan_conflicts (
    id          INTEGER NOT NULL PRIMARY KEY,
    scanner_id  TEXT    NOT NULL,
    signed      INTEGER NOT NULL CHECK (signed IN (0, 1)),
    scan_id     TEXT    NOT NULL,
    digest      BLOB    NOT NULL CHECK (length(digest) = 32),
    batch_id    TEXT    NOT NULL,
    canonical   BLOB    NOT NULL, -- the item as sync/wire writes it for its digest
    received_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX scan_conflicts_once ON scan_conflicts (scanner_id, signed, scan_id, digest);
