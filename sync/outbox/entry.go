package outbox

import (
	"encoding/json"
	"fmt"
	"time"

	"tcode/offline/digest"
	"tcode/sync/wire"
)

// An Entry is one row of the outbox: the scan and the gateway's answer.
type Entry struct {
	Scan     Scan
	Digest   digest.SHA256 // as stored
	State    State
	Attempts int
	NextAt   time.Time // not sent before
	// LeaseUntil is the time after which the sender of an inflight scan counts as dead.
	LeaseUntil time.Time
	BatchID    string // of the last batch that contained it
	Code       string // why it is dead or in the queue again
	Message    string

	Result     wire.ItemResult // of the gateway, if Done
	Conflict   bool            // the gateway holds another scan under this id
	ReceivedAt time.Time       // gateway clock
	ReceiptID  int64           // of [ReceiptRow]; 0: none

	// Ahead reports that a proof of time, or an operator, has shown that a
	// clock that ran ahead dated the scan.
	Ahead bool
	// Damaged reports that the row does not match its checksum: do not trust
	// its contents.
	Damaged bool
}

// Counts holds the number of scans in each state.
type Counts struct {
	Queued, Inflight, Done, Dead int
	Conflicts                    int       // of Done
	Changed                      int       // of Done: the gateway's verdicts at the scan and now differ
	Oldest                       time.Time // scan time of the oldest that is not Done or Dead; zero: none
}

// A Filter selects entries of [Outbox.History].
type Filter struct {
	State  State  // empty: all
	Before uint64 // only lower numbers, to page on; 0: from the newest
	Limit  int    // 0: 100
}

// A ReceiptRow is one stored receipt.
type ReceiptRow struct {
	ID       int64
	BatchID  string
	StoredAt time.Time // device clock
	Receipt  wire.Receipt
	Note     string // the signed note, which an audit verifies again
	Answers  []byte // the bytes whose digest is in its results line
}

// Limits bounds one batch; a zero field means the limit of package wire or
// [DefaultLease].
type Limits struct {
	Items int           // 1 to wire.MaxItems
	Bytes int           // of the encoded body, approximately; at most wire.MaxBodyBytes
	Lease time.Duration // time after which the sender counts as dead
}

// DefaultLease is longer than one request with its timeout.
const DefaultLease = 5 * time.Minute

// maxPause is the longest stored waiting time that counts. A row with a longer
// one was written under another clock, and is due.
const maxPause = time.Hour

// envelope is an upper bound for the bytes of a body without its items.
const envelope = 512

// A Leased is a batch in transit.
type Leased struct {
	// Batch has its ID and Items; the sender sets ScannerID and SentAt.
	Batch wire.Batch
	// Encoded are the items as they travel, for [wire.Batch.EncodeWith], and Digests
	// their digests.
	Encoded []json.RawMessage
	Digests []digest.SHA256
	// Attempts of each scan, this one included, by scan id.
	Attempts map[string]int
}

// An Answer is the outcome of one scan of a batch.
type Answer struct {
	ScanID  string
	Event   Event
	NextAt  time.Time       // for Retry: not before this
	Code    string          // why it is dead or in the queue again
	Message string          // the same for people
	Result  wire.ItemResult // the gateway's, for Accepted, Duplicate and Conflict
}

// A Settlement completes a batch.
type Settlement struct {
	BatchID    string
	At         time.Time // device clock
	ReceivedAt time.Time // gateway clock
	Receipt    *Receipt  // verified by the caller; required for any Accepted, Duplicate, Conflict or Rejected
	Answers    []Answer
	Told       []string // ids of the clock events that the receipt covers
}

// A Receipt is a verified receipt with its note.
type Receipt struct {
	wire.Receipt
	Note string
	// Answers is the canonical list whose digest the receipt signs
	// (wire.Batch.AppendResults): with the note it proves the gateway's answer.
	Answers []byte
}

// Kinds of clock events.
const (
	// ClockWasAhead: a proof of time showed that scans or documents were dated by a
	// clock that ran ahead.
	ClockWasAhead = wire.ClockEventAhead
	// ClockConfirmed: an operator confirmed the device's clock.
	ClockConfirmed = wire.ClockEventConfirmed
)

// A ClockEvent is a correction of this device's view of the time.
type ClockEvent struct {
	ID        string // UUIDv7
	Kind      string
	At        time.Time // the proven time, or the one that an operator confirmed
	Was       time.Time // the latest date that it contradicts; zero: none
	Documents uint64    // version of the timestamp document dated ahead; 0: none
	Scans     int       // number of scans that were dated ahead
	AfterSeq  uint64    // the last scan before it
	Told      bool      // the gateway has it, by a receipt
	Receipt   string    // the receipt, a signed note; empty: none
}

// Item returns the event in its form for sync.
func (e ClockEvent) Item() wire.ClockEvent {
	return wire.ClockEvent{
		ID: e.ID, Kind: e.Kind, At: e.At, Was: e.Was, TrustVersion: e.Documents, Scans: uint64(e.Scans), AfterSeq: e.AfterSeq,
	}
}

// sum returns the checksum of the event's row, 8 bytes.
func (e ClockEvent) sum() []byte {
	d := e.Item().Digest()
	return d[:8]
}

// A Repair describes an outbox that was damaged, set aside and salvaged.
type Repair struct {
	ID     int64
	At     time.Time // device clock
	Aside  string    // name of the damaged file in the same folder; empty: no data was left in it
	Reason string
	Kept   int  // scans salvaged; those whose receipt was lost are sent again
	Lost   int  // scans in no readable row
	Seen   bool // an operator has seen the repair

	Events     int // clock events salvaged; the gateway receives them again
	EventsLost int // clock events known to be lost
}

func (r Repair) String() string {
	s := fmt.Sprintf("the scan history was damaged (%s): %d scans were salvaged, %d are lost", r.Reason, r.Kept, r.Lost)
	if r.Events+r.EventsLost > 0 {
		s += fmt.Sprintf(", and of its clock events %d and %d", r.Events, r.EventsLost)
	}
	if r.Aside != "" {
		s += "; the damaged file is kept as " + r.Aside
	}
	return s
}

// A Loss is a scan that was recorded and could not be salvaged.
type Loss struct {
	Seq    uint64
	ScanID string // as far as it is readable
	Repair int64
}
