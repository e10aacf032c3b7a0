package bulk

import (
	"context"
	"time"

	"tcode/server/fault"
	"tcode/server/issue/bulk/intake"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
)

// Documents issues Trust documents. Package trustdoc implements it.
type Documents interface {
	Template(ctx context.Context, tenantRef, id string) (trustdoc.Template, error)
	// Check returns the fault that Issue would return for all it can tell
	// beforehand.
	Check(ctx context.Context, id tenant.Identity, r trustdoc.Issuance) error
	Issue(ctx context.Context, id tenant.Identity, r trustdoc.Issuance) (trustdoc.Document, error)
	// File returns a file of a document by its kind, with "" the stamped one or
	// else the one that was sent; a NotFound fault if there is none.
	File(ctx context.Context, tenantRef, id, kind string) (stamp.File, error)
}

// ForDocuments returns the maker of Trust documents.
func ForDocuments(d Documents, now func() time.Time) Maker { return documentMaker{d, now} }

type documentMaker struct {
	documents Documents
	now       func() time.Time
}

// Plan implements [Maker].
func (m documentMaker) Plan(ctx context.Context, tenantRef string, o Order) (Plan, error) {
	t, err := m.documents.Template(ctx, tenantRef, o.TemplateID)
	if err != nil {
		return nil, blameOrder(err, "templateId")
	}
	if err := t.Issuable(); err != nil {
		return nil, err
	}
	// A duration counts from the issue of each document; this call only checks it.
	if _, err := o.Validity.Expiry(m.now()); err != nil {
		return nil, err
	}
	p := documentPlan{documentMaker: m, order: o, template: t}
	own, schema := t.Layout()
	for i := range own {
		if own[i].Name == FileColumn {
			own[i].Required = o.Path.Stamps()
		}
	}
	p.layout = Layout{Own: own, Schema: schema, Paths: map[string]string{FileColumn: "pdf"}}
	return p, nil
}

// File implements [Maker].
func (m documentMaker) File(ctx context.Context, tenantRef string, made Made) (stamp.File, bool, error) {
	f, err := m.documents.File(ctx, tenantRef, made.ID, "")
	if fault.Is(err, fault.NotFound) {
		return f, false, nil // issued without one
	}
	return f, err == nil, err
}

type documentPlan struct {
	documentMaker
	order    Order
	template trustdoc.Template
	layout   Layout
}

// Layout implements [Plan].
func (p documentPlan) Layout() Layout { return p.layout }

// issuance returns the issuance that an entry requests. A row's own expiry precedes
// the order's.
func (p documentPlan) issuance(e Entry) (trustdoc.Issuance, error) {
	r := trustdoc.Issuance{
		TemplateID: p.template.ID, RecipientName: e.Cells["recipientName"], RecipientEmail: e.Cells["recipientEmail"],
		Title: e.Cells["documentTitle"], ExternalID: e.Cells[externalIDColumn], Fields: e.Given, PDF: e.PDF, Path: p.order.Path,
		GeneratePDF: generates(e.Cells),
	}
	if p.order.Test {
		r.ModeType = "test"
	}
	var err error
	if said := e.Cells[expiryColumn]; said != "" {
		r.ExpiresAt, err = parseExpiry(said)
	} else {
		r.ExpiresAt, err = p.order.Validity.Expiry(p.now())
	}
	return r, err
}

// generateColumn says whether the gateway draws the PDF of a row.
const generateColumn = "generatePdf"

// generates reports whether a row asks for a PDF.
func generates(cells map[string]string) bool {
	yes, _ := intake.Truth(cells[generateColumn])
	return yes
}

const expiryColumn = "expiresAt"

// parseExpiry reads a time, or a day, at whose end in UTC a document expires.
func parseExpiry(s string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.UTC(), nil
	}
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}, fault.New(fault.Invalid, fault.CodeValidationFailed, "the request has missing or invalid fields").
			WithField(expiryColumn, "must be a day such as 2031-12-31 or a time such as 2031-12-31T12:00:00Z")
	}
	return day.AddDate(0, 0, 1), nil
}

// Check implements [Plan].
func (p documentPlan) Check(ctx context.Context, id tenant.Identity, e Entry) error {
	r, wrong := p.issuance(e)
	v := e.Cells[generateColumn]
	if _, ok := intake.Truth(v); v != "" && !ok {
		f := fault.New(fault.Invalid, fault.CodeValidationFailed, "the request has missing or invalid fields")
		if wrong != nil {
			f = fault.As(wrong)
		}
		wrong = f.WithField(generateColumn, "must be true or false")
	}
	if wrong == nil {
		return p.documents.Check(ctx, id, r)
	}
	r.ExpiresAt = time.Time{} // never, which is always valid
	rest := p.documents.Check(ctx, id, r)
	if rest == nil {
		return wrong
	}
	f := fault.As(rest)
	for name, said := range fault.As(wrong).Fields {
		for _, what := range said {
			f = f.WithField(name, "%s", what)
		}
	}
	return f
}

// Make implements [Plan].
func (p documentPlan) Make(ctx context.Context, id tenant.Identity, e Entry, once *tenant.IdempotencyRecord) (Made, error) {
	r, err := p.issuance(e)
	if err != nil {
		return Made{}, err
	}
	r.Idempotency = once
	r.Answer = func(d trustdoc.Document) (int, []byte, error) {
		once.Row.Made, once.Row.Reference = d.ID, d.Reference.String()
		return 0, nil, nil
	}
	d, err := p.documents.Issue(ctx, id, r)
	if err != nil {
		return Made{}, err
	}
	return Made{ID: d.ID, Reference: d.Reference.String()}, nil
}
