package proof_test

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"strings"
	"testing"

	"tcode/offline/geometry"
	"tcode/scanner/proof"
	"tcode/scanner/raster"
	"tcode/scanner/readback"
)

// read reads one page back, at 300 dpi unless q says otherwise.
func read(t testing.TB, p *proof.Prover, pg *page, q readback.Request, degrade bool) readback.Reading {
	t.Helper()
	if q.Text == "" {
		q.Text = text
	}
	if q.DPI == 0 {
		q.DPI = 300
	}
	at := pg.at(1)
	at.Degrade = degrade
	q.Targets = []readback.Target{at}
	got, err := p.Read(t.Context(), pdf(t, pg), q)
	if err != nil || len(got) != 1 {
		t.Fatalf("%d readings, %v", len(got), err)
	}
	return got[0]
}

func TestRead(t *testing.T) {
	t.Parallel()
	prover := newProver(t)
	tests := []struct {
		name  string
		page  page
		build func(*page)
		q     readback.Request
		poor  bool // as a poor scan too
		want  func(readback.Reading) bool
	}{
		{
			"as it should be",
			page{moduleMM: 0.375},
			nil,
			readback.Request{},
			true,
			func(r readback.Reading) bool {
				return r.Read && r.Reason == "" && r.DPI == 300 && r.Contrast > 0.95 && r.Corrected == 0 && r.Correctable == 24 &&
					r.QuietModules == 4 && r.ReadsAtDPI > 0 && r.ReadsAtDPI <= 150
			},
		},
		{"not degraded unless asked", page{moduleMM: 0.375}, nil, readback.Request{}, false, func(r readback.Reading) bool { return r.Read && r.ReadsAtDPI == 0 }},
		{
			"small modules",
			page{moduleMM: 0.2},
			nil,
			readback.Request{},
			true,
			func(r readback.Reading) bool { return r.Read && (r.ReadsAtDPI == 0 || r.ReadsAtDPI > 150) },
		},
		{"too small for the resolution", page{moduleMM: 0.2}, nil, readback.Request{DPI: 72}, false, func(r readback.Reading) bool { return !r.Read && r.Reason != "" && r.DPI == 72 }},
		{"low resolution, and still degraded", page{moduleMM: 0.6}, nil, readback.Request{DPI: 100}, true, func(r readback.Reading) bool { return r.Read && r.DPI == 100 && r.ReadsAtDPI > 0 }},
		{"another text", page{moduleMM: 0.375}, nil, readback.Request{Text: text[1:]}, false, func(r readback.Reading) bool { return !r.Read && r.Reason == "it says something else" }},
		{
			"so small that only the proof sees it",
			page{moduleMM: 0.07},
			nil,
			readback.Request{DPI: 1200},
			false,
			func(r readback.Reading) bool {
				return !r.Read && strings.HasPrefix(r.Reason, "scanners look at a page of 210 x 297 mm at 150 dpi: ")
			},
		},
		{"nothing there", page{}, nil, readback.Request{}, false, func(r readback.Reading) bool { return !r.Read && r.Reason != "" }},
		{
			"an annotation over it",
			page{moduleMM: 0.375, extra: over(left, top, 15, 15)},
			nil,
			readback.Request{},
			false,
			func(r readback.Reading) bool { return !r.Read },
		},
		{
			"an annotation over a corner",
			page{moduleMM: 0.375, extra: over(left+5, top+5, 2, 2)},
			nil,
			readback.Request{},
			false,
			func(r readback.Reading) bool { return r.Read && r.Corrected > 0 && r.Corrected <= r.Correctable },
		},
		{
			"ink in the quiet zone",
			page{moduleMM: 0.375},
			func(p *page) { p.over.WriteString(rect(left+3, top-1, 5, 0.6)) },
			readback.Request{},
			false,
			func(r readback.Reading) bool { return r.Read && r.QuietModules > 0.7 && r.QuietModules < 1.4 },
		},
		{
			"pale",
			page{moduleMM: 0.375, ink: "0.55 g"},
			nil,
			readback.Request{},
			false,
			func(r readback.Reading) bool { return r.Read && r.Contrast > 0.35 && r.Contrast < 0.55 },
		},
		{
			"a pattern beside it",
			page{moduleMM: 0.375},
			func(p *page) {
				for i := range 40 {
					p.under.WriteString(rect(left-6+float64(i%8)*0.7, top+float64(i)*0.375, 0.4, 0.3))
				}
			},
			readback.Request{},
			false,
			func(r readback.Reading) bool { return r.Read },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.build != nil {
				tt.build(&tt.page)
			}
			if got := read(t, prover, &tt.page, tt.q, tt.poor); got.Page != 1 || !tt.want(got) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// The same file gives the same answer.
func TestReadTwice(t *testing.T) {
	t.Parallel()
	prover := newProver(t)
	pg := page{moduleMM: 0.3}
	first := read(t, prover, &pg, readback.Request{}, true)
	if again := read(t, prover, &pg, readback.Request{}, true); again != first {
		t.Errorf("first %+v, then %+v", first, again)
	}
}

// All pages are read until one is not.
//
//race:on several stamps are read concurrently
func TestReadSeveral(t *testing.T) {
	t.Parallel()
	good, bare := page{moduleMM: 0.375}, page{}
	q := readback.Request{Text: text, DPI: 300, Targets: []readback.Target{good.at(1), good.at(3), good.at(2), good.at(4)}}
	got, err := newProver(t).Read(t.Context(), pdf(t, &good, &bare, &good, &good), q)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		page int
		read bool
	}{{1, true}, {3, true}, {2, false}, {4, false}} {
		if got[i].Page != want.page || got[i].Read != want.read || got[i].Read != (got[i].Reason == "") {
			t.Errorf("reading %d: %+v, want page %d, read %v", i, got[i], want.page, want.read)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	prover := newProver(t)
	pg := page{moduleMM: 0.375}
	q := readback.Request{Text: text, DPI: 300, Targets: []readback.Target{pg.at(1)}}
	if _, err := prover.Read(t.Context(), section([]byte("%PDF-1.7\nno")), q); !errors.Is(err, raster.ErrDamaged) {
		t.Errorf("damaged file: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := prover.Read(ended, pdf(t, &pg), q); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
}

func TestInk(t *testing.T) {
	t.Parallel()
	var pg page
	pg.under.WriteString(rect(20, 20, 10, 10))                                                // half of the first area
	pg.under.WriteString("0.8 g " + rect(100, 20, 30, 30) + "0 g " + rect(102, 22, 0.5, 0.5)) // a tinted ground with a full stop
	pg.under.WriteString("0.2 0.3 0.5 rg " + rect(100, 200, 30, 30) + "0 g\n")                // painted all over
	pg.under.WriteString(rect(60, 100, 20, 0.1))                                              // a hairline
	pg.extra = over(150, 100, 10, 20)
	box := func(x, y, w, h float64) geometry.Area {
		return geometry.Area{Page: 2, Rect: geometry.Rect{X: x, Y: y, Width: w, Height: h}}
	}
	tests := []struct {
		name        string
		area        geometry.Area
		least, most float64
	}{
		{"a quarter", box(20, 20, 20, 20), 0.24, 0.27},
		{"nothing", box(50, 50, 20, 20), 0, 0},
		{"a full stop on a tint", box(101, 21, 19, 19), 0.0005, 0.003},
		{"a tint alone", box(105, 25, 19, 19), 0, 0},
		{"a dark ground", box(105, 205, 20, 20), 1, 1},
		{"a hairline", box(60, 90, 20, 20), 0.004, 0.02},
		{"an annotation", box(150, 100, 20, 20), 0.45, 0.55},
		{"another page", geometry.Area{Page: 1, Rect: geometry.Rect{X: 20, Y: 20, Width: 20, Height: 20}}, 0, 0},
		{"beside the page", box(500, 20, 20, 20), 0, 0},
	}
	var areas []geometry.Area
	for _, tt := range tests {
		areas = append(areas, tt.area)
	}
	got, err := newProver(t).Ink(t.Context(), pdf(t, &page{}, &pg), areas)
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		if got[i] < tt.least || got[i] > tt.most {
			t.Errorf("%s: %.4f, want %g to %g", tt.name, got[i], tt.least, tt.most)
		}
	}
}

func TestPicture(t *testing.T) {
	t.Parallel()
	var pg page
	pg.under.WriteString("1 0 0 rg " + rect(0, 0, 50, 50))
	got, err := newProver(t).Picture(t.Context(), pdf(t, &pg), 1)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(got.PNG))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != got.Width || b.Dy() != got.Height || got.Width < 1239 || got.Width > 1241 || got.DPI != 150 {
		t.Errorf("%v, %d x %d px at %g dpi", b, got.Width, got.Height, got.DPI)
	}
	if r, g, b, a := img.At(10, 10).RGBA(); r != 0xFFFF || g != 0 || b != 0 || a != 0xFFFF {
		t.Errorf("pixel %x %x %x %x, want red", r, g, b, a)
	}
}

// BenchmarkRead measures the cost of proving one stamp: clean alone, and with the search for the lowest resolution.
func BenchmarkRead(b *testing.B) {
	prover := newProver(b)
	pg := page{moduleMM: 0.375}
	file := pdf(b, &pg)
	for _, degrade := range []bool{false, true} {
		b.Run(map[bool]string{false: "clean", true: "degraded"}[degrade], func(b *testing.B) {
			at := pg.at(1)
			at.Degrade = degrade
			q := readback.Request{Text: text, DPI: 300, Targets: []readback.Target{at}}
			for b.Loop() {
				if got, err := prover.Read(b.Context(), file, q); err != nil || !got[0].Read {
					b.Fatalf("%+v, %v", got, err)
				}
			}
		})
	}
}

// Pages of which scanners draw less than the proof, nothing at all, or that no program could draw.
func TestPageSizes(t *testing.T) {
	t.Parallel()
	prover := newProver(t)
	tests := []struct {
		name     string
		page     string  // entries of its dictionary
		moduleMM float64 // of the symbol, 262 mm above the bottom edge of an A4 page
		height   float64 // points, of the page
		reason   string  // of a symbol that is not read
		err      error
	}{
		{"large, and large modules", "/MediaBox[0 0 4000 4000]", 0.45, 4000, "", nil},
		{"large", "/MediaBox[0 0 7000 7000]", 0.3, 7000, "scanners look at a page of 2469 x 2469 mm at 79 dpi: ", nil},
		{"too large", "/MediaBox[0 0 7800 7800]", 0.45, 7800, "the page is too large for scanners: 2752 x 2752 mm", nil},
		{"larger than PDF allows", "/MediaBox[0 0 100000 100000]", 0.45, 100_000, "the page is too large for scanners: 35278 x 35278 mm", nil},
		{"absurd", "/MediaBox[0 0 10000000 10000000]", 0.45, 10_000_000, "", raster.ErrTooLarge},
		{"absurd unit", "/UserUnit 1000000", 0.45, 842_000_000, "", raster.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pg := page{moduleMM: tt.moduleMM, extra: tt.page}
			file := pdf(t, &pg)
			at := pg.at(1)
			at.Symbol.Y += (tt.height - pageHeight) / mm
			got, err := prover.Read(t.Context(), file, readback.Request{Text: text, DPI: 300, Targets: []readback.Target{at}})
			if !errors.Is(err, tt.err) || err == nil && (got[0].Read != (tt.reason == "") || !strings.HasPrefix(got[0].Reason, tt.reason)) {
				t.Errorf("read: %+v, %v", got, err)
			}
			if _, err := prover.Ink(t.Context(), file, []geometry.Area{{Page: 1, Rect: at.Symbol}}); !errors.Is(err, tt.err) {
				t.Errorf("ink: %v", err)
			}
			if _, err := prover.Picture(t.Context(), file, 1); !errors.Is(err, tt.err) {
				t.Errorf("picture: %v", err)
			}
		})
	}
}
