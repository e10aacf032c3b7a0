-- The signed receipt by which the gateway has the event; empty where it is not told.
ALTER TABLE clock_events ADD COLUMN receipt TEXT NOT NULL DEFAULT '';
CREATE INDEX clock_events_untold ON clock_events (id) WHERE told = 0;
