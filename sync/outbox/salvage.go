//go:build !js

package outbox

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"time"

	"tcode/offline/host/litedb"
	"tcode/sync/wire"
)

// staticColumns is the number of columns of a scan that its checksum covers;
// they come first.
const staticColumns = 20

// The stateColumns of a scan follow: state, code, message and more, up to receipt.
const (
	columnState   = 20
	columnCode    = 25
	columnMessage = 26
	scanColumns   = 35 // later versions have more
)

// gathered is the content of the pages of a damaged outbox.
type gathered struct {
	scans  map[uint64]salvaged // by number
	unread map[uint64]string   // scan ids of rows whose checksum is wrong
	last   uint64
	losses map[uint64]string    // losses of earlier repairs
	events map[int64]ClockEvent // by the number of their row
	broken map[int64]bool       // rows of clock events whose checksum is wrong
}

type salvaged struct {
	scan          Scan
	dead          bool
	code, message string
}

// gather reads the rows of the raw files. It uses only the part of a scan that
// its checksum covers: the gateway repeats its answer.
func gather(file, log []byte) gathered {
	g := gathered{scans: map[uint64]salvaged{}, unread: map[uint64]string{}, losses: map[uint64]string{}, events: map[int64]ClockEvent{}, broken: map[int64]bool{}}
	litedb.Carve(file, log, func(r litedb.Row) {
		switch n := len(r.Values); {
		case n >= scanColumns:
			g.addScan(r.Values)
		case n == eventColumns:
			g.addEvent(r)
		case n == 2:
			g.addFact(r.Values)
		case n == 3:
			if id, ok := r.Values[1].(string); ok && r.Values[0] == nil && r.ID > 0 && r.ID <= wire.MaxInteger {
				g.losses[uint64(r.ID)] = id
			}
		}
	})
	for seq := range g.scans {
		delete(g.unread, seq)
		delete(g.losses, seq)
	}
	return g
}

func (g *gathered) addFact(v []any) {
	name, _ := v[0].(string)
	if x, ok := v[1].(int64); ok && name == "last_seq" && x > 0 {
		g.last = max(g.last, uint64(x))
	}
}

func (g *gathered) addScan(v []any) {
	s, digest, sum, ok := scanFrom(v)
	if !ok {
		return
	}
	want := s.item().Digest()
	wantSum := s.sum(want)
	if string(digest) != string(want[:]) || string(sum) != string(wantSum[:]) {
		if s.Seq > 0 && s.Seq <= wire.MaxInteger {
			g.unread[s.Seq] = s.ScanID
		}
		return
	}
	x := salvaged{scan: s}
	if state, _ := v[columnState].(string); state == string(Dead) {
		x.dead = true
		x.code, _ = v[columnCode].(string)
		x.message, _ = v[columnMessage].(string)
	}
	g.scans[s.Seq] = x // later versions come later
}

// eventColumns is the number of columns of a clock event.
const eventColumns = 11

// addEvent takes a clock event. The checksum does not cover whether the gateway has
// it, so it is sent again, under its old id.
func (g *gathered) addEvent(r litedb.Row) {
	const told, sum = 8, 10
	v := r.Values
	if _, isFlag := v[told].(int64); !isFlag || v[0] != nil || r.ID <= 0 {
		return // a row of another table
	}
	var e ClockEvent
	e.ID, _ = v[1].(string)
	e.Kind, _ = v[2].(string)
	var numbers [5]int64
	for i := range numbers {
		numbers[i], _ = v[3+i].(int64)
	}
	e.At, e.Was, e.Documents, e.Scans, e.AfterSeq = moment(numbers[0]), moment(numbers[1]), uint64(numbers[2]), int(numbers[3]), uint64(numbers[4])
	if want, _ := v[sum].([]byte); !bytes.Equal(want, e.sum()) {
		if _, held := g.events[r.ID]; !held {
			g.broken[r.ID] = true
		}
		return
	}
	e.Receipt, _ = v[9].(string)
	g.events[r.ID] = e
	delete(g.broken, r.ID)
}

// eventsLost returns the number of clock events that are known to be lost: unreadable
// rows, and numbers that are missing below others.
func (g gathered) eventsLost() int {
	last := int64(0)
	for _, rows := range []iter.Seq[int64]{maps.Keys(g.events), maps.Keys(g.broken)} {
		for id := range rows {
			if id <= maxEvents {
				last = max(last, id)
			}
		}
	}
	return max(0, int(last)-len(g.events))
}

// maxEvents is the largest number of a clock event's row: a larger one is damaged.
const maxEvents = 100_000

// scanFrom reads the columns that insertScan writes, in the same order.
func scanFrom(v []any) (s Scan, digest, sum []byte, ok bool) {
	ok = true
	text := func(i int) string {
		x, is := v[i].(string)
		ok = ok && is
		return x
	}
	number := func(i int) int64 {
		x, is := v[i].(int64)
		ok = ok && is
		return x
	}
	s.ScanID, s.Seq = text(0), uint64(number(1))
	if v[2] != nil {
		var is bool
		s.Payload, is = v[2].([]byte)
		ok = ok && is
	} else {
		s.Reference = text(3)
	}
	s.ScannedAt = time.UnixMilli(number(4)).UTC()
	s.Verdict, s.Assurance, s.Binding = text(5), text(6), text(7)
	s.TrustVersion, s.StatusAsOf = uint64(number(8)), moment(number(9))
	s.setFlags(number(10))
	s.Context = wire.Context{
		Location: text(11), Coordinates: number(12) == 1,
		LatitudeE6: int32(number(13)), LongitudeE6: int32(number(14)), Note: text(15),
	}
	s.Source, s.Page = text(16), int(number(17))
	digest, isDigest := v[18].([]byte)
	sum, isSum := v[staticColumns-1].([]byte)
	return s, digest, sum, ok && isDigest && isSum
}

// salvage writes g into a new outbox at path. Each number up to the last one is
// then a queued or dead scan, or a loss.
func salvage(ctx context.Context, path string, g gathered, r Repair, last uint64) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	db, err := litedb.Open(ctx, path, litedb.Options{ApplicationID: ApplicationID, Migrations: files, Readers: 1})
	if err != nil {
		return err
	}
	return errors.Join(g.into(ctx, db, r, last), db.Close())
}

// into writes g into an empty outbox.
func (g gathered) into(ctx context.Context, db *litedb.DB, r Repair, last uint64) error {
	top := last
	for seq := range g.scans {
		top = max(top, seq)
	}
	// The counter in the file has no checksum: it counts only if it is near the
	// numbers that have one.
	if g.last > top && g.last <= top+maxLosses {
		top = g.last
	}
	return db.Write(ctx, func(tx *sql.Tx) error { return g.write(ctx, tx, r, top) })
}

func (g gathered) write(ctx context.Context, tx *sql.Tx, r Repair, top uint64) error {
	err := tx.QueryRowContext(ctx, `
		INSERT INTO repairs (at, aside, reason, kept, events, events_lost) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
		millis(r.At), r.Aside, r.Reason, len(g.scans), len(g.events), g.eventsLost()).Scan(&r.ID)
	if err != nil {
		return err
	}
	for _, seq := range slices.Sorted(maps.Keys(g.scans)) {
		x := g.scans[seq]
		if err := insert(ctx, tx, x.scan, seq); litedb.IsUnique(err) {
			g.unread[seq] = x.scan.ScanID // two numbers have one id
			delete(g.scans, seq)
			continue
		} else if err != nil {
			return fmt.Errorf("scan %d: %w", seq, err)
		}
		if !x.dead {
			continue
		}
		if err := mustChange(tx.ExecContext(ctx, `UPDATE scans SET state = 'dead', code = $1, message = $2 WHERE seq = $3`,
			x.code, x.message, int64(seq))); err != nil {
			return err
		}
	}
	for seq := uint64(1); seq <= top; seq++ {
		if _, held := g.scans[seq]; held {
			continue
		}
		id := g.unread[seq]
		if id == "" {
			id = g.losses[seq]
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO losses (seq, scan_id, repair) VALUES ($1, $2, $3)`, int64(seq), id, r.ID); err != nil {
			return err
		}
	}
	// The order matters: the first event that contradicts a scan marks it.
	for _, row := range slices.Sorted(maps.Keys(g.events)) {
		if _, err := g.events[row].insert(ctx, tx); err != nil && !litedb.IsUnique(err) {
			return fmt.Errorf("clock event %s: %w", g.events[row].ID, err)
		}
	}
	_, err = tx.ExecContext(ctx, upsertLastSeq, int64(top))
	return err
}

// Repairs returns the repairs of this outbox, newest first.
func (o *Outbox) Repairs(ctx context.Context) ([]Repair, error) {
	rows, err := o.db.Reader().QueryContext(ctx, `
		SELECT id, at, aside, reason, kept, seen, events, events_lost, (SELECT count(*) FROM losses WHERE repair = repairs.id)
		FROM repairs ORDER BY id DESC LIMIT 100`)
	if err != nil {
		return nil, fmt.Errorf("repairs: %w", err)
	}
	defer rows.Close()
	var all []Repair
	for rows.Next() {
		var r Repair
		var at int64
		if err := rows.Scan(&r.ID, &at, &r.Aside, &r.Reason, &r.Kept, &r.Seen, &r.Events, &r.EventsLost, &r.Lost); err != nil {
			return nil, fmt.Errorf("repairs: %w", err)
		}
		r.At = moment(at)
		all = append(all, r)
	}
	return all, rows.Err()
}

// Losses returns scans that could not be salvaged, by number, at most limit of them.
func (o *Outbox) Losses(ctx context.Context, limit int) ([]Loss, error) {
	rows, err := o.db.Reader().QueryContext(ctx, `SELECT seq, scan_id, repair FROM losses ORDER BY seq LIMIT $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("losses: %w", err)
	}
	defer rows.Close()
	var all []Loss
	for rows.Next() {
		var l Loss
		var seq int64
		if err := rows.Scan(&seq, &l.ScanID, &l.Repair); err != nil {
			return nil, fmt.Errorf("losses: %w", err)
		}
		l.Seq = uint64(seq)
		all = append(all, l)
	}
	return all, rows.Err()
}

// MarkSeen records that an operator has seen all repairs.
func (o *Outbox) MarkSeen(ctx context.Context) error {
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE repairs SET seen = 1 WHERE seen = 0`)
		return err
	})
	if err != nil {
		return fmt.Errorf("mark repairs as seen: %w", err)
	}
	return nil
}
