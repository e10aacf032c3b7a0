-- +goose Up

-- What an operator has decided about a device: its name, and whether the gateway
-- takes its scans. A device may be refused before it has sent any.
ALTER TABLE devices ADD COLUMN name TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE devices ADD COLUMN refused TEXT COLLATE "C" NOT NULL DEFAULT ''; -- the reason, '': it is not refused
ALTER TABLE devices ADD COLUMN refused_at BIGINT NOT NULL DEFAULT 0;
