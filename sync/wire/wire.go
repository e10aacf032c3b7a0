// Package wire is what travels on POST /v1/tcode/verify/sync: the JSON bodies
// and their limits, the canonical digest of a scan, the device's signature on a
// batch and the gateway's receipt for it. The scanner and the gateway both
// import it, so that the two cannot disagree.
//
//	scanner                                                gateway
//	Batch ─▶ Encode ───── JSON body ─────────────────────▶ DecodeBatch ─▶ Batch
//	  └────▶ SignBatch ── TCode-Batch-Signature ─────────▶ VerifyBatch
//	                                                          │ judge, store, commit
//	Covered(results).Digest = receipt's ◀── Reply, receipt ◀── NewReceipt, SignReceipt
//
// Decoding is strict: what two JSON readers could understand in two ways is
// refused with the place named. FORMAT.md states the canonical form for other
// implementations.
package wire

import "time"

// Headers of the exchange.
const (
	// HeaderBatchID carries [Batch.ID] in the request and is echoed on every
	// answer, errors too. A reply without it proves nothing: a captive portal
	// wrote it.
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

// Limits of a request. A request above one of the first three is answered 413
// ([ErrTooLarge]) and comes again in smaller batches.
const (
	MaxItems      = 500     // items of a batch
	MaxBodyBytes  = 1 << 20 // inflated request body
	MaxItemBytes  = 8 << 10 // one item's JSON
	MaxReplyBytes = 4 << 20 // inflated reply body

	MaxIDLen       = 64  // bytes of a batch id or scanner id
	MaxLocationLen = 200 // characters (code points)
	MaxNoteLen     = 500 // characters (code points)
	MaxReference   = 64  // bytes of a reference as typed

	// MaxInteger bounds seq and trustVersion: the largest integer every JSON
	// reader keeps exact (RFC 8259 section 6).
	MaxInteger = 1<<53 - 1
)

// Batch is one request: the scans of one device in order.
type Batch struct {
	// ID names the request, not its content: a retry gets a new one, drawn at
	// random, so that its receipt proves the time.
	// 1 to [MaxIDLen] of [A-Za-z0-9._-].
	ID string
	// ScannerID is who scanned: dev_ and the hash of the device key when the
	// batch is signed (see [ScannerID]), else whatever the client calls itself.
	// 1 to [MaxIDLen] of [A-Za-z0-9._:@-].
	ScannerID string
	SentAt    time.Time // device clock, whole milliseconds, UTC; zero in the single form
	Items     []Item    // at most MaxItems, scan ids distinct; none only with clock events
	// Clock are corrections of the device's clock, at most MaxClockEvents, ids
	// distinct. A batch that is not signed has none that count.
	Clock []ClockEvent

	// Single reports the short form of the contract: payload and context
	// at the top. ID and the item's ScanID are then empty, for the gateway to
	// make, and the item's ScannedAt is zero.
	Single bool
	// Ignored names members that this version does not know, such as
	// "items[].mood", sorted, at most 32. They are for the answer's
	// X-Ignored-Properties header.
	Ignored []string
}

// Item is one scan as its device tells it: a claim, judged again by the
// gateway. Exactly one of Payload and Reference is set.
type Item struct {
	ScanID         string    // UUID in lower case, version 7 from our own devices
	Seq            uint64    // the device's own numbering from 1 without gaps; 0: not numbered
	Payload        string    // as of a look-up by payload; see [PayloadBytes]
	Reference      string    // as typed by hand
	ScannedAt      time.Time // device clock, whole milliseconds, UTC
	OfflineVerdict string    // an offline.Verdict, or empty when the device did not judge
	Assurance      string    // an offline.Assurance, or empty
	Binding        string    // a binding.State, or empty
	TrustVersion   uint64    // version of the timestamp document judged by; 0: none
	Context        Context
}

// Context is where a scan was made, in the operator's words and, if known, in
// coordinates.
type Context struct {
	Location    string // at most MaxLocationLen characters
	Coordinates bool   // LatitudeE6 and LongitudeE6 are set
	LatitudeE6  int32  // micro-degrees north, -90e6 to 90e6
	LongitudeE6 int32  // micro-degrees east, -180e6 to 180e6
	Note        string // at most MaxNoteLen characters
}

// Words of the members that take one of a few. The offline package uses the
// same; they are repeated here since a claim's words are checked before anyone
// interprets them.
var (
	verdicts   = []string{"not_found", "revoked", "expired", "suspended", "unverified", "valid"}
	assurances = []string{"none", "signature_only", "signature_and_status"}
	bindings   = []string{"match", "appended", "mismatch", "not_checked"}
)

// ItemOutcome is what the gateway did with one item.
type ItemOutcome string

// The outcomes of an item.
const (
	Accepted  ItemOutcome = "accepted"  // stored now
	Duplicate ItemOutcome = "duplicate" // the same scan id with the same digest was stored before
	Conflict  ItemOutcome = "conflict"  // the same scan id with another digest was; this one is kept beside it
	Rejected  ItemOutcome = "rejected"  // never to be stored; Code says why
	Retry     ItemOutcome = "retry"     // not now
)

// Held reports whether the gateway now holds the item, which is what a receipt
// covers.
func (o ItemOutcome) Held() bool { return o == Accepted || o == Duplicate || o == Conflict }

func (o ItemOutcome) known() bool { return o.Held() || o == Rejected || o == Retry }

// ItemResult answers one item; it is found by ScanID, never by position.
type ItemResult struct {
	ScanID        string      `json:"scanId"`
	Result        ItemOutcome `json:"result"`
	Code          string      `json:"code,omitempty"`          // why rejected or retry
	Message       string      `json:"message,omitempty"`       // for people
	Verdict       string      `json:"verdict,omitempty"`       // the gateway's verdict now
	VerdictAtScan string      `json:"verdictAtScan,omitempty"` // the gateway's verdict as of ScannedAt
	Changed       bool        `json:"changed"`                 // the two differ
	Reference     string      `json:"reference,omitempty"`     // of the stamp, when there is one
	Status        string      `json:"status,omitempty"`        // of the stamp now
}

// Reply is the answer to a batch, below "data".
type Reply struct {
	BatchID    string       `json:"batchId"` // of the request
	ReceivedAt time.Time    `json:"receivedAt"`
	Receipt    string       `json:"receipt,omitempty"` // signed note (see [OpenReceipt]); empty when no item is held
	Results    []ItemResult `json:"results"`
}

// Result finds the answer for scanID.
func (r Reply) Result(scanID string) (ItemResult, bool) {
	for _, x := range r.Results {
		if x.ScanID == scanID {
			return x, true
		}
	}
	return ItemResult{}, false
}

// Covered returns b with only the items that results say the gateway holds, in
// b's order. Its digest is what the receipt signs.
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
