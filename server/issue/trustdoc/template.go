package trustdoc

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/issue/field"
)

// Limits, in characters.
const (
	MaxTemplateName  = 200
	MaxDescription   = 1000
	MaxFields        = 100
	MaxArchiveReason = 500
)

// A Spec holds the settings of a template.
type Spec struct {
	Name             string
	DocumentTypeCode string
	Description      string
	Fields           []field.Definition // in the template's order
}

// A Template is a stored [Spec].
type Template struct {
	Spec
	issue.Template // a change of Status counts as an update

	Status              TemplateStatus
	PlacementTemplateID string    // where the TCode goes; "": the default place
	ArchiveReason       string    // "" unless archived
	ArchivedAt          time.Time // zero unless archived
}

// check adds the problems of s by the field paths of the API.
func (s Spec) check(p *fault.Fields) {
	p.Text("name", s.Name, true, MaxTemplateName)
	p.Text("description", s.Description, false, MaxDescription)
	if len(s.Fields) > MaxFields {
		p.Add("fields", "must have at most %d items", MaxFields)
	}
	seen := map[string]bool{}
	for i, f := range s.Fields {
		path := fmt.Sprintf("fields[%d]", i)
		f.Check(p, path)
		if seen[f.Key] {
			p.Add(path+".key", "is the key of another field")
		}
		seen[f.Key] = true
	}
}

// normal fills in the defaults.
func (s Spec) normal() Spec {
	s.Fields = slices.Clone(s.Fields)
	for i := range s.Fields {
		f := &s.Fields[i]
		f.Label, f.Type = cmp.Or(f.Label, f.Key), cmp.Or(f.Type, field.Text)
	}
	return s
}

// Issuable returns the TEMPLATE_ARCHIVED fault that would refuse a new
// document from t.
func (t Template) Issuable() error {
	if t.Status == TemplateArchived {
		return fault.New(fault.Rejected, fault.CodeTemplateArchived, "this template is archived").
			WithField("templateId", "names an archived template")
	}
	return nil
}

// CheckValues returns a FIELD_SCHEMA_MISMATCH fault with all that is wrong with
// the fields of a document, or nil.
func (t Template) CheckValues(given []payload.Field) error {
	const of = "template"
	var p fault.Fields
	field.CheckValues(&p, of, t.Fields, given)
	return field.Mismatch(&p, of)
}

// Layout returns the columns for documents from t: the document's own, and its
// fields.
func (t Template) Layout() (own []field.Column, schema []field.Definition) {
	return []field.Column{
		{Name: "recipientName", Required: true, Type: field.Text, MaxLength: MaxRecipientName, Example: "Ada Lovelace"},
		{Name: "recipientEmail", Type: field.Email, MaxLength: field.MaxEmail, Example: "ada@example.org"},
		{Name: "documentTitle", Type: field.Text, MaxLength: MaxTitle, Example: t.Name},
		{Name: "externalId", Type: field.Text, MaxLength: MaxExternalID, Example: "2026-0001"},
		{Name: "expiresAt", Type: field.Text, MaxLength: 40, Example: "2031-12-31T00:00:00Z"},
		{Name: "fileName", Type: field.Text, MaxLength: 255, Example: "document.pdf"},
		{Name: "generatePdf", Type: field.Text, MaxLength: 5, Example: "false"},
	}, t.Fields
}

// Columns returns the columns of [Template.Layout], each field's under its key.
func (t Template) Columns() []field.Column { return field.Columns(t.Layout()) }

// NoTemplate is the fault for a template that is not this tenant's.
func NoTemplate() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "Trust template not found")
}
