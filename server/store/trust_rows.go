package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"

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
	if isUnique(err, "documents") { // everything else that is unique was looked up under the lock
		return stamp.ErrReferenceTaken
	}
	if err != nil {
		return fmt.Errorf("insert row: %w", err)
	}
	if err := documentParts.insert(ctx, tx, d.Tenant, d.ID, d.CreatedAt, d.Values, d.Files, d.RecipientName+" "+d.Title); err != nil {
		return err
	}
	return documentHistory.insert(ctx, tx, d.Tenant, d.ID, 0, first)
}

// Document returns one document with its values and files.
func (d *DB) Document(ctx context.Context, tenantRef, id string) (doc trustdoc.Document, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		doc, err = scanDocument(q.QueryRowContext(ctx, `SELECT `+documentRead+` FROM documents WHERE tenant = $1 AND id = $2`, tenantRef, id))
		if err != nil {
			return noDocument(err)
		}
		if doc.Values, err = documentParts.values(ctx, q, tenantRef, id); err != nil {
			return err
		}
		if doc.Delivery, err = documentMail(ctx, q, tenantRef, id); err != nil {
			return err
		}
		doc.Files, err = documentParts.files(ctx, q, tenantRef, id)
		return err
	})
	if err != nil {
		return trustdoc.Document{}, err
	}
	return doc, nil
}

// DocumentEvents returns a document's history, oldest first.
func (d *DB) DocumentEvents(ctx context.Context, tenantRef, id string) ([]trustdoc.Event, error) {
	return documentHistory.read(ctx, d, tenantRef, id)
}
