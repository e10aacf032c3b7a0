package records_test

import (
	"tcode/offline/payload"
	fields "tcode/server/issue/field"
)

// field is a definition of a template.
func field(key, label string, required bool) fields.Definition {
	return fields.Definition{Key: key, Label: label, Required: required}
}

// values are values of a document.
func values(pairs ...string) (out []payload.Field) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, payload.Field{Key: pairs[i], Value: pairs[i+1]})
	}
	return out
}
