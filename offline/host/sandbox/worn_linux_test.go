package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"tcode/offline/host/sandbox"
)

// TestWorn: the pool replaces a child that keeps more than a quarter of its memory limit. Pages of files do not
// count: with those of the program, a large program would get a new child for each task.
func TestWorn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "zeros")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 300<<20); err != nil {
		t.Fatal(err)
	}
	p := newPool(t, sandbox.Config{Size: 1, MemoryBytes: 1 << 30, Arg: func() string { return file }})
	before, err := ask(t.Context(), p, "pid")
	if err != nil {
		t.Fatal(err)
	}
	if after, err := ask(t.Context(), p, "pid"); err != nil || after != before {
		t.Errorf("pid = %q, %v; want the same child %q, whose memory is that of a file", after, err, before)
	}
	if _, err := ask(t.Context(), p, "hold 400"); err != nil {
		t.Fatal(err)
	}
	if after, err := ask(t.Context(), p, "pid"); err != nil || after == before {
		t.Errorf("pid = %q, %v; want another child than %q, which keeps much memory", after, err, before)
	}
}
