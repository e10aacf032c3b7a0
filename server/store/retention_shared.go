package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"tcode/offline/digest"
	"tcode/server/privacy"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// scansAtOnce is the number of scans that a sweep reads in one step.
const scansAtOnce = 1000

// sharedTables are the tables of [DB.SweepShared], in its order.
var sharedTables = []string{"scans", "scan_conflicts", "scan_batches", "device_clock_events", "user_sessions"}

// SweepShared deletes what is old among the next rows that belong to no tenant alone, in the order
// of their arrival: scans, and places and notes of less old ones; then what devices signed, their
// clock events, and ended sessions.
func (d *DB) SweepShared(ctx context.Context, after string, keep privacy.Keep, removed func(string, privacy.Kind)) (next string, err error) {
	table, from := sharedTables[0], int64(0)
	if after != "" {
		if _, err := fmt.Sscan(after, &table, &from); err != nil {
			return "", fmt.Errorf("place %q: %w", after, err)
		}
	}
	switch table {
	case "scans", "scan_conflicts":
		from, err = d.sweepScans(ctx, table, from, keep, removed)
	default:
		from, err = d.sweepDated(ctx, table, keep)
	}
	if err != nil {
		return "", fmt.Errorf("sweep %s: %w", table, err)
	}
	if from != 0 {
		return fmt.Sprint(table, " ", from), nil
	}
	for i, name := range sharedTables[:len(sharedTables)-1] {
		if name == table {
			return sharedTables[i+1] + " 0", nil
		}
	}
	return "", nil
}

// A sweptScan is a first scan, or a second one under its id.
type sweptScan struct {
	id, received int64
	tenant       string
	signed       bool
	scanner      string
	scanID       string
	digest       []byte
	place        bool // or a note
	canonical    []byte
}

func scanSwept(r scanner) (s sweptScan, err error) {
	err = r.Scan(&s.id, &s.received, &s.tenant, &s.signed, &s.scanner, &s.scanID, &s.digest, &s.place, &s.canonical)
	if it, ok := wire.ParseCanonical(s.canonical); ok {
		s.place = it.Context != wire.Context{}
	}
	return s, err
}

// sweepScans returns where it continues, and 0 at the end.
func (d *DB) sweepScans(ctx context.Context, table string, after int64, keep privacy.Keep, removed func(string, privacy.Kind)) (next int64, err error) {
	rest := `location <> '' OR note <> '' OR latitude_e6 IS NOT NULL, ''`
	if table == "scan_conflicts" {
		rest = `1 = 0, canonical`
	}
	page, err := readAs(ctx, d, everyone, func(ctx context.Context, q queryer) ([]sweptScan, error) {
		return all(ctx, q, scanSwept, `SELECT id, received_at, tenant, signed, scanner_id, scan_id, digest, `+rest+` FROM `+table+` WHERE id > $1 ORDER BY id LIMIT $2`, after, scansAtOnce)
	})
	if err != nil {
		return 0, err
	}
	var gone, blank []sweptScan
	for _, s := range page {
		scans, places := keep.Scans(s.tenant)
		switch {
		case s.received < ms(scans):
			gone = append(gone, s)
		case s.place && s.received < ms(places):
			blank = append(blank, s)
		}
	}
	if err := d.removeScans(ctx, table, gone, blank); err != nil {
		return 0, err
	}
	if table == "scans" {
		for _, s := range gone {
			removed(s.tenant, privacy.Scans)
		}
		for _, s := range blank {
			removed(s.tenant, privacy.Locations)
		}
	}
	if len(page) < scansAtOnce {
		return 0, nil
	}
	return page[len(page)-1].id, nil
}

// removeScans deletes scans and takes places and notes out of others.
func (d *DB) removeScans(ctx context.Context, table string, gone, blank []sweptScan) error {
	if len(gone)+len(blank) == 0 {
		return nil
	}
	return d.write(ctx, everyone, func(tx *sql.Tx) error {
		for _, s := range gone {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE id = $1`, s.id); err != nil {
				return err
			}
			if !s.signed {
				continue // any client could send it
			}
			if err := markSwept(ctx, tx, sweptID(sweptScanKind, s.scanner, s.scanID), s.digest); err != nil {
				return err
			}
		}
		for _, s := range blank {
			if err := blankPlace(ctx, tx, table, s); err != nil {
				return err
			}
		}
		return nil
	})
}

func blankPlace(ctx context.Context, tx *sql.Tx, table string, s sweptScan) error {
	if it, ok := wire.ParseCanonical(s.canonical); ok {
		it.Context = wire.Context{}
		return keptScan{id: s.id}.replace(ctx, tx, table, it)
	}
	_, err := tx.ExecContext(ctx, `UPDATE scans SET location = '', note = '', latitude_e6 = NULL, longitude_e6 = NULL WHERE id = $1`, s.id)
	return err
}

// sweepDated deletes the next old rows of a table whose rows have one time for all tenants. It
// returns 0 when there are no more.
func (d *DB) sweepDated(ctx context.Context, table string, keep privacy.Keep) (more int64, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) (err error) {
		n := 0
		switch table {
		case "scan_batches": // in the order of their arrival
			n, _, err = full(tx.ExecContext(ctx, `DELETE FROM scan_batches WHERE id IN (
				SELECT id FROM (SELECT id, received_at FROM scan_batches ORDER BY id LIMIT $1) AS oldest WHERE received_at < $2)`, sweptAtOnce, ms(keep.Longest)))
		case "device_clock_events":
			n, err = sweepClockEvents(ctx, tx, ms(keep.Longest))
		default:
			_, err = tx.ExecContext(ctx, `DELETE FROM user_sessions WHERE expires_at <= $1`, ms(keep.Now))
		}
		more = int64(one(n == sweptAtOnce))
		return err
	})
	return more, err
}

func sweepClockEvents(ctx context.Context, tx *sql.Tx, before int64) (int, error) {
	type event struct {
		scanner, id string
		digest      []byte
	}
	old, err := all(ctx, tx, func(r scanner) (e event, err error) { return e, r.Scan(&e.scanner, &e.id, &e.digest) },
		`SELECT scanner_id, event_id, digest FROM device_clock_events WHERE received_at < $1 ORDER BY received_at LIMIT $2`, before, sweptAtOnce)
	for _, e := range old {
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM device_clock_events WHERE scanner_id = $1 AND event_id = $2 AND digest = $3`, e.scanner, e.id, e.digest)
		}
		if err == nil {
			err = markSwept(ctx, tx, sweptID(sweptEventKind, e.scanner, e.id), e.digest)
		}
	}
	return len(old), err
}

// The kinds in [sweptID].
const sweptScanKind, sweptEventKind = "scan", "clock event"

// sweptID names a scan, or a clock event, of a device in swept_scans. It tells nothing to those that
// do not know both.
func sweptID(kind, scannerID, id string) digest.SHA256 {
	return digest.Of([]byte(kind + "\x00" + scannerID + "\x00" + id))
}

func markSwept(ctx context.Context, tx *sql.Tx, id digest.SHA256, sum []byte) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO swept_scans (id, digest) VALUES ($1, $2) ON CONFLICT DO NOTHING`, id[:], sum)
	return err
}

// swept returns the digests of what was deleted under ids. A device that is younger than the
// shortest retention has none.
func (s syncTx) swept(ctx context.Context, ids []digest.SHA256, now time.Time) (map[digest.SHA256][]digest.SHA256, error) {
	least, _ := privacy.RuleOf(privacy.Scans)
	if first := s.news.firstAt; first.IsZero() || first.AddDate(0, 0, least.Least).After(now) {
		return nil, nil
	}
	type mark struct{ id, digest []byte }
	marks, args := inList(ids, 0, func(id digest.SHA256) any { return id[:] })
	found, err := all(ctx, s.tx, func(r scanner) (m mark, err error) { return m, r.Scan(&m.id, &m.digest) },
		`SELECT id, digest FROM swept_scans WHERE id IN (`+marks+`)`, args...)
	out := map[digest.SHA256][]digest.SHA256{}
	for _, m := range found {
		id := digest.SHA256(m.id)
		out[id] = append(out[id], digest.SHA256(m.digest))
	}
	return out, wrap(err, "look for deleted scans")
}

// sweptFirst returns the first scans of rows whose first one was deleted: of them the digest is
// left, that of the row itself if it is a repeat.
func (s syncTx) sweptFirst(ctx context.Context, rows []verify.ScanRow) ([]*verify.ScanRow, error) {
	first := make([]*verify.ScanRow, len(rows))
	if len(rows) == 0 || !rows[0].Signed {
		return first, nil
	}
	ids := make([]digest.SHA256, len(rows))
	for i, row := range rows {
		ids[i] = sweptID(sweptScanKind, row.ScannerID, row.Item.ScanID)
	}
	known, err := s.swept(ctx, ids, rows[0].ReceivedAt)
	for i, row := range rows {
		sums := known[ids[i]]
		if len(sums) == 0 {
			continue
		}
		first[i] = &verify.ScanRow{ScannerID: row.ScannerID, Signed: true, Digest: sums[0], Swept: true}
		if slices.Contains(sums, row.Digest) {
			first[i].Digest = row.Digest
		}
	}
	return first, err
}
