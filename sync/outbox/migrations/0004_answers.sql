-- What each receipt signs of the gateway's answers, for the audit.
ALTER TABLE receipts ADD COLUMN answers BLOB;
