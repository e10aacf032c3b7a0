// Package verify answers whether a stamp or a Trust document is genuine and what
// its status is, from the gateway's own rows, and takes in the scans that devices judged
// without it.
//
//	reference ──────────────────────────────┐
//	hash ── which stamps have this file ────┼─▶ row ─▶ status, issuer ─▶ Result
//	payload ─▶ offline.Authenticate ─▶ record ┘
//	TRF- reference, hash ─▶ row, its signed text and signature ─▶ DocumentResult
//	batch ─▶ each item as above, now and as of its scan ─▶ scans (exactly once) ─▶ Reply
//
// The code that decodes a payload and checks its key and signature is the
// devices' own; what the gateway adds is the check record (the stored core is
// the payload's core) and the live status. Answers use the contract's words only.
package verify

import (
	"time"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/refdata"
	"tcode/sync/wire"
)

// Verdict is the answer to a verification.
type Verdict string

// The verdicts of the contract. Expired belongs to Trust documents; a stamp never
// expires alone, and that of a document that has expired is revoked, as the
// status list says.
const (
	Valid     Verdict = "valid"
	Suspended Verdict = "suspended"
	Revoked   Verdict = "revoked"
	Expired   Verdict = "expired"
	NotFound  Verdict = "not_found"
)

// A Viewer is the caller. The zero value is anyone.
type Viewer struct {
	Tenant    string // reference, "" without a good key
	KeyPrefix string
	Test      bool // the key is a test key: to it the tenant's live documents are anyone's
}

// owns reports whether v sees all of a document, live or test, of a tenant.
func (v Viewer) owns(tenantRef string, test bool) bool {
	return v.Tenant == tenantRef && (test || !v.Test)
}

// accepts reports whether a document can be anything but not_found for v: a test
// document is for test keys alone, so that a program that reads no more than the
// verdict never takes it for a real one.
func (v Viewer) accepts(test bool) bool { return !test || v.Test }

// MatchedOn says what of a stamp or document a hash is of.
type MatchedOn string

// The files a hash can match.
const (
	OnOriginal MatchedOn = "original"
	OnContent  MatchedOn = "content" // the canonical text of a Trust document
	OnStamped  MatchedOn = "stamped"
)

// A Result is the answer to one verification. Members below Assurance
// are zero when the verdict is not_found, but for Test.
type Result struct {
	Verdict   Verdict
	Checks    []offline.Check   // names and codes are frozen; none for an unknown reference or hash
	Assurance offline.Assurance // by payload only: what a look-up shows, no paper proved

	Status          stamp.Status // that goes with Verdict, see checks for the reason
	Reference       payload.Reference
	IssuerReference string
	IssuerName      string
	IssuedAt        time.Time
	DocumentType    refdata.DocumentType // code always; names if known
	Name            string               // the stamp's display name: shown to its tenant only
	Fields          []payload.Field      // as signed
	Test            bool
	KeyID           string // of the key that signed it
	StatusAsOf      time.Time
	Document        string // reference of the Trust document that owns the stamp, or ""
	Replaces        string // reference or ""
	ReplacedBy      string

	MatchedOn  MatchedOn // by hash only
	MatchCount int
}

// A ScanFilter picks scans of a document by when the gateway judged them.
type ScanFilter struct {
	From, To time.Time // inclusive, exclusive; zero: open
	Finding  string    // one of [wire.Findings], or [AnyFinding]; "": all scans
	Page     int       // from 1; zero: 1
	PageSize int       // 1 to 100; zero: 20
}

// AnyFinding lists the scans that have a finding, whichever.
const AnyFinding = "any"

// A Scan is one recorded scan of a document. Anyone may see the first three
// members; the rest is filled in for the document's tenant only.
type Scan struct {
	Verdict        Verdict   // see [Leading]
	GatewayVerdict Verdict   // as of VerifiedAt, of the payload or reference alone
	VerifiedAt     time.Time // when the gateway judged it

	ScannerID      string
	ScanID         string
	Signed         bool // proven by the device's key; otherwise a claim
	ScannedAt      time.Time
	Location       string
	OfflineVerdict string
	Assurance      string // the device's: an offline.Assurance, or ""
	Binding        string // the device's: a binding.State, or ""
	VerdictAtScan  Verdict
	Finding        wire.Finding
}

// A ScanPage is one page of scans, newest first.
type ScanPage struct {
	Items             []Scan
	OwnTenant         bool // the tenant's members of Items are filled in
	Page, PageSize    int
	TotalCount        int
	TotalIsLowerBound bool
}

// Proof is what a device signed a batch with: the values of the headers
// TCode-Device-Key and TCode-Batch-Signature. The zero Proof makes the batch a
// claim of anyone.
type Proof struct {
	DeviceKey string
	Signature string

	Client string // address it comes from, or "": what is not signed has a budget by it
	Test   bool   // it came with a test key: verdicts of test documents are told
}

// Method says how a stamp was asked for.
type Method string

// The methods, as the history keeps them. Scans that devices hand in have rows
// of their own.
const (
	ByReference Method = "reference"
	ByHash      Method = "hash"
	ByPayload   Method = "payload"
	ByScan      Method = "scan"
)

// Kind is what kind of thing was verified. The words stand in the database.
type Kind string

// The kinds.
const (
	OfStamp    Kind = "stamp"
	OfDocument Kind = "document" // a Trust document
)

// An Entry is one verification in the history of a tenant's documents.
type Entry struct {
	Tenant     string
	Kind       Kind              // "": OfStamp
	Reference  payload.Reference // of a document: a trustdoc.Reference
	Verdict    Verdict
	Method     Method
	ViewerKey  string // visible prefix of the key that asked, or ""; in a page only if the key is the tenant's own
	VerifiedAt time.Time
	Test       bool // of a test document; not in a page
}

// A Page says which page of a list is wanted.
type Page struct {
	Number int // from 1; zero: 1
	Size   int // 1 to 100; zero: 20
}

// A HistoryPage is one page of a tenant's history, newest first. A line of it
// may appear up to a second after its answer.
type HistoryPage struct {
	Page
	Items             []Entry
	TotalCount        int
	TotalIsLowerBound bool
}
