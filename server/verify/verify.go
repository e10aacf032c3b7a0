// Package verify decides from the gateway's own rows whether a stamp or a Trust document
// is genuine and what its status is, and stores the scans that devices judged offline.
// Call [New] first.
//
//	reference ──────────────────────────────┐
//	hash ── which stamps have this file ────┼─▶ row ─▶ status, issuer ─▶ Result
//	payload ─▶ offline.Authenticate ─▶ record ┘
//	TRF- reference, hash ─▶ row, its signed text and signature ─▶ DocumentResult
//	batch ─▶ each item as above, now and as of its scan ─▶ scans (exactly once) ─▶ Reply
//
// The code that decodes a payload and checks its key and signature is the devices' own.
// The gateway adds the check record (the stored core equals the payload's core) and the
// live status. Answers use the contract's words only.
package verify

import (
	"fmt"
	"time"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/refdata"
	"tcode/sync/wire"
)

// Verdict is the answer to a verification.
type Verdict string

// The verdicts of the contract. Expired belongs to Trust documents. A stamp never
// expires alone: the stamp of an expired document is revoked, as in the status
// list.
const (
	Valid     Verdict = "valid"
	Suspended Verdict = "suspended"
	Revoked   Verdict = "revoked"
	Expired   Verdict = "expired"
	NotFound  Verdict = "not_found"
)

// A Viewer is the caller. The zero value is any caller without a key.
type Viewer struct {
	Tenant    string // reference, "" without a good key
	KeyPrefix string
	Test      bool // the key is a test key, to which the tenant's live documents are foreign

	ScannerID string // what the caller says of itself, for the history; at most 64 characters
	Location  string // at most 200 characters
}

// owns reports whether v sees all of a document, live or test, of a tenant.
func (v Viewer) owns(tenantRef string, test bool) bool {
	return v.Tenant == tenantRef && (test || !v.Test)
}

// accepts reports whether a document can be anything but not_found for v: test documents
// are for test keys only, so that a program that reads only the verdict never takes one
// for a real document.
func (v Viewer) accepts(test bool) bool { return !test || v.Test }

// MatchedOn is the part of a stamp or document that a hash matched.
type MatchedOn string

// The files that a hash can match.
const (
	OnOriginal MatchedOn = "original"
	OnContent  MatchedOn = "content" // the canonical text of a Trust document
	OnStamped  MatchedOn = "stamped"
)

// A Result is the answer to one verification. Members below Assurance, except Test, are
// zero when the verdict is not_found.
type Result struct {
	Verdict   Verdict
	Checks    []offline.Check   // names and codes are frozen; none for an unknown reference or hash
	Assurance offline.Assurance // by payload only: a look-up shows data, it proves no paper

	Status          stamp.Status // status for Verdict, see checks for the reason
	Reference       payload.Reference
	IssuerReference string
	IssuerName      string
	IssuedAt        time.Time
	DocumentType    refdata.DocumentType // Code is always set; names if known
	Name            string               // the stamp's display name: shown to its tenant only
	PageName        string               // the same for the public page, whose issuer decides whether it is shown
	Template        string               // id of the stamp's TDoc template, or ""
	Fields          []payload.Field      // as signed
	Test            bool
	KeyID           string // of the key that signed it
	StatusAsOf      time.Time
	Document        string // reference of the Trust document that owns the stamp, or ""
	Replaces        string // reference or ""
	ReplacedBy      string
	ErasedAt        time.Time // when the issuer erased its personal data; zero: it did not

	MatchedOn  MatchedOn // by hash only
	MatchCount int
	Reason     string // why the verdict is not about the file with this hash itself, or ""
}

// notStamped is the reason for a file that was stamped n times and is not itself
// stamped.
func notStamped(n int) string {
	documents := "a stamped document"
	if n > 1 {
		documents = fmt.Sprintf("%d stamped documents", n)
	}
	return fmt.Sprintf("matchedOn: %s. This file is an original of %s, and is itself not stamped.", OnOriginal, documents)
}

// A ScanFilter selects scans of a document by the time when the gateway judged them.
type ScanFilter struct {
	From, To time.Time // inclusive, exclusive; zero: open
	Finding  string    // one of [wire.Findings], or [AnyFinding]; "": all scans
	Page     int       // from 1; zero: 1
	PageSize int       // 1 to 100; zero: 20
}

// AnyFinding selects the scans with any finding.
const AnyFinding = "any"

// A Scan is one recorded scan of a document. Any viewer may see the first three members;
// the others are set for the document's tenant only.
type Scan struct {
	Verdict        Verdict   // see [Leading]
	GatewayVerdict Verdict   // at VerifiedAt, of the payload or reference alone
	VerifiedAt     time.Time // time of the gateway's verdict

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
	DeviceRefused  bool // the tenant refuses the device, see [TenantDevice]
}

// A ScanPage is one page of scans, newest first.
type ScanPage struct {
	Items             []Scan
	OwnTenant         bool // the tenant's members of Items are set
	Page, PageSize    int
	TotalCount        int
	TotalIsLowerBound bool
}

// Proof is the proof of a device's signature on a batch: the values of the headers
// TCode-Device-Key and TCode-Batch-Signature. The zero Proof makes the batch an unsigned
// claim.
type Proof struct {
	DeviceKey string
	Signature string

	Client string // sender's address, or "": unsigned scans have a budget by it
	Test   bool   // it was sent with a test key: verdicts of test documents are shown
}

// Method is the way in which a stamp was looked up.
type Method string

// The methods, as the history stores them. Scans that devices send have rows of their
// own.
const (
	ByReference Method = "reference"
	ByHash      Method = "hash"
	ByPayload   Method = "payload"
	ByScan      Method = "scan"
)

// Kind is the kind of a verified thing. The words are in the database.
type Kind string

// The kinds.
const (
	OfStamp    Kind = "stamp"
	OfDocument Kind = "document" // a Trust document
)

// An Entry is one verification in the history of a tenant's documents.
type Entry struct {
	ID         int64 // given by the store, rising
	Tenant     string
	Kind       Kind              // "": OfStamp
	Reference  payload.Reference // of a document: a trustdoc.Reference
	Verdict    Verdict
	Method     Method
	ViewerKey  string // visible prefix of the caller's key, or ""; in a page only if the key is the tenant's own
	VerifiedAt time.Time
	Test       bool // of a test document
	ScannerID  string
	Location   string // both as the caller said
}

// A Page names a page of a list.
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
