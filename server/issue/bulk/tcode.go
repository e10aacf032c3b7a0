package bulk

import (
	"context"

	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/tenant"
)

// Stamps makes stamps. Package stamp implements it.
type Stamps interface {
	// Check returns the fault that Create would return for all it can tell
	// beforehand.
	Check(ctx context.Context, id tenant.Identity, r stamp.Request) error
	Create(ctx context.Context, id tenant.Identity, r stamp.Request) (stamp.Stamp, error)
	// File returns a file of a stamp by its kind.
	File(ctx context.Context, tenantRef, id, kind string) (stamp.File, error)
}

// ForStamps returns the maker of TCode stamps.
func ForStamps(s Stamps, t *tdoc.Service, p *placement.Service) Maker { return stampMaker{s, t, p} }

type stampMaker struct {
	stamps     Stamps
	templates  *tdoc.Service
	placements *placement.Service
}

// Plan implements [Maker].
func (m stampMaker) Plan(ctx context.Context, tenantRef string, o Order) (Plan, error) {
	p := stampPlan{stamps: m.stamps, order: o}
	if o.PlacementTemplateID != "" {
		t, err := m.placements.Get(ctx, tenantRef, o.PlacementTemplateID)
		if err != nil {
			return nil, blameOrder(err, "placementTemplateId")
		}
		p.order.PlacementTemplateID = t.ID
	}
	var spec tdoc.Spec
	if o.TdocTemplateID != "" {
		t, err := m.templates.Get(ctx, tenantRef, o.TdocTemplateID)
		if err != nil {
			return nil, blameOrder(err, "tdocTemplateId")
		}
		if err := t.Stampable(); err != nil {
			return nil, err
		}
		p.order.TdocTemplateID, spec = t.ID, t.Spec
	}
	own, schema := spec.Layout()
	p.layout = Layout{Own: own, Schema: schema, Paths: map[string]string{FileColumn: "pdf"}}
	return p, nil
}

// File implements [Maker].
func (m stampMaker) File(ctx context.Context, tenantRef string, made Made) (stamp.File, bool, error) {
	f, err := m.stamps.File(ctx, tenantRef, made.ID, string(stamp.FileStamped))
	if fault.Is(err, fault.NotFound) {
		return f, false, nil // erased since
	}
	return f, err == nil, err
}

// blameOrder says which member of the order named a template that is not there.
func blameOrder(err error, member string) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	return fault.As(err).WithField(member, "names no template of this tenant")
}

type stampPlan struct {
	stamps Stamps
	order  Order
	layout Layout
}

// Layout implements [Plan].
func (p stampPlan) Layout() Layout { return p.layout }

func (p stampPlan) request(e Entry) stamp.Request {
	r := stamp.Request{
		Name: e.Cells["name"], DocumentTypeCode: e.Cells["documentTypeCode"], ExternalID: e.Cells[externalIDColumn], Fields: e.Given,
		PDF: e.PDF, PlacementTemplateID: p.order.PlacementTemplateID, TdocTemplateID: p.order.TdocTemplateID,
	}
	if p.order.Test {
		r.ModeType = stamp.ModeTest
	}
	return r
}

// Check implements [Plan].
func (p stampPlan) Check(ctx context.Context, id tenant.Identity, e Entry) error {
	return p.stamps.Check(ctx, id, p.request(e))
}

// Make implements [Plan].
func (p stampPlan) Make(ctx context.Context, id tenant.Identity, e Entry, once *tenant.IdempotencyRecord) (Made, error) {
	r := p.request(e)
	r.Idempotency = once
	r.Answer = func(st stamp.Stamp) (int, []byte, error) {
		once.Row.Made, once.Row.Reference = st.ID, st.Reference.String()
		return 0, nil, nil
	}
	st, err := p.stamps.Create(ctx, id, r)
	if err != nil {
		return Made{}, err
	}
	return Made{ID: st.ID, Reference: st.Reference.String()}, nil
}
