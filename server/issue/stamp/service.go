package stamp

import (
	"context"
	"crypto"
	"io"
	"log/slog"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/tdoc"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// Store keeps the records of this package. Package store implements it.
type Store interface {
	// OpenShards returns the shards that new stamps get their entries in; at least one.
	OpenShards(ctx context.Context) (shards []uint16, err error)
	// EntryFree reports whether no stamp has the entry yet.
	EntryFree(ctx context.Context, shard, entry uint16) (bool, error)
	// Admit returns the Forbidden fault that would refuse n operations of a
	// kind now, without counting them: a look before the work.
	Admit(ctx context.Context, tenant string, kind tenant.Kind, n int64, now time.Time) error
	// InsertStamp stores a new stamp, its first event, its status entry, its
	// audit row and once, and counts it against the plan, in one transaction.
	// The errors a caller can act on: [ErrEntryTaken], [ErrShardClosed], [ErrReferenceTaken], and a DUPLICATE
	// fault with the existing reference. rolled reports that a shard closed
	// after this stamp.
	InsertStamp(ctx context.Context, st Stamp, first Event, once *tenant.IdempotencyRecord, audit *tenant.Entry) (rolled bool, err error)

	// Stamp returns a NotFound fault if tenant has no such stamp.
	Stamp(ctx context.Context, tenant, id string) (Stamp, error)
	// Stamps returns one page of f, newest first; f has been checked.
	Stamps(ctx context.Context, tenant string, f Filter) (Page, error)
	// MatchingStamps returns the stamps of f, at most limit and in no order; f has been
	// checked.
	MatchingStamps(ctx context.Context, tenant string, f Filter, limit int) ([]Summary, error)
	// ReplaceStamp stores st, as InsertStamp does, as the successor of the stamp
	// old, whose status it changes by ev: Revoked with both pointers set, its
	// event and its status entry Replaced, all in one transaction. Beyond the
	// errors of InsertStamp: a NotFound fault if there is no stamp old, an
	// INVALID_TRANSITION fault if its status is against it.
	ReplaceStamp(ctx context.Context, old string, st Stamp, first, ev Event, once *tenant.IdempotencyRecord, audit *tenant.Entry) (rolled bool, err error)
	// Duplicates returns stamps that q fits, newest first, at most limit.
	Duplicates(ctx context.Context, tenant string, q DuplicateQuery, limit int) ([]Match, error)
	// ChangeStatus moves a stamp by ev.Action: it asks [Status.Next] about the
	// present state and, if that answers another one, stores it, the event
	// (From and To filled in), the status entry and the audit row, in one
	// transaction.
	// It returns a NotFound fault if tenant has no such stamp.
	ChangeStatus(ctx context.Context, tenant, id string, ev Event, audit *tenant.Entry) (changed bool, err error)
	// Events returns a stamp's history, oldest first.
	Events(ctx context.Context, tenant, id string) ([]Event, error)
}

// Blobs keeps files by their SHA-256. Package blob implements it.
type Blobs interface {
	// PutNamed returns once all of r, whose SHA-256 in hex is known already, is durable.
	PutNamed(ctx context.Context, sha256 string, r *io.SectionReader) error
	// PutCopy is PutNamed for a file that was condemned, as a later copy.
	PutCopy(ctx context.Context, sha256 string, copy int, r io.ReadSeeker) error
	// Room returns an error if that many bytes cannot be stored.
	Room(bytes int64) error
	// Withdraw removes a file that no other request can have put.
	Withdraw(ctx context.Context, sha256 string) error
}

// Keys signs for a tenant. Package tenant implements it.
type Keys interface {
	Signer(ctx context.Context, tenantRef string) (crypto.Signer, uint8, error)
}

// DocumentTypes tells known document types. Package refdata implements it.
type DocumentTypes interface {
	// CodeProblem returns what is wrong with the code for a new stamp, or a zero text.
	CodeProblem(ctx context.Context, code string) (fault.Text, error)
}

// Placements finds placement templates. Package placement implements it.
type Placements interface {
	// Get returns a NotFound fault for a template that a new stamp cannot use.
	Get(ctx context.Context, tenantRef, id string) (placement.Template, error)
	// OfStamp also finds one that was deleted, for a stamp that names it.
	OfStamp(ctx context.Context, tenantRef, id string) (placement.Template, error)
}

// Templates finds TDoc templates, as [Placements] does placement templates.
// Package tdoc implements it.
type Templates interface {
	Get(ctx context.Context, tenantRef, id string) (tdoc.Template, error)
	OfStamp(ctx context.Context, tenantRef, id string) (tdoc.Template, error)
}

// Stamper draws the symbol into a PDF. Package pdfstamp does it, through a few
// lines of adapter where the gateway is wired.
type Stamper interface {
	// Stamp returns the bytes that append the symbol to job.PDF. It calls job.Seal
	// exactly once for a layout, with the fingerprint of the finished file, and
	// draws the returned text. Refusals are faults (INVALID_PDF, PDF_NOT_STAMPABLE).
	Stamp(ctx context.Context, job Job) (Drawn, error)
	// Survey returns where the symbol may lie: first as the job says, then at
	// other anchors, the nearest one first. It calls no Seal and has the same
	// faults.
	Survey(ctx context.Context, job Job) ([]Option, error)
	// BarcodePNG draws the symbol of text alone.
	BarcodePNG(text string) ([]byte, error)
}

// Pictures makes PDFs of pictures. Package picturepdf does it.
type Pictures interface {
	// Make writes the PDF of a picture. Refusals are faults as those of a [Stamper].
	Make(ctx context.Context, picture *io.SectionReader, w io.Writer) error
}

// A Job is one PDF to stamp.
type Job struct {
	PDF       *io.SectionReader // of a file of the spool: child processes may be passed it
	Reference payload.Reference
	Placement *placement.Spec // nil: the default place
	// Anchor, if not empty, is the symbol's place in the page's margins, instead
	// of that of Placement.
	Anchor geometry.Anchor
	// Link, if not empty, is drawn as a QR code beside the symbol.
	Link string
	// Beneath asks for the stamp before the page's own contents instead of after
	// them, Over for the stamp after them also where they are damaged.
	Beneath, Over bool

	Side int // modules per side of the symbol, with finder
	Seal func(fingerprint [16]byte) (text string, err error)
}

// Drawn is the result of stamping a PDF.
type Drawn struct {
	Revision []byte           // follows the bytes of the job's PDF
	Places   []geometry.Place // of each stamped page, ascending; at least one
	Modules  int              // a side
	Beneath  bool             // the stamp is beneath the contents of every page, requested or not
	Damaged  bool             // the contents of a page are damaged
	Filled   []int            // pages with contents of their own, ascending, as far as known
	Warnings []string
}

// DefaultMaxPDF is the largest PDF taken, in bytes.
const DefaultMaxPDF = 25 << 20

// Config holds the parts of a [Service]. All members up to Templates are required.
type Config struct {
	Store         Store
	Blobs         Blobs
	Spool         *spool.Folder // where files lie while they are stamped
	Stamper       Stamper
	Pictures      Pictures
	Readback      Readback
	Keys          Keys
	DocumentTypes DocumentTypes
	Placements    Placements
	Templates     Templates

	Delivers bool // this gateway sends e-mail
	// PageURL returns the public address at which anyone checks a reference; nil: this gateway knows none.
	PageURL func(reference string) string

	Notify func()           // wakes the publisher; nil: none
	Now    func() time.Time // nil: time.Now
	Rand   io.Reader        // nil: crypto/rand; references and entries are drawn from it
	MaxPDF int              // bytes; zero: DefaultMaxPDF
	Log    *slog.Logger     // nil: discards
}

// Service is the stamp domain. It is safe for concurrent use.
type Service struct {
	c Config
}
