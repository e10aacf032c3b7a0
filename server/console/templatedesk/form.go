package templatedesk

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/field"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
)

// mostFields is the number of fields of the editor.
const mostFields = 100

// fieldRow is a field in the editor, as it was typed.
type fieldRow struct {
	Key, Label, Type, Max string
	Required, InPayload   bool
	Named                 string // the document type's own label for the key, in the language of the screen
}

// form is a template in the editor, as it was typed.
type form struct {
	Kind                            string
	ID                              string // "": a new one
	Version                         int64
	Name, Description, Type         string
	Placement, Mode, Base, IssuedBy string
	Mails, Archived                 bool
	Fields                          []fieldRow
	Columns                         []field.Column

	Types, Placements []option
	FieldTypes        []field.Type
	Modes             []tdoc.ProductMode
	May               bool
	Problems          []frame.Sentences
	Wrong             map[string]frame.Sentences // by the name of the form's field
}

// kind is a kind of templates with fields.
type kind interface {
	name() string
	load(ctx context.Context, tenantRef, id string) (*form, error)
	// save stores f, and returns the id.
	save(ctx context.Context, id tenant.Identity, f *form) (string, error)
	act(ctx context.Context, id tenant.Identity, templateID, action, reason string) error
	// fieldsPath is the path of the fields in faults.
	fieldsPath() string
}

// read takes what a person typed.
func (f *form) read(v url.Values) {
	f.Version, _ = strconv.ParseInt(v.Get("version"), 10, 64)
	text := func(name string) string { return strings.TrimSpace(v.Get(name)) }
	f.Name, f.Description, f.Placement, f.Mode, f.Base = text("name"), text("description"), text("placement"), text("mode"), text("base")
	if f.ID == "" || f.Kind == "tdoc" {
		f.Type = text("type")
	}
	f.Mails = v.Get("mails") != ""
	n, _ := strconv.Atoi(v.Get("n"))
	f.Fields = nil
	for i := range min(max(n, 0), mostFields) {
		at := strconv.Itoa(i)
		f.Fields = append(f.Fields, fieldRow{
			Key: text("key" + at), Label: text("label" + at), Type: text("type" + at), Max: text("max" + at),
			Required: v.Get("required"+at) != "", InPayload: v.Get("payload"+at) != "",
		})
	}
}

// change does what a button of the editor asks for, and reports whether it was one.
func (f *form) change(do string) bool {
	verb, at, _ := strings.Cut(do, ":")
	i, err := strconv.Atoi(at)
	known := err == nil && i >= 0 && i < len(f.Fields)
	switch {
	case verb == "preview":
	case verb == "add":
		if len(f.Fields) < mostFields {
			f.Fields = append(f.Fields, fieldRow{Type: string(field.Text)})
		}
	case verb == "remove" && known:
		f.Fields = slices.Delete(f.Fields, i, i+1)
	case verb == "up" && known && i > 0:
		f.Fields[i-1], f.Fields[i] = f.Fields[i], f.Fields[i-1]
	case verb == "down" && known && i+1 < len(f.Fields):
		f.Fields[i+1], f.Fields[i] = f.Fields[i], f.Fields[i+1]
	case verb == "up" && known, verb == "down" && known:
	default:
		return false
	}
	return true
}

// definitions returns the fields. Lengths that are no numbers are problems of p.
func (f *form) definitions(p *fault.Fields, path string) (out []field.Definition) {
	for i, r := range f.Fields {
		d := field.Definition{Key: r.Key, Label: r.Label, Type: field.Type(r.Type), Required: r.Required}
		if r.Max != "" {
			n, err := strconv.Atoi(r.Max)
			if err != nil || n < 1 {
				p.Add(fmt.Sprintf("%s[%d].maxLength", path, i), "must be 1 to %d", field.MaxValue)
			}
			d.MaxLength = n
		}
		out = append(out, d)
	}
	return out
}

// refuse puts the problems of a fault at their fields. It reports whether the fault is
// about the form.
func (f *form) refuse(t *frame.Words, err error, path string) bool {
	why := fault.As(err)
	switch why.Kind {
	case fault.Invalid, fault.Rejected, fault.Conflict, fault.Forbidden, fault.Precondition:
	default:
		return false
	}
	names := map[string]string{"documentTypeCode": "type", "suggestedDocType": "type", "name": "name", "description": "description", "placementTemplateId": "placement", "productMode": "mode"}
	for at, said := range why.Fields {
		name := names[at]
		if rest, ok := strings.CutPrefix(at, path+"["); ok {
			row, member, _ := strings.Cut(rest, "].")
			name = map[string]string{"key": "key", "label": "label", "type": "type", "maxLength": "max"}[member] + row
		}
		if strings.HasPrefix(at, "baseFields") {
			name = "base"
		}
		if name == "" {
			f.Problems = append(f.Problems, append(frame.Own(at), t.Said(said...)...))
			continue
		}
		f.Wrong[name] = append(f.Wrong[name], t.Said(said...)...)
	}
	if why.Kind != fault.Precondition {
		f.Problems = append(f.Problems, t.Said(why.Said()))
	}
	return true
}

// rows returns definitions for the editor.
func rows(all []field.Definition) (out []fieldRow) {
	for _, d := range all {
		r := fieldRow{Key: d.Key, Label: d.Label, Type: string(d.Type), Required: d.Required}
		if d.MaxLength > 0 {
			r.Max = strconv.Itoa(d.MaxLength)
		}
		out = append(out, r)
	}
	return out
}

// trustKind are the Trust templates.
type trustKind struct{ c Config }

func (trustKind) name() string { return "trust" }

func (trustKind) fieldsPath() string { return "fields" }

func (k trustKind) load(ctx context.Context, tenantRef, id string) (*form, error) {
	t, err := k.c.Trust.Template(ctx, tenantRef, id)
	if err != nil {
		return nil, err
	}
	return &form{
		Kind: k.name(), ID: t.ID, Version: t.Version, Name: t.Name, Description: t.Description, Type: t.DocumentTypeCode, Placement: t.PlacementTemplateID,
		Archived: t.Status == trustdoc.TemplateArchived, Fields: rows(t.Fields), Columns: t.Columns(),
	}, nil
}

func (k trustKind) save(ctx context.Context, id tenant.Identity, f *form) (string, error) {
	var p fault.Fields
	spec := trustdoc.Spec{Name: f.Name, Description: f.Description, DocumentTypeCode: f.Type, Fields: f.definitions(&p, k.fieldsPath())}
	if err := p.Err(); err != nil {
		return "", err
	}
	var t trustdoc.Template
	var err error
	if f.ID == "" {
		t, err = k.c.Trust.CreateTemplate(ctx, id, spec, nil, nil)
	} else {
		t, err = k.c.Trust.UpdateTemplate(ctx, id, f.ID, []int64{f.Version}, spec)
	}
	if err == nil && t.PlacementTemplateID != f.Placement {
		_, err = k.c.Trust.PlaceTemplate(ctx, id, t.ID, []int64{t.Version}, f.Placement)
		if f.ID, f.Version = t.ID, t.Version; err != nil {
			return "", err // the rest is saved
		}
	}
	return t.ID, err
}

func (k trustKind) act(ctx context.Context, id tenant.Identity, templateID, action, reason string) error {
	return k.c.Trust.ActOnTemplate(ctx, id, templateID, nil, trustdoc.TemplateAction(action), reason)
}

// tdocKind are the TDoc templates.
type tdocKind struct{ c Config }

func (tdocKind) name() string { return "tdoc" }

func (tdocKind) fieldsPath() string { return "customFields" }

func (k tdocKind) load(ctx context.Context, tenantRef, id string) (*form, error) {
	t, err := k.c.TDocs.Get(ctx, tenantRef, id)
	if err != nil {
		return nil, err
	}
	f := &form{
		Kind: k.name(), ID: t.ID, Version: t.Version, Name: t.Name, Description: t.Description, Type: t.SuggestedDocType, Mode: string(t.ProductMode),
		Base: strings.Join(t.BaseFields, "\n"), Mails: t.EnableEmailSending, Archived: t.Status == tdoc.Archived, Columns: t.Columns(),
	}
	for _, one := range t.CustomFields {
		r := rows([]field.Definition{{Key: one.Key, Label: one.Label, Type: one.Type, Required: one.Required, MaxLength: one.MaxLength}})[0]
		r.InPayload = one.InPayload
		f.Fields = append(f.Fields, r)
	}
	return f, nil
}

func (k tdocKind) save(ctx context.Context, id tenant.Identity, f *form) (string, error) {
	var p fault.Fields
	all := f.definitions(&p, k.fieldsPath())
	if err := p.Err(); err != nil {
		return "", err
	}
	spec := tdoc.Spec{}
	if f.ID != "" { // what the editor does not show stays
		t, err := k.c.TDocs.Get(ctx, id.Tenant.Reference, f.ID)
		if err != nil {
			return "", err
		}
		spec = t.Spec
	}
	spec.Name, spec.Description, spec.SuggestedDocType, spec.ProductMode, spec.EnableEmailSending = f.Name, f.Description, f.Type, tdoc.ProductMode(f.Mode), f.Mails
	spec.BaseFields, spec.CustomFields = nil, nil
	for _, key := range strings.FieldsFunc(f.Base, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' }) {
		if key = strings.TrimSpace(key); key != "" {
			spec.BaseFields = append(spec.BaseFields, key)
		}
	}
	for i, d := range all {
		spec.CustomFields = append(spec.CustomFields, tdoc.Field{
			Key: d.Key, Label: d.Label, Type: d.Type, Required: d.Required, MaxLength: d.MaxLength, InPayload: f.Fields[i].InPayload, Order: i,
		})
	}
	if f.ID == "" {
		t, err := k.c.TDocs.Create(ctx, id, spec, nil, nil)
		return t.ID, err
	}
	t, err := k.c.TDocs.Update(ctx, id, f.ID, []int64{f.Version}, spec)
	return t.ID, err
}

func (k tdocKind) act(ctx context.Context, id tenant.Identity, templateID, action, _ string) error {
	return k.c.TDocs.Act(ctx, id, templateID, nil, tdoc.Action(action))
}

// status is that of a refused form.
func status(err error) int {
	if fault.Is(err, fault.Precondition) {
		return http.StatusConflict
	}
	return http.StatusBadRequest
}
