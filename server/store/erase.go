package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/bulk"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/privacy"
	"tcode/server/tenant"
)

var _ privacy.Store = (*DB)(nil)

// erasedName replaces a name that was erased, in columns that may not be empty.
const erasedName = "-"

const erasureColumns = `tenant, id, subject, step, place, requested_at, due_at, done_at`

func scanErasure(r scanner) (e privacy.Erasure, err error) {
	var requested, due, done int64
	err = r.Scan(&e.Tenant, &e.ID, &e.Subject, &e.Step, &e.Place, &requested, &due, &done)
	e.Requested, e.Due, e.Done = fromMS(requested), fromMS(due), fromMS(done)
	return e, err
}

// EraseRecord clears a record and stores its erasure, or begins that again.
func (d *DB) EraseRecord(ctx context.Context, e privacy.Erasure, testOnly bool, audit *tenant.Entry) error {
	err := d.write(ctx, e.Tenant, func(tx *sql.Tx) error {
		erase := d.eraseStamp
		if e.Subject == privacy.Document {
			erase = d.eraseDocument
		}
		if err := erase(ctx, tx, e, testOnly); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO erasures (`+erasureColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (tenant, id) DO UPDATE SET step = excluded.step, place = excluded.place, requested_at = excluded.requested_at,
				due_at = excluded.due_at, done_at = excluded.done_at`,
			e.Tenant, e.ID, string(e.Subject), string(e.Step), e.Place, ms(e.Requested), ms(e.Due), ms(e.Done))
		if err != nil {
			return fmt.Errorf("store erasure: %w", err)
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "erase %s %s", string(e.Subject), e.ID)
}

// eraseDocument clears a document and the stamp that it owns. It clears an erased one again.
func (d *DB) eraseDocument(ctx context.Context, tx *sql.Tx, e privacy.Erasure, testOnly bool) error {
	doc, err := scanDocument(tx.QueryRowContext(ctx, `SELECT `+documentRead+` FROM documents WHERE tenant = $1 AND id = $2`+d.forUpdate, e.Tenant, e.ID))
	if err != nil {
		return noDocument(err)
	}
	if testOnly && !doc.Test {
		return noDocument(sql.ErrNoRows)
	}
	if !doc.Erased() {
		if err := d.signedDocument(ctx, tx, e, doc); err != nil {
			return err
		}
	}
	if err := d.erasable(ctx, tx, documentParts, e); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE documents SET recipient_name = $1, recipient_email = '', title = '', external_id = '', warnings = '[]', canonical = '', twin = NULL, reason = '',
			erased_at = CASE erased_at WHEN 0 THEN $2 ELSE erased_at END, updated_at = $2
		WHERE tenant = $3 AND id = $4`, erasedName, ms(e.Requested), e.Tenant, e.ID)
	if err != nil {
		return err
	}
	if err := documentParts.clear(ctx, tx, e, doc.CreatedAt, doc.RecipientName+" "+doc.Title); err != nil || doc.Stamp == nil {
		return err
	}
	st, err := d.lockStamp(ctx, tx, e.Tenant, doc.Stamp.ID)
	if err != nil {
		return err
	}
	e.ID = st.ID
	return d.clearStamp(ctx, tx, e, st)
}

// signedDocument returns a Conflict fault for a document that is not what was signed.
func (d *DB) signedDocument(ctx context.Context, tx *sql.Tx, e privacy.Erasure, doc trustdoc.Document) (err error) {
	if doc.Values, err = documentParts.values(ctx, tx, e.Tenant, e.ID); err != nil {
		return err
	}
	key, err := d.publicKey(ctx, tx, e.Tenant, doc.KeySeq)
	if err == nil && (!doc.SaysText() || !doc.SignedBy(key)) {
		err = privacy.Contradicts()
	}
	return err
}

func (d *DB) lockStamp(ctx context.Context, tx *sql.Tx, tenantRef, id string) (stamp.Stamp, error) {
	st, err := scanStamp(tx.QueryRowContext(ctx, `SELECT `+stampRead+` FROM stamps WHERE tenant = $1 AND id = $2`+d.forUpdate, tenantRef, id))
	return st, noStamp(err)
}

// eraseStamp clears a stamp that no document owns.
func (d *DB) eraseStamp(ctx context.Context, tx *sql.Tx, e privacy.Erasure, testOnly bool) error {
	st, err := d.lockStamp(ctx, tx, e.Tenant, e.ID)
	switch {
	case err != nil:
		return err
	case testOnly && !st.Test:
		return stamp.NoStamp()
	case st.Document != "":
		return stamp.Owned(st.Document)
	}
	return d.clearStamp(ctx, tx, e, st)
}

// clearStamp clears a stamp whose row is locked.
func (d *DB) clearStamp(ctx context.Context, tx *sql.Tx, e privacy.Erasure, st stamp.Stamp) error {
	var left []byte // nil: the payload is a husk already
	if !st.Erased() {
		husk, err := d.huskOf(ctx, tx, st)
		if err != nil {
			return err
		}
		left = husk.Append(nil)
	}
	if err := d.erasable(ctx, tx, stampParts, e); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE stamps SET name = $1, external_id = '', warnings = '[]', rendering = '', twin = NULL, reason = '', payload = coalesce($2, payload),
			erased_at = CASE erased_at WHEN 0 THEN $3 ELSE erased_at END, updated_at = $3
		WHERE tenant = $4 AND id = $5`, erasedName, left, ms(e.Requested), e.Tenant, st.ID)
	if err != nil {
		return err
	}
	return stampParts.clear(ctx, tx, e, st.CreatedAt, st.Name)
}

// huskOf returns what stays of a stamp's payload, or a Conflict fault if it is not what was signed.
func (d *DB) huskOf(ctx context.Context, tx *sql.Tx, st stamp.Stamp) (stamp.Husk, error) {
	key, err := d.publicKey(ctx, tx, st.Tenant, st.KeySeq)
	if err != nil {
		return stamp.Husk{}, err
	}
	p, err := payload.Parse(st.Payload)
	if err != nil || p.Reference != st.Reference || !key.Verify(st.CoreBytes, p.Signature) {
		return stamp.Husk{}, privacy.Contradicts()
	}
	return stamp.HuskOf(st.Payload)
}

// publicKey returns a key of a tenant.
func (d *DB) publicKey(ctx context.Context, q queryer, tenantRef string, seq uint8) (key payload.PublicKey, err error) {
	var alg string
	var public []byte
	err = q.QueryRowContext(ctx, `SELECT algorithm, public FROM signing_keys WHERE tenant = $1 AND seq = $2`, tenantRef, seq).Scan(&alg, &public)
	if err != nil {
		return key, fmt.Errorf("read key: %w", err)
	}
	return d.keys.parse(alg, public)
}

// erasable returns a Conflict fault while other work needs the record's data.
func (d *DB) erasable(ctx context.Context, tx *sql.Tx, p parts, e privacy.Erasure) error {
	var state delivery.State
	err := tx.QueryRowContext(ctx, `SELECT state FROM mails WHERE tenant = $1 AND `+string(p)+`_id = $2`+d.forUpdate, e.Tenant, e.ID).Scan(&state)
	if err == nil && state == delivery.Sending {
		return privacy.Sending()
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("read message: %w", err)
	}
	job, status, err := jobOf(ctx, tx, e.Tenant, e.ID)
	if err == nil && job != "" && !status.Over() {
		return privacy.InJob(job)
	}
	return err
}

// jobOf returns the bulk job that made a record, or "".
func jobOf(ctx context.Context, q queryer, tenantRef, made string) (job string, status bulk.Status, err error) {
	err = q.QueryRowContext(ctx, `
		SELECT j.id, j.status FROM bulk_rows r JOIN bulk_jobs j ON j.tenant = r.tenant AND j.id = r.job
		WHERE r.tenant = $1 AND r.made = $2 AND r.made <> '' LIMIT 1`, tenantRef, made).Scan(&job, &status)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", nil
	}
	return job, status, wrap(err, "look for the bulk job of %s", made)
}

// clear deletes the parts of a record: values, words, reasons, e-mail. Its files leave.
// text is what the words are of.
func (p parts) clear(ctx context.Context, tx *sql.Tx, e privacy.Erasure, created time.Time, text string) error {
	owner := string(p)
	for _, w := range wordsOf(text) {
		_, err := tx.ExecContext(ctx, `DELETE FROM `+owner+`_words WHERE tenant = $1 AND word = $2 AND created_at = $3 AND `+owner+`_id = $4`,
			e.Tenant, w, ms(created), e.ID)
		if err != nil {
			return fmt.Errorf("delete search words: %w", err)
		}
	}
	for _, statement := range []string{
		`DELETE FROM ` + owner + `_fields WHERE tenant = $1 AND ` + owner + `_id = $2`,
		`UPDATE ` + owner + `_events SET reason = '' WHERE tenant = $1 AND ` + owner + `_id = $2`,
		`DELETE FROM mails WHERE tenant = $1 AND ` + owner + `_id = $2`,
	} {
		if _, err := tx.ExecContext(ctx, statement, e.Tenant, e.ID); err != nil {
			return fmt.Errorf("clear %s: %w", owner, err)
		}
	}
	_, err := p.leave(ctx, tx, e.Tenant, e.ID, "", e.Requested)
	return err
}

// leave lets files of a record go, those of one kind or, with "", all, and returns their
// number. Their rows keep the hashes.
func (p parts) leave(ctx context.Context, tx *sql.Tx, tenantRef, id, kind string, at time.Time) (n int, err error) {
	owner := string(p)
	of := ` WHERE tenant = $1 AND ` + owner + `_id = $2 AND size_bytes >= 0 AND ($3 = '' OR kind = $3)`
	_, err = tx.ExecContext(ctx, `INSERT INTO leaving_files (tenant, sha256, due_at)
		SELECT DISTINCT tenant, sha256, CAST($4 AS BIGINT) FROM `+owner+`_files`+of+` ON CONFLICT DO NOTHING`, tenantRef, id, kind, ms(at))
	if err != nil {
		return 0, fmt.Errorf("note files that leave: %w", err)
	}
	n, _, err = full(tx.ExecContext(ctx, `UPDATE `+owner+`_files SET size_bytes = -1, file_name = ''`+of, tenantRef, id, kind))
	return n, wrap(err, "let files go")
}

// Erasure returns the erasure of a record.
func (d *DB) Erasure(ctx context.Context, tenantRef, id string) (privacy.Erasure, error) {
	return readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (privacy.Erasure, error) {
		return erasureOf(ctx, q, tenantRef, id)
	})
}

func erasureOf(ctx context.Context, q queryer, tenantRef, id string) (privacy.Erasure, error) {
	e, err := scanErasure(q.QueryRowContext(ctx, `SELECT `+erasureColumns+` FROM erasures WHERE tenant = $1 AND id = $2`, tenantRef, id))
	if errors.Is(err, sql.ErrNoRows) {
		return e, fault.New(fault.NotFound, fault.CodeNotFound, "this record is not erased")
	}
	return e, wrap(err, "read erasure")
}

// OpenErasure returns the erasure of a record of any tenant.
func (d *DB) OpenErasure(ctx context.Context, id string) (e privacy.Erasure, open bool, err error) {
	err = d.read(ctx, everyone, func(q queryer) error {
		e, err = scanErasure(q.QueryRowContext(ctx, `SELECT `+erasureColumns+` FROM erasures WHERE id = $1 AND step <> 'done'`, id))
		if open = err == nil; errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return e, open, wrap(err, "read the erasure of %s", id)
}

// DueErasures returns erasures that have work.
func (d *DB) DueErasures(ctx context.Context, now time.Time, limit int) ([]privacy.Erasure, error) {
	es, err := readAs(ctx, d, everyone, func(ctx context.Context, q queryer) ([]privacy.Erasure, error) {
		return all(ctx, q, scanErasure, `SELECT `+erasureColumns+` FROM erasures WHERE step <> 'done' AND due_at <= $1
			AND NOT EXISTS (SELECT 1 FROM work_faults f WHERE f.kind = 'privacy' AND f.subject = erasures.id AND f.aside = 1) ORDER BY due_at LIMIT $2`, ms(now), limit)
	})
	return es, wrap(err, "look for erasures")
}

// MoveErasure stores how far an erasure is, unless it began again since.
func (d *DB) MoveErasure(ctx context.Context, e privacy.Erasure) error {
	err := d.write(ctx, e.Tenant, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE erasures SET step = $1, place = $2, due_at = $3, done_at = $4
			WHERE tenant = $5 AND id = $6 AND requested_at = $7 AND step <> 'done'`,
			string(e.Step), e.Place, ms(e.Due), ms(e.Done), e.Tenant, e.ID, ms(e.Requested))
		return err
	})
	return wrap(err, "store step of an erasure")
}
