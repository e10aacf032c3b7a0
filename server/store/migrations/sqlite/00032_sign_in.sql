-- +goose Up

-- A user with blind = 1 was invited although another user has the address: it looks like
-- any invited user to its tenant, and can never sign in. password '-' is of an active user
-- who signs in without one.
ALTER TABLE users ADD COLUMN blind INTEGER NOT NULL DEFAULT 0 CHECK (blind = 0 OR blind = 1 AND state <> 'active');
DROP INDEX users_email;
CREATE UNIQUE INDEX users_email ON users (email) WHERE blind = 0;
DROP INDEX users_of_tenant;
CREATE UNIQUE INDEX users_of_tenant ON users (tenant, email);

-- The passkeys of a user. credential and public_key are those of WebAuthn; eligible says
-- that the key may be copied by its maker, cloned that its counter went back, so that it is
-- refused.
CREATE TABLE user_passkeys (
    tenant     TEXT    NOT NULL,
    user_id    TEXT    NOT NULL,
    id         TEXT    NOT NULL CHECK (length(id) = 36),
    name       TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    credential BLOB    NOT NULL CHECK (length(credential) BETWEEN 1 AND 1023),
    public_key BLOB    NOT NULL CHECK (length(public_key) BETWEEN 1 AND 4096),
    counter    INTEGER NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
    eligible   INTEGER NOT NULL CHECK (eligible IN (0, 1)),
    cloned     INTEGER NOT NULL DEFAULT 0 CHECK (cloned IN (0, 1)),
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, user_id, id),
    FOREIGN KEY (tenant, user_id) REFERENCES users (tenant, id)
) STRICT;
CREATE UNIQUE INDEX user_passkeys_credential ON user_passkeys (credential);

-- The account that a user has at an OpenID provider, from the first use on.
CREATE TABLE user_identities (
    tenant    TEXT    NOT NULL,
    user_id   TEXT    NOT NULL,
    issuer    TEXT    NOT NULL CHECK (length(issuer) BETWEEN 1 AND 500),
    subject   TEXT    NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    linked_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, user_id),
    FOREIGN KEY (tenant, user_id) REFERENCES users (tenant, id)
) STRICT;
CREATE UNIQUE INDEX user_identities_subject ON user_identities (issuer, subject);

-- The OpenID provider of a tenant's users, in place of the gateway's.
CREATE TABLE signin_providers (
    tenant     TEXT    NOT NULL PRIMARY KEY REFERENCES tenants (reference),
    issuer     TEXT    NOT NULL CHECK (length(issuer) BETWEEN 1 AND 500),
    client_id  TEXT    NOT NULL CHECK (length(client_id) BETWEEN 1 AND 500),
    secret     BLOB    NOT NULL, -- sealed
    updated_at INTEGER NOT NULL
) STRICT;

-- Challenges and states that were used to sign in, of no tenant, by their hashes: each
-- works once.
CREATE TABLE signin_used (
    hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX signin_used_old ON signin_used (expires_at);

-- Counts of tries, with two more kinds: passwords from a browser that signed in before, and
-- invitations of a tenant. The counts so far are of a day at most.
DROP TABLE signin_tries;
CREATE TABLE signin_tries (
    kind    TEXT    NOT NULL CHECK (kind IN ('account', 'client', 'code', 'browser', 'invite')),
    key     BLOB    NOT NULL CHECK (length(key) = 32),
    tries   INTEGER NOT NULL,
    until   INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT;
CREATE INDEX signin_tries_least ON signin_tries (kind, tries, last_at);
CREATE INDEX signin_tries_old ON signin_tries (kind, last_at);
