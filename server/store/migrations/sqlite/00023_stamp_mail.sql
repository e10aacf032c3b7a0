-- +goose Up

-- Stamps are sent too: a message is of a document, or of a stamp that has the address
-- of the recipient in a field.
CREATE TABLE mails_new (
    tenant      TEXT    NOT NULL REFERENCES tenants (reference),
    id          TEXT    NOT NULL CHECK (length(id) = 36),
    document_id TEXT,
    stamp_id    TEXT,
    field       TEXT    NOT NULL DEFAULT '', -- key of the stamp's field with the address
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
    FOREIGN KEY (tenant, stamp_id) REFERENCES stamps (tenant, id),
    CHECK ((document_id IS NULL) <> (stamp_id IS NULL)),
    CHECK ((state = 'Sent') = (sent_at <> 0)),
    CHECK ((state = 'Sending') = (owner <> ''))
) STRICT;
INSERT INTO mails_new (tenant, id, document_id, state, reason, round, tries, code, owner, next_at, wake_at, give_up_at, sent_at, created_at, updated_at)
SELECT tenant, id, document_id, state, reason, round, tries, code, owner, next_at, wake_at, give_up_at, sent_at, created_at, updated_at FROM mails;
DROP TABLE mails;
ALTER TABLE mails_new RENAME TO mails;
CREATE UNIQUE INDEX mails_document ON mails (tenant, document_id) WHERE document_id IS NOT NULL;
CREATE UNIQUE INDEX mails_stamp ON mails (tenant, stamp_id) WHERE stamp_id IS NOT NULL;
CREATE UNIQUE INDEX mails_id ON mails (id);
CREATE INDEX mails_newest ON mails (tenant, created_at, id);
CREATE INDEX mails_by_state ON mails (tenant, state, created_at, id);
CREATE INDEX mails_wake ON mails (wake_at) WHERE state IN ('Waiting', 'Sending');
