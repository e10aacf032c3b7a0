// Package stamp is the life of a TCode stamp, from an uploaded PDF to its end.
//
//	Request ─▶ validate, templates ─▶ allocate reference, status entry ─▶ place ─▶ Stamper ─▶ Readback ─▶ blobs ─▶ one transaction ─▶ Stamp
//	                                                                  │       │  ▲        │
//	                                            ink and form fields there  fingerprint  read back and graded,
//	                                                                       payload, sealed      or 422
//
//	PDF ─▶ spool ─▶ its file ─▶ Stamper: a revision ─▶ spool: both in one file ─▶ Readback, blobs
//
//	            suspend               revoke
//	  Active ────────────▶ Suspended ────────▶ Revoked
//	     ▲ ◀── reactivate ──┘                    ▲
//	     └──────── revoke, replace ──────────────┘
//
// Replace, from Active or Suspended, makes a successor and revokes the stamp in
// the successor's own transaction; each names the other.
//
// The spool holds the PDF of a valid request, and the stamped one: this process holds
// neither in memory, and passes the files to the child processes that read them. The
// service copies the files of a stamp to the blob store.
//
// The files are there before the row is committed, and a stamp exists once its
// row is: a crash before leaves at most files that no row names. A change of
// status writes the stamp, its history and its entry in the status list in one
// transaction, and then wakes the publisher.
//
// The package knows no PDF and no barcode reader: [Stamper] and [Readback] do, see
// packages pdfstamp and tcode/scanner/proof. A stamp that our own reader does
// not read back, to the letter, is not stored and counts against no quota.
package stamp

import (
	"time"

	"tcode/offline/payload"
	"tcode/server/issue"
	"tcode/server/issue/placement"
	"tcode/server/outbound/delivery"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// A Stamp is one stamped document, as its tenant sees it.
type Stamp struct {
	ID           string // UUIDv7
	Tenant       string
	Reference    payload.Reference
	Status       Status
	Name         string
	DocumentType string // 3-character code
	ExternalID   string // "" if none
	Test         bool
	Values       []payload.Field // all field values, as they were sent; read with one stamp only
	Fields       []payload.Field // those that are signed, as the payload holds them

	PlacementTemplateID string // "" if none
	TdocTemplateID      string

	Page           int   // first page that carries the symbol, from 1
	Pages          []int // all pages that carry it, ascending
	Barcode        Barcode
	Grade          *Grade     // nil: it was made before stamps were graded
	Rendering      *Rendering // nil: the pages were not compared
	Warnings       []string
	OriginalSHA256 string // hex, of the file as it was uploaded: the PDF or the picture
	StampedSHA256  string // hex

	KeySeq      uint8
	StatusIndex payload.StatusIndex
	CoreBytes   []byte   // the signed bytes of the payload; nil of an erased stamp
	Payload     []byte   // core and signature; nil of an erased stamp
	CoreSHA256  [32]byte // of CoreBytes; set of an erased stamp

	Replaces   string // reference of the stamp this one replaces, or ""
	ReplacedBy string
	Reason     string // of the last change of status
	Document   string // reference of the Trust document that owns it, or ""

	IssuedAt  time.Time // as signed, to the second
	ExpiresAt time.Time // as signed; zero: none. Only stamps of Trust documents have one
	CreatedAt time.Time
	UpdatedAt time.Time
	ErasedAt  time.Time // when its personal data was erased; zero: it was not

	Files    []File            // the files for download
	Delivery *delivery.Message // to the recipient; nil: none
}

// Barcode says how the symbol was drawn. Lengths are millimetres on the page.
type Barcode struct {
	Modules  int     // modules per side, with finder
	ModuleMM float64 // one module
	SizeMM   float64 // the symbol, without quiet zone
	BoxMM    float64 // with quiet zone
}

// FileKind names a file of a stamp.
type FileKind string

// The files of a stamp: values of the download's type parameter.
const (
	FileStamped  FileKind = "stamped"  // the PDF with the symbol
	FileOriginal FileKind = "original" // the PDF or picture as it was uploaded
	FileBarcode  FileKind = "barcode"  // the symbol alone, PNG
	FilePayload  FileKind = "payload"  // the text the symbol holds
)

// fileKinds is the order in which the kinds are listed to people.
var fileKinds = [...]FileKind{FileStamped, FileOriginal, FileBarcode, FilePayload}

// A File describes one file; its bytes are in the blob store under SHA256.
type File struct {
	Kind        FileKind
	SHA256      string // hex
	SizeBytes   int64
	ContentType string
	FileName    string // for Content-Disposition; ASCII, no path
	Copy        int    // as which it was put, see [issue.CondemnedError]; not stored
	Of          string // the id of the stamp that it is derived from; "": it is in the blob store
}

// A Request asks for a stamp.
type Request struct {
	Name                string // 1 to 200 characters
	DocumentTypeCode    string
	PDF                 *spool.Upload // the decoded file, a PDF or a picture; at most Config.MaxPDF bytes
	PlacementTemplateID string
	// Placement is one that is not stored, instead of PlacementTemplateID. The stamp names
	// no template then.
	Placement      *placement.Spec
	TdocTemplateID string
	ExternalID     string          // at most 200 characters
	Fields         []payload.Field // values for the TDoc template
	ModeType       string          // "", standard or test

	// Draw, if not nil, returns the PDF instead: it shows the reference and the time of the stamp.
	Draw func(Stamp) ([]byte, error)

	// Idempotency, if not nil, is written in the stamp's own transaction with the
	// answer that Answer gives, so that a repeated request finds it.
	Idempotency *tenant.IdempotencyRecord
	Answer      func(Stamp) (status int, body []byte, err error)
}

// A Summary is a stamp in a list.
type Summary struct {
	ID           string
	Reference    payload.Reference
	Status       Status
	Name         string
	DocumentType string
	CreatedAt    time.Time
	UpdatedAt    time.Time
	ExternalID   string
	Test         bool
	ErasedAt     time.Time // zero: it is not erased
	Replaced     bool      // another stamp is in its place
	Owned        bool      // it belongs to a Trust document
}

// A Filter picks stamps of a list. Zero members pick all.
type Filter struct {
	Search      string    // reference or its beginning, externalId, or words of the name or their beginnings
	TemplateID  string    // placement or TDoc template
	Statuses    []Status  // any of them
	From, To    time.Time // on CreatedAt, from inclusive, to exclusive
	FieldName   string    // a field, in any case, signed or not ...
	FieldValue  string    // ... with this very value
	TestOnly    bool      // test documents
	LiveOnly    bool      // all but test documents
	OldestFirst bool      // instead of newest first

	DocumentType string      // 3-character code
	After        issue.Place // only records behind it in the list's order; zero: all
	Uncounted    bool        // TotalCount is not needed

	Page     int // from 1; zero: 1
	PageSize int // 1 to 100; zero: 20
}

// A Page is one page of a list.
type Page struct {
	Items             []Summary
	Page, PageSize    int
	TotalCount        int
	TotalIsLowerBound bool // counting stopped at MaxCount
}

// MaxCount is the limit of an exact count of a list.
const MaxCount = 10_000

// MaxPageSize is the most records on a page.
const MaxPageSize = 100

// An Event is one row of a stamp's history. The first has From "".
type Event struct {
	From, To Status
	Action   Action
	Reason   string
	By       string // [tenant.Identity.Author], or "" for an operator
	At       time.Time
}
