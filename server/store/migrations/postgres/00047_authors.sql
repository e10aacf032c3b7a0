-- +goose Up

-- The key that a rotation made last in place of this one, or ''.
ALTER TABLE api_keys ADD COLUMN successor TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE api_keys SET successor = COALESCE((
    SELECT a.detail::json ->> 'newKey' FROM audit a
    WHERE a.tenant = api_keys.tenant AND a.subject = api_keys.prefix AND a.action = 'key.rotate'
    ORDER BY a.at DESC, a.id DESC LIMIT 1), '')
WHERE expires_at <> 0;

-- One person may have an account in several tenants: an address belongs to one user of each, and
-- an account at a provider is that of one user of each. A user who was invited although another
-- tenant's user had the address is an invited user as all others.
DROP INDEX users_email;
ALTER TABLE users DROP COLUMN blind;
CREATE INDEX users_email ON users (email);
DROP INDEX user_identities_subject;
CREATE UNIQUE INDEX user_identities_subject ON user_identities (issuer, subject, tenant);
