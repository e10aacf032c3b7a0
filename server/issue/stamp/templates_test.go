package stamp_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// diplomas is a TDoc template with fields of every kind.
func diplomas(t *testing.T, b *storetest.Bundle, id tenant.Identity) tdoc.Template {
	t.Helper()
	tpl, err := b.Templates.Create(t.Context(), id, tdoc.Spec{
		Name: "Diploma", BaseFields: []string{"place"},
		CustomFields: []tdoc.Field{
			{Key: "holder", Required: true, InPayload: true},
			{Key: "grade", Type: tdoc.Number, InPayload: true},
			{Key: "internal note", Type: tdoc.Text},
		},
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tpl
}

func place(t *testing.T, b *storetest.Bundle, id tenant.Identity) placement.Template {
	t.Helper()
	anchor := geometry.TopLeft
	tpl, err := b.Placements.Create(t.Context(), id, placement.Spec{Name: "p", Anchor: anchor, PageScope: geometry.AllPages}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tpl
}

// asked is a stand-in that keeps its arguments and stamps pages.
type asked struct {
	storetest.Stamper
	job   *stamp.Job
	pages []int
}

func (a asked) Stamp(ctx context.Context, job stamp.Job) (stamp.Drawn, error) {
	*a.job = job
	d, err := a.Stamper.Stamp(ctx, job)
	first := d.Places[0]
	d.Places = nil
	for _, n := range a.pages {
		first.Page = n
		d.Places = append(d.Places, first)
	}
	return d, err
}

// The settings of the templates reach the stamper and the payload, and all values
// are read back as they were sent.
func TestCreateWithTemplates(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	var job stamp.Job
	c.Stamper = asked{job: &job, pages: []int{1, 3}}
	svc := stamp.New(c)
	tpl, where := diplomas(t, b, id), place(t, b, id)
	r := storetest.Request("n")
	r.TdocTemplateID, r.PlacementTemplateID = strings.ToUpper(tpl.ID), strings.ToUpper(where.ID)
	r.Fields = []payload.Field{
		{Key: "internal note", Value: "=1+1 <b>'\"\n"}, {Key: "holder", Value: "Ada"}, {Key: "place", Value: ""}, {Key: "grade", Value: "1.0"},
	}
	made, err := svc.Create(t.Context(), id, r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&where.Spec, job.Placement); diff != "" {
		t.Errorf("placement (-want +got):\n%s", diff)
	}
	got, err := svc.Get(t.Context(), "ACME01", made.ID)
	if err != nil {
		t.Fatal(err)
	}
	got.Files = made.Files // ordered by kind
	if diff := cmp.Diff(made, got); diff != "" {
		t.Errorf("stored stamp (-made +got):\n%s", diff)
	}
	if diff := cmp.Diff(r.Fields, got.Values); diff != "" {
		t.Errorf("values (-sent +got):\n%s", diff)
	}
	signed := []payload.Field{{Key: "grade", Value: "1.0"}, {Key: "holder", Value: "Ada"}}
	p, err := payload.Parse(got.Payload)
	if err != nil || cmp.Diff(signed, p.Fields) != "" || cmp.Diff(signed, got.Fields) != "" {
		t.Errorf("signed %v, %v, shown %v; want %v", p.Fields, err, got.Fields, signed)
	}
	if got.TdocTemplateID != tpl.ID || got.PlacementTemplateID != where.ID || cmp.Diff([]int{1, 3}, got.Pages) != "" {
		t.Errorf("stamp names %s and %s, pages %v", got.TdocTemplateID, got.PlacementTemplateID, got.Pages)
	}

	// The symbol grows with the signed values.
	if plain := b.Stamp(t, id, "plain"); made.Barcode.Modules <= plain.Barcode.Modules {
		t.Errorf("%d modules with fields, %d without", made.Barcode.Modules, plain.Barcode.Modules)
	}
	for _, f := range []stamp.Filter{
		{TemplateID: tpl.ID},
		{TemplateID: where.ID},
		{FieldName: "place"},
		{FieldName: "holder", FieldValue: "Ada"},
		{FieldName: "internal note", FieldValue: r.Fields[0].Value},
	} {
		page, err := svc.List(t.Context(), "ACME01", f)
		if err != nil || len(page.Items) != 1 || page.Items[0].ID != made.ID {
			t.Errorf("%+v: %+v, %v", f, page, err)
		}
	}
}

func TestTemplateRefusals(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id, other := b.Tenant(t, "Acme", "ACME01"), b.Tenant(t, "Other", "OTHER1")
	ctx := t.Context()
	tpl, theirs := diplomas(t, b, id), diplomas(t, b, other)
	where := place(t, b, other)
	archived, trust, deleted := diplomas(t, b, id), diplomas(t, b, id), diplomas(t, b, id)
	hidden := place(t, b, id)
	for _, err := range []error{
		b.Templates.Act(ctx, id, archived.ID, nil, tdoc.ActionArchive),
		b.Templates.Delete(ctx, id, deleted.ID, nil),
		b.Placements.Delete(ctx, id, hidden.ID, nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Templates.Update(ctx, id, trust.ID, nil, tdoc.Spec{Name: "t", ProductMode: tdoc.ModeTrust}); err != nil {
		t.Fatal(err)
	}
	holder := payload.Field{Key: "holder", Value: "Ada"}
	tests := []struct {
		name            string
		placement, tdoc string
		fields          []payload.Field
		code, field     string
	}{
		{name: "placement of another tenant", placement: where.ID, code: fault.CodeNotFound, field: "placementTemplateId"},
		{name: "deleted placement", placement: hidden.ID, code: fault.CodeNotFound, field: "placementTemplateId"},
		{name: "no id", placement: "x", code: fault.CodeNotFound, field: "placementTemplateId"},
		{name: "template of another tenant", tdoc: theirs.ID, code: fault.CodeNotFound, field: "tdocTemplateId"},
		{name: "deleted template", tdoc: deleted.ID, code: fault.CodeNotFound, field: "tdocTemplateId"},
		{name: "archived template", tdoc: archived.ID, code: fault.CodeTemplateArchived, field: "tdocTemplateId"},
		{name: "template for Trust documents", tdoc: trust.ID, code: fault.CodeConfigurationMismatch, field: "tdocTemplateId"},
		{name: "fields without a template", fields: []payload.Field{holder}, code: fault.CodeFieldSchemaMismatch, field: "fields"},
		{name: "missing field", tdoc: tpl.ID, code: fault.CodeFieldSchemaMismatch, field: "fields"},
		{name: "unknown field", tdoc: tpl.ID, fields: []payload.Field{holder, {Key: "x"}}, code: fault.CodeFieldSchemaMismatch, field: "fields[1].key"},
		{name: "no number", tdoc: tpl.ID, fields: []payload.Field{holder, {Key: "grade", Value: "A"}}, code: fault.CodeFieldSchemaMismatch, field: "fields[1].value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := storetest.Request("n")
			r.PlacementTemplateID, r.TdocTemplateID, r.Fields = tt.placement, tt.tdoc, tt.fields
			_, err := b.Stamps.Create(ctx, id, r)
			f := fault.As(err)
			if f == nil || f.Code != tt.code || len(f.Fields[tt.field]) == 0 {
				t.Errorf("err = %v, want %s on %s", err, tt.code, tt.field)
			}
		})
	}
	if n := count(t, b, "stamps"); n != 0 {
		t.Errorf("%d stamps stored", n)
	}
}

// A template that is archived while the PDF is stamped makes no stamp.
func TestArchivedMeanwhile(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	tpl := diplomas(t, b, id)
	c := b.StampConfig
	c.Stamper = meanwhile{do: func() {
		if err := b.Templates.Act(context.Background(), id, tpl.ID, nil, tdoc.ActionArchive); err != nil {
			t.Error(err)
		}
	}}
	r := storetest.Request("n")
	r.TdocTemplateID, r.Fields = tpl.ID, []payload.Field{{Key: "holder", Value: "Ada"}}
	if _, err := stamp.New(c).Create(t.Context(), id, r); err == nil || fault.As(err).Code != fault.CodeTemplateArchived {
		t.Errorf("err = %v, want TEMPLATE_ARCHIVED", err)
	}
	if n := count(t, b, "stamps"); n != 0 {
		t.Errorf("%d stamps stored", n)
	}
}

// The largest field fits every column and index, whatever it is made of.
func TestLargestField(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	wide := func(n int) string { // of four bytes each, and not to be compressed
		out := make([]rune, n)
		for i := range out {
			out[i] = rune(0x20000 + rand.IntN(0xA000))
		}
		return string(out)
	}
	key := wide(tdoc.MaxKey)
	tpl, err := b.Templates.Create(t.Context(), id, tdoc.Spec{Name: wide(tdoc.MaxName), BaseFields: []string{key}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := storetest.Request(wide(stamp.MaxName))
	r.TdocTemplateID, r.ExternalID, r.Fields = tpl.ID, wide(stamp.MaxExternalID), []payload.Field{{Key: key, Value: wide(tdoc.MaxValue)}}
	made, err := b.Stamps.Create(t.Context(), id, r)
	if err != nil {
		t.Fatal(err)
	}
	page, err := b.Stamps.List(t.Context(), "ACME01", stamp.Filter{FieldName: key, FieldValue: r.Fields[0].Value})
	if err != nil || len(page.Items) != 1 || page.Items[0].ID != made.ID {
		t.Errorf("list %+v, %v", page, err)
	}
}
