package scanner_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/binder"
	"tcode/scanner/caveat"
	"tcode/scanner/symbol"
)

// bindable is a PDF with a script and the stamp p, drawn as symbol.
func bindable(t *testing.T) (file []byte, p payload.Payload, sym symbol.Symbol) {
	t.Helper()
	dark, _ := randomSymbol(t, 41)
	sym = symbol.Symbol{Rows: 40, Cols: 40, Dark: dark}
	p.Reference = payload.Reference{1, 2, 3}
	m := binding.Mark{Reference: p.Reference}
	hole := binding.Hole(nil, m, binding.Modules{Side: 40, Dark: dark})
	build := func() []byte {
		var b bytes.Buffer
		b.Write(pdfWith([]string{"<< /S /JavaScript /JS (1) >>"}, emptyPage()))
		b.WriteString("9 0 obj\n<< ")
		b.Write(m.Append(nil))
		b.WriteString(" >>\nstream\n")
		m.Start, m.Length = int64(b.Len()), int64(len(hole))
		b.Write(hole)
		b.WriteString("\nendstream\nendobj\n")
		m.End = int64(b.Len())
		return b.Bytes()
	}
	build() // tells the numbers, whose length is fixed
	file = build()
	var err error
	if p.Fingerprint, err = binding.Fingerprint(file, m); err != nil {
		t.Fatal(err)
	}
	return file, p, sym
}

// TestBinder: a search that runs concurrently with the reading has the same results as a search alone, for each caller at each time.
func TestBinder(t *testing.T) {
	t.Parallel()
	file, p, sym := bindable(t)
	want := binder.Bind(file, p, sym)
	if want.State != binding.Match || len(want.Caveats) == 0 || want.Caveats[0].Code != caveat.Script {
		t.Fatalf("bound: %+v, want a match with a script", want)
	}
	appended := append(bytes.Clone(file), "9 0 obj\n1\nendobj\n"...)
	for _, tt := range []struct {
		name string
		file []byte
		want binder.Bound
	}{
		{"match", file, want},
		{"appended", appended, binder.Bind(appended, p, sym)},
		{"image", pngClaiming(1, 1), binder.Bind(pngClaiming(1, 1), p, sym)},
		{"no mark", pdf(emptyPage()), binder.Bind(pdf(emptyPage()), p, sym)},
	} {
		b := binder.New(tt.file)
		wait := b.Ahead()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				got := b.Bind(p, sym)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tt.name, diff)
				}
				for i := range got.Caveats {
					got.Caveats[i].Text = "changed by one who asked"
				}
			})
		}
		all.Wait()
		wait()
		wait()
		clear(tt.file) // nothing uses it any more
	}
}
