package outbox

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// maxLosses is the largest number of missing scans that one opening lists.
const maxLosses = 1_000_000

// loading is what a book finds when it is opened.
type loading struct {
	book    *Book
	entries map[uint64]*Entry
	records map[uint64][]byte
	changes map[string][]byte // repairs
	reason  string            // the first damage; empty: none
	lost    map[uint64]string // numbers that do not read, with their scan ids as far as they are known
	kept    int               // scans that were salvaged
	events  map[uint64]ClockEvent
	noEvent int  // events that do not read
	bound   bool // the device of the book is known, or known to be none
}

// load reads the journal into b, and returns the changes that repair it, if any.
func (b *Book) load(ctx context.Context) (map[string][]byte, error) {
	l := &loading{
		book: b, entries: map[uint64]*Entry{}, records: map[uint64][]byte{}, changes: map[string][]byte{},
		lost: map[uint64]string{}, events: map[uint64]ClockEvent{},
	}
	if err := b.j.Load(ctx, l.take); err != nil {
		return nil, err
	}
	l.proofs()
	l.rows()
	l.numbers()
	l.owner()
	l.clock()
	l.finish()
	return l.changes, nil
}

// damage notes that the record under key does not read, and keeps its bytes aside.
func (l *loading) damage(key string, record []byte, err error) {
	if l.reason == "" {
		l.reason = err.Error()
	}
	l.changes[key], l.changes[keyAside+key] = nil, append([]byte{}, record...)
}

// take reads one record.
func (l *loading) take(key string, record []byte) error {
	if key == keyFacts {
		f, err := decodeFacts(record)
		if l.bound = err == nil; err != nil {
			l.damage(key, record, err)
		}
		l.book.facts = f
		return nil
	}
	for kind, read := range map[string]func(uint64, string, []byte) error{
		keyScan: l.scan, keyReceipt: l.receipt, keyEvent: l.event, keyRepair: l.repair,
	} {
		if n, ok := numberOf(kind, key); ok {
			if err := read(n, key, record); err != nil {
				l.damage(key, record, err)
			}
			return nil
		}
	}
	return nil // aside, or of a later version: it stays
}

func (l *loading) scan(seq uint64, key string, record []byte) error {
	e, salvaged, err := decodeEntry(key, record)
	if err != nil {
		l.lost[seq] = e.Scan.ScanID
		return err
	}
	l.entries[seq], l.records[seq] = &e, append([]byte{}, record...)
	if salvaged {
		l.salvage(seq, fmt.Errorf("%w: the state of scan %d", errRecord, seq))
	}
	return nil
}

// salvage returns the scan with this number to the queue: the gateway knows it again by its id.
func (l *loading) salvage(seq uint64, why error) {
	e := l.entries[seq]
	*e = Entry{Scan: e.Scan, Digest: e.Digest, State: Queued, Ahead: e.Ahead}
	key := scanKey(seq)
	l.records[seq] = encodeEntry(key, e)
	l.changes[key] = l.records[seq]
	l.kept++
	if l.reason == "" {
		l.reason = why.Error()
	}
}

func (l *loading) receipt(id uint64, key string, record []byte) error {
	r, err := decodeReceipt(key, record)
	if err != nil {
		return err
	}
	l.book.proofs = append(l.book.proofs, proof{int64(id), append([]byte{}, record...), r.BatchID, r.Note})
	return nil
}

func (l *loading) event(n uint64, key string, record []byte) error {
	e, err := decodeEvent(key, record)
	if err != nil {
		l.noEvent++
		return err
	}
	l.events[n] = e
	return nil
}

func (l *loading) repair(id uint64, key string, record []byte) error {
	p, err := decodeRepair(key, int64(id), record)
	if err == nil {
		l.book.fixed = append(l.book.fixed, p)
	}
	return err
}

// proofs fills the index of receipts.
func (l *loading) proofs() {
	slices.SortFunc(l.book.proofs, func(a, b proof) int { return cmp.Compare(a.id, b.id) })
	for _, p := range l.book.proofs {
		l.book.byName[p.batch] = p.id
	}
}

// rows checks what each row says of others: ids are taken once, and each scan that is done has its receipt.
func (l *loading) rows() {
	seqs := make([]uint64, 0, len(l.entries))
	for seq := range l.entries {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	for _, seq := range seqs {
		e := l.entries[seq]
		if _, taken := l.book.byID[e.Scan.ScanID]; taken {
			l.damage(scanKey(seq), l.records[seq], fmt.Errorf("%w: two numbers of one scan", errRecord))
			l.lost[seq] = e.Scan.ScanID
			delete(l.entries, seq)
			continue
		}
		if _, held := l.book.proofAt(e.ReceiptID); e.State == Done && !held {
			l.salvage(seq, fmt.Errorf("%w: the receipt of scan %d", errRecord, seq))
		}
		l.book.byID[e.Scan.ScanID] = len(l.book.rows)
		l.book.rows = append(l.book.rows, slotOf(e, l.records[seq]))
	}
}

// numbers finds the numbers that are missing, of those that no earlier repair lists, and the last number. It lists at most
// maxLosses of them, so that one prepared number cannot fill the memory: a scan behind a larger gap is set aside and lost.
func (l *loading) numbers() {
	b := l.book
	used := l.used()
	top, missing := uint64(0), uint64(0)
	for len(used) > 0 && l.gap(top, used[0]-1, &missing) {
		top, used = used[0], used[1:]
	}
	for _, seq := range used {
		if e, held := l.entries[seq]; held {
			l.damage(scanKey(seq), l.records[seq], fmt.Errorf("%w: scan %d is far behind the others", errRecord, seq))
			l.lost[seq] = e.Scan.ScanID
			delete(l.entries, seq)
			delete(b.byID, e.Scan.ScanID)
			b.rows = b.rows[:len(b.rows)-1] // used ends with the last rows
		}
	}
	for _, p := range b.fixed {
		for _, x := range p.losses {
			delete(l.lost, x.Seq)
		}
	}
	if b.facts.last > top && l.gap(top, b.facts.last, &missing) {
		top = b.facts.last
	}
	if b.facts.last != top {
		if l.reason == "" {
			l.reason = fmt.Sprintf("the last number is %d, not %d", top, b.facts.last)
		}
		b.facts.last = top
		l.changes[keyFacts] = b.facts.encode()
	}
}

// owner finds the device of a book whose facts are lost by its newest receipt: otherwise a device with another key would send what
// this one may have sent.
func (l *loading) owner() {
	b := l.book
	for i := len(b.proofs) - 1; i >= 0 && !l.bound && b.facts.scanner == ""; i-- {
		if r, err := decodeReceipt(receiptKey(b.proofs[i].id), b.proofs[i].record); err == nil && r.Receipt.ScannerID != "" {
			b.facts.scanner = r.Receipt.ScannerID
			l.changes[keyFacts] = b.facts.encode()
		}
	}
}

// used returns the numbers of all scans that are here, that do not read, and that an earlier repair lists, in order.
func (l *loading) used() []uint64 {
	all := slices.Concat(slices.Collect(maps.Keys(l.entries)), slices.Collect(maps.Keys(l.lost)))
	for _, p := range l.book.fixed {
		for _, x := range p.losses {
			all = append(all, x.Seq)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// gap adds the numbers after top up to end to the losses. It returns false, and adds none, if there are too many.
func (l *loading) gap(top, end uint64, missing *uint64) bool {
	if end-top > maxLosses-*missing {
		return false
	}
	*missing += end - top
	for seq := top + 1; seq <= end; seq++ {
		l.lost[seq] = ""
		if l.reason == "" {
			l.reason = fmt.Sprintf("scan %d is missing", seq)
		}
	}
	return true
}

// clock fills the events, numbered without gaps.
func (l *loading) clock() {
	numbers := make([]uint64, 0, len(l.events))
	for n := range l.events {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	ids := map[string]bool{}
	numbers = slices.DeleteFunc(numbers, func(n uint64) bool {
		e := l.events[n]
		if !ids[e.ID] {
			ids[e.ID] = true
			return false
		}
		key := eventKey(int(n))
		l.damage(key, encodeEvent(key, &e), fmt.Errorf("%w: two numbers of one clock event", errRecord))
		delete(l.events, n)
		l.noEvent++
		return true
	})
	for i, n := range numbers {
		e := l.events[n]
		l.book.events = append(l.book.events, e)
		if n != uint64(i+1) {
			l.changes[eventKey(int(n))] = nil
		}
	}
	for i, n := range numbers {
		if n != uint64(i+1) {
			e := l.events[n]
			l.changes[eventKey(i+1)] = encodeEvent(eventKey(i+1), &e)
		}
	}
}

// finish adds the repair, if there was damage.
func (l *loading) finish() {
	slices.SortStableFunc(l.book.fixed, func(a, b repaired) int { return cmp.Compare(a.ID, b.ID) })
	if l.reason == "" && len(l.lost) == 0 {
		return
	}
	id := nextID(len(l.book.fixed), func(i int) int64 { return l.book.fixed[i].ID })
	p := repaired{Repair: Repair{
		ID: id, At: moment(millis(time.Now())), Reason: l.reason, Kept: len(l.entries), Lost: len(l.lost),
		Events: len(l.events), EventsLost: l.noEvent,
	}}
	for seq, scanID := range l.lost {
		p.losses = append(p.losses, Loss{Seq: seq, ScanID: scanID, Repair: id})
	}
	slices.SortStableFunc(p.losses, func(a, b Loss) int { return cmp.Compare(a.Seq, b.Seq) })
	i, _ := slices.BinarySearchFunc(l.book.fixed, id, func(p repaired, id int64) int { return cmp.Compare(p.ID, id) })
	l.book.fixed = slices.Insert(l.book.fixed, i, p)
	l.changes[repairKey(id)] = p.encode(repairKey(id))
}
