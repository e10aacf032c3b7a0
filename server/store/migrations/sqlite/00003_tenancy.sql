-- +goose Up

-- What a tenant may do: '*' for all, or words such as 'stamps templates'.
ALTER TABLE tenants ADD COLUMN entitlements TEXT NOT NULL DEFAULT '*';
-- Of each API key of the tenant; 0 is the gateway's default.
ALTER TABLE tenants ADD COLUMN requests_per_minute INTEGER NOT NULL DEFAULT 0 CHECK (requests_per_minute >= 0);

-- A kind without a row is not limited. Lifecycle changes never are: a
-- revocation cannot wait for a plan.
CREATE TABLE plan_quotas (
    tenant    TEXT    NOT NULL REFERENCES tenants (reference),
    kind      TEXT    NOT NULL CHECK (kind IN ('stamps', 'templates', 'bulk_jobs', 'documents', 'requests')),
    per_month INTEGER NOT NULL CHECK (per_month >= 0),
    PRIMARY KEY (tenant, kind)
) STRICT;

-- Operations done, counted in the transaction that does them.
CREATE TABLE usage_months (
    tenant TEXT    NOT NULL REFERENCES tenants (reference),
    month  INTEGER NOT NULL CHECK (month BETWEEN 200001 AND 999912), -- UTC, 202611
    kind   TEXT    NOT NULL CHECK (kind IN ('stamps', 'templates', 'bulk_jobs', 'documents', 'lifecycle', 'requests')),
    used   INTEGER NOT NULL CHECK (used >= 0),
    PRIMARY KEY (tenant, month, kind)
) STRICT;

-- One row a change, in the change's own transaction. tenant is '' for changes
-- that belong to no tenant.
CREATE TABLE audit (
    id       INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    tenant   TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    actor    TEXT    NOT NULL CHECK (actor IN ('key', 'operator', 'user', 'system')),
    by_name  TEXT    NOT NULL, -- of a key its visible prefix
    action   TEXT    NOT NULL CHECK (action GLOB '[a-z]*.[a-z]*' AND length(action) <= 60),
    subject  TEXT    NOT NULL CHECK (length(subject) <= 100),
    detail   TEXT    NOT NULL, -- JSON object, or ''
    trace_id TEXT    NOT NULL CHECK (length(trace_id) IN (0, 32))
) STRICT;
CREATE INDEX audit_of_tenant ON audit (tenant, id);
CREATE INDEX audit_of_action ON audit (tenant, action, id);

-- +goose StatementBegin
CREATE TRIGGER audit_is_kept_as_written BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is not altered'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is not altered'); END;
-- +goose StatementEnd

-- A database that came out of a backup. Until agreed_at is set nothing is
-- published from it: a revocation made after the backup may be missing.
CREATE TABLE restores (
    id          INTEGER NOT NULL PRIMARY KEY,
    backup_at   INTEGER NOT NULL,
    restored_at INTEGER NOT NULL,
    agreed_at   INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Status entries that published trust documents show as set, of stamps made
-- after the backup that this database came out of. They stay set permanently.
CREATE TABLE lost_entries (
    shard INTEGER NOT NULL REFERENCES shards (number),
    entry INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 65535),
    value INTEGER NOT NULL CHECK (value BETWEEN 1 AND 3),
    PRIMARY KEY (shard, entry)
) STRICT;
