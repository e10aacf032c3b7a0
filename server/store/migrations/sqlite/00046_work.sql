-- +goose Up

-- Background work that a gateway has begun and not ended. If the gateway is gone, the work may
-- be the cause.
CREATE TABLE work_begun (
    id       TEXT    NOT NULL PRIMARY KEY,
    kind     TEXT    NOT NULL,
    subject  TEXT    NOT NULL,
    process  TEXT    NOT NULL, -- one life of one gateway
    until_at INTEGER NOT NULL  -- the process lives until then, and renews it
) STRICT;

-- Items of background work that ended their process while nothing else ran in it. An empty item
-- is the whole subject.
CREATE TABLE work_faults (
    kind    TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    item    TEXT    NOT NULL,
    ends    INTEGER NOT NULL CHECK (ends > 0),
    cause   TEXT    NOT NULL,
    aside   INTEGER NOT NULL DEFAULT 0 CHECK (aside IN (0, 1)), -- 1: it is not tried again
    at      INTEGER NOT NULL,
    PRIMARY KEY (kind, subject, item)
) STRICT;
