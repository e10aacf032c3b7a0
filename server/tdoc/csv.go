package tdoc

import (
	"cmp"

	"tcode/offline/payload"
	"tcode/server/field"
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

// Columns returns the columns for documents of the template: the stamp's own,
// and one for each field under its key. What goes into the payload has no room
// for more than that.
func (s Spec) Columns() []Column {
	schema := s.schema()
	for i, f := range s.Fields() {
		if f.InPayload && f.MaxLength == 0 {
			schema[i].MaxLength = payload.MaxFieldValue
		}
	}
	return field.Columns(s.own(), schema)
}
