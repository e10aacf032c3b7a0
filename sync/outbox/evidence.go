//go:build !js

package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tcode/offline/host/litedb"
	"tcode/sync/wire"
)

// Evidence is a private copy of an outbox for an auditor: reading it never
// changes the file, a copy of it or a damaged file that was set aside.
type Evidence struct {
	// Damaged says why the file is not readable as a database; it is empty if
	// it is. The rows of a damaged file are those with a correct checksum, and
	// its receipts all that were found; each has its own signature.
	Damaged   string
	ScannerID string // empty: not known

	o        *Outbox
	dir      string
	entries  []Entry
	receipts []ReceiptRow
	losses   map[uint64]string
	unread   map[uint64]string
	events   []ClockEvent
	noEvents int // clock events known to be lost
	last     uint64
}

// OpenEvidence reads the outbox at path. It needs no right to write there. The
// copy is a temporary file, or in memory if there is no room for one.
func OpenEvidence(ctx context.Context, path string) (*Evidence, error) {
	e, err := openFile(ctx, path)
	if err == nil || !errors.Is(err, errNoCopy) {
		return e, err
	}
	file, log, err := litedb.ReadFiles(path)
	if err != nil {
		return nil, fmt.Errorf("read outbox: %w", err)
	}
	e = &Evidence{}
	if err := e.read(ctx, file, log); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// errNoCopy means that no copy could be made.
var errNoCopy = errors.New("copy outbox")

// read reads an outbox whose bytes are in memory.
func (e *Evidence) read(ctx context.Context, file, log []byte) error {
	if len(file)+len(log) == 0 {
		return fmt.Errorf("read outbox: %w: the file is empty", litedb.ErrForeign)
	}
	err := e.open(ctx, func(o litedb.Options) (*litedb.DB, error) { return litedb.OpenMemory(ctx, file, log, o) })
	if err == nil || !unsound(err) {
		return err
	}
	e.Damaged = err.Error()
	return e.carve(file, log)
}

// unsound reports whether err means that the file must be read page by page.
func unsound(err error) bool {
	return IsDamaged(err) || litedb.IsInconsistent(err) || errors.Is(err, litedb.ErrForeign)
}

func openFile(ctx context.Context, path string) (_ *Evidence, err error) {
	dir, err := os.MkdirTemp("", "tcode-audit-")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoCopy, err)
	}
	e := &Evidence{dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	file := filepath.Join(dir, "outbox.db")
	if err := copyDatabase(path, file); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoCopy, err)
	}
	if s, err := stamps(file); err != nil || s.size+s.logSize == 0 {
		return nil, cmp.Or(err, fmt.Errorf("read outbox: %w: the file is empty", litedb.ErrForeign))
	}
	err = e.open(ctx, func(o litedb.Options) (*litedb.DB, error) { return litedb.Open(ctx, file, o) })
	switch {
	case err == nil:
		return e, nil
	case litedb.IsFull(err):
		return nil, fmt.Errorf("%w: %w", errNoCopy, err)
	case !unsound(err):
		return nil, fmt.Errorf("read outbox: %w", err)
	}
	e.Damaged = err.Error()
	// Opening it may have changed the copy.
	whole, log, err := litedb.ReadFiles(path)
	if err != nil {
		return nil, fmt.Errorf("read outbox: %w", err)
	}
	return e, e.carve(whole, log)
}

// open reads the copy as a database whose pages, indexes and rows are all intact.
func (e *Evidence) open(ctx context.Context, open func(litedb.Options) (*litedb.DB, error)) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	db, err := open(litedb.Options{ApplicationID: ApplicationID, Migrations: files, Readers: 1, QuickCheck: true})
	if err != nil {
		return err
	}
	o := &Outbox{db: db, copied: true}
	if err := o.Check(ctx); err != nil {
		return errors.Join(err, db.Close())
	}
	e.o = o
	if err := e.facts(ctx); err != nil {
		return err
	}
	losses, err := o.Losses(ctx, maxLosses)
	e.losses = map[uint64]string{}
	for _, l := range losses {
		e.losses[l.Seq] = l.ScanID
	}
	if err == nil {
		err = db.Reader().QueryRowContext(ctx, `SELECT coalesce(sum(events_lost), 0) FROM repairs`).Scan(&e.noEvents)
	}
	return err
}

func (e *Evidence) facts(ctx context.Context) error {
	rows, err := e.o.db.Reader().QueryContext(ctx, `SELECT name, value FROM facts`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var value any
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		e.fact(name, value)
	}
	return rows.Err()
}

func (e *Evidence) fact(name string, value any) {
	switch v := value.(type) {
	case int64:
		if name == "last_seq" && v > 0 {
			e.last = max(e.last, uint64(v))
		}
	case string:
		if name == "scanner_id" {
			e.ScannerID = v
		}
	}
}

// carve reads damaged files page by page.
func (e *Evidence) carve(file, log []byte) error {
	entries, receipts := map[uint64]Entry{}, map[int64]ReceiptRow{}
	litedb.Carve(file, log, func(r litedb.Row) {
		switch n := len(r.Values); {
		case n >= scanColumns:
			if entry, ok := carvedEntry(r.Values); ok {
				entries[entry.Scan.Seq] = entry // later versions come later
			}
		case n == 2:
			name, _ := r.Values[0].(string)
			e.fact(name, r.Values[1])
		case n == receiptColumns || n == receiptColumns-1: // the column answers was added later
			if receipt, ok := carvedReceipt(r); ok {
				receipts[r.ID] = receipt
			}
		}
	})
	g := gather(file, log)
	e.losses, e.unread, e.noEvents = g.losses, g.unread, g.eventsLost()
	for _, row := range slices.Sorted(maps.Keys(g.events)) {
		e.events = append(e.events, g.events[row])
	}
	e.entries = slices.SortedStableFunc(maps.Values(entries), func(a, b Entry) int { return int(a.Scan.Seq) - int(b.Scan.Seq) })
	for _, id := range slices.Sorted(maps.Keys(receipts)) {
		e.receipts = append(e.receipts, receipts[id])
	}
	if len(e.entries)+len(e.receipts)+len(e.events) == 0 {
		return fmt.Errorf("%w: no scan, receipt or clock event in it is readable", litedb.ErrDamaged)
	}
	return nil
}

// receiptColumns is the number of columns of a receipt.
const receiptColumns = 10

// carvedEntry returns a scan whose checksum is correct. No checksum covers its
// state and the gateway's answer: the receipts must confirm them.
func carvedEntry(v []any) (e Entry, ok bool) {
	s, digest, sum, ok := scanFrom(v)
	if !ok || s.Seq == 0 || s.Seq > wire.MaxInteger {
		return e, false
	}
	e.Scan, e.Digest = s, s.item().Digest()
	want := s.sum(e.Digest)
	if string(digest) != string(e.Digest[:]) || string(sum) != string(want[:]) {
		return e, false
	}
	text := func(i int) string { t, _ := v[i].(string); return t }
	number := func(i int) int64 { n, _ := v[i].(int64); return n }
	e.State, e.Code, e.Message = State(text(columnState)), text(columnCode), text(columnMessage)
	r := &e.Result
	r.ScanID, r.Result, e.Conflict = s.ScanID, wire.ItemOutcome(text(27)), number(28) == 1
	r.Verdict, r.VerdictAtScan, r.Changed = text(29), text(30), number(31) == 1
	r.Reference, r.Status, e.ReceivedAt = text(32), text(33), moment(number(34))
	return e, true
}

func carvedReceipt(r litedb.Row) (row ReceiptRow, ok bool) {
	v := r.Values
	note, isText := v[8].(string)
	batch, isBatch := v[1].(string)
	if !isText || !isBatch || len(note) > wire.MaxReceiptBytes {
		return row, false
	}
	row = ReceiptRow{ID: r.ID, BatchID: batch, Note: note}
	if at, ok := v[7].(int64); ok {
		row.StoredAt = moment(at)
	}
	if len(v) == receiptColumns {
		row.Answers, _ = v[9].([]byte)
	}
	return row, true
}

// Entries calls fn with each scan, in order of their numbers.
func (e *Evidence) Entries(ctx context.Context, fn func(Entry) error) error {
	if e.o == nil {
		return each(e.entries, fn)
	}
	for after := uint64(0); ; {
		rows, err := query(ctx, e.o.db.Reader(), `WHERE seq > $1 ORDER BY seq LIMIT 500`, int64(after))
		if err != nil {
			return fmt.Errorf("read scans: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		if err := each(rows, fn); err != nil {
			return err
		}
		after = rows[len(rows)-1].Scan.Seq
	}
}

// Receipts calls fn with each receipt, in the order in which they were stored.
// It verifies nothing.
func (e *Evidence) Receipts(ctx context.Context, fn func(ReceiptRow) error) error {
	if e.o == nil {
		return each(e.receipts, fn)
	}
	for after := int64(0); ; {
		rows, err := e.o.Receipts(ctx, after, 500)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := each(rows, fn); err != nil {
			return err
		}
		after = rows[len(rows)-1].ID
	}
}

func each[T any](all []T, fn func(T) error) error {
	for _, x := range all {
		if err := fn(x); err != nil {
			return err
		}
	}
	return nil
}

// ClockEvents returns the clock events, oldest first. It verifies no receipt.
func (e *Evidence) ClockEvents(ctx context.Context) ([]ClockEvent, error) {
	if e.o == nil {
		return e.events, nil
	}
	return clockEvents(ctx, e.o.db.Reader(), clockEvent+`ORDER BY id`)
}

// ClockEventsLost returns the number of clock events that are known to be lost.
func (e *Evidence) ClockEventsLost() int { return e.noEvents }

// Lost returns the scans that a repair listed as lost, number to id.
func (e *Evidence) Lost() map[uint64]string { return e.losses }

// Unread returns the rows whose checksum is wrong, number to id, both as
// stored.
func (e *Evidence) Unread() map[uint64]string { return e.unread }

// Last returns the last assigned number, according to the file.
func (e *Evidence) Last() uint64 { return e.last }

// Close removes the copy.
func (e *Evidence) Close() error {
	var err error
	if e.o != nil {
		err = e.o.db.Close()
	}
	if e.dir == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(e.dir))
}

// copyDatabase copies a database file and its write-ahead log. Another process may
// be writing them, so it copies again until neither changes during the copying.
func copyDatabase(from, to string) error {
	for try := 0; ; try++ {
		before, err := stamps(from)
		if err != nil {
			return err
		}
		if err := copyFile(from, to); err != nil {
			return err
		}
		err = copyFile(from+"-wal", to+"-wal")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		after, err := stamps(from)
		if err != nil || before == after {
			return err
		}
		if try == 20 {
			return fmt.Errorf("%s keeps changing: end the programs that write to it", from)
		}
		_ = os.Remove(to + "-wal")
		time.Sleep(50 * time.Millisecond)
	}
}

// A fileStamps differs between two states of a database file and its log.
type fileStamps struct {
	size, logSize int64
	at, logAt     time.Time
}

func stamps(path string) (s fileStamps, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	if !info.Mode().IsRegular() {
		return s, &fs.PathError{Op: "open", Path: path, Err: errors.New("it is not a file")}
	}
	s.size, s.at = info.Size(), info.ModTime()
	if info, err := os.Stat(path + "-wal"); err == nil {
		s.logSize, s.logAt = info.Size(), info.ModTime()
	}
	return s, nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
