package tdoc

import (
	"cmp"
	"strings"
)

// A Column is one of a CSV file from which stamps are made.
type Column struct {
	Name      string // in the header line
	Required  bool
	Type      FieldType
	MaxLength int // characters; 0: no limit of its own
	Example   string
}

// own are the columns of the stamp itself, before those of its fields.
func (s Spec) own() []Column {
	return []Column{
		{Name: "fileName", Required: true, Type: Text, MaxLength: 255, Example: "document.pdf"},
		{Name: "name", Required: true, Type: Text, MaxLength: 200, Example: s.Name},
		{Name: "documentTypeCode", Required: true, Type: Text, MaxLength: 3, Example: cmp.Or(s.SuggestedDocType, "DIP")},
		{Name: "externalId", Type: Text, MaxLength: 200, Example: "2026-0001"},
	}
}

// fieldPrefix tells a field's column from one of the stamp's own that has the
// same name.
const fieldPrefix = "field."

// Columns returns the columns for documents of the template: the stamp's own,
// and one for each field under its key.
func (s Spec) Columns() []Column {
	out := s.own()
	taken := map[string]bool{}
	for _, c := range out {
		taken[strings.ToLower(c.Name)] = true
	}
	for _, f := range s.Fields() {
		c := Column{Name: f.Key, Required: f.Required, Type: f.Type, MaxLength: cmp.Or(f.MaxLength, MaxValue), Example: f.example()}
		if taken[strings.ToLower(c.Name)] {
			c.Name = fieldPrefix + c.Name
		}
		out = append(out, c)
	}
	return out
}

func (f Field) example() string {
	switch f.Type {
	case Date:
		return "2026-01-31"
	case Number:
		return "42"
	case Email:
		return "name@example.org"
	case URL:
		return "https://example.org/"
	}
	return f.Label
}
