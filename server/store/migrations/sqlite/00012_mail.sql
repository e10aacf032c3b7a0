-- +goose Up

-- The language of messages to a tenant's recipients, BCP 47.
ALTER TABLE tenants ADD COLUMN language TEXT NOT NULL DEFAULT 'en' CHECK (length(language) BETWEEN 2 AND 35);

-- Deliveries of documents by e-mail. next_at is when a message is tried next, or
-- when the lease of the gateway that sends it ends; wake_at is when a gateway
-- must be woken for it, if none has looked by then. Only the document holds the
-- address of the recipient.
CREATE TABLE mails (
    tenant      TEXT    NOT NULL REFERENCES tenants (reference),
    id          TEXT    NOT NULL CHECK (length(id) = 36),
    document_id TEXT    NOT NULL,
    state       TEXT    NOT NULL CHECK (state IN ('NotConfigured', 'Waiting', 'Sending', 'Sent', 'Refused', 'Failed', 'Dropped')),
    reason      TEXT    NOT NULL DEFAULT '',
    round       INTEGER NOT NULL DEFAULT 0,
    tries       INTEGER NOT NULL DEFAULT 0,
    code        INTEGER NOT NULL DEFAULT 0,
    owner       TEXT    NOT NULL DEFAULT '',
    next_at     INTEGER NOT NULL,
    wake_at     INTEGER NOT NULL,
    give_up_at  INTEGER NOT NULL,
    sent_at     INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, document_id) REFERENCES documents (tenant, id),
    CHECK ((state = 'Sent') = (sent_at <> 0)),
    CHECK ((state = 'Sending') = (owner <> ''))
) STRICT;
CREATE UNIQUE INDEX mails_document ON mails (tenant, document_id);
CREATE UNIQUE INDEX mails_id ON mails (id);
CREATE INDEX mails_newest ON mails (tenant, created_at, id);
CREATE INDEX mails_by_state ON mails (tenant, state, created_at, id);
CREATE INDEX mails_wake ON mails (wake_at) WHERE state IN ('Waiting', 'Sending');
