-- +goose Up

-- Endpoints of webhooks. wake_at is when a runner may look at one next: the end
-- of the hold of the runner that works on it, or of a pause.
CREATE TABLE webhooks (
    tenant        TEXT    NOT NULL REFERENCES tenants (reference),
    id            TEXT    NOT NULL CHECK (length(id) = 36),
    url           TEXT    NOT NULL,
    events        TEXT    NOT NULL, -- JSON: array of text, webhook.Filter
    state         TEXT    NOT NULL CHECK (state IN ('enabled', 'disabled')),
    reason        TEXT    NOT NULL DEFAULT '', -- why it is disabled
    secret        BLOB    NOT NULL, -- sealed
    old_secret    BLOB,             -- sealed; NULL: none
    old_until     INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER NOT NULL DEFAULT 0, -- 0: the last try went well
    failures      INTEGER NOT NULL DEFAULT 0, -- tries in a row
    owner         TEXT    NOT NULL DEFAULT '', -- the runner that works on it
    wake_at       INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE UNIQUE INDEX webhooks_id ON webhooks (id);
CREATE INDEX webhooks_wake ON webhooks (wake_at) WHERE state = 'enabled';

-- What is to be sent, and was. The tries of a delivery that was asked for again
-- begin again after tries_before.
CREATE TABLE webhook_deliveries (
    tenant       TEXT    NOT NULL,
    id           TEXT    NOT NULL CHECK (length(id) = 36),
    endpoint     TEXT    NOT NULL,
    type         TEXT    NOT NULL,
    body         TEXT    NOT NULL, -- JSON, as it is sent
    state        TEXT    NOT NULL CHECK (state IN ('Waiting', 'Delivered', 'Failed')),
    tries        INTEGER NOT NULL DEFAULT 0,
    tries_before INTEGER NOT NULL DEFAULT 0,
    status       INTEGER NOT NULL DEFAULT 0, -- HTTP status of the last try; 0: none
    reason       TEXT    NOT NULL DEFAULT '',
    due_at       INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    finished_at  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, endpoint) REFERENCES webhooks (tenant, id)
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (tenant, endpoint, due_at, id) WHERE state = 'Waiting';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (tenant, endpoint, id);
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (tenant, endpoint, state, id);
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (finished_at) WHERE state <> 'Waiting';

CREATE TABLE webhook_tries (
    tenant   TEXT    NOT NULL,
    delivery TEXT    NOT NULL,
    number   INTEGER NOT NULL CHECK (number >= 1),
    at       INTEGER NOT NULL,
    took_ms  INTEGER NOT NULL,
    status   INTEGER NOT NULL,
    reason   TEXT    NOT NULL,
    PRIMARY KEY (tenant, delivery, number),
    FOREIGN KEY (tenant, delivery) REFERENCES webhook_deliveries (tenant, id) ON DELETE CASCADE
) STRICT;
