package api_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestGeneratedIsCurrent generates all code of the contract again and compares.
// The inputs are read here too, so that a cached test result depends on them.
func TestGeneratedIsCurrent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ dir, file, contract string }{
		{".", "models.gen.go", "openapi.yaml"},
		{"..", "server.gen.go", "api/openapi.yaml"},
		{"../../client", "client.gen.go", "../httpapi/api/openapi.yaml"},
		{"../../client/python", "tcode_client.py", "../../httpapi/api/openapi.yaml"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			inputs, err := filepath.Glob(filepath.Join(tt.dir, "generate", "*"))
			if err != nil {
				t.Fatal(err)
			}
			if len(inputs) == 0 {
				inputs = []string{"overlay.yaml", filepath.Join(tt.dir, "oapi-codegen.yaml")}
			}
			for _, input := range append(inputs, "openapi.yaml") {
				if _, err := os.ReadFile(input); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(filepath.Join(tt.dir, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), tt.file)
			tools, err := filepath.Abs("../../../cmd/internal/lint/go.mod")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("go", "tool", "-modfile="+tools, "oapi-codegen", "-config", "oapi-codegen.yaml", "-o", out, tt.contract)
			if tt.file == "tcode_client.py" {
				cmd = exec.Command("go", "run", "./generate", tt.contract, out)
			}
			cmd.Dir = tt.dir
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("generate: %v\n%s", err, text)
			}
			got, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is not what openapi.yaml gives: run go generate ./server/httpapi/... ./server/client/...", tt.file)
			}
		})
	}
}

// TestContractIsSound: the published document is valid OpenAPI, its examples
// included.
func TestContractIsSound(t *testing.T) {
	t.Parallel()
	doc := loadDoc(t)
	if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
	if doc.OpenAPI != "3.0.3" {
		t.Errorf("openapi = %s; with 3.1 all problems of a body fold into one", doc.OpenAPI)
	}
}

// TestAnswersAreClosed: each object of an answer requires all its members and
// allows no others, unless its members have names of their own.
func TestAnswersAreClosed(t *testing.T) {
	t.Parallel()
	seen := map[*openapi3.Schema]bool{}
	var walk func(where string, s *openapi3.Schema)
	walk = func(where string, s *openapi3.Schema) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AllOf} {
			for i, ref := range list {
				walk(fmt.Sprintf("%s|%d", where, i), ref.Value)
			}
		}
		if s.Items != nil {
			walk(where+"[]", s.Items.Value)
		}
		if s.AdditionalProperties.Schema != nil {
			walk(where+".*", s.AdditionalProperties.Schema.Value)
			return
		}
		if s.Type.Is("object") && (s.AdditionalProperties.Has == nil || *s.AdditionalProperties.Has) {
			t.Errorf("%s may have other members", where)
		}
		for name, ref := range s.Properties {
			if !slices.Contains(s.Required, name) {
				t.Errorf("%s.%s may be absent", where, name)
			}
			walk(where+"."+name, ref.Value)
		}
	}
	for path, item := range loadDoc(t).Paths.Map() {
		for method, op := range item.Operations() {
			for code, response := range op.Responses.Map() {
				for _, media := range response.Value.Content {
					walk(fmt.Sprintf("%s %s %s", method, path, code), media.Schema.Value)
				}
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d schemas of answers", len(seen))
	}
}

func loadDoc(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
