-- How often a file was begun in its present state by a process that did not come back to it. A
-- process that is killed with a file in its hands counts, one that was told to end does not.
ALTER TABLE watched ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
