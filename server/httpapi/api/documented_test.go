package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestDocumented: each operation, parameter, header and property has a description, and
// each body and each answer an example.
func TestDocumented(t *testing.T) {
	t.Parallel()
	doc := loadDoc(t)
	tags := map[string]bool{}
	for _, tag := range doc.Tags {
		if tags[tag.Name] = true; tag.Description == "" {
			t.Errorf("tag %s has no description", tag.Name)
		}
	}
	bodies, answers := 0, 0
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			where := method + " " + path
			if op.OperationID == "" || op.Summary == "" || strings.TrimSpace(op.Description) == "" || len(op.Tags) != 1 || !tags[op.Tags[0]] {
				t.Errorf("%s: id %q, tags %q, summary or description is missing", where, op.OperationID, op.Tags)
			}
			for _, params := range []openapi3.Parameters{item.Parameters, op.Parameters} {
				for _, p := range params {
					if p.Value.Description == "" {
						t.Errorf("%s: parameter %s has no description", where, p.Value.Name)
					}
				}
			}
			if op.RequestBody != nil {
				bodies++
				exampled(t, where, op.RequestBody.Value.Content)
			}
			for status, answer := range op.Responses.Map() {
				for name, h := range answer.Value.Headers {
					if h.Value.Description == "" {
						t.Errorf("%s %s: header %s has no description", where, status, name)
					}
				}
				if len(answer.Value.Content) > 0 {
					answers++
					exampled(t, where+" "+status, answer.Value.Content)
				}
			}
		}
	}
	for name, s := range doc.Components.Schemas {
		described(t, name, s.Value)
	}
	if bodies < 25 || answers < 59 {
		t.Errorf("only %d bodies and %d answers", bodies, answers)
	}
}

// exampled reports a body without an example. All JSON types of a body have the example of
// the first one. Other types need none if they are binary, or if a text of them is the
// example, as of files of CSV.
func exampled(t *testing.T, where string, content openapi3.Content) {
	t.Helper()
	binary := true
	for _, media := range content {
		if media.Example != nil || len(media.Examples) > 0 {
			return
		}
		binary = binary && media.Schema.Value.Format == "binary"
	}
	if !binary {
		t.Errorf("%s has no example in %q", where, slices.Sorted(maps.Keys(content)))
	}
}

// described reports properties without a description, of their own or of the schema that
// they refer to.
func described(t *testing.T, where string, s *openapi3.Schema) {
	t.Helper()
	for name, p := range s.Properties {
		if strings.TrimSpace(p.Value.Description) == "" {
			t.Errorf("%s.%s has no description", where, name)
		}
		if p.Ref == "" {
			described(t, fmt.Sprint(where, ".", name), p.Value)
		}
	}
	if s.Items != nil && s.Items.Ref == "" {
		described(t, where+"[]", s.Items.Value)
	}
}
