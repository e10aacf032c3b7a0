package viewers_test

//race:off ./... pages drawn by other programs

import (
	"errors"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/prepared"
	"tcode/cmd/internal/viewers"
	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

func TestMain(m *testing.M) {
	sandbox.Main(raster.Roles()...)
	os.Exit(m.Run())
}

var (
	update = flag.Bool("update", false, "draw all prepared files and write ../prepared/shown.tsv")
	keep   = flag.String("keep", "", "keep files and pictures in `DIR`")
)

// sampled is the divisor of the share of the files that every run draws.
const sampled = 20

// draw draws files and all references.
func draw(t *testing.T, files []prepared.File) map[string]prepared.Shown {
	t.Helper()
	dir := *keep
	if dir == "" {
		dir = t.TempDir()
	}
	references := prepared.References()
	all := maps.Clone(references)
	for _, f := range files {
		all[flat(f.Name)] = f.PDF
	}
	start := time.Now()
	drawn, err := viewers.Draw(t.Context(), dir, all)
	if errors.Is(err, viewers.ErrMissing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files drawn in %v", len(all), time.Since(start))
	names := slices.Sorted(maps.Keys(references))
	for _, name := range names {
		if got := viewers.Words(drawn, name, names); got != (prepared.Shown{name, name, name, name}) {
			t.Fatalf("reference %s is taken for %v", name, got)
		}
	}
	shown := map[string]prepared.Shown{}
	for _, f := range files {
		shown[f.Name] = viewers.Words(drawn, flat(f.Name), names)
	}
	return shown
}

func flat(name string) string { return strings.ReplaceAll(name, "/", "~") }

// TestShown draws a part of the prepared files, or all with -update, and compares the result
// with the table. PDFium and pdf.js have the versions of this module, so they show the same on
// each machine. poppler and MuPDF have those of the machine: most files about which the viewers
// of the table differ must make those of this run differ, too.
func TestShown(t *testing.T) {
	files := prepared.Files()
	if *update {
		if err := os.WriteFile("../prepared/shown.tsv", []byte(prepared.Format(draw(t, files))), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := prepared.Table()
	if err != nil {
		t.Fatal(err)
	}
	var some []prepared.File
	for i, f := range files {
		if _, ok := want[f.Name]; !ok {
			t.Errorf("%s is not in the table: go test ./cmd/internal/viewers -update", f.Name)
		}
		if i%sampled == 0 {
			some = append(some, f)
		}
	}
	if len(want) != len(files) {
		t.Errorf("the table has %d files, want %d", len(want), len(files))
	}
	differ, still := 0, 0
	for name, got := range draw(t, some) {
		was := want[name]
		if !slices.EqualFunc(got[pinned:], was[pinned:], alike) {
			t.Errorf("%s: %v, the table says %v: go test ./cmd/internal/viewers -update", name, got, was)
		}
		if was.Differ() {
			differ++
			if got.Differ() {
				still++
			}
		}
	}
	if still*10 < differ*9 {
		t.Errorf("viewers differ about %d of %d files about which those of the table do", still, differ)
	}
}

// pinned is the first of [prepared.Viewers] that has the version of this module.
const pinned = 2

// alike compares words. The letters of odd pictures count all viewers.
func alike(a, b string) bool {
	return a == b || strings.HasPrefix(a, prepared.Odd) && strings.HasPrefix(b, prepared.Odd)
}

// TestShownDiffer: the files are of use only if viewers disagree about many of
// each class. That many differ with the versions that made the table.
func TestShownDiffer(t *testing.T) {
	table, err := prepared.Table()
	if err != nil {
		t.Fatal(err)
	}
	files, differ := map[string]int{}, map[string]int{}
	for _, f := range prepared.Files() {
		files[f.Class]++
		if table[f.Name].Differ() {
			differ[f.Class]++
		}
	}
	sum := 0
	for _, class := range slices.Sorted(maps.Keys(files)) {
		t.Logf("%s: %d files, viewers differ on %d", class, files[class], differ[class])
		if sum += differ[class]; differ[class] == 0 {
			t.Errorf("viewers agree on all %s", class)
		}
	}
	if sum < 400 {
		t.Errorf("viewers differ on %d files, want 400", sum)
	}
}
