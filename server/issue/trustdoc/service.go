package trustdoc

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"time"

	"tcode/server/issue/stamp"
	"tcode/server/outbound/delivery"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// Store keeps the records of this package. Package store implements it. Every method
// that changes a record writes the audit row in the same transaction.
type Store interface {
	// InsertTrustTemplate stores a new template, counts it against the tenant's
	// quota and keeps once, in one transaction.
	InsertTrustTemplate(ctx context.Context, t Template, once *tenant.IdempotencyRecord, audit *tenant.Entry) error
	// TrustTemplate returns a NotFound fault if tenant has no such template.
	// One that was deleted comes with Hidden set.
	TrustTemplate(ctx context.Context, tenantRef, id string) (Template, error)
	// TrustTemplates returns one page of the templates that are not hidden,
	// newest first.
	TrustTemplates(ctx context.Context, tenantRef string, f TemplateFilter) (TemplatePage, error)
	// ChangeTrustTemplate runs change on a template that is not hidden. If change
	// reports true, ChangeTrustTemplate stores the result in the same transaction,
	// which lets no other change come between. It returns a NotFound fault if
	// there is no such template.
	ChangeTrustTemplate(ctx context.Context, tenantRef, id string, audit *tenant.Entry, change func(*Template) (changed bool, err error)) error

	// Admit returns the Forbidden fault that would refuse n operations of a kind
	// now. It does not count them: it is a check before the work.
	Admit(ctx context.Context, tenant string, kind tenant.Kind, n int64, now time.Time) error
	// InsertDocument stores all of n in one transaction. The errors a caller
	// can act on: [stamp.ErrReferenceTaken], and for the stamp
	// [stamp.ErrEntryTaken] and [stamp.ErrShardClosed]; a DUPLICATE fault with
	// the existing reference; with n.Replaces a NotFound fault and
	// INVALID_TRANSITION. rolled is as in [stamp.Store].
	InsertDocument(ctx context.Context, n New) (rolled bool, err error)
	// Document returns one document with its values and files, or a NotFound
	// fault.
	Document(ctx context.Context, tenantRef, id string) (Document, error)
	// Documents returns one page of f, newest first; f has been checked, and no
	// document is due to expire as of now.
	Documents(ctx context.Context, tenantRef string, f Filter) (Page, error)
	// MatchingDocuments returns the documents of f, at most limit and in no order; f has
	// been checked.
	MatchingDocuments(ctx context.Context, tenantRef string, f Filter, limit int) ([]Summary, error)
	// ChangeDocument moves a document by ev.Action: it calls [Status.Next] on the
	// status as of ev.At. If the result is another status, it stores that, the
	// event, the change of the stamp, and the audit row, in one transaction. An
	// early end of a document sets its ExpiresAt. stamped reports that the status
	// list changed.
	ChangeDocument(ctx context.Context, tenantRef, id string, ev Event, audit *tenant.Entry) (stamped bool, err error)
	// ResendDocument makes the message of m.Document due, to email if that is not "". It stores m
	// if the document has none. A message that is being sent is an INVALID_TRANSITION fault.
	ResendDocument(ctx context.Context, m delivery.Message, email string, audit *tenant.Entry) error
	// DocumentEvents returns a document's history, oldest first.
	DocumentEvents(ctx context.Context, tenantRef, id string) ([]Event, error)
	// Duplicates returns documents that q fits and that still stand as of now,
	// newest first, at most limit.
	DuplicateDocuments(ctx context.Context, tenantRef string, q DuplicateQuery, now time.Time, limit int) ([]Match, error)
	// DueDocuments returns documents whose time is over and that are neither stored
	// as Expired nor set aside, those that follow after, at most limit; of all tenants if tenantRef
	// is "".
	DueDocuments(ctx context.Context, tenantRef string, now time.Time, after Due, limit int) ([]Due, error)
}

// New is a document to be stored, with all that is stored with it.
type New struct {
	Document Document
	First    Event

	Stamp      *stamp.Stamp // the stamp it owns; nil: none
	StampFirst stamp.Event

	Replaces string // id of the document it replaces, "": none
	Replaced Event  // the event of that document; the store fills in From and To

	Message *delivery.Message // to the recipient; nil: none

	Idempotency *tenant.IdempotencyRecord
	Audit       *tenant.Entry
}

// Due names a document whose time is over.
type Due struct {
	Tenant, ID string
	ExpiresAt  time.Time
}

// Stamps makes the stamps that documents own. Package stamp implements it.
type Stamps interface {
	CreateOwned(ctx context.Context, id tenant.Identity, r stamp.Request, o stamp.Owner) (stamp.Stamp, error)
}

// Config holds the parts of a [Service]. All members up to Stamper are required; they
// are those of package stamp.
type Config struct {
	Store         Store
	Stamps        Stamps
	Blobs         stamp.Blobs
	Spool         *spool.Folder
	Keys          stamp.Keys
	DocumentTypes stamp.DocumentTypes
	Placements    stamp.Placements
	Stamper       stamp.Stamper // reads PDFs that get no TCode
	Pictures      stamp.Pictures
	// PageURL returns the public address at which anyone checks a reference; nil: this gateway knows none.
	PageURL func(reference string) string

	Delivers bool   // documents with a recipient's address are sent there by e-mail
	Notify   func() // wakes the publisher; nil: none
	// Apart has [Service.Sweep] called, in this process or another one; nil: in this one.
	Apart  func(ctx context.Context, subject string) error
	Now    func() time.Time // nil: time.Now
	Rand   io.Reader        // nil: crypto/rand; references are drawn from it
	MaxPDF int              // bytes; zero: stamp.DefaultMaxPDF
	Log    *slog.Logger     // nil: discards
}

// Service is the domain of Trust documents. It is safe for concurrent use.
type Service struct {
	c Config
}

// NewService returns the service.
func NewService(c Config) *Service {
	if c.Notify == nil {
		c.Notify = func() {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	if c.MaxPDF == 0 {
		c.MaxPDF = stamp.DefaultMaxPDF
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{c: c}
	if c.Apart == nil {
		s.c.Apart = func(ctx context.Context, _ string) error {
			_, err := s.Sweep(ctx)
			return err
		}
	}
	return s
}

// now is the time, as it is stored.
func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }
