package score_test

import (
	"strings"
	"testing"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
)

// row returns a page of a variant with the texts of own and wasm; "" means not read.
func row(variant string, px float64, ideal bool, own, wasm string) score.Row {
	r := score.Row{
		Truth:   pages.Truth{ID: "p-" + variant, Variant: variant, Text: []byte("truth"), Side: 40, ModulePx: px, Ideal: ideal, DPI: 200},
		Results: map[string]readers.Result{},
	}
	if variant == pages.Empty {
		r.Truth.Side, r.Truth.Text = 0, nil
	}
	for name, text := range map[string]string{readers.Own: own, readers.Wasm: wasm} {
		r.Results[name] = readers.Result{Read: text != "", Text: text, Bytes: []byte(text), CPUms: 5}
	}
	return r
}

func TestTally(t *testing.T) {
	t.Parallel()
	rows := []score.Row{
		row("clean", 3, true, "truth", "truth"),
		row("clean", 1, false, "other", ""),
		row(pages.Empty, 0, false, "something", ""),
	}
	everything := func(*score.Row) bool { return true }
	for name, want := range map[string]score.Count{
		readers.Own:     {Pages: 3, Read: 1, Wrong: 2, CPUms: 5},
		readers.Wasm:    {Pages: 3, Read: 1, CPUms: 5},
		readers.Gozxing: {},
	} {
		if got := score.Tally(rows, name, everything); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if got := score.Tally(rows, score.Ideal, everything); got.Pages != 2 || got.Read != 1 || got.Wrong != 0 {
		t.Errorf("ideal: got %+v, want 1 of 2", got)
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	variants, err := pages.Find(nil)
	if err != nil {
		t.Fatal(err)
	}
	good := []score.Row{row("clean", 3, true, "truth", "truth"), row("damage", 3, true, "truth", ""), row("fax", 1.6, true, "truth", "")}
	for _, b := range score.Bars(good, nil, variants) {
		if !b.Met && !strings.Contains(b.What, "zxing-wasm") { // both took 5 ms
			t.Errorf("%s: %s is not met", b.What, b.Figure)
		}
	}
	bad := []score.Row{row("clean", 3, true, "", "truth"), row("damage", 3, true, "", ""), row("clean", 1.6, true, "false", "truth")}
	notMet := 0
	for _, b := range score.Bars(bad, nil, variants) {
		if !b.Met {
			notMet++
		}
	}
	if notMet < 6 {
		t.Errorf("%d bars not met, want 6 and more", notMet)
	}
	behind, cells := score.Behind(bad, variants, readers.Own, readers.Wasm)
	if len(behind) != 2 || cells != 3 {
		t.Errorf("behind in %v of %d cells, want 2 of 3", behind, cells)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		want score.Expectation
		got  readers.Result
		read int
		bad  int
	}{
		{"right", score.Expectation{Text: "a", Known: true}, readers.Result{Read: true, Text: "a"}, 1, 0},
		{"other charset", score.Expectation{Text: "¶Ж", Known: true}, readers.Result{Read: true, Text: "¶\uFFFD"}, 1, 0},
		{"wrong", score.Expectation{Text: "a", Known: true}, readers.Result{Read: true, Text: "b"}, 0, 1},
		{"longer", score.Expectation{Text: "a", Known: true}, readers.Result{Read: true, Text: "a\uFFFD"}, 0, 1},
		{"anything", score.Expectation{}, readers.Result{Read: true, Text: "b"}, 1, 0},
		{"not read", score.Expectation{Text: "a", Known: true}, readers.Result{}, 0, 0},
		{"nothing there", score.Expectation{None: true}, readers.Result{Read: true, Text: "b"}, 0, 1},
		{"nothing there, none read", score.Expectation{None: true}, readers.Result{}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := score.Set{Counts: map[string]score.Count{}}
			s.Judge(readers.Own, "image.png", tt.want, tt.got)
			if c := s.Counts[readers.Own]; c.Read != tt.read || c.Wrong != tt.bad || c.Pages != 1 {
				t.Errorf("got %+v, want %d read, %d wrong of 1", c, tt.read, tt.bad)
			}
		})
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	a, b := score.NewGroup("flat"), score.NewGroup("bent")
	for _, g := range []*score.Group{a, b} {
		g.Judge(readers.Own, "text", readers.Result{Read: true, Text: "text", CPUms: 3})
		g.Judge(readers.Own, "text", readers.Result{Read: true, Text: "tent", CPUms: 5})
		g.Judge(readers.Wasm, "text", readers.Result{})
		g.Judge(readers.Wasm, "text", readers.Result{Read: true, Text: "text"})
	}
	b.Judge(readers.Own, "text", readers.Result{})
	b.Judge(readers.Wasm, "text", readers.Result{Read: true, Text: "text"})
	if want := (score.Count{Pages: 2, Read: 1, Wrong: 1, CPUms: 4}); a.Counts[readers.Own] != want {
		t.Errorf("got %+v, want %+v", a.Counts[readers.Own], want)
	}
	var out strings.Builder
	if err := score.PrintGroups(&out, "TITLE", "class", []*score.Group{a, b}, []string{readers.Own, readers.Wasm}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "behind wasm in 1 of 2 groups bent") || b.Images != 3 {
		t.Errorf("%d images in\n%s", b.Images, got)
	}
}
