package tdoc

import (
	"cmp"
	"fmt"
	"slices"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/field"
)

// Values checks the fields of a document against the template and returns those
// that are signed into the symbol, in the order a payload has them in. The
// values are kept as they came; [field.CheckValues] has the rules of the types.
// The fault is FIELD_SCHEMA_MISMATCH and names all that is wrong by the field
// paths of the API, such as fields[2].value.
func (s Spec) Values(fields []payload.Field) (signed []payload.Field, err error) {
	const of = "TDoc template"
	var p fault.Fields
	field.CheckValues(&p, of, s.schema(), fields)
	inPayload := map[string]bool{}
	for _, f := range s.CustomFields {
		inPayload[f.Key] = f.InPayload
	}
	for i, v := range fields {
		if !inPayload[v.Key] || v.Value == "" {
			continue
		}
		if len(v.Value) > payload.MaxFieldValue {
			p.Add(fmt.Sprintf("fields[%d].value", i), "must be at most %d bytes to be in the payload", payload.MaxFieldValue)
		}
		signed = append(signed, v)
	}
	if err := field.Mismatch(&p, of); err != nil {
		return nil, err
	}
	slices.SortFunc(signed, func(a, b payload.Field) int { return cmp.Compare(a.Key, b.Key) })
	return signed, nil
}

// Recipient returns the key of the field with the address to which a document with
// some values is sent: the first field of type email that has a value, or a base field
// whose value is an address. It is "" if there is none, or if the template sends no
// e-mail.
func (s Spec) Recipient(values []payload.Field) string {
	if !s.EnableEmailSending {
		return ""
	}
	base := ""
	for _, f := range s.Fields() {
		for _, v := range values {
			switch {
			case v.Key != f.Key || !field.IsEmail(v.Value):
			case f.Type == Email:
				return f.Key
			case base == "" && slices.Contains(s.BaseFields, f.Key):
				base = f.Key
			}
		}
	}
	return base
}

// schema returns the definitions that check a document's fields.
func (s Spec) schema() []field.Definition {
	out := make([]field.Definition, 0, len(s.BaseFields)+len(s.CustomFields))
	for _, f := range s.Fields() {
		out = append(out, f.definition())
	}
	return out
}

// definition returns f without the members that only stamps use.
func (f Field) definition() field.Definition {
	return field.Definition{Key: f.Key, Label: f.Label, Type: f.Type, Required: f.Required, MaxLength: f.MaxLength}
}
