package trustdoc

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"tcode/offline/contain"
	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/issue/field"
	"tcode/server/issue/stamp"
	"tcode/server/platform/hold"
	"tcode/server/platform/round"
	"tcode/server/tenant"
)

// Get returns one document of the tenant, with its status as of now. Another
// tenant's id, an unknown one and a malformed one are the same NotFound fault.
func (s *Service) Get(ctx context.Context, tenantRef, id string) (Document, error) {
	uid, err := issue.ParseID(id, NoDocument)
	if err != nil {
		return Document{}, err
	}
	d, err := s.c.Store.Document(ctx, tenantRef, uid)
	return d.At(s.now()), err
}

// Reach is [Service.Get] for the holder of a key: a live document is not there
// for a test key.
func (s *Service) Reach(ctx context.Context, id tenant.Identity, documentID string) (Document, error) {
	d, err := s.Get(ctx, id.Tenant.Reference, documentID)
	if err == nil && !id.Reaches(d.Test) {
		return Document{}, NoDocument()
	}
	return d, err
}

// Act moves a document along the state machine, and the stamp that it owns. An
// action that leads to the present state does nothing, except that a new reason is kept
// and has its line in the history; one that is not allowed
// is an INVALID_TRANSITION fault. The status list follows within a second.
func (s *Service) Act(ctx context.Context, id tenant.Identity, documentID string, a Action, reason string) error {
	var p fault.Fields
	p.Text("reason", reason, false, MaxReason)
	if _, ok := result[a]; !ok {
		p.Add("action", "must be suspend, revoke, reinstate or expire")
	}
	if err := p.Err(); err != nil {
		return err
	}
	uid, err := issue.ParseID(documentID, NoDocument)
	if err != nil {
		return err
	}
	if id.Test {
		if _, err := s.Reach(ctx, id, uid); err != nil {
			return err
		}
	}
	ev := Event{Action: a, Reason: reason, By: id.Author(), At: s.now()}
	return s.change(ctx, id.Tenant.Reference, uid, ev, id.Entry("document."+string(a), uid, ev.At))
}

func (s *Service) change(ctx context.Context, tenantRef, id string, ev Event, audit *tenant.Entry) error {
	stamped, err := s.c.Store.ChangeDocument(ctx, tenantRef, id, ev, audit)
	if err == nil && stamped {
		s.c.Notify()
	}
	return err
}

// List returns one page of the tenant's documents, newest first, with their
// status as of now.
func (s *Service) List(ctx context.Context, tenantRef string, f Filter) (Page, error) {
	if err := f.check(); err != nil {
		return Page{}, err
	}
	if len(f.Statuses) > 0 { // a document listed by its status must have it
		if err := s.settle(ctx, tenantRef); err != nil {
			return Page{}, err
		}
	}
	page, err := s.c.Store.Documents(ctx, tenantRef, f)
	now := s.now()
	for i, item := range page.Items {
		page.Items[i].Status = item.Status.At(item.ExpiresAt, now)
	}
	return page, err
}

// IDOf returns the id of the tenant's document with a reference. The fault is that of
// [NoDocument] if the tenant has none.
func (s *Service) IDOf(ctx context.Context, tenantRef string, ref Reference) (string, error) {
	page, err := s.List(ctx, tenantRef, Filter{Search: ref.String(), Uncounted: true})
	if err != nil {
		return "", err
	}
	for _, item := range page.Items {
		if item.Reference == ref {
			return item.ID, nil
		}
	}
	return "", NoDocument()
}

// check fills in the defaults of f, and returns a fault with all of its problems.
func (f *Filter) check() error {
	var p fault.Fields
	p.Sought("Search", f.Search, MaxRecipientName)
	p.Sought("FieldName", f.FieldName, field.MaxKey)
	p.Sought("FieldValue", f.FieldValue, field.MaxValue)
	if f.FieldValue != "" && f.FieldName == "" {
		p.Add("FieldValue", "needs FieldName")
	}
	if f.TemplateID != "" {
		if _, err := uuid.Parse(f.TemplateID); err != nil {
			p.Add("TemplateId", "must be a UUID")
		}
	}
	if !f.From.IsZero() && !f.To.IsZero() && !f.From.Before(f.To) {
		p.Add("DateRange", "must not end before it begins")
	}
	f.Page, f.PageSize = stamp.CheckPage(&p, f.Page, f.PageSize)
	return p.Err()
}

// Choose returns the documents of a filter that an action of [Service.Act] would change,
// at most [stamp.MaxCount] of them.
func (s *Service) Choose(ctx context.Context, tenantRef string, f Filter, a Action) (c issue.Choice, err error) {
	if err := f.check(); err != nil {
		return c, err
	}
	if err := s.settle(ctx, tenantRef); err != nil {
		return c, err
	}
	n, err := s.c.Store.Documents(ctx, tenantRef, f) // counts, and stops early
	if err != nil || n.TotalIsLowerBound {
		c.More = err == nil
		return c, err
	}
	all, err := s.c.Store.MatchingDocuments(ctx, tenantRef, f, stamp.MaxCount+1)
	if err != nil {
		return c, err
	}
	slices.SortFunc(all, func(x, y Summary) int {
		return cmp.Or(x.CreatedAt.Compare(y.CreatedAt), strings.Compare(x.ID, y.ID))
	})
	c.More = len(all) > stamp.MaxCount
	for _, d := range all[:min(len(all), stamp.MaxCount)] {
		now := d.Status.At(d.ExpiresAt, s.now())
		to, err := now.Next(a)
		c.Take(d.ID, string(now), err == nil && to != now, false)
	}
	return c, nil
}

// File describes one PDF of a document, [stamp.FileStamped] or
// [stamp.FileOriginal]; its bytes are in the blob store. An empty kind is the
// stamped PDF, or the original of a document without a TCode.
func (s *Service) File(ctx context.Context, tenantRef, id, kind string) (stamp.File, error) {
	return fileOf(kind, func() (Document, error) { return s.Get(ctx, tenantRef, id) })
}

// FileFor is [Service.File] for the holder of a key.
func (s *Service) FileFor(ctx context.Context, who tenant.Identity, id, kind string) (stamp.File, error) {
	return fileOf(kind, func() (Document, error) { return s.Reach(ctx, who, id) })
}

func fileOf(kind string, get func() (Document, error)) (stamp.File, error) {
	k := stamp.FileKind(strings.ToLower(kind))
	if k != "" && k != stamp.FileStamped && k != stamp.FileOriginal {
		var p fault.Fields
		p.Add("type", "must be stamped or original")
		return stamp.File{}, p.Err()
	}
	d, err := get()
	if err != nil {
		return stamp.File{}, err
	}
	if f, ok := d.file(k); ok {
		return f, nil
	}
	return stamp.File{}, fault.New(fault.NotFound, fault.CodeNotFound, "this document has no such file")
}

// Events returns a document's history, oldest first.
func (s *Service) Events(ctx context.Context, tenantRef, id string) ([]Event, error) {
	d, err := s.Get(ctx, tenantRef, id)
	if err != nil {
		return nil, err
	}
	return s.c.Store.DocumentEvents(ctx, tenantRef, d.ID)
}

// sweepEvery is the interval of storing documents whose time is over as Expired.
// Answers do not wait for it; devices do, for the stamps: publication follows
// within a minute.
const sweepEvery = 10 * time.Second

// sweepBatch is the number of documents of one look-up.
const sweepBatch = 500

const (
	// expiryTime bounds the expiry of one document, which is a transaction.
	expiryTime = time.Minute
	// roundTime bounds a round of sweeping, which continues in the next one.
	roundTime = 20 * time.Minute
)

// Expiries is the subject of [Config.Apart]: all documents whose time is over.
const Expiries = "documents"

// Sweep stores as Expired every document whose time is over, of all tenants,
// each in a transaction of its own, and returns their number. It may run on several
// gateways concurrently, and again at any time: a second run finds nothing to do. A document that
// fails is part of the error, and does not hold up the others.
func (s *Service) Sweep(ctx context.Context) (n int, err error) { return s.sweep(ctx, "") }

// settle is Sweep for the answer to a tenant. It need not wait for a document that fails: its
// status is shown as of now.
func (s *Service) settle(ctx context.Context, tenantRef string) error {
	_, err := s.sweep(ctx, tenantRef)
	if _, ok := errors.AsType[*expiryError](err); ok && ctx.Err() == nil {
		s.c.Log.ErrorContext(ctx, "expire a document", slog.Any("err", err))
		return nil
	}
	return err
}

// An expiryError is the failure of one document, and maybe of others.
type expiryError struct {
	id  string
	err error
}

func (e *expiryError) Error() string { return "expire document " + e.id + ": " + e.err.Error() }
func (e *expiryError) Unwrap() error { return e.err }

func (s *Service) sweep(ctx context.Context, tenantRef string) (n int, err error) {
	defer hold.Item(ctx, "")
	var failed error
	for after := (Due{}); ; {
		due, err := s.c.Store.DueDocuments(ctx, tenantRef, s.now(), after, sweepBatch)
		if err != nil {
			return n, err
		}
		for _, d := range due {
			after = d
			hold.Item(ctx, d.ID)
			err := contain.Within(ctx, "expiry", expiryTime, func(ctx context.Context) error {
				contain.SeedItem("expiry", d.ID)
				return s.expire(ctx, d)
			})
			switch {
			case ctx.Err() != nil:
				return n, context.Cause(ctx)
			case err == nil:
				n++
			case failed == nil:
				failed = &expiryError{d.ID, err}
			}
		}
		if len(due) < sweepBatch {
			return n, failed
		}
	}
}

func (s *Service) expire(ctx context.Context, d Due) error {
	// The event is of when the time was over, whenever that is noticed.
	ev := Event{Action: ActionExpire, At: d.ExpiresAt}
	audit := &tenant.Entry{Tenant: d.Tenant, By: tenant.By{Actor: tenant.ActorSystem}, Action: "document." + string(ActionExpire), Subject: d.ID, At: s.now()}
	err := s.change(ctx, d.Tenant, d.ID, ev, audit)
	if fault.Is(err, fault.Conflict) { // its tenant ended it otherwise meanwhile
		return nil
	}
	return err
}

// Run sweeps until ctx ends. A sweep that fails is logged and done again.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		err := round.Do(ctx, roundTime, func(ctx context.Context) error {
			due, err := s.c.Store.DueDocuments(ctx, "", s.now(), Due{}, 1)
			if err != nil || len(due) == 0 {
				return err
			}
			return s.c.Apart(ctx, Expiries)
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			s.c.Log.ErrorContext(ctx, "sweep expired documents", slog.Any("err", err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
