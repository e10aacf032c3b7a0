package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
)

const documentColumns = `tenant, id, reference, status, document_type, template_id, template_version, recipient_name, recipient_email, title,
	external_id, issuance_path, test, original_sha256, stamped_sha256, stamp_id, stamp_reference, warnings, key_seq, algorithm,
	canonical, signature, replaces, replaced_by, reason, signed_expires_at, expires_at, issued_at, created_at, updated_at`

// documentRead are the columns of a document for reading.
const documentRead = documentColumns + `, erased_at, content_sha256`

func scanDocument(r scanner) (d trustdoc.Document, err error) {
	var into documentRow
	err = r.Scan(into.dest(&d)...)
	if err != nil {
		return d, err
	}
	return d, into.fill(&d)
}

// documentRow is the part of a row whose form differs from the document's.
type documentRow struct {
	reference, original, stamped, stampReference, signature []byte
	content                                                 []byte
	stampID, warnings, algorithm                            string
	signedExpires, expires, issued, created, updated        int64
	erased                                                  int64
}

func (x *documentRow) dest(d *trustdoc.Document) []any {
	return []any{
		&d.Tenant, &d.ID, &x.reference, &d.Status, &d.DocumentType, &d.TemplateID, &d.TemplateVersion, &d.RecipientName, &d.RecipientEmail, &d.Title,
		&d.ExternalID, &d.Path, &d.Test, &x.original, &x.stamped, &x.stampID, &x.stampReference, &x.warnings, &d.KeySeq, &x.algorithm,
		&d.Canonical, &x.signature, &d.Replaces, &d.ReplacedBy, &d.Reason, &x.signedExpires, &x.expires, &x.issued, &x.created, &x.updated,
		&x.erased, &x.content,
	}
}

func (x *documentRow) fill(d *trustdoc.Document) (err error) {
	copy(d.Reference[:], x.reference)
	copy(d.Signature[:], x.signature)
	d.OriginalSHA256 = hex.EncodeToString(x.original)
	if x.stampID != "" {
		d.Stamp = &trustdoc.Stamp{ID: x.stampID, SHA256: hex.EncodeToString(x.stamped)}
		copy(d.Stamp.Reference[:], x.stampReference)
	}
	if d.Algorithm, err = payload.ParseAlgorithm(x.algorithm); err != nil {
		return fmt.Errorf("algorithm of document %s: %w", d.ID, err)
	}
	if err := json.Unmarshal([]byte(x.warnings), &d.Warnings); err != nil {
		return fmt.Errorf("warnings of document %s: %w", d.ID, err)
	}
	d.SignedExpiry, d.ExpiresAt = fromMS(x.signedExpires), fromMS(x.expires)
	d.IssuedAt, d.CreatedAt, d.UpdatedAt = fromMS(x.issued), fromMS(x.created), fromMS(x.updated)
	if d.ErasedAt = fromMS(x.erased); d.Erased() {
		d.RecipientName = ""
		copy(d.Content[:], x.content)
	}
	return nil
}

// InsertDocument stores a new document with its stamp, the end of the document that it
// replaces, and all their other rows. The replaced document's row stays locked to the end,
// so that the second of two replacements finds it revoked. All transactions lock
// shards before the one row that counts changes to publish.
func (d *DB) InsertDocument(ctx context.Context, n trustdoc.New) (rolled bool, err error) {
	doc := n.Document
	err = d.write(ctx, doc.Tenant, func(tx *sql.Tx) error {
		if err := d.takeQuota(ctx, tx, doc.Tenant, tenant.KindDocuments.Of(doc.Test), 1, doc.CreatedAt); err != nil {
			return err
		}
		if n.Stamp != nil {
			if err := d.takeQuota(ctx, tx, doc.Tenant, tenant.KindStamps.Of(doc.Test), 1, doc.CreatedAt); err != nil {
				return err
			}
		}
		if err := d.lockDocument(ctx, tx, n); err != nil { // before the replaced document's row, as everywhere
			return err
		}
		var old replacedDocument
		if n.Replaces != "" {
			if old, err = d.endReplaced(ctx, tx, n); err != nil {
				return err
			}
		}
		if err := d.documentInsertable(ctx, tx, doc); err != nil {
			return err
		}
		if n.Stamp != nil {
			if err := d.insertStamp(ctx, tx, *n.Stamp, n.StampFirst); err != nil {
				return err
			}
		}
		if err := insertDocumentRows(ctx, tx, doc, n.First); err != nil {
			return err
		}
		if err := d.insertMail(ctx, tx, n.Message); err != nil {
			return err
		}
		if old.stampID != "" {
			ev := stamp.Event{Action: stamp.ActionReplace, Reason: n.Replaced.Reason, By: n.Replaced.By, At: n.Replaced.At}
			if _, err := d.moveOwned(ctx, tx, doc.Tenant, old.stampID, successor(n), ev); err != nil {
				return err
			}
		}
		if err := insertAudit(ctx, tx, n.Audit); err != nil {
			return err
		}
		if n.Idempotency == nil {
			return nil
		}
		return putIdempotencyRecord(ctx, tx, *n.Idempotency)
	})
	return err == nil && n.Stamp != nil && d.closeFull(ctx, *n.Stamp), wrap(err, "insert document %s", doc.ID)
}

// lockDocument lets one transaction at a time store a document, and its stamp, with this
// external id or these field values.
func (d *DB) lockDocument(ctx context.Context, tx *sql.Tx, n trustdoc.New) error {
	doc := n.Document
	value := fmt.Sprintf("document %s %t id %s", doc.Tenant, doc.Test, doc.ExternalID)
	if doc.ExternalID == "" {
		value = fmt.Sprintf("document %s twin %x", doc.Tenant, doc.Twin())
	}
	if doc.ExternalID != "" || doc.Twin() != nil {
		if err := d.lockValues(ctx, tx, value); err != nil {
			return err
		}
	}
	if n.Stamp == nil {
		return nil
	}
	return d.lockTwins(ctx, tx, *n.Stamp)
}

// successor returns the reference of a replaced stamp's successor: the new stamp, or the
// document if that has none.
func successor(n trustdoc.New) string {
	if n.Stamp != nil {
		return n.Stamp.Reference.String()
	}
	return n.Document.Reference.String()
}

type replacedDocument struct{ stampID string }

// endReplaced revokes the document that n replaces.
func (d *DB) endReplaced(ctx context.Context, tx *sql.Tx, n trustdoc.New) (old replacedDocument, err error) {
	ev, tenantRef := n.Replaced, n.Document.Tenant
	var expires int64
	err = tx.QueryRowContext(ctx, `SELECT status, expires_at, stamp_id FROM documents WHERE tenant = $1 AND id = $2`+d.forUpdate,
		tenantRef, n.Replaces).Scan(&ev.From, &expires, &old.stampID)
	if err != nil {
		return old, noDocument(err)
	}
	ev.From = ev.From.At(fromMS(expires), ev.At)
	if ev.To, err = ev.From.Next(ev.Action); err != nil {
		return old, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE documents SET status = $1, replaced_by = $2, reason = $3, updated_at = $4 WHERE tenant = $5 AND id = $6`,
		ev.To, n.Document.Reference.String(), ev.Reason, ms(ev.At), tenantRef, n.Replaces)
	if err != nil {
		return old, err
	}
	return old, documentHistory.add(ctx, tx, tenantRef, n.Replaces, ev)
}

// documentInsertable repeats, under the lock, the checks whose results may have changed
// while the document was made.
func (d *DB) documentInsertable(ctx context.Context, tx *sql.Tx, doc trustdoc.Document) error {
	var state tenant.KeyState
	err := tx.QueryRowContext(ctx, `SELECT state FROM signing_keys WHERE tenant = $1 AND seq = $2`+d.forShare, doc.Tenant, doc.KeySeq).Scan(&state)
	if err != nil {
		return fmt.Errorf("read signing key: %w", err)
	}
	if state == tenant.KeyCompromised {
		return fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the signing key was replaced meanwhile, try again")
	}
	tpl, err := scanTrustTemplate(tx.QueryRowContext(ctx, `SELECT `+trustTemplateColumns+` FROM trust_templates
		WHERE tenant = $1 AND id = $2`+d.forShare, doc.Tenant, doc.TemplateID))
	if err := orElse(trustTemplates.noRow(err), tpl.Issuable()); err != nil {
		return err
	}
	if doc.ExternalID != "" {
		return d.noneStands(ctx, tx, stamp.ByExternalID, doc.Tenant, doc.CreatedAt, `external_id = $2 AND test = $3 AND external_id <> ''`, doc.ExternalID, one(doc.Test))
	}
	twin := doc.Twin()
	if twin == nil {
		return nil
	}
	return d.noneStands(ctx, tx, stamp.ByFields, doc.Tenant, doc.CreatedAt, `twin = $2 AND twin IS NOT NULL`, twin)
}

// noneStands returns a DUPLICATE fault if a document of which same holds stands. If its
// time is over, noneStands stores it as expired.
func (d *DB) noneStands(ctx context.Context, tx *sql.Tx, by stamp.MatchedBy, tenantRef string, now time.Time, same string, args ...any) error {
	var id string
	var ref []byte
	var expires int64
	err := tx.QueryRowContext(ctx, `SELECT id, reference, expires_at FROM documents
		WHERE tenant = $1 AND `+same+` AND status IN ('Active', 'Suspended')`+d.forUpdate, append([]any{tenantRef}, args...)...).Scan(&id, &ref, &expires)
	if err == nil && trustdoc.Active.At(fromMS(expires), now) == trustdoc.Expired {
		ev := trustdoc.Event{Action: trustdoc.ActionExpire, At: fromMS(expires)}
		audit := &tenant.Entry{Tenant: tenantRef, By: tenant.By{Actor: tenant.ActorSystem}, Action: "document.expire", Subject: id, At: now}
		_, err := d.changeDocument(ctx, tx, tenantRef, id, ev, audit)
		return err
	}
	return duplicateOf(ref, by, err)
}

// duplicateOf returns the fault for a reference that was found.
func duplicateOf(raw []byte, by stamp.MatchedBy, err error) error {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("look for duplicates by %s: %w", by, err)
	}
	var ref trustdoc.Reference
	copy(ref[:], raw)
	return trustdoc.Duplicate(ref, by)
}

// noDocument converts the error of a missing row to its one fault.
func noDocument(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return trustdoc.NoDocument()
	}
	return wrap(err, "read document")
}
