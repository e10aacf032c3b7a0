package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"tcode/offline/jsontext"
	"tcode/offline/payload"
	"tcode/server/privacy"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// erasedAtOnce is the number of rows that one part of a step reads or changes.
const erasedAtOnce = 200

// A trace is what other rows name an erased record by.
type trace struct {
	ids        []string            // of the document and of the stamp
	references []payload.Reference // of the stamp
}

// in reports whether a text names the record.
func (t trace) in(text []byte) bool {
	for _, id := range t.ids {
		if bytes.Contains(text, []byte(id)) {
			return true
		}
	}
	return false
}

// EraseSome does a part of a step.
func (d *DB) EraseSome(ctx context.Context, e privacy.Erasure) (place string, finished bool, err error) {
	steps := map[privacy.Step]func(context.Context, privacy.Erasure, trace) (string, bool, error){
		privacy.StepAnswers: d.eraseAnswers, privacy.StepEvents: d.eraseEvents, privacy.StepScans: d.eraseScans,
		privacy.StepConflicts: d.eraseConflicts, privacy.StepUploads: d.eraseUploads,
	}
	do, ok := steps[e.Step]
	if !ok {
		return "", false, fmt.Errorf("the database has no part in step %q", string(e.Step))
	}
	t, err := d.traceOf(ctx, e)
	if err != nil {
		return "", false, err
	}
	place, finished, err = do(ctx, e, t)
	return place, finished, wrap(err, "erase %s of %s", string(e.Step), e.ID)
}

func (d *DB) traceOf(ctx context.Context, e privacy.Erasure) (t trace, err error) {
	err = d.read(ctx, e.Tenant, func(q queryer) error {
		t = trace{ids: []string{e.ID}}
		var raw []byte
		var owned string
		var err error
		if e.Subject == privacy.Stamp {
			err = q.QueryRowContext(ctx, `SELECT reference FROM stamps WHERE tenant = $1 AND id = $2`, e.Tenant, e.ID).Scan(&raw)
		} else {
			err = q.QueryRowContext(ctx, `SELECT stamp_reference, stamp_id FROM documents WHERE tenant = $1 AND id = $2`, e.Tenant, e.ID).Scan(&raw, &owned)
		}
		if owned != "" {
			t.ids = append(t.ids, owned)
		}
		if len(raw) == len(payload.Reference{}) {
			t.references = append(t.references, payload.Reference(raw))
		}
		return err
	})
	return t, wrap(err, "read erased record %s", e.ID)
}

// eraseAnswers empties the answers for an Idempotency-Key that name the record. The rows
// stay: a repeated request must not make the record again.
func (d *DB) eraseAnswers(ctx context.Context, e privacy.Erasure, t trace) (string, bool, error) {
	type answer struct {
		At   [2]string // route and key
		body []byte
	}
	var after answer
	if e.Place != "" {
		if err := json.Unmarshal([]byte(e.Place), &after.At); err != nil {
			return "", false, err
		}
	}
	page, err := readAs(ctx, d, e.Tenant, func(ctx context.Context, q queryer) ([]answer, error) {
		return all(ctx, q, func(r scanner) (a answer, err error) { return a, r.Scan(&a.At[0], &a.At[1], &a.body) },
			`SELECT route, key, body FROM once WHERE tenant = $1 AND (route, key) > ($2, $3) ORDER BY route, key LIMIT $4`, e.Tenant, after.At[0], after.At[1], erasedAtOnce)
	})
	if err != nil {
		return "", false, err
	}
	err = d.write(ctx, e.Tenant, func(tx *sql.Tx) error {
		for _, a := range page {
			if !t.in(a.body) {
				continue
			}
			if _, err := tx.ExecContext(ctx, `UPDATE once SET body = $1 WHERE tenant = $2 AND route = $3 AND key = $4`, []byte{}, e.Tenant, a.At[0], a.At[1]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(page) < erasedAtOnce {
		return "", true, err
	}
	place, err := json.Marshal(page[len(page)-1].At)
	return string(place), false, err
}

// eraseEvents takes external id and reason out of the bodies of webhook deliveries.
func (d *DB) eraseEvents(ctx context.Context, e privacy.Erasure, t trace) (string, bool, error) {
	type row struct{ id, body string }
	page, err := readAs(ctx, d, e.Tenant, func(ctx context.Context, q queryer) ([]row, error) {
		return all(ctx, q, func(r scanner) (x row, err error) { return x, r.Scan(&x.id, &x.body) },
			`SELECT id, body FROM webhook_deliveries WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3`, e.Tenant, e.Place, erasedAtOnce)
	})
	if err != nil {
		return "", false, err
	}
	err = d.write(ctx, e.Tenant, func(tx *sql.Tx) error {
		for _, x := range page {
			if !t.in([]byte(x.body)) {
				continue
			}
			body, err := silent(x.body)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE webhook_deliveries SET body = $1 WHERE tenant = $2 AND id = $3`, body, e.Tenant, x.id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(page) < erasedAtOnce {
		return "", true, err
	}
	return page[len(page)-1].id, false, nil
}

// silent returns an event without what people wrote into it.
func silent(body string) (string, error) {
	var event, data map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &event); err != nil {
		return "", fmt.Errorf("body of an event: %w", err)
	}
	if err := json.Unmarshal(event["data"], &data); err != nil {
		return "", fmt.Errorf("data of an event: %w", err)
	}
	for _, name := range []string{"externalId", "reason"} {
		if _, ok := data[name]; ok {
			data[name] = json.RawMessage("null")
		}
	}
	var err error
	if event["data"], err = jsontext.Marshal(data); err != nil {
		return "", err
	}
	out, err := jsontext.Marshal(event)
	return string(out), err
}

// ownScans is the place of StepScans among the scans and look-ups of the stamp, which an index
// finds. After them it reads those of no stamp, in the order of their arrival.
const ownScans = "own"

// eraseScans takes payloads, which hold field values, places and notes out of the scans of a stamp
// and of forgeries that name it, and places out of its look-ups.
func (d *DB) eraseScans(ctx context.Context, e privacy.Erasure, t trace) (string, bool, error) {
	switch e.Place {
	case "":
		return ownScans, false, d.awaitBefore(ctx)
	case ownScans:
		more, err := d.eraseOwnScans(ctx, e, t)
		if more || err != nil {
			return ownScans, false, err
		}
		return "0 0", false, nil
	}
	return d.eraseForgeries(ctx, e, t)
}

const blankScan = `UPDATE scans SET payload = '', note = '', location = '', latitude_e6 = NULL, longitude_e6 = NULL WHERE id `

func (d *DB) eraseOwnScans(ctx context.Context, e privacy.Erasure, t trace) (more bool, err error) {
	err = d.write(ctx, e.Tenant, func(tx *sql.Tx) error {
		for _, ref := range t.references {
			for _, blank := range []string{
				blankScan + `IN (SELECT id FROM scans WHERE tenant = $1 AND reference = $2
					AND (payload <> '' OR note <> '' OR location <> '' OR latitude_e6 IS NOT NULL) LIMIT $3)`,
				`UPDATE verifications SET location = '' WHERE id IN (
					SELECT id FROM verifications WHERE tenant = $1 AND kind = 'stamp' AND reference = $2 AND location <> '' LIMIT $3)`,
			} {
				res, err := tx.ExecContext(ctx, blank, e.Tenant, ref[:], erasedAtOnce)
				if err != nil {
					return err
				}
				n, err := res.RowsAffected()
				if err != nil {
					return err
				}
				more = more || n == erasedAtOnce
			}
		}
		return nil
	})
	return more, err
}

// eraseForgeries empties scans of no stamp whose payload names the erased one: a payload with a
// broken signature still has its field values.
func (d *DB) eraseForgeries(ctx context.Context, e privacy.Erasure, t trace) (string, bool, error) {
	type row struct {
		received, id int64
		item         wire.Item
	}
	var after row
	if _, err := fmt.Sscan(e.Place, &after.received, &after.id); err != nil {
		return "", false, fmt.Errorf("place %q: %w", e.Place, err)
	}
	page, err := readAs(ctx, d, everyone, func(ctx context.Context, q queryer) ([]row, error) {
		return all(ctx, q, func(r scanner) (x row, err error) { return x, r.Scan(&x.received, &x.id, &x.item.Payload) },
			`SELECT received_at, id, payload FROM scans WHERE tenant = '' AND reference = $1 AND (received_at, id) > ($2, $3)
			ORDER BY received_at, id LIMIT $4`, []byte{}, after.received, after.id, erasedAtOnce)
	})
	if err != nil {
		return "", false, err
	}
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		for _, x := range page {
			if !t.named(x.item) {
				continue
			}
			if _, err := tx.ExecContext(ctx, blankScan+`= $1`, x.id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(page) < erasedAtOnce {
		return "", true, err
	}
	last := page[len(page)-1]
	return fmt.Sprint(last.received, " ", last.id), false, nil
}

// eraseConflicts takes what is personal out of second scans under an id, and of claims, that name
// the stamp.
func (d *DB) eraseConflicts(ctx context.Context, e privacy.Erasure, t trace) (string, bool, error) {
	table, after := "scan_conflicts", int64(0)
	if e.Place != "" {
		if _, err := fmt.Sscan(e.Place, &table, &after); err != nil {
			return "", false, fmt.Errorf("place %q: %w", e.Place, err)
		}
	}
	last, err := d.eraseKept(ctx, table, after, t)
	switch {
	case err != nil:
		return "", false, err
	case last != 0:
		return fmt.Sprint(table, " ", last), false, nil
	case table == "scan_conflicts":
		return "scan_claims 0", false, nil
	}
	return "", true, nil
}

// eraseKept empties the next scans of a table that keeps them in their canonical form. It returns
// where it continues, and 0 at the end.
func (d *DB) eraseKept(ctx context.Context, table string, after int64, t trace) (last int64, err error) {
	page, err := keptScans(ctx, d, table, after, erasedAtOnce)
	if err != nil {
		return 0, err
	}
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		for _, x := range page {
			if it, ok := wire.ParseCanonical(x.canonical); ok && t.named(it) {
				if err := x.replace(ctx, tx, table, verify.HuskOf(it)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil || len(page) < erasedAtOnce {
		return 0, err
	}
	return page[len(page)-1].id, nil
}

// A keptScan is a scan that is stored in its canonical form.
type keptScan struct {
	id        int64
	canonical []byte
}

func keptScans(ctx context.Context, d *DB, table string, after int64, limit int) ([]keptScan, error) {
	return readAs(ctx, d, everyone, func(ctx context.Context, q queryer) ([]keptScan, error) {
		return all(ctx, q, func(r scanner) (x keptScan, err error) { return x, r.Scan(&x.id, &x.canonical) },
			`SELECT id, canonical FROM `+table+` WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	})
}

func (x keptScan) replace(ctx context.Context, tx *sql.Tx, table string, by wire.Item) error {
	_, err := tx.ExecContext(ctx, `UPDATE `+table+` SET canonical = $1 WHERE id = $2`, by.AppendCanonical(nil), x.id)
	return err
}

// named reports whether the payload or the reference of a scan is the stamp's.
func (t trace) named(it wire.Item) bool {
	ref, err := payload.ParseReference(strings.TrimSpace(it.Reference))
	if it.Payload != "" {
		var raw []byte
		if raw, err = wire.PayloadBytes(it.Payload); err == nil {
			var p payload.Payload
			p, err = payload.Parse(raw)
			ref = p.Reference
		}
	}
	return err == nil && slices.Contains(t.references, ref)
}

// eraseUploads clears the row of the bulk job that made the record, and lets the job's
// uploaded files go: they hold the record's data among those of others.
// Orders over many records with it lose their reason.
func (d *DB) eraseUploads(ctx context.Context, e privacy.Erasure, t trace) (string, bool, error) {
	err := d.write(ctx, e.Tenant, func(tx *sql.Tx) error {
		if err := d.eraseReasons(ctx, tx, e, t); err != nil {
			return err
		}
		job, _, err := jobOf(ctx, tx, e.Tenant, e.ID)
		if err != nil || job == "" {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE bulk_rows SET cells = '{}', file = '', message = '' WHERE tenant = $1 AND made = $2 AND made <> ''`, e.Tenant, e.ID); err != nil {
			return err
		}
		return leaveUploads(ctx, tx, e.Tenant, job, ms(e.Requested))
	})
	return "", true, err
}

func (d *DB) eraseReasons(ctx context.Context, tx *sql.Tx, e privacy.Erasure, t trace) error {
	has := `position($2::bytea IN ids) > 0`
	if d.isLite() {
		has = `instr(ids, $2) > 0`
	}
	for _, id := range t.ids {
		raw, err := uuid.Parse(id)
		if err != nil {
			return fmt.Errorf("id of an erased record: %w", err)
		}
		_, err = tx.ExecContext(ctx, `UPDATE batches SET reason = '' WHERE tenant = $1 AND reason <> '' AND state <> 'Running' AND `+has, e.Tenant, raw[:])
		if err != nil {
			return fmt.Errorf("clear reasons of orders: %w", err)
		}
	}
	return nil
}

// leaveUploads lets the uploaded files of a job go.
func leaveUploads(ctx context.Context, tx *sql.Tx, tenantRef, job string, at int64) error {
	for _, file := range []string{"csv", "zip"} {
		_, err := tx.ExecContext(ctx, `INSERT INTO leaving_files (tenant, sha256, due_at)
			SELECT tenant, `+file+`_sha256, CAST($3 AS BIGINT) FROM bulk_jobs WHERE tenant = $1 AND id = $2 AND `+file+`_bytes >= 0 ON CONFLICT DO NOTHING`, tenantRef, job, at)
		if err != nil {
			return fmt.Errorf("note uploads that leave: %w", err)
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE bulk_jobs SET csv_bytes = -1, zip_bytes = -1, problems = '[]', unmatched = '{}' WHERE tenant = $1 AND id = $2`, tenantRef, job)
	return wrap(err, "let uploads go")
}

// errNoHash means that a row has no hash where it must have one.
var errNoHash = errors.New("a row names a file by something else than a hash")
