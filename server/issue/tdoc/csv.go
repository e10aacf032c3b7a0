package tdoc

import (
	"cmp"

	"tcode/offline/payload"
	"tcode/server/issue/field"
)

// A Column is one of a CSV file from which stamps are made.
type Column = field.Column

// own are the columns of the stamp itself, before those of its fields.
func (s Spec) own() []Column {
	return []Column{
		{Name: "fileName", Required: true, Type: Text, MaxLength: 255, Example: "document.pdf"},
		{Name: "name", Required: true, Type: Text, MaxLength: 200, Example: s.Name},
		{Name: "documentTypeCode", Required: true, Type: Text, MaxLength: 3, Example: cmp.Or(s.SuggestedDocType, "DIP")},
		{Name: "externalId", Type: Text, MaxLength: 200, Example: "2026-0001"},
	}
}

// Layout returns the columns for documents of the template: the stamp's own,
// and its fields. A payload field without a maximum length gets that of the payload.
func (s Spec) Layout() (own []Column, schema []field.Definition) {
	schema = s.schema()
	for i, f := range s.Fields() {
		if f.InPayload && f.MaxLength == 0 {
			schema[i].MaxLength = payload.MaxFieldValue
		}
	}
	return s.own(), schema
}

// Columns returns the columns of [Spec.Layout], each field's under its key.
func (s Spec) Columns() []Column { return field.Columns(s.Layout()) }
