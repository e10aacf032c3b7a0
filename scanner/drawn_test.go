package scanner_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/binding"
	"tcode/scanner"
)

// TestDrawn: the symbol in a hole is the one that a page would show.
func TestDrawn(t *testing.T) {
	t.Parallel()
	dark, text := randomSymbol(t, 43)
	file := append([]byte("before:"), binding.SymbolStream(binding.Modules{Side: 40, Dark: dark})...)
	k := binding.Mark{Start: 7, Length: 3200, End: int64(len(file))}
	got, ok := scanner.Drawn(file, k)
	if !ok || got.Text != text || got.Rows != 40 || got.Cols != 40 || got.Reader != scanner.ReaderHole {
		t.Fatalf("%v, %+v", ok, got)
	}
	if diff := cmp.Diff(dark, got.Dark); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
	// One module, which error correction would restore.
	for y := range 4 {
		file[7+20*(4*20+y)+10] ^= 0xF0
	}
	if s, ok := scanner.Drawn(file, k); ok {
		t.Errorf("a damaged symbol is read as %q", s.Text)
	}
	if _, ok := scanner.Drawn(file, binding.Mark{Start: 8, Length: 3200}); ok {
		t.Error("a symbol beyond the end")
	}
	if _, ok := scanner.Drawn(make([]byte, 3200), binding.Mark{Length: 3200}); ok {
		t.Error("a black square is a symbol")
	}
}

func BenchmarkDrawn(b *testing.B) {
	dark, _ := randomSymbol(b, 43)
	file := binding.SymbolStream(binding.Modules{Side: 40, Dark: dark})
	for b.Loop() {
		if _, ok := scanner.Drawn(file, binding.Mark{Length: 3200}); !ok {
			b.Fatal("no symbol")
		}
	}
}
