package gate

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tcode/server/httpapi/api"
	"tcode/sync/wire/strictjson"
)

// TestAgrees: bodies that are made at random from the contract are right or wrong at the
// same places as kin-openapi finds, which reads the contract by itself.
func TestAgrees(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(api.YAML)
	if err != nil {
		t.Fatal(err)
	}
	ops, err := loadContract(Config{})
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]*schema{}
	for _, op := range ops {
		bodies[op.id] = op.body
	}
	r, wrong := rand.New(rand.NewPCG(1, 2)), 0
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			if op.RequestBody == nil {
				continue
			}
			theirs := op.RequestBody.Value.Content.Get(mediaJSON).Schema.Value
			for range 300 {
				body := someValue(r, theirs, 0)
				bad := Fields{}
				bad.check("", body, bodies[op.OperationID])
				want := map[string]bool{}
				places(theirs.VisitJSON(body, options...), "", want)
				if got := slices.Sorted(maps.Keys(bad)); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
					text, _ := json.Marshal(body)
					t.Errorf("%s %s:\n%v, want errors at %v", op.OperationID, text, bad, want)
				}
				wrong += min(len(want), 1)
			}
		}
	}
	if wrong < 1000 {
		t.Errorf("only %d bodies were wrong", wrong)
	}
}

// options are those under which kin-openapi checks as the gate does. The gate checks Base64
// before.
var options = []openapi3.SchemaValidationOption{
	openapi3.VisitAsRequest(), openapi3.MultiErrors(), openapi3.EnableFormatValidation(),
	openapi3.WithStringFormatValidator("byte", openapi3.NewCallbackValidator(func(string) error { return nil })),
	openapi3.WithStringFormatValidator("uuid", openapi3.NewRegexpFormatValidator(uuidForm.String())),
}

// places adds the paths of the errors in err.
func places(err error, path string, to map[string]bool) {
	switch e := err.(type) {
	case openapi3.MultiError:
		for _, err := range e {
			places(err, path, to)
		}
	case *openapi3.SchemaError:
		for _, step := range e.JSONPointer() {
			if strings.Trim(step, "0123456789") == "" {
				path += "[" + step + "]"
			} else {
				path = strictjson.Join(path, step)
			}
		}
		if path == "" {
			path = BodyPath
		}
		to[path] = true
	}
}

// someValue makes a value that is often what s describes, and often not.
func someValue(r *rand.Rand, s *openapi3.Schema, depth int) any {
	if s == nil || depth > 6 {
		return nil
	}
	if r.IntN(8) == 0 {
		odd := []any{
			nil, true, "", "x", strings.Repeat("é", 3000), 0.0, -1.0, 0.5, 1e12, -1e19, 9.3e18,
			[]any{},
			[]any{"x"},
			map[string]any{},
			"2027-01-31T10:00:00Z", "2027-02-31T10:00:00Z",
			"0198a3c2-5d1e-7c44-9a51-0f5c8e2b7d10",
		}
		return odd[r.IntN(len(odd))]
	}
	switch {
	case len(s.Enum) > 0:
		return s.Enum[r.IntN(len(s.Enum))]
	case s.Type.Is("object"):
		object := map[string]any{}
		for name, prop := range s.Properties {
			if r.IntN(6) > 0 {
				object[name] = someValue(r, prop.Value, depth+1)
			}
		}
		if more := s.AdditionalProperties.Schema; more != nil {
			object["more"] = someValue(r, more.Value, depth+1)
		}
		return object
	case s.Type.Is("array"):
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = someValue(r, s.Items.Value, depth+1)
		}
		return list
	case s.Type.Is("boolean"):
		return r.IntN(2) == 0
	case s.Type.Is("string"):
		switch s.Format {
		case "uuid":
			return "0198a3c2-5d1e-7c44-9a51-0f5c8e2b7d10"
		case "date-time":
			return "2027-01-31T10:00:00+01:00"
		}
		return strings.Repeat("a", r.IntN(70))
	}
	return float64(r.IntN(2000)) / float64(1+r.IntN(2))
}
