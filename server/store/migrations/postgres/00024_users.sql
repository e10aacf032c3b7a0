-- +goose Up

-- Users of the console. The tenant '' is of platform operators. password is a hash with
-- its parameters; factor is the sealed secret of the second factor; step is that of the
-- last accepted code.
CREATE TABLE users (
    tenant       TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    email        TEXT COLLATE "C" NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    name         TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(name) <= 200),
    role         TEXT COLLATE "C" NOT NULL CHECK (role IN ('owner', 'issuer', 'viewer', 'operator')),
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('invited', 'active', 'disabled')),
    password     TEXT COLLATE "C" NOT NULL DEFAULT '',
    factor       BYTEA            NOT NULL DEFAULT '',
    step         BIGINT           NOT NULL DEFAULT 0,
    created_at   BIGINT           NOT NULL,
    updated_at   BIGINT           NOT NULL,
    signed_in_at BIGINT           NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, id),
    CHECK ((tenant = '') = (role = 'operator')),
    CHECK ((password <> '') = (state = 'active'))
);
SELECT separate_tenants('users');
CREATE UNIQUE INDEX users_email ON users (email);
CREATE INDEX users_of_tenant ON users (tenant, email);

-- The unused recovery codes of a user, by their hashes.
CREATE TABLE user_recovery (
    tenant  TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    hash    BYTEA            NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (tenant, user_id, hash),
    FOREIGN KEY (tenant, user_id) REFERENCES users (tenant, id)
);
SELECT separate_tenants('user_recovery');

-- The unused one-time link of a user, by the hash of its token.
CREATE TABLE user_links (
    tenant     TEXT COLLATE "C" NOT NULL,
    user_id    TEXT COLLATE "C" NOT NULL,
    hash       BYTEA            NOT NULL CHECK (length(hash) = 32),
    created_at BIGINT           NOT NULL,
    expires_at BIGINT           NOT NULL,
    PRIMARY KEY (tenant, user_id),
    FOREIGN KEY (tenant, user_id) REFERENCES users (tenant, id)
);
SELECT separate_tenants('user_links');
CREATE UNIQUE INDEX user_links_hash ON user_links (hash);

-- The sessions of a user, by the hashes of their tokens.
CREATE TABLE user_sessions (
    tenant     TEXT COLLATE "C" NOT NULL,
    user_id    TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL CHECK (length(id) = 36),
    hash       BYTEA            NOT NULL CHECK (length(hash) = 32),
    stage      TEXT COLLATE "C" NOT NULL CHECK (stage IN ('code', 'enrol', 'in')),
    factor     BYTEA            NOT NULL DEFAULT '',
    agent      TEXT COLLATE "C" NOT NULL,
    agent_hash BYTEA            NOT NULL CHECK (length(agent_hash) = 32),
    address    TEXT COLLATE "C" NOT NULL,
    created_at BIGINT           NOT NULL,
    seen_at    BIGINT           NOT NULL,
    expires_at BIGINT           NOT NULL,
    PRIMARY KEY (tenant, user_id, id),
    FOREIGN KEY (tenant, user_id) REFERENCES users (tenant, id),
    CHECK ((stage = 'enrol') = (length(factor) > 0))
);
SELECT separate_tenants('user_sessions');
CREATE UNIQUE INDEX user_sessions_hash ON user_sessions (hash);

-- Counts of tries to sign in, of no tenant: key is the hash of an address of e-mail or of
-- the network, or of a user's id.
CREATE TABLE signin_tries (
    kind    TEXT COLLATE "C" NOT NULL CHECK (kind IN ('account', 'client', 'code')),
    key     BYTEA            NOT NULL CHECK (length(key) = 32),
    tries   INTEGER          NOT NULL,
    until   BIGINT           NOT NULL,
    last_at BIGINT           NOT NULL,
    PRIMARY KEY (kind, key)
);
CREATE INDEX signin_tries_least ON signin_tries (kind, tries, last_at);
CREATE INDEX signin_tries_old ON signin_tries (kind, last_at);
