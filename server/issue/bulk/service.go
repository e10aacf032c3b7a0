package bulk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"runtime"
	"time"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/platform/hold"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// Store keeps the records of this package. Package store implements it.
type Store interface {
	// Admit returns the Forbidden fault that would refuse n operations of a
	// kind now, without counting them: a look before the work.
	Admit(ctx context.Context, tenantRef string, kind tenant.Kind, n int64, now time.Time) error
	// InsertBulk stores a new job with its audit row and once, counts it
	// against the plan and wakes the runner, at j.ScheduledFor if that is set,
	// in one transaction. It returns a Conflict fault if another job has j.Checked.
	InsertBulk(ctx context.Context, j Job, once *tenant.IdempotencyRecord, audit *tenant.Entry) error
	// Bulk returns a NotFound fault if tenant has no such job.
	Bulk(ctx context.Context, tenantRef, id string) (Job, error)
	// BulkOf returns the job that was made of a dry run, or a NotFound fault.
	BulkOf(ctx context.Context, tenantRef, dryRun string) (Job, error)
	// Bulks returns one page of a tenant's jobs, newest first, without their
	// problems and columns.
	Bulks(ctx context.Context, tenantRef string, f Filter, page, pageSize int) (Page, error)
	// BulkRows returns rows of a job in order, those after the row of a given
	// number, up to a limit: the rows in a state or, with "", all.
	BulkRows(ctx context.Context, tenantRef, id string, state RowState, after, limit int) ([]Row, error)
	// BulkRowPage returns one page of them, in one state or, with "", all.
	BulkRowPage(ctx context.Context, tenantRef, id string, state RowState, page, pageSize int) (RowPage, error)
	// ChangeBulk moves a job by a, Cancel or Retry: it calls [Status.Next] on the
	// present status and stores the result with the audit row, in one transaction.
	// A cancelled job's pending rows become Skipped once no runner works on them;
	// Retry makes rows that did not succeed Pending, and wakes the runner, at the job's
	// time if that is to come, in the name of author; "": as before. It returns a
	// NotFound fault if tenant has no such job.
	ChangeBulk(
		ctx context.Context, tenantRef, id string, a Action, author string, at time.Time,
		audit *tenant.Entry,
	) (Job, error)

	// TakeBulk gives a job that is not over, and whose time has come, to owner
	// until the given time, if no other owner has it. It moves one that is
	// Pending or Scheduled by [Take].
	TakeBulk(ctx context.Context, id, owner string, now, until time.Time) (j Job, taken bool, err error)
	// HoldBulk extends the hold of owner; [ErrLost] if another owner has it, or
	// none.
	HoldBulk(ctx context.Context, id, owner string, until time.Time) error
	// BulkStatus returns the status of a job that owner holds, or [ErrLost].
	BulkStatus(ctx context.Context, id, owner string) (Status, error)
	// AcceptBulk stores the findings on the files, and the rows: nil if they are
	// stored already or are not to be made. It moves the job by a. It may read the
	// rows several times. The error may be [ErrLost].
	AcceptBulk(ctx context.Context, j Job, owner string, a Action, rows iter.Seq[Row], at time.Time) error
	// FailRow stores why a row, still Pending, was not made.
	FailRow(ctx context.Context, tenantRef, id string, r Row) error
	// SetAsideRow stores why a row, still Pending, is not tried again: it ended its process
	// twice. cause is for the audit log. A job that is over is not changed.
	SetAsideRow(ctx context.Context, id string, r Row, cause string) error
	// SetAsideBulk ends a job, also one that is held, for the same reason: it becomes Failed, or
	// Cancelled if it was being cancelled.
	SetAsideBulk(ctx context.Context, id, message, cause string, at time.Time) error
	// CountBulkFailure counts a failure of a job outside of its rows, and returns how many there are.
	CountBulkFailure(ctx context.Context, id, cause string, at time.Time) (int, error)
	// GiveUpBulk is SetAsideBulk for a job that failed too often.
	GiveUpBulk(ctx context.Context, id, message, cause string, at time.Time) error
	// EndBulk moves the job to its end, gives it back, and skips the rows that are
	// still Pending. The error may be [ErrLost].
	EndBulk(ctx context.Context, j Job, owner string, a Action, at time.Time) error
	// ReleaseBulk gives a job back as it is, to be woken at the given time.
	ReleaseBulk(ctx context.Context, id, owner string, wake time.Time) error
	// WakeBulks wakes the runner for jobs that are not over, whose time has
	// come, and that no gateway holds.
	WakeBulks(ctx context.Context, now time.Time) error
}

// Blobs keeps files by their SHA-256. Package blob implements it.
type Blobs interface {
	// PutFrom returns once all of r, from its start, is durable.
	PutFrom(ctx context.Context, r io.ReadSeeker) (sha256 string, err error)
	// PutCopy is PutFrom for a file that was condemned, under its name, as a later copy.
	PutCopy(ctx context.Context, sha256 string, copy int, r io.ReadSeeker) error
	// CopyTo writes the file called name, and fails if it is not whole.
	CopyTo(ctx context.Context, w io.Writer, name string) error
}

// Config holds the parts of a [Service]. All members up to Spool are required.
type Config struct {
	Store  Store
	Blobs  Blobs
	Author issue.Author // asked at the start of a job and before each row
	Makers map[Product]Maker
	Spool  *spool.Folder // for files that are being read

	// Outage reports whether an error is that of a database, a disk or a machine that cannot be
	// used now, which stops all rows alike; nil: every one is.
	Outage func(err error) bool
	AtOnce int              // rows made at the same time; zero: one for each core
	Hold   time.Duration    // how long a job is held without a renewal; zero: [hold.Default]
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger     // nil: discards
}

// Service is the bulk domain. It is safe for concurrent use.
type Service struct {
	c       Config
	rowTime time.Duration // [rowTime]; a test has less
}

// New returns the service.
func New(c Config) *Service {
	c.AtOnce = cmp.Or(c.AtOnce, runtime.GOMAXPROCS(0))
	c.Hold = cmp.Or(c.Hold, hold.Default)
	if c.Outage == nil {
		c.Outage = func(error) bool { return true }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{c, rowTime}
}

// A Request asks for a job.
type Request struct {
	Order
	ScheduledFor time.Time     // zero: immediately
	CSV, ZIP     io.ReadSeeker // the decoded files

	// Idempotency, if not nil, is written in the job's own transaction with the answer
	// that Answer gives, so that a repeated request finds it.
	Idempotency *tenant.IdempotencyRecord
	Answer      func(Job) (status int, body []byte, err error)
}

// Create takes an order with its files. A runner reads them later and stores their
// problems in the job. Faults: those of [Maker.Plan], VALIDATION_FAILED,
// PAYLOAD_TOO_LARGE, FORBIDDEN.
func (s *Service) Create(ctx context.Context, id tenant.Identity, r Request) (Job, error) {
	now := s.now()
	r.Test = r.Test || id.Test
	if err := s.CheckOrder(ctx, id, r.Order, r.ScheduledFor); err != nil {
		return Job{}, err
	}
	uid, err := uuid.NewV7()
	if err != nil {
		return Job{}, fmt.Errorf("allocate job id: %w", err)
	}
	j := Job{ID: uid.String(), Tenant: id.Tenant.Reference, Order: r.Order, Status: Pending, By: id.Author(), CreatedAt: now, UpdatedAt: now}
	if r.ScheduledFor.After(now) {
		j.Status, j.ScheduledFor = Scheduled, r.ScheduledFor.UTC().Truncate(time.Millisecond)
	}
	if j.CSV, err = s.keep(ctx, r.CSV, MaxCSV, "csvFileBase64"); err != nil {
		return Job{}, err
	}
	if j.ZIP, err = s.keep(ctx, r.ZIP, MaxZIP, "zipFileBase64"); err != nil {
		return Job{}, err
	}
	once, err := r.Idempotency.With(j.Tenant, now, func() (int, []byte, error) { return r.Answer(j) })
	if err != nil {
		return Job{}, err
	}
	audit := id.Entry("bulk.create", j.ID, now).With("product", string(j.Product))
	return j, issue.Named(ctx, func() error { return s.c.Store.InsertBulk(ctx, j, once, audit) }, func(copies map[string]int) (err error) {
		for _, f := range []struct {
			*File
			r io.ReadSeeker
		}{{&j.CSV, r.CSV}, {&j.ZIP, r.ZIP}} {
			if copy, ok := copies[f.SHA256]; ok {
				f.Copy = copy
				err = errors.Join(err, s.c.Blobs.PutCopy(ctx, f.SHA256, copy, f.r))
			}
		}
		return err
	})
}

// CheckOrder returns the fault that [Service.Create] would return before it reads the
// files.
func (s *Service) CheckOrder(ctx context.Context, id tenant.Identity, o Order, scheduledFor time.Time) error {
	now := s.now()
	if err := s.c.Store.Admit(ctx, id.Tenant.Reference, tenant.KindBulkJobs.Of(o.Test || id.Test), 1, now); err != nil {
		return err
	}
	var p fault.Fields
	p.Text("name", o.Name, false, MaxName)
	if !scheduledFor.IsZero() && !scheduledFor.Before(now.AddDate(1, 0, 0)) {
		p.Add("scheduledFor", "must be within a year")
	}
	if err := p.Err(); err != nil {
		return err
	}
	_, err := s.c.Makers[o.Product].Plan(ctx, id.Tenant.Reference, o)
	return err
}

// keep stores an uploaded file that a member of the request holds.
func (s *Service) keep(ctx context.Context, r io.ReadSeeker, limit int64, member string) (File, error) {
	size, err := r.Seek(0, io.SeekEnd)
	switch {
	case err != nil:
		return File{}, fmt.Errorf("size of %s: %w", member, err)
	case size == 0:
		return File{}, fault.New(fault.Invalid, fault.CodeValidationFailed, "the request has missing or invalid fields").
			WithField(member, "must not be empty")
	case size > limit:
		return File{}, fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "an uploaded file is too large").
			WithField(member, "must be at most %d bytes", limit)
	}
	sum, err := s.c.Blobs.PutFrom(ctx, r)
	return File{SHA256: sum, Bytes: size}, err
}

// A Page is one page of a list, newest first.
type Page struct {
	Items             []Job
	Page, PageSize    int
	TotalCount        int
	TotalIsLowerBound bool
}

// Get returns a job. The fault is NOT_FOUND, also for one of another product.
func (s *Service) Get(ctx context.Context, tenantRef string, p Product, id string) (Job, error) {
	uid, err := uuid.Parse(id)
	if err != nil {
		return Job{}, NoJob()
	}
	j, err := s.c.Store.Bulk(ctx, tenantRef, uid.String())
	if err == nil && j.Product != p {
		return Job{}, NoJob()
	}
	return j, err
}

// Reach is [Service.Get] for the holder of a key: a job of live documents is not
// there for a test key.
func (s *Service) Reach(ctx context.Context, id tenant.Identity, p Product, jobID string) (Job, error) {
	j, err := s.Get(ctx, id.Tenant.Reference, p, jobID)
	if err == nil && !id.Reaches(j.Test) {
		return Job{}, NoJob()
	}
	return j, err
}

// NoJob is the fault of a job that the tenant does not have.
func NoJob() error { return fault.New(fault.NotFound, fault.CodeNotFound, "bulk job not found") }

// List returns one page of the jobs of a product that the key reaches.
func (s *Service) List(ctx context.Context, id tenant.Identity, p Product, page, pageSize int) (Page, error) {
	return s.Browse(ctx, id, Filter{Product: p}, page, pageSize)
}

// Progress returns how far a job is.
func (s *Service) Progress(ctx context.Context, id tenant.Identity, p Product, jobID string) (Progress, error) {
	j, err := s.Reach(ctx, id, p, jobID)
	return j.Progress(s.now()), err
}

// Rows returns the rows of a job in order. There are none before the files were
// found good.
func (s *Service) Rows(ctx context.Context, tenantRef string, p Product, id string) (rows []Row, err error) {
	j, err := s.Get(ctx, tenantRef, p, id)
	if err != nil {
		return nil, err
	}
	err = s.eachRow(ctx, j, "", func(row Row) error {
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// Change cancels a job or has it retried. Faults: NOT_FOUND,
// INVALID_TRANSITION.
func (s *Service) Change(ctx context.Context, id tenant.Identity, p Product, jobID string, a Action) (Job, error) {
	j, err := s.Reach(ctx, id, p, jobID)
	if err != nil {
		return Job{}, err
	}
	if a == Retry {
		if err := s.c.Store.Admit(ctx, j.Tenant, tenant.KindBulkJobs.Of(j.Test), 0, s.now()); err != nil {
			return Job{}, err
		}
	}
	now := s.now()
	audit := id.Entry("bulk."+string(a), j.ID, now)
	return s.c.Store.ChangeBulk(ctx, j.Tenant, j.ID, a, id.Author(), now, audit)
}

// Template returns the columns of a CSV file for an order. Faults are those of
// [Maker.Plan].
func (s *Service) Template(ctx context.Context, tenantRef string, o Order) (Layout, error) {
	p, err := s.c.Makers[o.Product].Plan(ctx, tenantRef, o)
	if err != nil {
		return Layout{}, err
	}
	return p.Layout(), nil
}

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }
