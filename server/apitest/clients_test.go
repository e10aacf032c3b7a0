package apitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tcode/server/internal/harness"
)

// TestClients: the clients in Python and in TypeScript, generated from the contract, pass a
// strict type checker, and their ten calls of a gateway are answered as they must be.
//
//engine:sqlite the clients' own code is under test
func TestClients(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	dir := t.TempDir()
	file := filepath.Join(dir, "diploma.pdf")
	harness.Must(t, os.WriteFile(file, harness.PDF("diploma"), 0o600))
	t.Run("python", func(t *testing.T) {
		t.Parallel()
		folder := filepath.Join("..", "client", "python")
		program(t, folder, "mypy", "--strict", "--cache-dir", os.DevNull, "tcode_client.py", "ten.py")
		program(t, folder, "python3", "-B", "ten.py", r.URL, key, file)
	})
	t.Run("typescript", func(t *testing.T) {
		t.Parallel()
		source, err := filepath.Abs(filepath.Join("..", "client", "typescript"))
		harness.Must(t, err)
		if _, err := os.Stat(filepath.Join(source, "node_modules")); err != nil {
			absent(t, "openapi-typescript: npm ci in server/client/typescript")
		}
		for _, name := range []string{"package.json", "tsconfig.json", "ten.ts"} {
			text, err := os.ReadFile(filepath.Join(source, name))
			harness.Must(t, err)
			harness.Must(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		}
		harness.Must(t, os.Symlink(filepath.Join(source, "node_modules"), filepath.Join(dir, "node_modules")))
		tool := func(name string) string { return filepath.Join("node_modules", ".bin", name) }
		program(t, dir, tool("openapi-typescript"), r.URL+"/openapi.json", "--default-non-nullable=false", "-o", "tcode.ts")
		program(t, dir, tool("tsc"), "--project", ".", "--outDir", "made")
		program(t, dir, "node", filepath.Join("made", "ten.js"), r.URL, key, file)
	})
}

// program runs a program in a folder. It must succeed.
func program(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	if filepath.Base(name) == name {
		if _, err := exec.LookPath(name); err != nil {
			absent(t, name)
		}
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// absent skips a test for a program that is not installed, which fails it in CI.
func absent(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("not installed: %s", what)
	}
	t.Skipf("not installed: %s", what)
}
