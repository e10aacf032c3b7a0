-- +goose Up

-- The key that a rotation made last in place of this one, or ''.
ALTER TABLE api_keys ADD COLUMN successor TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE api_keys SET successor = COALESCE((
    SELECT a.detail::json ->> 'newKey' FROM audit a
    WHERE a.tenant = api_keys.tenant AND a.subject = api_keys.prefix AND a.action = 'key.rotate'
    ORDER BY a.at DESC, a.id DESC LIMIT 1), '')
WHERE expires_at <> 0;
