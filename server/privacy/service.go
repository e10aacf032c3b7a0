package privacy

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// Store keeps the records of this package. Package store implements it.
type Store interface {
	// Retention returns the times that a tenant has set.
	Retention(ctx context.Context, tenantRef string) (Settings, error)
	// SetRetention replaces them, with the audit row.
	SetRetention(ctx context.Context, tenantRef string, s Settings, audit *tenant.Entry) error

	// EraseRecord clears a record and stores its erasure, all in one transaction. If the
	// record is erased already, its erasure begins again. testOnly leaves out live records.
	// Faults: NOT_FOUND, CONFLICT.
	EraseRecord(ctx context.Context, e Erasure, testOnly bool, audit *tenant.Entry) error
	// Erasure returns the erasure of a record, or a NotFound fault.
	Erasure(ctx context.Context, tenantRef, id string) (Erasure, error)
	// DueErasures returns erasures of all tenants that have work as of now, at most limit.
	DueErasures(ctx context.Context, now time.Time, limit int) ([]Erasure, error)
	// OpenErasure returns the erasure of a record of any tenant; open is false if it is done, or there
	// is none.
	OpenErasure(ctx context.Context, id string) (e Erasure, open bool, err error)
	// EraseSome does the next part of a step in small transactions, and returns where it
	// continues, and whether the step is over. It does every step but [StepFiles] and
	// [StepCompact].
	EraseSome(ctx context.Context, e Erasure) (place string, finished bool, err error)
	// MoveErasure stores step, place and times of an erasure, unless it began again after e was
	// read.
	MoveErasure(ctx context.Context, e Erasure) error

	// LeavingFiles returns files that records have let go, of all tenants, at most limit,
	// and whether a row names each by now.
	LeavingFiles(ctx context.Context, now time.Time, limit int) ([]LeavingFile, error)
	// WaitsForFiles reports whether any file of a record is still to be removed.
	WaitsForFiles(ctx context.Context, e Erasure) (bool, error)
	// ForgetFile removes a file from the list; PutOff leaves it there for later.
	ForgetFile(ctx context.Context, f LeavingFile) error
	PutOff(ctx context.Context, f LeavingFile, until time.Time) error

	// Compact clears the free space of the database's files, as far as the engine can.
	Compact(ctx context.Context) error

	// Sweep deletes some of what is older than a time, of one kind and tenant. It returns
	// how much that was, and whether there is more.
	Sweep(ctx context.Context, tenantRef string, k Kind, before time.Time) (removed int, more bool, err error)
	// SweepShared does that for rows that belong to no tenant alone: scans of all tenants,
	// signatures of devices, sessions. It calls removed for each first scan that it changed, and
	// returns where it continues, and "" at the end.
	SweepShared(ctx context.Context, after string, keep Keep, removed func(tenantRef string, k Kind)) (string, error)
	// SetAsideOf returns the items of a subject of [Service.Do] that ended their process twice. No
	// other method returns them, or erasures that did.
	SetAsideOf(ctx context.Context, subject string) (map[string]bool, error)
	// NoteSweep stores that the sweep of a tenant ended, and what it removed, by kind.
	NoteSweep(ctx context.Context, tenantRef string, at time.Time, removed map[Kind]int) error
	// Swept returns what the sweeps of a tenant did.
	Swept(ctx context.Context, tenantRef string) (Swept, error)

	// Record writes an audit row of work that changes nothing.
	Record(ctx context.Context, audit *tenant.Entry) error

	// ExportTables returns the names of all tables with rows of a tenant, in a fixed order.
	ExportTables() []string
	// ExportRows calls each for the rows of a table as JSON objects, read in small parts.
	ExportRows(ctx context.Context, tenantRef, table string, each func(row []byte) error) error
	// ExportFiles calls each for every file that a tenant's rows name. path names the row.
	ExportFiles(ctx context.Context, tenantRef string, each func(path, sha256 string) error) error
}

// Keep says what a sweep of all tenants leaves.
type Keep struct {
	Now time.Time
	// Scans returns the times before which scans, and places and notes, of a tenant's stamps are
	// deleted; of "" those of no tenant's stamps. Zero: never.
	Scans func(tenantRef string) (scans, locations time.Time)
	// Longest is the time before which no tenant keeps scans, apart from those that keep them
	// forever: what devices signed is deleted then.
	Longest time.Time
}

// Swept is what the sweeps of a tenant did.
type Swept struct {
	At   time.Time        // of the end of the last one; zero: there was none
	Last map[Kind]Removal // the last removal of each kind; missing: nothing was removed
}

// A Removal is what one sweep removed of a kind: rows, or records whose files it let go.
type Removal struct {
	At time.Time
	N  int
}

// A LeavingFile is a file that a record has let go.
type LeavingFile struct {
	Tenant, SHA256 string
	Named          bool // by another row: it stays
}

// Files are the stored files. Package blob implements it.
type Files interface {
	// Discard removes a file that was not put since before, and that no row names. It
	// reports whether the file is gone.
	Discard(ctx context.Context, name string, before time.Time) (bool, error)
	// Finish ends removals that other processes began.
	Finish(ctx context.Context) (int, error)
	// Has reports whether a file is there.
	Has(ctx context.Context, name string) (bool, error)
	CopyTo(ctx context.Context, w io.Writer, name string) error
}

// Tenants finds tenants. Package tenant implements it.
type Tenants interface {
	Tenants(ctx context.Context) ([]tenant.Tenant, error)
	Tenant(ctx context.Context, reference string) (tenant.Tenant, error)
}

// Config holds the parts of a [Service]. All members up to Tenants are required.
type Config struct {
	Store   Store
	Files   Files
	Tenants Tenants
	// Grace is the time for which a file stays after a request has stored it: the request may
	// still be about to name it. Zero: 10 minutes.
	Grace time.Duration
	// Apart has [Service.Do] called for a subject, in this process or another one; nil: in this one.
	Apart func(ctx context.Context, subject string) error
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: discards
}

// Service is the privacy domain. It is safe for concurrent use.
type Service struct {
	c    Config
	wake chan struct{}

	mu     sync.Mutex // guards the rest; it is held while the database is compacted
	rested time.Time  // before it, the database is not compacted again
}

// The audited actions. [ActionErase] returns those of an erasure.
const (
	ActionRetention = "retention.set"
	ActionExport    = "tenant.export"
)

// ActionErase returns the audited action of an erasure.
func ActionErase(of Subject) string { return string(of) + ".erase" }

// DetailReason is the name of the [Reason] in the audit log.
const DetailReason = "reason"

// New returns the service.
func New(c Config) *Service {
	c.Grace = cmp.Or(c.Grace, 10*time.Minute)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{c: c, wake: make(chan struct{}, 1)}
	if c.Apart == nil {
		s.c.Apart = s.Do
	}
	return s
}

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// Retention returns the times that a tenant has set.
func (s *Service) Retention(ctx context.Context, tenantRef string) (Settings, error) {
	if _, err := s.c.Tenants.Tenant(ctx, tenantRef); err != nil {
		return nil, err
	}
	return s.c.Store.Retention(ctx, tenantRef)
}

// Swept returns what the sweeps of a tenant did.
func (s *Service) Swept(ctx context.Context, tenantRef string) (Swept, error) {
	return s.c.Store.Swept(ctx, tenantRef)
}

// SetRetention replaces the times of a tenant; a kind that is missing has its default
// again. What is older is deleted at the next sweep. The fault is VALIDATION_FAILED, with
// the kinds as fields.
func (s *Service) SetRetention(ctx context.Context, tenantRef string, by tenant.By, set Settings) error {
	if err := set.Check(); err != nil {
		return err
	}
	if _, err := s.c.Tenants.Tenant(ctx, tenantRef); err != nil {
		return err
	}
	audit := &tenant.Entry{Tenant: tenantRef, By: by, Action: ActionRetention, Subject: tenantRef, At: s.now()}
	for _, r := range rules {
		if days, ok := set[r.Kind]; ok {
			audit = audit.With(string(r.Kind), fmt.Sprint(days))
		}
	}
	return s.c.Store.SetRetention(ctx, tenantRef, set, audit)
}

// An Order says what is to be erased.
type Order struct {
	Of       Subject
	ID       string
	TestOnly bool   // of a test key, for which live records do not exist
	Why      Reason // "": it was not said
}

// Erase begins the erasure of a record: answers say so from then on, and [Service.Run] does
// the rest. Erasing again does all of it again, and removes what has come to the record since, such as
// a reason; the record's ErasedAt stays. Faults: NOT_FOUND; VALIDATION_FAILED for a
// reason that is none; CONFLICT for a stamp that a Trust document owns, a record whose bulk
// job is not over or whose e-mail is being sent, and one that is not what was signed.
func (s *Service) Erase(ctx context.Context, tenantRef string, by tenant.By, o Order) (Erasure, error) {
	if err := o.Why.check(); err != nil {
		return Erasure{}, err
	}
	uid, err := uuid.Parse(o.ID)
	if err != nil {
		return Erasure{}, NoRecord(o.Of)
	}
	now := s.now()
	e := Erasure{Tenant: tenantRef, ID: uid.String(), Subject: o.Of, Step: First, Requested: now, Due: now}
	audit := &tenant.Entry{Tenant: tenantRef, By: by, Action: ActionErase(o.Of), Subject: e.ID, At: now}
	if o.Why != "" {
		audit = audit.With(DetailReason, string(o.Why))
	}
	if err := s.c.Store.EraseRecord(ctx, e, o.TestOnly, audit); err != nil {
		return Erasure{}, err
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return e, nil
}

// Erasure returns how far the erasure of a record is, or a NotFound fault.
func (s *Service) Erasure(ctx context.Context, tenantRef, id string) (Erasure, error) {
	return s.c.Store.Erasure(ctx, tenantRef, id)
}

// NoRecord is the fault of a record that the tenant does not have.
func NoRecord(of Subject) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "%s not found", string(of))
}
