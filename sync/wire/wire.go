// Package wire defines the messages of POST /v1/tcode/verify/sync: the JSON bodies
// and their limits, the canonical digest of a scan, the device's signature on a
// batch and the gateway's receipt for it. The scanner and the gateway both import
// it, so they cannot disagree. Start with [Batch.Encode] and [DecodeBatch].
//
//	scanner                                                gateway
//	Batch ─▶ Encode ───── JSON body ─────────────────────▶ DecodeBatch ─▶ Batch
//	  └────▶ SignBatch ── TCode-Batch-Signature ─────────▶ VerifyBatch
//	                                                          │ judge, store, commit
//	Covered(results).Digest = receipt's ◀── Reply, receipt ◀── NewReceipt, SignReceipt
//
// Decoding is strict: it refuses a body that two JSON readers could understand
// differently, and names the place. FORMAT.md defines the canonical form for
// other implementations.
package wire

import "time"

// Headers of the exchange.
const (
	// HeaderBatchID carries [Batch.ID] in the request, and every answer repeats
	// it, errors too. A reply without it proves nothing: a captive portal may
	// have written it.
	HeaderBatchID = "TCode-Batch-Id"
	// HeaderDeviceKey carries the device's Ed25519 public key: 32 bytes,
	// standard Base64 with padding.
	HeaderDeviceKey = "TCode-Device-Key"
	// HeaderBatchSignature carries the signature of [SignBatch]: 64 bytes,
	// standard Base64 with padding.
	HeaderBatchSignature = "TCode-Batch-Signature"
	// Path of the operation below the gateway's base URL.
	Path = "/v1/tcode/verify/sync"
)

// Limits of a request. The answer to a request above one of the first three is
// 413 ([ErrTooLarge]), and the device sends smaller batches.
const (
	MaxItems      = 500     // items of a batch
	MaxBodyBytes  = 1 << 20 // inflated request body
	MaxItemBytes  = 8 << 10 // one item's JSON
	MaxReplyBytes = 4 << 20 // inflated reply body

	MaxIDLen       = 64  // bytes of a batch id or scanner id
	MaxLocationLen = 200 // characters (code points)
	MaxNoteLen     = 500 // characters (code points)
	MaxReference   = 64  // bytes of a reference as typed

	// MaxInteger is the largest seq and trustVersion: the largest integer that
	// every JSON reader keeps exact (RFC 8259 section 6).
	MaxInteger = 1<<53 - 1
)

// A Batch is one request: the scans of one device in order.
type Batch struct {
	// ID identifies the request, not its content: a retry gets a new one. It is
	// random, so that the receipt proves the time. It has 1 to [MaxIDLen] of
	// [A-Za-z0-9._-].
	ID string
	// ScannerID names the scanner: dev_ and the hash of the device key if the
	// batch is signed (see [ScannerID]), otherwise any name that the client
	// chooses. It has 1 to [MaxIDLen] of [A-Za-z0-9._:@-].
	ScannerID string
	SentAt    time.Time // device clock, whole milliseconds, UTC; zero in the single form
	Items     []Item    // at most MaxItems, scan ids distinct; none only with clock events
	// Clock holds corrections of the device's clock, at most MaxClockEvents
	// with distinct ids. The gateway ignores those of an unsigned batch.
	Clock []ClockEvent

	// Single reports the short form of the contract: payload and context at the
	// top. ID and the item's ScanID are then empty, because the gateway makes
	// them, and the item's ScannedAt is zero.
	Single bool
	// Ignored names members that this version does not know, such as
	// "items[].mood", sorted, at most 32. They are for the answer's
	// X-Ignored-Properties header.
	Ignored []string
}

// An Item is one scan as its device reports it: a claim that the gateway judges
// again. Exactly one of Payload and Reference is set.
type Item struct {
	ScanID         string    // UUID in lower case, version 7 from our own devices
	Seq            uint64    // the device's own numbering from 1 without gaps; 0: not numbered
	Payload        string    // as in a look-up by payload; see [PayloadBytes]
	Reference      string    // as typed by hand
	ScannedAt      time.Time // device clock, whole milliseconds, UTC
	OfflineVerdict string    // an offline.Verdict, or empty when the device did not judge
	Assurance      string    // an offline.Assurance, or empty
	Binding        string    // a binding.State, or empty
	TrustVersion   uint64    // version of the timestamp document judged by; 0: none
	Context        Context
}

// A Context says where a scan was made, in the operator's words and, if known,
// by coordinates.
type Context struct {
	Location    string // at most MaxLocationLen characters
	Coordinates bool   // LatitudeE6 and LongitudeE6 are set
	LatitudeE6  int32  // micro-degrees north, -90e6 to 90e6
	LongitudeE6 int32  // micro-degrees east, -180e6 to 180e6
	Note        string // at most MaxNoteLen characters
}

// Words of the members that take one of a few. Package offline uses the same
// words; wire repeats them, because it checks the words of a claim before any
// program interprets them.
var (
	verdicts   = []string{"not_found", "revoked", "expired", "suspended", "unverified", "valid"}
	assurances = []string{"none", "signature_only", "signature_and_status"}
	bindings   = []string{"match", "appended", "mismatch", "not_checked"}
)

// ItemOutcome is the result of one item at the gateway.
type ItemOutcome string

// The outcomes of an item.
const (
	Accepted  ItemOutcome = "accepted"  // stored now
	Duplicate ItemOutcome = "duplicate" // the same scan id with the same digest was stored before
	Conflict  ItemOutcome = "conflict"  // the same scan id is stored with another digest; the gateway keeps both
	Rejected  ItemOutcome = "rejected"  // the gateway never stores it; Code says why
	Retry     ItemOutcome = "retry"     // not now
)

// Held reports whether the gateway now holds the item, so that a receipt covers
// it.
func (o ItemOutcome) Held() bool { return o == Accepted || o == Duplicate || o == Conflict }

func (o ItemOutcome) known() bool { return o.Held() || o == Rejected || o == Retry }

// An ItemResult answers one item; find it by ScanID, never by position.
type ItemResult struct {
	ScanID        string      `json:"scanId"`
	Result        ItemOutcome `json:"result"`
	Code          string      `json:"code,omitempty"`          // why rejected or retry
	Message       string      `json:"message,omitempty"`       // for people
	Verdict       string      `json:"verdict,omitempty"`       // the gateway's verdict now
	VerdictAtScan string      `json:"verdictAtScan,omitempty"` // the gateway's verdict as of ScannedAt
	Changed       bool        `json:"changed"`                 // the two differ
	Reference     string      `json:"reference,omitempty"`     // of the stamp, if there is one
	Status        string      `json:"status,omitempty"`        // of the stamp now
}

// A Reply is the answer to a batch, below "data".
type Reply struct {
	BatchID    string       `json:"batchId"` // of the request
	ReceivedAt time.Time    `json:"receivedAt"`
	Receipt    string       `json:"receipt,omitempty"` // signed note (see [OpenReceipt]); empty when no item is held
	Results    []ItemResult `json:"results"`
}

// Result returns the answer for scanID.
func (r Reply) Result(scanID string) (ItemResult, bool) {
	for _, x := range r.Results {
		if x.ScanID == scanID {
			return x, true
		}
	}
	return ItemResult{}, false
}

// Covered returns b with only the items that the gateway holds according to
// results, in b's order. The receipt signs the digest of this batch.
func (b Batch) Covered(results []ItemResult) Batch {
	held := make(map[string]bool, len(results))
	for _, r := range results {
		held[r.ScanID] = r.Result.Held()
	}
	items := make([]Item, 0, len(b.Items))
	for _, it := range b.Items {
		if held[it.ScanID] {
			items = append(items, it)
		}
	}
	b.Items = items
	return b
}
