-- +goose Up

-- Endpoints of webhooks. wake_at is when a runner may look at one next: the end
-- of the hold of the runner that works on it, or of a pause.
CREATE TABLE webhooks (
    tenant        TEXT COLLATE "C" NOT NULL REFERENCES tenants (reference),
    id            TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    url           TEXT COLLATE "C" NOT NULL,
    events        TEXT COLLATE "C" NOT NULL, -- JSON: array of text, webhook.Filter
    state         TEXT COLLATE "C" NOT NULL CHECK (state IN ('enabled', 'disabled')),
    reason        TEXT COLLATE "C" NOT NULL DEFAULT '', -- why it is disabled
    secret        BYTEA            NOT NULL, -- sealed
    old_secret    BYTEA,             -- sealed; NULL: none
    old_until     BIGINT           NOT NULL DEFAULT 0,
    failing_since BIGINT           NOT NULL DEFAULT 0, -- 0: the last try went well
    failures      INTEGER          NOT NULL DEFAULT 0, -- tries in a row
    owner         TEXT COLLATE "C" NOT NULL DEFAULT '', -- the runner that works on it
    wake_at       BIGINT           NOT NULL,
    created_at    BIGINT           NOT NULL,
    updated_at    BIGINT           NOT NULL,
    PRIMARY KEY (tenant, id)
);
SELECT separate_tenants('webhooks');
CREATE UNIQUE INDEX webhooks_id ON webhooks (id);
CREATE INDEX webhooks_wake ON webhooks (wake_at) WHERE state = 'enabled';

-- What is to be sent, and was. The tries of a delivery that was asked for again
-- begin again after tries_before.
CREATE TABLE webhook_deliveries (
    tenant       TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    endpoint     TEXT COLLATE "C" NOT NULL,
    type         TEXT COLLATE "C" NOT NULL,
    body         TEXT COLLATE "C" NOT NULL, -- JSON, as it is sent
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('Waiting', 'Delivered', 'Failed')),
    tries        INTEGER          NOT NULL DEFAULT 0,
    tries_before INTEGER          NOT NULL DEFAULT 0,
    status       INTEGER          NOT NULL DEFAULT 0, -- HTTP status of the last try; 0: none
    reason       TEXT COLLATE "C" NOT NULL DEFAULT '',
    due_at       BIGINT           NOT NULL,
    created_at   BIGINT           NOT NULL,
    finished_at  BIGINT           NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, endpoint) REFERENCES webhooks (tenant, id)
);
SELECT separate_tenants('webhook_deliveries');
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (tenant, endpoint, due_at, id) WHERE state = 'Waiting';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (tenant, endpoint, id);
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (tenant, endpoint, state, id);
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (finished_at) WHERE state <> 'Waiting';

CREATE TABLE webhook_tries (
    tenant   TEXT COLLATE "C" NOT NULL,
    delivery TEXT COLLATE "C" NOT NULL,
    number   INTEGER          NOT NULL CHECK (number >= 1),
    at       BIGINT           NOT NULL,
    took_ms  INTEGER          NOT NULL,
    status   INTEGER          NOT NULL,
    reason   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, delivery, number),
    FOREIGN KEY (tenant, delivery) REFERENCES webhook_deliveries (tenant, id) ON DELETE CASCADE
);
SELECT separate_tenants('webhook_tries');
