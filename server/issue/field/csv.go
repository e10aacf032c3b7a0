package field

import (
	"cmp"
	"strings"
)

// A Column is one of a CSV file from which documents are made.
type Column struct {
	Name      string // in the header line
	Required  bool
	Type      Type
	MaxLength int // characters; 0: no limit of its own
	Example   string
}

// columnPrefix tells a field's column from another that has the same name.
const columnPrefix = "field."

// Columns returns own, the columns of the document itself, and one for each
// field under its key. No two have the same name for a reader of
// headers that ignores case and white space around it.
func Columns(own []Column, schema []Definition) []Column {
	out := append([]Column{}, own...)
	taken := map[string]bool{}
	for _, c := range own {
		taken[folded(c.Name)] = true
	}
	for _, d := range schema {
		c := Column{Name: strings.TrimSpace(d.Key), Required: d.Required, Type: cmp.Or(d.Type, Text), MaxLength: cmp.Or(d.MaxLength, MaxValue), Example: d.Example()}
		for taken[folded(c.Name)] {
			c.Name = columnPrefix + c.Name
		}
		taken[folded(c.Name)] = true
		out = append(out, c)
	}
	return out
}

// folded is the same for names that differ in case alone.
func folded(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// Example returns a value that the field takes.
func (d Definition) Example() string {
	switch d.Type {
	case Date:
		return "2026-01-31"
	case Number:
		return "42"
	case Email:
		return "name@example.org"
	case URL:
		return "https://example.org/"
	}
	return cmp.Or(d.Label, d.Key)
}
