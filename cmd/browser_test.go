package cmd_test

import (
	"bytes"
	"os"
	"os/exec"
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
	script, err := os.ReadFile("../.ci/test")
	if err != nil {
		t.Fatal(err)
	}
	list := browserList.FindSubmatch(script)
	if list == nil {
		t.Fatal(".ci/test has no list of packages for the browser")
	}
	for _, name := range strings.Fields(string(list[1])) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./../"+name)
			cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil || errs.Len() > 0 {
				t.Fatalf("go list: %v\n%s", err, errs.Bytes())
			}
			for _, dep := range strings.Fields(string(out)) {
				if slices.Contains(heavy, dep) && excused[name] != dep {
					t.Errorf("it depends on %s", dep)
				}
			}
		})
	}
}
