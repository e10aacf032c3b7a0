package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/store/pgdb"
	"tcode/server/tenant"
)

var _ stamp.Store = (*DB)(nil)

const stampColumns = `tenant, id, reference, status, name, document_type, external_id, test,
	placement_template_id, tdoc_template_id, page, pages, modules, module_mm, size_mm, box_mm, grade, rendering, warnings,
	original_sha256, stamped_sha256, key_seq, shard, entry, payload, replaces, replaced_by, reason,
	document, issued_at, created_at, updated_at`

// stampRead are the columns of a stamp for reading.
const stampRead = stampColumns + `, erased_at`

func scanStamp(r scanner) (st stamp.Stamp, err error) {
	var reference, original, stamped, raw []byte
	var pages, grade, rendering, warnings string
	var shard, entry uint16
	var issued, created, updated, erased int64
	err = r.Scan(&st.Tenant, &st.ID, &reference, &st.Status, &st.Name, &st.DocumentType, &st.ExternalID, &st.Test,
		&st.PlacementTemplateID, &st.TdocTemplateID, &st.Page, &pages, &st.Barcode.Modules, &st.Barcode.ModuleMM,
		&st.Barcode.SizeMM, &st.Barcode.BoxMM, &grade, &rendering, &warnings, &original, &stamped, &st.KeySeq, &shard, &entry, &raw,
		&st.Replaces, &st.ReplacedBy, &st.Reason, &st.Document, &issued, &created, &updated, &erased)
	if err != nil {
		return st, err
	}
	if st.ErasedAt = fromMS(erased); st.Erased() {
		st.Name = ""
	}
	copy(st.Reference[:], reference)
	st.OriginalSHA256, st.StampedSHA256 = hex.EncodeToString(original), hex.EncodeToString(stamped)
	st.StatusIndex = payload.NewStatusIndex(shard, entry)
	st.IssuedAt, st.CreatedAt, st.UpdatedAt = fromMS(issued), fromMS(created), fromMS(updated)
	if err := json.Unmarshal([]byte(warnings), &st.Warnings); err != nil {
		return st, fmt.Errorf("warnings of stamp %s: %w", st.ID, err)
	}
	if grade != "" {
		if err := json.Unmarshal([]byte(grade), &st.Grade); err != nil {
			return st, fmt.Errorf("grade of stamp %s: %w", st.ID, err)
		}
	}
	if rendering != "" {
		if err := json.Unmarshal([]byte(rendering), &st.Rendering); err != nil {
			return st, fmt.Errorf("rendering of stamp %s: %w", st.ID, err)
		}
	}
	if st.Pages = []int{st.Page}; pages != "" {
		if err := json.Unmarshal([]byte(pages), &st.Pages); err != nil {
			return st, fmt.Errorf("pages of stamp %s: %w", st.ID, err)
		}
	}
	// Core and fields come from the signed payload itself.
	return st, wrap(st.SetPayload(raw), "payload of stamp %s", st.ID)
}

// InsertStamp stores a new stamp with all its rows.
func (d *DB) InsertStamp(ctx context.Context, st stamp.Stamp, first stamp.Event, once *tenant.IdempotencyRecord, audit *tenant.Entry) (rolled bool, err error) {
	err = d.write(ctx, st.Tenant, func(tx *sql.Tx) error {
		if err := d.takeQuota(ctx, tx, st.Tenant, tenant.KindStamps.Of(st.Test), 1, st.CreatedAt); err != nil {
			return err
		}
		if err := d.lockTwins(ctx, tx, st); err != nil {
			return err
		}
		if err := d.insertStamp(ctx, tx, st, first); err != nil {
			return err
		}
		return putRecords(ctx, tx, audit, once)
	})
	return err == nil && d.closeFull(ctx, st), wrap(err, "insert stamp %s", st.ID)
}

// insertStamp inserts a stamp's rows with its status entry.
func (d *DB) insertStamp(ctx context.Context, tx *sql.Tx, st stamp.Stamp, first stamp.Event) error {
	if err := d.insertable(ctx, tx, st); err != nil {
		return err
	}
	err := d.insertStampRows(ctx, tx, st, first)
	switch {
	case isUnique(err, "status_entries"):
		return stamp.ErrEntryTaken
	case isUnique(err, "stamps"): // the id is a UUID, and external id and twin were looked up under the lock
		return stamp.ErrReferenceTaken
	}
	return err
}

// insertStampRows inserts the rows in the order of their foreign keys. Most are sent together.
func (d *DB) insertStampRows(ctx context.Context, tx *sql.Tx, st stamp.Stamp, first stamp.Event) error {
	if err := takeEntry(ctx, tx, st); err != nil {
		return err
	}
	if err := insertStampRow(ctx, tx, st); err != nil {
		return err
	}
	if err := stampParts.insert(ctx, tx, st.Tenant, st.ID, st.CreatedAt, st.Values, st.Files, st.Name); err != nil {
		return err
	}
	if err := d.insertMail(ctx, tx, st.Delivery); err != nil {
		return err
	}
	return stampHistory.insert(ctx, tx, st.Tenant, st.ID, 0, first)
}

// lockTwins lets one transaction at a time store a stamp with this external id, or these
// field values.
func (d *DB) lockTwins(ctx context.Context, tx *sql.Tx, st stamp.Stamp) error {
	var values []string
	if st.ExternalID != "" {
		values = append(values, fmt.Sprintf("stamp %s %t id %s", st.Tenant, st.Test, st.ExternalID))
	}
	if twin := st.Twin(); len(twin) > 0 {
		values = append(values, fmt.Sprintf("stamp %s twin %x", st.Tenant, twin))
	}
	return d.lockValues(ctx, tx, values...)
}

// insertable repeats, under the lock, the checks whose results may have changed while the
// PDF was stamped. The shard stays open until the transaction ends, or at least is not one
// that [DB.AgreeRestore] closes.
func (d *DB) insertable(ctx context.Context, tx *sql.Tx, st stamp.Stamp) error {
	lock := ""
	if !d.isLite() {
		lock = " FOR SHARE OF k FOR KEY SHARE OF s"
	}
	var key tenant.KeyState
	var shard string
	err := tx.QueryRowContext(ctx, `SELECT k.state, s.state FROM signing_keys k, shards s WHERE k.tenant = $1 AND k.seq = $2 AND s.number = $3`+lock,
		st.Tenant, st.KeySeq, st.StatusIndex.Shard()).Scan(&key, &shard)
	switch {
	case err != nil:
		return fmt.Errorf("read signing key and status shard: %w", err)
	case key == tenant.KeyCompromised:
		return fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the signing key was replaced meanwhile, try again")
	case shard != shardOpen:
		return stamp.ErrShardClosed
	}
	if st.TdocTemplateID != "" {
		tpl, err := scanTdoc(tx.QueryRowContext(ctx, `SELECT `+tdocColumns+` FROM tdoc_templates
			WHERE tenant = $1 AND id = $2`+d.forShare, st.Tenant, st.TdocTemplateID))
		if err := orElse(tdocs.noRow(err), tpl.Stampable()); err != nil {
			return err
		}
	}
	q := stamp.DuplicateQuery{Test: st.Test, ExternalID: st.ExternalID, Twin: st.Twin()}
	same, err := duplicates(ctx, tx, st.Tenant, q, 1)
	if err != nil || len(same) == 0 {
		return err
	}
	return stamp.Duplicate(same[0].Reference, same[0].By)
}

func insertStampRow(ctx context.Context, tx *sql.Tx, st stamp.Stamp) error {
	original, err := hex.DecodeString(st.OriginalSHA256)
	if err != nil {
		return fmt.Errorf("name of the original: %w", err)
	}
	stamped, err := hex.DecodeString(st.StampedSHA256)
	if err != nil {
		return fmt.Errorf("name of the stamped file: %w", err)
	}
	warnings, err := json.Marshal(append([]string{}, st.Warnings...))
	if err != nil {
		return err
	}
	pages := "" // the one in page
	if len(st.Pages) > 1 {
		raw, err := json.Marshal(st.Pages)
		if err != nil {
			return err
		}
		pages = string(raw)
	}
	grade, err := textOrNone(st.Grade)
	if err != nil {
		return err
	}
	rendering, err := textOrNone(st.Rendering)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(pgdb.Later(ctx), `
		INSERT INTO stamps (`+stampColumns+`, twin)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
			$23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)`,
		st.Tenant, st.ID, st.Reference[:], st.Status, st.Name, st.DocumentType, st.ExternalID, one(st.Test),
		st.PlacementTemplateID, st.TdocTemplateID, st.Page, pages, st.Barcode.Modules, st.Barcode.ModuleMM,
		st.Barcode.SizeMM, st.Barcode.BoxMM, grade, rendering, string(warnings), original, stamped, st.KeySeq,
		st.StatusIndex.Shard(), st.StatusIndex.Entry(), st.Payload, st.Replaces, st.ReplacedBy, st.Reason,
		st.Document, ms(st.IssuedAt), ms(st.CreatedAt), ms(st.UpdatedAt), st.Twin())
	return wrap(err, "insert row")
}

// textOrNone returns v as the store keeps it: JSON, or "" for nil.
func textOrNone[T any](v *T) (string, error) {
	if v == nil {
		return "", nil
	}
	raw, err := json.Marshal(v)
	return string(raw), err
}

// ChangeStatus moves a stamp by ev.Action.
func (d *DB) ChangeStatus(ctx context.Context, tenantRef, id string, ev stamp.Event, audit *tenant.Entry) (changed bool, err error) {
	err = d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		changed = false
		var shard, entry uint16
		var replacedBy, document, reason string
		err := tx.QueryRowContext(ctx, `
			SELECT status, shard, entry, replaced_by, document, reason FROM stamps WHERE tenant = $1 AND id = $2`+d.forUpdate,
			tenantRef, id).Scan(&ev.From, &shard, &entry, &replacedBy, &document, &reason)
		if err != nil {
			return noStamp(err)
		}
		if document != "" {
			return stamp.Owned(document)
		}
		if ev.To, err = ev.From.Next(ev.Action); err != nil || ev.To == ev.From && !news(ev.Reason, reason) {
			return err
		}
		changed = ev.To != ev.From
		if err := d.takeQuota(ctx, tx, tenantRef, tenant.KindLifecycle, 1, ev.At); err != nil {
			return err
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE stamps SET status = $1, reason = $2, updated_at = $3 WHERE tenant = $4 AND id = $5`,
			ev.To, ev.Reason, ms(ev.At), tenantRef, id)
		if err != nil {
			return err
		}
		if err := stampHistory.add(ctx, tx, tenantRef, id, ev); err != nil || !changed {
			return err
		}
		return setEntry(ctx, tx, shard, entry, ev.To.Entry(replacedBy != ""))
	})
	return changed && err == nil, wrap(err, "change status of stamp %s", id)
}

// news reports whether a reason that is given with the present status is to be kept:
// it is one, and another than the record has.
func news(given, kept string) bool { return given != "" && given != kept }

// setEntry changes a status entry and marks its shard for publication.
func setEntry(ctx context.Context, tx *sql.Tx, shard, entry uint16, value any) error {
	_, err := tx.ExecContext(ctx, `UPDATE status_entries SET value = $1 WHERE shard = $2 AND entry = $3`, value, shard, entry)
	if err != nil {
		return fmt.Errorf("set status entry: %w", err)
	}
	return changeShard(ctx, tx, shard)
}

// changeShard marks a shard for publication.
func changeShard(ctx context.Context, tx *sql.Tx, shard uint16) error {
	if _, err := tx.ExecContext(ctx, `UPDATE shards SET changed = changed + 1 WHERE number = $1`, shard); err != nil {
		return fmt.Errorf("count shard: %w", err)
	}
	return wantStatus(ctx, tx)
}

// noStamp converts the error of a missing row to its one fault.
func noStamp(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return stamp.NoStamp()
	}
	return wrap(err, "read stamp")
}
