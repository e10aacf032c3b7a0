-- The bytes that were judged, so that no others are moved in their place.
ALTER TABLE watched ADD COLUMN digest  BLOB    NOT NULL DEFAULT x''; -- SHA-256; empty: the file was not read
ALTER TABLE watched ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;   -- ns since 1970, of content or inode; 0: the system does not say
