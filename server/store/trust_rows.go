package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
)

// insertDocumentRows inserts a document's row and its parts.
func insertDocumentRows(ctx context.Context, tx *sql.Tx, d trustdoc.Document, first trustdoc.Event) error {
	var stampID string
	var stampReference []byte
	var sums [3][]byte // content, original, stamped
	names := [...]string{d.ContentSHA256(), d.OriginalSHA256, ""}
	if d.Stamp != nil {
		stampID, stampReference, names[2] = d.Stamp.ID, d.Stamp.Reference[:], d.Stamp.SHA256
	}
	for i, name := range names {
		if name == "" {
			continue // NULL
		}
		var err error
		if sums[i], err = hex.DecodeString(name); err != nil {
			return fmt.Errorf("name of a file: %w", err)
		}
	}
	warnings, err := json.Marshal(append([]string{}, d.Warnings...))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO documents (`+documentColumns+`, content_sha256, twin)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
			$23, $24, $25, $26, $27, $28, $29, $30, $31, $32)`,
		d.Tenant, d.ID, d.Reference[:], d.Status, d.DocumentType, d.TemplateID, d.TemplateVersion, d.RecipientName, d.RecipientEmail, d.Title,
		d.ExternalID, d.Path, one(d.Test), sums[1], sums[2], stampID, stampReference, string(warnings), d.KeySeq, d.Algorithm.String(),
		d.Canonical, d.Signature[:], d.Replaces, d.ReplacedBy, d.Reason, ms(d.SignedExpiry), ms(d.ExpiresAt),
		ms(d.IssuedAt), ms(d.CreatedAt), ms(d.UpdatedAt), sums[0], d.Twin())
	if isUnique(err) { // everything else that is unique was looked up under the lock
		return stamp.ErrReferenceTaken
	}
	if err != nil {
		return fmt.Errorf("insert row: %w", err)
	}
	return insertDocumentParts(ctx, tx, d, first)
}

func insertDocumentParts(ctx context.Context, tx *sql.Tx, d trustdoc.Document, first trustdoc.Event) error {
	created := ms(d.CreatedAt)
	fields := insertion{into: `document_fields (tenant, document_id, key, value, position, created_at)`}
	for i, f := range d.Values {
		fields.row(d.Tenant, d.ID, f.Key, f.Value, i, created)
	}
	files := insertion{into: `document_files (tenant, document_id, kind, sha256, size_bytes, content_type, file_name)`}
	for _, f := range d.Files {
		files.row(d.Tenant, d.ID, f.Kind, f.SHA256, f.SizeBytes, f.ContentType, f.FileName)
	}
	words := insertion{into: `document_words (tenant, word, created_at, document_id)`}
	for _, w := range wordsOf(d.RecipientName + " " + d.Title) {
		words.row(d.Tenant, w, created, d.ID)
	}
	for _, in := range []insertion{fields, files, words} {
		if err := in.exec(ctx, tx); err != nil {
			return err
		}
	}
	return insertDocumentEvent(ctx, tx, d.Tenant, d.ID, 0, first)
}

// insertDocumentEvent adds to the history of a document whose row is already changed, and
// sends an event to the tenant's webhooks.
func insertDocumentEvent(ctx context.Context, tx *sql.Tx, tenantRef, id string, seq int, ev trustdoc.Event) error {
	c := change{ev.Action, ev.From, ev.To, ev.Reason, ev.By, ev.At}
	if err := documentEventTable.insert(ctx, tx, tenantRef, id, seq, c); err != nil {
		return err
	}
	return emitDocument(ctx, tx, tenantRef, id, ev)
}

// appendDocumentEvent adds to the history of a document whose row is locked, as
// appendEvent does.
func appendDocumentEvent(ctx context.Context, tx *sql.Tx, tenantRef, id string, ev trustdoc.Event) error {
	seq, err := documentEventTable.next(ctx, tx, tenantRef, id)
	if err != nil {
		return err
	}
	return insertDocumentEvent(ctx, tx, tenantRef, id, seq, ev)
}

// Document returns one document with its values and files.
func (d *DB) Document(ctx context.Context, tenantRef, id string) (doc trustdoc.Document, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		doc, err = scanDocument(q.QueryRowContext(ctx, `SELECT `+documentColumns+` FROM documents WHERE tenant = $1 AND id = $2`, tenantRef, id))
		if err != nil {
			return noDocument(err)
		}
		if doc.Values, err = documentValues(ctx, q, tenantRef, id); err != nil {
			return err
		}
		if doc.Delivery, err = documentMail(ctx, q, tenantRef, id); err != nil {
			return err
		}
		doc.Files, err = all(ctx, q, func(r scanner) (f stamp.File, err error) {
			err = r.Scan(&f.Kind, &f.SHA256, &f.SizeBytes, &f.ContentType, &f.FileName)
			return f, err
		}, `SELECT kind, sha256, size_bytes, content_type, file_name FROM document_files WHERE tenant = $1 AND document_id = $2 ORDER BY kind`, tenantRef, id)
		return wrap(err, "read files of document %s", id)
	})
	if err != nil {
		return trustdoc.Document{}, err
	}
	return doc, nil
}

// documentValues returns a document's field values in the order of the
// request.
func documentValues(ctx context.Context, q queryer, tenantRef, id string) ([]payload.Field, error) {
	fs, err := all(ctx, q, func(r scanner) (f payload.Field, err error) {
		err = r.Scan(&f.Key, &f.Value)
		return f, err
	}, `SELECT key, value FROM document_fields WHERE tenant = $1 AND document_id = $2 ORDER BY position`, tenantRef, id)
	return fs, wrap(err, "read fields of document %s", id)
}

// DocumentEvents returns a document's history, oldest first.
func (d *DB) DocumentEvents(ctx context.Context, tenantRef, id string) (es []trustdoc.Event, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		es, err = all(ctx, q, func(r scanner) (e trustdoc.Event, err error) {
			var at int64
			err = r.Scan(&e.Action, &e.From, &e.To, &e.Reason, &e.By, &at)
			e.At = fromMS(at)
			return e, err
		}, `SELECT action, from_status, to_status, reason, by_key, at FROM document_events
			WHERE tenant = $1 AND document_id = $2 ORDER BY seq`, tenantRef, id)
		return err
	})
	return es, wrap(err, "read events of document %s", id)
}
