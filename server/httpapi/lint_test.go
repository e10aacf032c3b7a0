package httpapi_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/server/httpapi"
	"tcode/server/httpapi/api"
)

// linters are the folder of the linters and their settings.
const linters = "api/lint"

// lint runs a program of the folder in a folder of its own, or skips the test where it is
// not installed, which fails it in CI.
func lint(t *testing.T, name string, args ...string) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(linters, "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed: npm ci in server/httpapi/%s", name, linters)
		}
		t.Skipf("%s is not installed: npm ci in server/httpapi/%s", name, linters)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = linters
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
	out, err := cmd.Output()
	if len(out) == 0 {
		t.Fatalf("%s says nothing: %v", name, err)
	}
	return string(out)
}

// forms writes the contract in both versions into a folder: as it is written, and as it
// is published.
func forms(t *testing.T) map[string]string {
	t.Helper()
	published, _, err := httpapi.Published()
	if err != nil {
		t.Fatal(err)
	}
	dir, files := t.TempDir(), map[string]string{}
	for name, text := range map[string][]byte{"written": api.YAML, "published": published} {
		files[name] = filepath.Join(dir, name+".yaml")
		if err := os.WriteFile(files[name], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestSpectral: Spectral's rules for OpenAPI find nothing in the published contract. They
// take seconds, so that the source is left to Redocly; it says the same.
func TestSpectral(t *testing.T) {
	t.Parallel()
	var found []struct {
		Code, Message string
		Path          []any
	}
	text := lint(t, "spectral", "lint", forms(t)["published"], "--ruleset", ".spectral.yaml", "--format", "json", "--quiet", "--fail-severity", "hint")
	if i := strings.IndexByte(text, '['); i < 0 || json.Unmarshal([]byte(text[i:]), &found) != nil {
		t.Fatal(text)
	}
	for _, f := range found {
		t.Errorf("%s at %v: %s", f.Code, f.Path, f.Message)
	}
}

// probes reports whether a place in the contract is one of the two pages for supervisors.
// They refuse no request, so that no supervisor restarts a gateway for a header: the rule
// that each operation has an answer of 4xx is not for them.
func probes(pointer string) bool {
	return strings.HasPrefix(pointer, "#/paths/~1healthz/") || strings.HasPrefix(pointer, "#/paths/~1readyz/")
}

// TestRedocly: Redocly's recommended rules find nothing in either form of the contract.
func TestRedocly(t *testing.T) {
	t.Parallel()
	for form, file := range forms(t) {
		var found struct {
			Totals   struct{ Errors, Warnings, Ignored int }
			Problems []struct {
				RuleID, Message string
				Location        []struct{ Pointer string }
			}
		}
		text := lint(t, "redocly", "lint", file, "--extends", "recommended", "--format", "json")
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			t.Fatalf("%s: %v: %s", form, err, text)
		}
		if found.Totals.Ignored > 0 {
			t.Errorf("%s: %d problems are ignored", form, found.Totals.Ignored)
		}
		for _, p := range found.Problems {
			if p.RuleID == "operation-4xx-response" && probes(p.Location[0].Pointer) {
				continue
			}
			t.Errorf("%s: %s at %v: %s", form, p.RuleID, p.Location, p.Message)
		}
	}
}
