package testdata_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/testdata"
)

// areas are the folders of vectors, with the numbers of those that are accepted and
// refused or answered with another class, so that none is lost unnoticed. Situations
// (clock, verdict) have an answer and no class.
var areas = map[string]struct{ ok, other int }{
	"binding": {14, 50}, "clock": {35, 0}, "document": {16, 54}, "export": {8, 34}, "payload": {125, 184},
	"status": {21, 50}, "sync": {28, 100}, "trust": {60, 183}, "verdict": {96, 0},
}

// expected is the class of each vector of an area, as the file says it.
func expected(tb testing.TB, area string) map[string]string {
	tb.Helper()
	entries, err := fs.ReadDir(testdata.Vectors, "vectors/"+area)
	if err != nil {
		tb.Fatal(err)
	}
	classes := map[string]string{}
	for _, e := range entries {
		raw, err := fs.ReadFile(testdata.Vectors, "vectors/"+area+"/"+e.Name())
		if err != nil {
			tb.Fatal(err)
		}
		if !strings.HasSuffix(e.Name(), ".json") {
			v, err := testdata.Parse(e.Name(), string(raw))
			if err != nil {
				tb.Fatal(err)
			}
			classes[e.Name()] = v.Get("expect")
			continue
		}
		var v struct{ Want json.RawMessage }
		if err := json.Unmarshal(raw, &v); err != nil {
			tb.Fatal(e.Name(), err)
		}
		class := "ok" // the answer itself is compared by the reader
		if v.Want[0] == '"' {
			if err := json.Unmarshal(v.Want, &class); err != nil {
				tb.Fatal(e.Name(), err)
			}
		}
		classes[e.Name()] = class
	}
	return classes
}

// node is the path of Node, which CI must have.
func node(tb testing.TB) string {
	tb.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatal("node is required here: ", err)
		}
		tb.Skip("node is not installed")
	}
	return path
}

// found is the class of each vector as the readers in dir find it.
func found(tb testing.TB, dir, area string) map[string]string {
	tb.Helper()
	vectors, err := filepath.Abs(filepath.Join("vectors", area))
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), node(tb), filepath.Join(dir, "run.mjs"), area, vectors)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("node: %v", err)
	}
	classes := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, class, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		classes[name] = class
	}
	return classes
}

// readers returns the sources of the readers. They are read in this process, so that
// a cached result of the test ends with a change to one.
func readers(tb testing.TB) map[string]string {
	tb.Helper()
	entries, err := os.ReadDir("readers")
	if err != nil {
		tb.Fatal(err)
	}
	sources := map[string]string{}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join("readers", e.Name()))
		if err != nil {
			tb.Fatal(err)
		}
		sources[e.Name()] = string(raw)
	}
	return sources
}

// TestAreas: every folder is in the table, and has the number of vectors of both kinds that it says.
func TestAreas(t *testing.T) {
	t.Parallel()
	entries, err := fs.ReadDir(testdata.Vectors, "vectors")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(areas) {
		t.Errorf("%d folders, want %d", len(entries), len(areas))
	}
	for area, want := range areas {
		got := struct{ ok, other int }{}
		for _, class := range expected(t, area) {
			if class == "ok" || class == "match" || class == "signed" || class == "unsigned" {
				got.ok++
			} else {
				got.other++
			}
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", area, got, want)
		}
	}
}

// TestReaders runs every vector through the readers of this folder. They are in
// another language, were written from the format documents, and share no code with
// the packages; their signatures are Node's.
func TestReaders(t *testing.T) {
	t.Parallel()
	readers(t)
	for area := range areas {
		t.Run(area, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(expected(t, area), found(t, "readers", area)); diff != "" {
				t.Errorf("Node's classes (-expected +found):\n%s", diff)
			}
		})
	}
}
