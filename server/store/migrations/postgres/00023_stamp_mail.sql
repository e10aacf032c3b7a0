-- +goose Up

-- Stamps are sent too: a message is of a document, or of a stamp that has the address
-- of the recipient in a field.
ALTER TABLE mails ALTER COLUMN document_id DROP NOT NULL;
ALTER TABLE mails ADD COLUMN stamp_id TEXT COLLATE "C";
ALTER TABLE mails ADD COLUMN field TEXT COLLATE "C" NOT NULL DEFAULT ''; -- key of the stamp's field with the address
ALTER TABLE mails ADD FOREIGN KEY (tenant, stamp_id) REFERENCES stamps (tenant, id);
ALTER TABLE mails ADD CHECK ((document_id IS NULL) <> (stamp_id IS NULL));
CREATE UNIQUE INDEX mails_stamp ON mails (tenant, stamp_id) WHERE stamp_id IS NOT NULL;
