// Package field defines the fields of a document and the rules for their values.
// TDoc templates and Trust templates consist of these fields.
//
//	[]Definition ── Check ──▶ the problems of a template
//	     │
//	     └─ CheckValues(given) ──▶ FIELD_SCHEMA_MISMATCH, every problem by its path
//	     └─ Columns ──▶ the columns of a CSV file of such documents
package field

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"tcode/offline/payload"
	"tcode/server/fault"
)

// Limits, in characters.
const (
	MaxKey   = 100
	MaxLabel = 200
	MaxValue = 500 // of any field's value
)

// Type is the type of a field's values.
type Type string

// The types; see [CheckValues] for their rules.
const (
	Text   Type = "text"
	Date   Type = "date"
	Number Type = "number"
	Email  Type = "email"
	URL    Type = "url"
)

// Types lists all types.
func Types() []Type { return []Type{Text, Date, Number, Email, URL} }

// A Definition describes one field.
type Definition struct {
	Key       string // unique within its template
	Label     string // "": the key
	Type      Type   // "": text
	Required  bool
	MaxLength int // characters; 0: MaxValue
}

// Check adds the problems of d to p; path names d.
func (d Definition) Check(p *fault.Fields, path string) {
	p.Text(path+".key", d.Key, true, MaxKey)
	p.Text(path+".label", d.Label, false, MaxLabel)
	if d.Type != "" && !slices.Contains(Types(), d.Type) {
		p.Add(path+".type", "must be text, date, number, email or url")
	}
	if d.MaxLength < 0 || d.MaxLength > MaxValue {
		p.Add(path+".maxLength", "must be 1 to %d", MaxValue)
	}
}

// CheckValues adds the problems of a document's fields, by the paths of the API such
// as fields[2].value. of names the template to people.
//
// An empty value counts as one that is not given. The rules of the types:
//
//	text    any characters
//	date    a day as in RFC 3339: 2026-01-31
//	number  as in JSON (RFC 8259): -12.50, 1e3
//	email   an address as in RFC 5322, without a name: ada@example.org
//	url     absolute, http or https, with a host; of any script (RFC 3987)
//
// Neither of the last two has white space or direction marks in it.
func CheckValues(p *fault.Fields, of string, schema []Definition, given []payload.Field) {
	known := make(map[string]Definition, len(schema))
	for _, d := range schema {
		known[d.Key] = d
	}
	seen := make(map[string]bool, len(given))
	for i, v := range given {
		path := fmt.Sprintf("fields[%d]", i)
		d, ok := known[v.Key]
		switch {
		case !ok:
			p.Add(path+".key", "is not a field of the %s", of)
			continue
		case seen[v.Key]:
			p.Add(path+".key", "is given more than once")
			continue
		}
		seen[v.Key] = true
		d.checkValue(p, path+".value", v.Value)
	}
	for _, d := range schema {
		if d.Required && !seen[d.Key] {
			p.Add("fields", "must have a value for %q", d.Key)
		}
	}
}

func (d Definition) checkValue(p *fault.Fields, path, v string) {
	if v == "" {
		if d.Required {
			p.Add(path, "must not be empty")
		}
		return
	}
	p.Text(path, v, d.Required, cmp.Or(d.MaxLength, MaxValue))
	if !utf8.ValidString(v) {
		return
	}
	if rule := rules[d.Type]; rule.ok != nil && !rule.ok(v) {
		p.Add(path, "%s", rule.want)
	}
}

// Mismatch returns a FIELD_SCHEMA_MISMATCH fault with the problems in p, or nil.
func Mismatch(p *fault.Fields, of string) error {
	err := p.Err()
	if err == nil {
		return nil
	}
	f := fault.New(fault.Rejected, fault.CodeFieldSchemaMismatch, "the fields do not fit the %s", of)
	f.Fields = fault.As(err).Fields
	return f
}
