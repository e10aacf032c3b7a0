package httpapi_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestGeneratedIsCurrent regenerates api.gen.go and compares. The inputs are
// read here too, so that a cached test result depends on them.
func TestGeneratedIsCurrent(t *testing.T) {
	t.Parallel()
	for _, input := range []string{"openapi.yaml", "overlay.yaml", "oapi-codegen.yaml"} {
		if _, err := os.ReadFile(input); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("api.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "api.gen.go")
	cmd := exec.Command("go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", "-o", out, "openapi.yaml")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("generate: %v\n%s", err, text)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("api.gen.go is not what openapi.yaml gives: run go generate ./server/httpapi")
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

func loadDoc(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
