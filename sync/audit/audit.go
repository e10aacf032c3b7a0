// Package audit proves from receipts alone which scans the gateway holds, and its
// answers. It needs neither the gateway nor the device's key, and changes
// nothing. Start with [Keys] and [New], then call [Audit.Collect] and [Audit.Run].
//
//	outbox.Evidence ─receipts─▶ verify with the online keys of the trust root ─▶ answers
//	                └scans────▶ compare with the answers ─▶ one Standing each, gaps, Summary
//
// A receipt counts only if its signature verifies and its digests are those of
// the answers stored with it (sync/wire/FORMAT.md, section 5).
package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"tcode/offline/digest"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// A Standing is the state of a scan as far as the receipts prove it.
type Standing string

// The standings of a scan. The last five are problems.
const (
	Held        Standing = "held"        // a receipt proves that the gateway has it, and the gateway's answer
	Refused     Standing = "refused"     // a receipt proves that the gateway refused it permanently
	Waiting     Standing = "waiting"     // the gateway has not answered yet
	NoReceipt   Standing = "no_receipt"  // it left the queue, but no receipt that verifies covers it
	Contradicts Standing = "contradicts" // a receipt covers its id, but differs from it
	Damaged     Standing = "damaged"     // its row does not match its checksum
	Lost        Standing = "lost"        // it was recorded, and damage destroyed it
	Missing     Standing = "missing"     // its number was assigned, but there is no such row
)

// Problem reports whether an operator must look at the scan.
func (s Standing) Problem() bool {
	return s != Held && s != Refused && s != Waiting
}

// A Key is an online key and the first version of the root that names it.
type Key struct {
	Root     int // version of the first root that names it
	Verifier trust.VerifierKey
}

// Keys returns the online keys of a chain of roots, the newest last. The error
// is one of package trust.
func Keys(roots [][]byte) (trust.Fingerprint, []Key, error) {
	state, err := trust.Load(trust.Saved{Roots: roots})
	if err != nil {
		return trust.Fingerprint{}, nil, err
	}
	var keys []Key
	for i, raw := range state.Roots {
		r, err := trust.ParseRoot(state.Fingerprint, raw)
		if err != nil {
			return trust.Fingerprint{}, nil, err
		}
		if n := len(keys); n == 0 || keys[n-1].Verifier != r.Online {
			keys = append(keys, Key{i + 1, r.Online})
		}
	}
	return state.Fingerprint, keys, nil
}

// A Scan is one number of the history and the standing that the receipts prove.
type Scan struct {
	Entry    outbox.Entry // only Scan.Seq and Scan.ScanID if there is no row
	Standing Standing
	Reason   string // for people; only for a problem
	Answer   wire.Answered
	At       time.Time // gateway clock of the receipt; zero: none
	Root     int       // the root whose online key signed the receipt
}

// A BadReceipt is a receipt that proves nothing.
type BadReceipt struct {
	BatchID  string
	StoredAt time.Time // device clock
	KeyKnown bool      // false: none of the keys signed it
	Reason   string
}

// Summary counts the results of Run.
type Summary struct {
	ScannerID string
	Damaged   string // why the file was read page by page
	Last      uint64 // the highest number known
	Scans     map[Standing]int
	Receipts  map[int]int // receipts that verify, by root
	Bad       int         // receipts that prove nothing
	Strange   int         // scans that receipts prove but the history does not have

	Events     map[Standing]int // clock events
	EventsLost int              // clock events that repairs have listed as lost
}

// Problems counts the results that an operator must look at.
func (s Summary) Problems() int {
	n := s.Bad + s.Strange + s.EventsLost
	for standing, count := range s.Events {
		if standing.Problem() {
			n += count
		}
	}
	for standing, count := range s.Scans {
		if standing.Problem() {
			n += count
		}
	}
	return n
}

// An answer is the part of one receipt about one scan.
type answer struct {
	wire.Answered
	at   time.Time
	root int
}

// An Audit collects receipts of one scanner and judges its scans by them.
type Audit struct {
	keys      []Key
	scannerID string
	answers   map[string][]answer    // by scan id
	known     map[digest.SHA256]bool // receipts, by the hash of their note
	bad       []BadReceipt
	last      uint64 // the highest number in a receipt
	receipts  map[int]int
}

// New returns an audit with these keys.
func New(keys []Key) *Audit {
	return &Audit{keys: keys, answers: map[string][]answer{}, known: map[digest.SHA256]bool{}, receipts: map[int]int{}}
}

// Collect takes the receipts of e. Receipts of a damaged file that was set
// aside count as well as those of the file that replaced it.
func (a *Audit) Collect(ctx context.Context, e *outbox.Evidence) error {
	if a.scannerID == "" {
		a.scannerID = e.ScannerID
	}
	return e.Receipts(ctx, func(r outbox.ReceiptRow) error {
		if hash := sha256.Sum256([]byte(r.Note)); !a.known[hash] {
			known, err := a.take(r)
			if a.known[hash] = err == nil; err != nil {
				a.bad = append(a.bad, BadReceipt{r.BatchID, r.StoredAt, known, err.Error()})
			}
		}
		return nil
	})
}

// open verifies a note with the key that has signed it; root is 0 if none has.
func (a *Audit) open(raw string) (root int, r wire.Receipt, err error) {
	for _, k := range a.keys {
		by, err := trust.SignedBy([]byte(raw), []trust.VerifierKey{k.Verifier})
		if err != nil {
			return k.Root, r, err
		}
		if len(by) == 0 {
			continue
		}
		v, err := k.Verifier.NoteVerifier()
		if err != nil {
			return k.Root, r, err
		}
		r, err = wire.OpenReceipt(raw, v)
		return k.Root, r, err
	}
	return 0, r, errUnknownKey
}

var errUnknownKey = errors.New("no online key of the trust root signed it")

// take verifies a receipt and stores its answers. known is false if none of the
// keys signed it.
func (a *Audit) take(r outbox.ReceiptRow) (known bool, err error) {
	root, receipt, err := a.open(r.Note)
	if err != nil || root == 0 {
		return root != 0, err
	}
	if sha256.Sum256(r.Answers) != receipt.Answers {
		return true, errors.New("the answers kept with it are not those that it signs")
	}
	scanner, list, err := wire.ParseAnswers(r.Answers)
	if err != nil {
		return true, err
	}
	var held []digest.SHA256
	for _, x := range list {
		if x.Result.Held() {
			held = append(held, x.Digest)
		}
	}
	if scanner != receipt.ScannerID || len(list) != receipt.Results || len(held) != receipt.Count ||
		wire.DigestOf(scanner, held) != receipt.BatchDigest {
		return true, errors.New("it contradicts the answers that it signs")
	}
	if a.scannerID == "" {
		a.scannerID = scanner
	}
	if scanner != a.scannerID {
		return true, fmt.Errorf("it is about another scanner, %s", scanner)
	}
	for _, x := range list {
		a.answers[x.ScanID] = append(a.answers[x.ScanID], answer{x, receipt.Time, root})
	}
	a.receipts[root]++
	a.last = max(a.last, receipt.LastSeq)
	return true, nil
}

// Run judges the scans of e, in order of their numbers, and calls scan with each,
// then with those that only receipts name. If event is not nil, Run calls it with
// each clock event. Call Collect first.
func (a *Audit) Run(ctx context.Context, e *outbox.Evidence, scan func(Scan) error, event func(Event) error) (Summary, error) {
	s := Summary{
		ScannerID: a.scannerID, Damaged: e.Damaged, Receipts: a.receipts, Bad: len(a.bad),
		Scans: map[Standing]int{}, Events: map[Standing]int{}, EventsLost: e.ClockEventsLost(),
	}
	if err := a.scans(ctx, e, &s, scan); err != nil {
		return s, err
	}
	return s, a.events(ctx, e, func(x Event) error {
		if s.Events[x.Standing]++; event == nil {
			return nil
		}
		return event(x)
	})
}

// scans judges the scans of e and counts them.
func (a *Audit) scans(ctx context.Context, e *outbox.Evidence, s *Summary, fn func(Scan) error) error {
	lost, unread := e.Lost(), e.Unread()
	seen := map[string]bool{}
	give := func(x Scan) error {
		s.Scans[x.Standing]++
		s.Last = max(s.Last, x.Entry.Scan.Seq)
		return fn(x)
	}
	gap := func(from, to uint64) error { // both excluded
		for seq := from + 1; seq < to; seq++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			x := Scan{Entry: outbox.Entry{Scan: outbox.Scan{Seq: seq}}, Standing: Missing, Reason: "there is no such row"}
			if id, ok := lost[seq]; ok {
				x.Entry.Scan.ScanID, x.Standing, x.Reason = id, Lost, "damage took it"
			}
			if id, ok := unread[seq]; ok {
				x.Entry.Scan.ScanID, x.Standing, x.Reason = id, Damaged, "the row does not match its checksum"
				seen[id] = true
			}
			if err := give(x); err != nil {
				return err
			}
		}
		return nil
	}
	last := uint64(0)
	err := e.Entries(ctx, func(row outbox.Entry) error {
		if err := gap(last, row.Scan.Seq); err != nil {
			return err
		}
		last, seen[row.Scan.ScanID] = row.Scan.Seq, true
		return give(a.judge(row))
	})
	if err != nil {
		return err
	}
	top := max(last, e.Last(), a.last)
	for seq := range lost {
		top = max(top, seq)
	}
	const most = 1_000_000 // a number far above the others is damaged
	if top > last+most {
		top = last + most
	}
	if err := gap(last, top+1); err != nil {
		return err
	}
	for id, all := range a.answers {
		if !seen[id] {
			s.Strange++
			x := all[len(all)-1]
			err := fn(Scan{
				Entry: outbox.Entry{Scan: outbox.Scan{ScanID: id}}, Standing: standing(x.Result), Answer: x.Answered, At: x.at, Root: x.root,
				Reason: "a receipt proves it, and the history has no such scan",
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ScannerID returns the scanner that the history belongs to, if Collect has found it.
func (a *Audit) ScannerID() string { return a.scannerID }

// Bad returns the receipts that prove nothing, in the order in which they were stored.
func (a *Audit) Bad() []BadReceipt { return a.bad }

func standing(o wire.ItemOutcome) Standing {
	switch {
	case o.Held():
		return Held
	case o == wire.Rejected:
		return Refused
	}
	return Waiting
}

// judge compares a row with the answers of the receipts to its id.
func (a *Audit) judge(row outbox.Entry) Scan {
	x := Scan{Entry: row}
	left := row.State == outbox.Done || row.State == outbox.Dead
	if row.Damaged {
		x.Standing, x.Reason = Damaged, "the row does not match its checksum"
		return x
	}
	var other, refused *answer
	for _, said := range a.answers[row.Scan.ScanID] {
		switch {
		case said.Digest != row.Digest:
			x.Standing, x.Reason = Contradicts, "a receipt names its id for a scan with other contents"
		case !said.Result.Held() && row.State != outbox.Dead:
			if said.Result == wire.Rejected {
				refused = &said // a person has requeued it since
			}
		case !left || said.Result == row.Result.Result && said.Verdict == row.Result.Verdict && said.VerdictAtScan == row.Result.VerdictAtScan ||
			row.State == outbox.Dead && said.Result == wire.Rejected && said.Code == row.Code:
			return Scan{Entry: row, Standing: standing(said.Result), Answer: said.Answered, At: said.at, Root: said.root}
		default:
			other = &said
		}
	}
	switch {
	case x.Standing != "":
	case other != nil:
		x.Answer, x.At, x.Root = other.Answered, other.at, other.root
		x.Standing, x.Reason = Contradicts, fmt.Sprintf("the receipt says %s, %q, at the scan %q; the row says %s, %q, %q",
			other.Result, other.Verdict, other.VerdictAtScan, row.Result.Result, row.Result.Verdict, row.Result.VerdictAtScan)
	case left:
		x.Standing, x.Reason = NoReceipt, "no receipt that verifies speaks of it"
	default:
		x.Standing = Waiting
		if refused != nil {
			x.Answer, x.At, x.Root = refused.Answered, refused.at, refused.root
		}
	}
	return x
}
