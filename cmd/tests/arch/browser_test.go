package arch_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// heavy packages do not belong in a page: they need an operating system, or cost
// more to load than they give (net/http: 0.75 MB of 1.9).
var heavy = []string{"net", "net/http", "crypto/tls", "crypto/x509", "database/sql", "os/exec", "modernc.org/sqlite", "github.com/makiuchi-d/gozxing"}

// excused names a heavy package that one package for the browser may have.
var excused = map[string]string{"scanner/symbol": "github.com/makiuchi-d/gozxing"} // its second reader, for programs

// browserList is the list of packages in .ci/test that must build for the browser.
var browserList = regexp.MustCompile(`(?m)^browser=\(([^)]*)\)$`)

// TestBrowserPackages holds the packages for the browser to the dependencies that a
// page can load.
func TestBrowserPackages(t *testing.T) {
	t.Parallel()
	all := browserPackages(t)
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-f", `{{.ImportPath}} {{join .Deps " "}}`}, all...)...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("go list: %v\n%s", err, errs.Bytes())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(all) {
		t.Fatalf("%d packages, want %d", len(lines), len(all))
	}
	for _, line := range lines {
		deps := strings.Fields(line)
		name := strings.TrimPrefix(deps[0], "tcode/")
		for _, dep := range deps[1:] {
			if slices.Contains(heavy, dep) && excused[name] != dep {
				t.Errorf("%s depends on %s", name, dep)
			}
		}
	}
}

// browserPackages returns the import paths of the packages for the browser.
func browserPackages(t *testing.T) (out []string) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(top, ".ci", "test"))
	if err != nil {
		t.Fatal(err)
	}
	list := browserList.FindSubmatch(script)
	if list == nil {
		t.Fatal(".ci/test has no list of packages for the browser")
	}
	for _, name := range strings.Fields(string(list[1])) {
		out = append(out, modulePath+"/"+name)
	}
	return out
}
