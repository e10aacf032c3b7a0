package pages_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/host/sandbox"
	"tcode/scanner/bench/pages"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

func TestMain(m *testing.M) {
	sandbox.Main(raster.Roles()...)
	os.Exit(m.Run())
}

func TestFind(t *testing.T) {
	t.Parallel()
	all, err := pages.Find(nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	classic := 0
	for _, v := range all {
		if seen[v.Name] || v.Off {
			t.Errorf("%q comes twice or is off", v.Name)
		}
		seen[v.Name] = true
		if v.Classic {
			classic++
		}
	}
	if classic != 9 || len(all) != 20 {
		t.Errorf("%d classic of %d variants, want 9 of 20", classic, len(all))
	}
	if _, err := pages.Find([]string{"clean", "cleaner"}); err == nil {
		t.Error("a variant that is none was found")
	}
}

func TestSaveLoad(t *testing.T) {
	t.Parallel()
	want := gray.New(13, 7)
	for i := range want.Pix {
		want.Pix[i] = byte(i*37 + 9) // line feeds and spaces among them
	}
	name := filepath.Join(t.TempDir(), "page.pgm.gz")
	if err := pages.Save(name, want); err != nil {
		t.Fatal(err)
	}
	got := gray.New(100, 100)
	if err := pages.Load(name, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestSourcesWithoutAny expects an error from a folder without documents.
func TestSourcesWithoutAny(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := pages.Sources(context.Background(), dir, filepath.Join(dir, "sources.json"), func(string) {}); err == nil {
		t.Error("no error without any document")
	}
}

// TestTruthText checks that the cache keeps bytes of any value.
func TestTruthText(t *testing.T) {
	t.Parallel()
	want := pages.Truth{ID: "p000-clean", Text: []byte{0, 0xFF, '"', 0x80}}
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got pages.Truth
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
