-- +goose Up

-- Background work that a gateway has begun and not ended. If the gateway is gone, the work may
-- be the cause.
CREATE TABLE work_begun (
    id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind     TEXT COLLATE "C" NOT NULL,
    subject  TEXT COLLATE "C" NOT NULL,
    process  TEXT COLLATE "C" NOT NULL, -- one life of one gateway
    until_at BIGINT NOT NULL  -- the process lives until then, and renews it
);

-- Items of background work that ended their process while nothing else ran in it. An empty item
-- is the whole subject.
CREATE TABLE work_faults (
    kind    TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    item    TEXT COLLATE "C" NOT NULL,
    ends    INTEGER NOT NULL CHECK (ends > 0),
    cause   TEXT COLLATE "C" NOT NULL,
    aside   INTEGER NOT NULL DEFAULT 0 CHECK (aside IN (0, 1)), -- 1: it is not tried again
    at      BIGINT NOT NULL,
    PRIMARY KEY (kind, subject, item)
);
