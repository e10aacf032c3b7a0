package stamp

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/tenant"
)

// Get returns one stamp of the tenant. Another tenant's id, an unknown one and
// a malformed one are the same NotFound fault.
func (s *Service) Get(ctx context.Context, tenantRef, id string) (Stamp, error) {
	uid, err := issue.ParseID(id, NoStamp)
	if err != nil {
		return Stamp{}, err
	}
	return s.c.Store.Stamp(ctx, tenantRef, uid)
}

// Reach is [Service.Get] for the holder of a key: a live stamp is not there for a
// test key.
func (s *Service) Reach(ctx context.Context, id tenant.Identity, stampID string) (Stamp, error) {
	st, err := s.Get(ctx, id.Tenant.Reference, stampID)
	if err == nil && !id.Reaches(st.Test) {
		return Stamp{}, NoStamp()
	}
	return st, err
}

// Act moves a stamp along the state machine. An action that leads to the present
// state does nothing, except that a new reason is kept and has its line in the history; one that is not allowed is an INVALID_TRANSITION fault.
// The status list follows within a second.
func (s *Service) Act(ctx context.Context, id tenant.Identity, stampID string, a Action, reason string) error {
	var p fault.Fields
	p.Text("reason", reason, false, MaxReason)
	if _, ok := result[a]; !ok {
		p.Add("action", "must be suspend, revoke or reactivate")
	}
	if err := p.Err(); err != nil {
		return err
	}
	uid, err := issue.ParseID(stampID, NoStamp)
	if err != nil {
		return err
	}
	if id.Test {
		if _, err := s.Reach(ctx, id, uid); err != nil {
			return err
		}
	}
	ev := Event{Action: a, Reason: reason, By: id.Author(), At: s.c.Now().UTC().Truncate(time.Millisecond)}
	changed, err := s.c.Store.ChangeStatus(ctx, id.Tenant.Reference, uid, ev, id.Entry("stamp."+string(a), uid, ev.At))
	if err != nil {
		return err
	}
	if changed {
		s.c.Notify()
	}
	return nil
}

// List returns one page of the tenant's stamps, newest first.
func (s *Service) List(ctx context.Context, tenantRef string, f Filter) (Page, error) {
	if err := f.check(); err != nil {
		return Page{}, err
	}
	return s.c.Store.Stamps(ctx, tenantRef, f)
}

// IDOf returns the id of the tenant's stamp with a reference. The fault is that of [NoStamp] if
// the tenant has none.
func (s *Service) IDOf(ctx context.Context, tenantRef string, ref payload.Reference) (string, error) {
	page, err := s.List(ctx, tenantRef, Filter{Search: ref.String(), Uncounted: true})
	if err != nil {
		return "", err
	}
	for _, item := range page.Items {
		if item.Reference == ref {
			return item.ID, nil
		}
	}
	return "", NoStamp()
}

// check fills in the defaults of f, and returns a fault with all of its problems.
func (f *Filter) check() error {
	var p fault.Fields
	p.Sought("Search", f.Search, MaxName)
	p.Sought("FieldName", f.FieldName, maxFieldKey)
	p.Sought("FieldValue", f.FieldValue, maxFieldValue)
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
	f.Page, f.PageSize = CheckPage(&p, f.Page, f.PageSize)
	return p.Err()
}

// Choose returns the stamps of a filter that an action of [Service.Act] would change, at
// most [MaxCount] of them.
func (s *Service) Choose(ctx context.Context, tenantRef string, f Filter, a Action) (c issue.Choice, err error) {
	if err := f.check(); err != nil {
		return c, err
	}
	n, err := s.List(ctx, tenantRef, f) // counts, and stops early
	if err != nil || n.TotalIsLowerBound {
		c.More = err == nil
		return c, err
	}
	all, err := s.c.Store.MatchingStamps(ctx, tenantRef, f, MaxCount+1)
	if err != nil {
		return c, err
	}
	slices.SortFunc(all, func(x, y Summary) int {
		return cmp.Or(x.CreatedAt.Compare(y.CreatedAt), strings.Compare(x.ID, y.ID))
	})
	c.More = len(all) > MaxCount
	for _, st := range all[:min(len(all), MaxCount)] {
		to, err := st.Status.Next(a)
		c.Take(st.ID, string(st.Status), err == nil && to != st.Status, st.Owned)
	}
	return c, nil
}

// CheckPage fills in the defaults of a paged list and adds the problems of the
// parameters.
func CheckPage(p *fault.Fields, page, size int) (int, int) {
	if page == 0 {
		page = 1
	}
	if size == 0 {
		size = 20
	}
	if page < 1 || page > 1_000_000 {
		p.Add("Page", "must be 1 to 1000000")
	}
	if size < 1 || size > MaxPageSize {
		p.Add("PageSize", "must be 1 to %d", MaxPageSize)
	}
	return page, size
}

// File describes one file of a stamp; its bytes are in the blob store, or [Service.Derived]
// returns them. An empty kind is the stamped PDF.
func (s *Service) File(ctx context.Context, tenantRef, id, kind string) (File, error) {
	return s.fileOf(kind, func() (Stamp, error) { return s.Get(ctx, tenantRef, id) })
}

// FileFor is [Service.File] for the holder of a key.
func (s *Service) FileFor(ctx context.Context, who tenant.Identity, id, kind string) (File, error) {
	return s.fileOf(kind, func() (Stamp, error) { return s.Reach(ctx, who, id) })
}

func (s *Service) fileOf(kind string, get func() (Stamp, error)) (File, error) {
	k := FileKind(strings.ToLower(kind))
	if k == "" {
		k = FileStamped
	}
	if !slices.Contains(fileKinds[:], k) {
		var p fault.Fields
		p.Add("type", "must be stamped, original, barcode or payload")
		return File{}, p.Err()
	}
	st, err := get()
	if err != nil {
		return File{}, err
	}
	for _, f := range st.Files {
		if f.Kind == k {
			return f, nil
		}
	}
	f, _, err := s.derive(st, k)
	return f, err
}

// Events returns a stamp's history, oldest first.
func (s *Service) Events(ctx context.Context, tenantRef, id string) ([]Event, error) {
	st, err := s.Get(ctx, tenantRef, id)
	if err != nil {
		return nil, err
	}
	return s.c.Store.Events(ctx, tenantRef, st.ID)
}

// NoStamp is the fault for a stamp that is not this tenant's, whatever it is.
func NoStamp() error { return fault.New(fault.NotFound, fault.CodeNotFound, "stamp not found") }
