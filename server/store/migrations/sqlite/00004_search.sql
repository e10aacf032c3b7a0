-- +goose Up

-- Every filter of the list of stamps has an index in the list's own order, so
-- that a first page is read off its end however many stamps there are.
CREATE INDEX stamps_by_status ON stamps (tenant, status, created_at, id);
CREATE INDEX stamps_by_placement ON stamps (tenant, placement_template_id, created_at, id) WHERE placement_template_id <> '';
CREATE INDEX stamps_by_tdoc ON stamps (tenant, tdoc_template_id, created_at, id) WHERE tdoc_template_id <> '';
CREATE INDEX stamps_by_external_id ON stamps (tenant, external_id, created_at, id) WHERE external_id <> '';

ALTER TABLE stamp_fields ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0; -- of the stamp
UPDATE stamp_fields SET created_at = (SELECT s.created_at FROM stamps s WHERE s.tenant = stamp_fields.tenant AND s.id = stamp_fields.stamp_id);
DROP INDEX stamp_fields_value;
CREATE INDEX stamp_fields_by_key ON stamp_fields (tenant, key, created_at, stamp_id);
CREATE INDEX stamp_fields_by_value ON stamp_fields (tenant, key, value, created_at, stamp_id);

-- The words of a stamp's name, in lower case, each once. They are split by the
-- program, which knows Unicode; 00006 does it for stamps that are there already.
CREATE TABLE stamp_words (
    tenant     TEXT    NOT NULL,
    word       TEXT    NOT NULL CHECK (word <> ''),
    created_at INTEGER NOT NULL, -- of the stamp
    stamp_id   TEXT    NOT NULL,
    PRIMARY KEY (tenant, word, created_at, stamp_id)
) STRICT, WITHOUT ROWID;
ALTER TABLE stamps DROP COLUMN search_name;

-- A file stamped many times: the newest of each status is at the index's end.
DROP INDEX stamps_original;
DROP INDEX stamps_stamped;
CREATE INDEX stamps_original ON stamps (original_sha256, status, created_at, id);
CREATE INDEX stamps_stamped ON stamps (stamped_sha256, status, created_at, id);

DROP INDEX once_age;
CREATE INDEX once_of_tenant ON once (tenant, created_at);
DROP INDEX scans_of_document;
CREATE INDEX scans_of_document ON scans (tenant, reference, received_at, id);
