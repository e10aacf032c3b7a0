-- Over the event as it travels (sync/wire/FORMAT.md section 9), so that a repair keeps
-- only events as they were written.
ALTER TABLE clock_events ADD COLUMN sum BLOB;

-- What a repair did with them.
ALTER TABLE repairs ADD COLUMN events INTEGER NOT NULL DEFAULT 0;      -- clock events that were salvaged
ALTER TABLE repairs ADD COLUMN events_lost INTEGER NOT NULL DEFAULT 0; -- those known to be lost
