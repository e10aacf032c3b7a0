package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"tcode/offline/contain"
	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/platform/hold"
	"tcode/server/tenant"
)

// ErrLost means that an order is not running any more, or that another gateway works on
// it.
var ErrLost = fmt.Errorf("the order is not this owner's: %w", hold.ErrLost)

// Config holds the parts of a [Service]. Store, Author and Acts are required.
type Config struct {
	Store  Store
	Author issue.Author // asked before each record
	Acts   map[Subject]Act
	// Outage reports whether an error is that of a database, a disk or a machine that cannot be
	// used now, which stops all records alike; nil: every one is.
	Outage func(err error) bool
	Hold   time.Duration    // how long an order is held without a renewal; zero: [hold.Default]
	Now    func() time.Time // nil: time.Now
}

// Service does orders. It is safe for concurrent use.
type Service struct{ c Config }

// New returns the service.
func New(c Config) *Service {
	c.Hold = cmp.Or(c.Hold, hold.Default)
	if c.Outage == nil {
		c.Outage = func(error) bool { return true }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Service{c}
}

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// Begin stores an order, which is done in the background.
func (s *Service) Begin(ctx context.Context, id tenant.Identity, o Order) (Batch, error) {
	var p fault.Fields
	p.Text("reason", o.Reason, true, MaxReason)
	if _, ok := s.c.Acts[o.Subject]; !ok {
		p.Add("subject", "must be stamp or document")
	}
	if len(o.IDs) < 1 || len(o.IDs) > MaxRecords {
		p.Add("ids", "must have 1 to %d records", MaxRecords)
	}
	for _, one := range o.IDs {
		if _, err := uuid.Parse(one); err != nil {
			p.Add("ids", "must be ids of records")
			break
		}
	}
	if err := p.Err(); err != nil {
		return Batch{}, err
	}
	uid, err := uuid.NewV7()
	if err != nil {
		return Batch{}, fmt.Errorf("allocate order: %w", err)
	}
	now := s.now()
	b := Batch{Order: o, Tenant: id.Tenant.Reference, ID: uid.String(), Author: id.Author(), State: Running, Total: len(o.IDs), CreatedAt: now, UpdatedAt: now}
	audit := id.Entry("batch.begin", b.ID, now).With("action", string(o.Subject)+"."+o.Action).With("records", fmt.Sprint(b.Total))
	return b, s.c.Store.InsertBatch(ctx, b, now.Add(-Keep), audit)
}

// Get returns an order of the tenant, without its ids.
func (s *Service) Get(ctx context.Context, tenantRef, id string) (Batch, error) {
	uid, err := issue.ParseID(id, NoBatch)
	if err != nil {
		return Batch{}, err
	}
	return s.c.Store.Batch(ctx, tenantRef, uid)
}

// Recent returns the newest orders of a subject, without their ids.
func (s *Service) Recent(ctx context.Context, tenantRef string, of Subject, limit int) ([]Batch, error) {
	return s.c.Store.Batches(ctx, tenantRef, of, limit)
}

// Stop ends a running order after the present step. What it changed stays changed.
func (s *Service) Stop(ctx context.Context, id tenant.Identity, batchID string) error {
	uid, err := issue.ParseID(batchID, NoBatch)
	if err != nil {
		return err
	}
	now := s.now()
	_, err = s.c.Store.StopBatch(ctx, id.Tenant.Reference, uid, now, id.Entry("batch.stop", uid, now))
	return err
}

// Wake wakes gateways for orders that none works on.
func (s *Service) Wake(ctx context.Context) error { return s.c.Store.WakeBatches(ctx, s.now()) }

// Run works on an order until it is over or ctx ends. An error means that it is to be
// tried again.
func (s *Service) Run(ctx context.Context, id string) error {
	owner := hold.Owner(ctx)
	b, taken, err := s.c.Store.TakeBatch(ctx, id, owner, s.now(), s.now().Add(s.c.Hold))
	if err != nil || !taken {
		return err
	}
	ctx, stop := hold.Keep(ctx, s.c.Hold, func(ctx context.Context) error {
		return s.c.Store.HoldBatch(ctx, b.Tenant, id, owner, s.now().Add(s.c.Hold))
	})
	defer stop()
	for b.State == Running {
		err := s.step(ctx, &b)
		b.UpdatedAt = s.now()
		until := b.UpdatedAt.Add(s.c.Hold)
		if err != nil {
			until = b.UpdatedAt // others may take it
		}
		save := s.c.Store.SaveBatch(context.WithoutCancel(ctx), b, owner, until)
		if errors.Is(save, ErrLost) {
			return nil // it was stopped, or another has it
		}
		if err := errors.Join(err, save); err != nil {
			return err
		}
	}
	return nil
}

// recordTime is the time for the change of one record, which is a transaction.
const recordTime = time.Minute

// errRecord is the problem of a record whose change panicked, hung, or failed without an outage.
var errRecord = fault.New(fault.Conflict, fault.CodeConflict, "the gateway failed on this record, for a reason that its log has")

// step changes the next records. b has the progress then, also after an error.
func (s *Service) step(ctx context.Context, b *Batch) error {
	size := StepSize
	if hold.IsAlone(ctx) {
		size = 1 // the order then says exactly which record is next
	}
	for range size {
		if b.Done == b.Total {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		who, err := s.c.Author(ctx, b.Tenant, b.Author)
		if fault.Is(err, fault.Forbidden) {
			b.State, b.Stop = Stopped, fault.As(err).Message
			return nil
		}
		if err != nil {
			return err
		}
		record := b.IDs[b.Done]
		hold.Item(ctx, record)
		err = contain.Within(contain.SeedNamed(ctx, record), "batch-record", recordTime, func(ctx context.Context) error {
			return s.c.Acts[b.Subject](ctx, who, record, b.Action, b.Reason)
		})
		// It would stop the order at this record forever.
		if err != nil && ctx.Err() == nil && (contain.Fault(err) || fault.As(err).Kind == fault.Internal && !s.c.Outage(err)) {
			err = errRecord
		}
		switch f := fault.As(err); {
		case err == nil:
			b.Changed++
		case f.Kind == fault.Conflict, f.Kind == fault.NotFound:
			b.problem(record, f.Said())
			continue
		case f.Kind == fault.Forbidden: // the tenant's plan permits no more
			b.State, b.Stop = Stopped, f.Message
			return nil
		default:
			return err
		}
		b.Done++
	}
	if b.Done == b.Total {
		b.State = Done
	}
	return nil
}
