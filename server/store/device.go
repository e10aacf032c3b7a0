package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"tcode/offline/digest"
	"tcode/server/fault"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

const deviceColumns = `scanner_id, first_at, last_at, last_seq, last_scan, scans,
	flag, flag_seq, flag_scan, flag_other, flag_count, flagged_at, cleared_at, clock_events, known_at, day_at, day_bytes`

// deviceRights are the columns that operators change, and no batch.
const deviceRights = `, name, refused, refused_at`

func scanDevice(r scanner) (d verify.Device, err error) {
	var first, last, scan, flagged, cleared, refused, known, day int64
	err = r.Scan(&d.ScannerID, &first, &last, &d.LastSeq, &scan, &d.Scans,
		&d.Flag, &d.FlagSeq, &d.FlagScan, &d.FlagOther, &d.FlagCount, &flagged, &cleared, &d.ClockEvents, &known, &day, &d.DayBytes,
		&d.Name, &d.Refused, &refused)
	d.FirstAt, d.LastAt, d.LastScan, d.FlaggedAt, d.ClearedAt = fromMS(first), fromMS(last), fromMS(scan), fromMS(flagged), fromMS(cleared)
	d.RefusedAt, d.KnownAt, d.DayAt = fromMS(refused), fromMS(known), fromMS(day)
	return d, err
}

// Device locks the row of a device. On PostgreSQL a new device gets a row first: otherwise
// two concurrent batches of it would not see each other.
func (s syncTx) Device(ctx context.Context, scannerID string) (verify.Device, error) {
	if s.forUpdate != "" {
		if _, err := s.tx.ExecContext(ctx, `
			INSERT INTO devices (scanner_id, first_at, last_at, last_seq, last_scan, scans) VALUES ($1, 0, 0, 0, 0, 0)
			ON CONFLICT (scanner_id) DO NOTHING`, scannerID); err != nil {
			return verify.Device{}, fmt.Errorf("begin device: %w", err)
		}
	}
	d, err := scanDevice(s.tx.QueryRowContext(ctx, `SELECT `+deviceColumns+deviceRights+` FROM devices WHERE scanner_id = $1`+s.forUpdate, scannerID))
	if errors.Is(err, sql.ErrNoRows) {
		return verify.Device{ScannerID: scannerID}, nil
	}
	s.news.firstAt = d.FirstAt
	return d, wrap(err, "read device")
}

// ScansNumbered reads the first scan of each number.
func (s syncTx) ScansNumbered(ctx context.Context, scannerID string, seqs []uint64) (map[uint64]string, error) {
	marks, args := inList(seqs, 1, func(seq uint64) any { return int64(seq) })
	type numbered struct {
		seq uint64
		id  string
	}
	rows, err := all(ctx, s.tx, func(r scanner) (n numbered, err error) {
		err = r.Scan(&n.seq, &n.id)
		return n, err
	}, `SELECT seq, scan_id FROM scans WHERE scanner_id = $1 AND signed = 1 AND seq > 0 AND seq IN (`+marks+`) ORDER BY seq, id`, append([]any{scannerID}, args...)...)
	out := make(map[uint64]string, len(rows))
	for _, n := range rows {
		if out[n.seq] == "" {
			out[n.seq] = n.id
		}
	}
	return out, err
}

// PutDevice stores a device.
func (s syncTx) PutDevice(ctx context.Context, d verify.Device, clones []verify.Clone) error {
	s.news.clones = clones
	_, err := s.tx.ExecContext(ctx, `
		INSERT INTO devices (`+deviceColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
		ON CONFLICT (scanner_id) DO UPDATE SET first_at = excluded.first_at, last_at = excluded.last_at,
			last_seq = excluded.last_seq, last_scan = excluded.last_scan, scans = excluded.scans, flag = excluded.flag,
			flag_seq = excluded.flag_seq, flag_scan = excluded.flag_scan, flag_other = excluded.flag_other,
			flag_count = excluded.flag_count, flagged_at = excluded.flagged_at, clock_events = excluded.clock_events,
			known_at = excluded.known_at, day_at = excluded.day_at, day_bytes = excluded.day_bytes`,
		d.ScannerID, ms(d.FirstAt), ms(d.LastAt), int64(d.LastSeq), ms(d.LastScan), d.Scans,
		string(d.Flag), int64(d.FlagSeq), d.FlagScan, d.FlagOther, d.FlagCount, ms(d.FlaggedAt), ms(d.ClearedAt), d.ClockEvents,
		ms(d.KnownAt), ms(d.DayAt), d.DayBytes)
	return wrap(err, "store device")
}

// Devices returns devices in the order of their ids.
func (d *DB) Devices(ctx context.Context, flagged bool, after string, limit int) (out []verify.Device, err error) {
	only := ""
	if flagged {
		only = ` AND flag <> ''`
	}
	err = d.read(ctx, everyone, func(q queryer) error {
		out, err = all(ctx, q, scanDevice, `SELECT `+deviceColumns+deviceRights+` FROM devices WHERE scanner_id > $1`+only+` ORDER BY scanner_id LIMIT $2`, after, limit)
		return err
	})
	return out, wrap(err, "list devices")
}

// InsertClockEvents stores the new events.
func (s syncTx) InsertClockEvents(ctx context.Context, b wire.Batch, receivedAt time.Time) (news int, err error) {
	ids := make([]digest.SHA256, len(b.Clock))
	for i, e := range b.Clock {
		ids[i] = sweptID(sweptEventKind, b.ScannerID, e.ID)
	}
	known, err := s.swept(ctx, ids, receivedAt)
	if err != nil {
		return 0, err
	}
	for i, e := range b.Clock {
		digest := e.Digest()
		if slices.Contains(known[ids[i]], digest) {
			continue // retention deleted it
		}
		res, err := s.tx.ExecContext(ctx, `
			INSERT INTO device_clock_events (scanner_id, event_id, digest, kind, at, was, trust_version, scans, after_seq, batch_id, received_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (scanner_id, event_id, digest) DO NOTHING`,
			b.ScannerID, e.ID, digest[:], e.Kind, ms(e.At), ms(e.Was), int64(e.TrustVersion), int64(e.Scans), int64(e.AfterSeq), b.ID, ms(receivedAt))
		if err != nil {
			return 0, fmt.Errorf("insert clock event: %w", err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return 0, fmt.Errorf("insert clock event: %w", err)
		}
		news += int(n)
	}
	return news, nil
}

// ClockEvents returns the newest clock events of a device, newest first.
func (d *DB) ClockEvents(ctx context.Context, scannerID string, limit int) (out []verify.ClockEvent, err error) {
	err = d.read(ctx, everyone, func(q queryer) error {
		out, err = all(ctx, q, func(r scanner) (e verify.ClockEvent, err error) {
			var at, was, received int64
			err = r.Scan(&e.ID, &e.Kind, &at, &was, &e.TrustVersion, &e.Scans, &e.AfterSeq, &received)
			e.At, e.Was, e.ReceivedAt = fromMS(at), fromMS(was), fromMS(received)
			return e, err
		}, `SELECT event_id, kind, at, was, trust_version, scans, after_seq, received_at FROM device_clock_events
			WHERE scanner_id = $1 ORDER BY received_at DESC, event_id DESC, digest LIMIT $2`, scannerID, limit)
		return err
	})
	return out, wrap(err, "list clock events")
}

// ChangeDevice stores what an operator decides about a device. It changes nothing, and writes no audit row, if change returns
// the device as it was.
func (d *DB) ChangeDevice(ctx context.Context, scannerID string, change func(verify.Device) (verify.Device, error), audit *tenant.Entry) error {
	return d.write(ctx, everyone, func(tx *sql.Tx) error {
		was, err := scanDevice(tx.QueryRowContext(ctx, `SELECT `+deviceColumns+deviceRights+` FROM devices WHERE scanner_id = $1`+d.forUpdate, scannerID))
		if errors.Is(err, sql.ErrNoRows) {
			was, err = verify.Device{ScannerID: scannerID}, nil
		}
		if err != nil {
			return fmt.Errorf("read device: %w", err)
		}
		now, err := change(was)
		if err != nil || now == was {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO devices (scanner_id, first_at, last_at, last_seq, last_scan, scans, name, refused, refused_at) VALUES ($1, 0, 0, 0, 0, 0, $2, $3, $4)
			ON CONFLICT (scanner_id) DO UPDATE SET name = excluded.name, refused = excluded.refused, refused_at = excluded.refused_at`,
			scannerID, now.Name, now.Refused, ms(now.RefusedAt))
		if err != nil {
			return fmt.Errorf("change device: %w", err)
		}
		return insertAudit(ctx, tx, audit)
	})
}

// ClearDevice removes the flag from a device.
func (d *DB) ClearDevice(ctx context.Context, scannerID string, at time.Time) error {
	return d.write(ctx, everyone, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `
			UPDATE devices SET flag = '', flag_seq = 0, flag_scan = '', flag_other = '', flag_count = 0, flagged_at = 0, cleared_at = $2
			WHERE scanner_id = $1`, scannerID, ms(at))
		if err != nil {
			return fmt.Errorf("clear device: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return orElse(err, fault.New(fault.NotFound, fault.CodeNotFound, "no device has the id %s", scannerID))
		}
		return nil
	})
}
