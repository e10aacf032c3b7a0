package trustdoc

import (
	"encoding/hex"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/issue/stamp"
	"tcode/server/outbound/delivery"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// Limits on the members of an issuance, in characters.
const (
	MaxRecipientName = 300
	MaxTitle         = 300
	MaxExternalID    = 200
	MaxReason        = 500
)

// Path is the way in which a document reaches people: values of issuancePath.
type Path string

// The paths. The zero value means [PathDigital].
const (
	PathDigital Path = "digital" // the record, and the PDF as it was sent
	PathTCode   Path = "tcode"   // the PDF with a TCode, for paper
	PathBoth    Path = "both"    // the stamped PDF and the digital document
)

// Paths are all there are.
func Paths() []Path { return []Path{PathDigital, PathTCode, PathBoth} }

// Stamps reports whether the PDF gets a TCode.
func (p Path) Stamps() bool { return p == PathTCode || p == PathBoth }

// A Document is one Trust document, as its tenant sees it.
type Document struct {
	ID           string // UUIDv7
	Tenant       string
	Reference    Reference
	Status       Status // as stored; [Document.At] returns the present one
	DocumentType string // 3-character code, its template's when it was issued

	TemplateID      string
	TemplateVersion int64
	RecipientName   string
	RecipientEmail  string // "" if none
	Title           string
	ExternalID      string
	Path            Path
	Test            bool
	Values          []payload.Field // in the order they were sent in
	SignedExpiry    time.Time       // as the signed text says, whole seconds; zero: none
	ExpiresAt       time.Time       // when it ends: SignedExpiry, or when its tenant ended it early; zero: never

	OriginalSHA256 string // hex, of the PDF or picture as it was sent, or of the one that was drawn; "" without one
	Stamp          *Stamp // nil without a TCode
	Files          []stamp.File
	Delivery       *delivery.Message // to RecipientEmail; nil without one
	Warnings       []string          // of the stamping, and of a replacement

	KeySeq    uint8
	Algorithm payload.Algorithm
	Canonical string // the signed text (FORMAT.md)
	Signature [payload.SignatureLen]byte

	Replaces   string // reference of the document this one replaces, or ""
	ReplacedBy string
	Reason     string // of the last change of status

	IssuedAt  time.Time // as signed, to the second
	CreatedAt time.Time
	UpdatedAt time.Time
	ErasedAt  time.Time // when its personal data was erased; zero: it was not
	Content   [32]byte  // SHA-256 of the canonical text; set of an erased document, which has no text
}

// A Stamp names the stamp that a document owns.
type Stamp struct {
	ID        string
	Reference payload.Reference
	SHA256    string // hex, of the stamped PDF
}

// At returns the document with its status as of now.
func (d Document) At(now time.Time) Document {
	d.Status = d.Status.At(d.ExpiresAt, now)
	return d
}

// ContentSHA256 is the content fingerprint: the SHA-256 of the canonical text,
// in hexadecimal.
func (d Document) ContentSHA256() string {
	if d.Erased() {
		return hex.EncodeToString(d.Content[:])
	}
	return hexSum([]byte(d.Canonical))
}

// Erased reports whether the personal data of the document was erased.
func (d Document) Erased() bool { return !d.ErasedAt.IsZero() }

// The modes of an issuance, values of modeType, are those of a stamp:
// [stamp.ModeStandard] and [stamp.ModeTest].

// An Issuance asks for a document.
type Issuance struct {
	TemplateID     string
	RecipientName  string
	RecipientEmail string
	Title          string
	ExternalID     string
	Fields         []payload.Field
	PDF            *spool.Upload // the decoded file, a PDF or picture, nil: none; at most Config.MaxPDF bytes
	GeneratePDF    bool          // the gateway draws the PDF
	ExpiresAt      time.Time     // zero: never
	Path           Path
	ModeType       string // "", standard or test

	// Idempotency, if not nil, is written in the document's own transaction with the
	// answer that Answer gives, so that a repeated request finds it.
	Idempotency *tenant.IdempotencyRecord
	Answer      func(Document) (status int, body []byte, err error)
}

// A Summary is a document in a list.
type Summary struct {
	ID            string
	Reference     Reference
	Status        Status // as of when it was listed
	RecipientName string
	Title         string
	TemplateID    string
	DocumentType  string
	ExternalID    string
	ExpiresAt     time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
	ErasedAt      time.Time // zero: it is not erased
	Test          bool
	Replaced      bool // another document is in its place
}

// A Filter picks documents of a list. Zero members pick all.
type Filter struct {
	Search      string    // reference or its beginning, externalId, or words of recipient and title or their beginnings
	TemplateID  string    // issued from it
	Statuses    []Status  // any of them
	From, To    time.Time // on CreatedAt, from inclusive, to exclusive
	FieldName   string    // a field, in any case ...
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
	TotalIsLowerBound bool
}

// An Event is one row of a document's history. The first has From "".
type Event struct {
	From, To Status
	Action   Action
	Reason   string
	By       string // [tenant.Identity.Author], or "" for the gateway itself
	At       time.Time
}

// NoDocument is the fault for a document that is not this tenant's, whatever it
// is.
func NoDocument() error { return fault.New(fault.NotFound, fault.CodeNotFound, "document not found") }

// Duplicate is the fault of a document that is there already.
func Duplicate(existing Reference, by stamp.MatchedBy) error {
	f := fault.New(fault.Conflict, fault.CodeDuplicate, "a document with this externalId exists: %s; another document needs another externalId", existing)
	if by == stamp.ByFields {
		f = fault.New(fault.Conflict, fault.CodeDuplicate, "a document of this template with these values exists: %s; if this is another document, for example of another person of this name, give it an externalId of its own", existing)
	}
	return f.WithField(string(by), "is that of %s", existing).WithReference(existing.String())
}
