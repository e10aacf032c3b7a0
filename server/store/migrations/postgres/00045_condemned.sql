-- +goose Up

-- The id of the store that has the files: none before it is known.
CREATE TABLE file_store (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    id  TEXT COLLATE "C" NOT NULL CHECK (id <> '')
);

-- Copies of files that a sweep removes, or has removed: copy and all before it. A transaction
-- that names a file of these fails, and puts the file again as a later copy.
CREATE TABLE condemned_files (
    sha256  TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(sha256) = 64), -- hexadecimal
    copy    BIGINT  NOT NULL CHECK (copy >= 0),
    at      BIGINT  NOT NULL,
    removed INTEGER NOT NULL CHECK (removed IN (0, 1)) -- 0: a process began it
);
CREATE INDEX condemned_files_at ON condemned_files (removed, at);
