package engine_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestDeps: the program for the browser links no network, no SQL, no reader but our own, and no large package of which it would use little.
func TestDeps(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./wasm")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 50 {
		t.Fatalf("only %d packages: the list is not whole", len(deps))
	}
	for _, dep := range deps {
		if dep == "database/sql" { // its interface "driver" comes with package uuid
			t.Errorf("the engine links %s", dep)
		}
		for _, not := range []string{"net", "os/exec", "log/slog", "regexp", "crypto/tls", "crypto/x509", "github.com/makiuchi-d/gozxing", "tcode/scanner/raster", "modernc.org"} {
			if dep == not || strings.HasPrefix(dep, not+"/") {
				t.Errorf("the engine links %s", dep)
			}
		}
	}
}
