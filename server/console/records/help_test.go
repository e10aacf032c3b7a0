package records_test

import (
	"html"
	"strings"
	"testing"

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

// has checks that a text has parts, and lacks those that begin with "!".
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	text = html.UnescapeString(text)
	for _, p := range parts {
		p, not := strings.CutPrefix(p, "!")
		if strings.Contains(text, p) == not {
			t.Errorf("%q is in the page: %v\n%s", p, not, text[strings.Index(text, "page-head"):min(len(text), strings.Index(text, "page-head")+6000)])
		}
	}
}
