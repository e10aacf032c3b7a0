package mkvectors_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/testdata"
)

// TestCommitted regenerates every vector and compares with the committed ones,
// byte for byte and name for name.
func TestCommitted(t *testing.T) {
	t.Parallel()
	for _, a := range areas() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			made, err := a.generate()
			if err != nil {
				t.Fatal(err)
			}
			if len(made) == 0 {
				t.Fatal("no vectors made")
			}
			if *update {
				if err := replace(filepath.Join("..", "..", "testdata", "vectors", a.name), made); err != nil {
					t.Fatal(err)
				}
				return
			}
			dir := path.Join("vectors", a.name)
			entries, err := fs.ReadDir(testdata.Vectors, dir)
			if err != nil {
				t.Fatal(err)
			}
			var committed []string
			for _, e := range entries {
				committed = append(committed, e.Name())
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(made)), committed); diff != "" {
				t.Fatalf("names differ, run go generate ./offline/payload (-made +committed):\n%s", diff)
			}
			for name, want := range made {
				got, err := fs.ReadFile(testdata.Vectors, path.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("%s differs, run go generate ./offline/payload (-made +committed):\n%s", name, diff)
				}
			}
		})
	}
}

// TestAreas: every committed folder belongs to a generator, so that no vector
// is left behind that nothing regenerates.
func TestAreas(t *testing.T) {
	t.Parallel()
	var want []string
	for _, a := range areas() {
		want = append(want, a.name)
	}
	slices.Sort(want)
	entries, err := fs.ReadDir(testdata.Vectors, "vectors")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("areas (-generated +committed):\n%s", diff)
	}
}

// TestSyncExample: the exchange in sync/wire/FORMAT.md is that of the vectors.
func TestSyncExample(t *testing.T) {
	t.Parallel()
	format, err := os.ReadFile("../../sync/wire/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string, into any) {
		raw, err := fs.ReadFile(testdata.Vectors, "vectors/sync/"+name)
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var request batchVector
	var reply receiptVector
	read("batch-ok.json", &request)
	read("receipt-ok-example.json", &reply)
	var body struct{ Data struct{ Receipt string } }
	if err := json.Unmarshal([]byte(reply.Reply), &body); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{request.Body, request.DeviceKey, request.Signature, reply.Body, reply.Reply, reply.Online, body.Data.Receipt} {
		if want == "" || !strings.Contains(string(format), want) {
			t.Errorf("the document does not have %q", want)
		}
	}
}
