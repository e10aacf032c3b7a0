package symbol_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/binding"
	"tcode/scanner/symbol"
)

// TestDrawn: the symbol in a hole is the one that a page would show.
func TestDrawn(t *testing.T) {
	t.Parallel()
	m, text := random(t, rand.New(rand.NewPCG(43, 1)), 40, 40)
	dark := m.Dark
	file := append([]byte("before:"), binding.SymbolStream(binding.Modules{Side: 40, Dark: dark})...)
	k := binding.Mark{Start: 7, Length: 3200, End: int64(len(file))}
	got, ok := symbol.Drawn(file, k)
	if !ok || got.Text != text || got.Rows != 40 || got.Cols != 40 || got.Reader != symbol.ReaderHole {
		t.Fatalf("%v, %+v", ok, got)
	}
	if diff := cmp.Diff(dark, got.Dark); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
	// One module, which error correction would restore.
	for y := range 4 {
		file[7+20*(4*20+y)+10] ^= 0xF0
	}
	if s, ok := symbol.Drawn(file, k); ok {
		t.Errorf("a damaged symbol is read as %q", s.Text)
	}
	if _, ok := symbol.Drawn(file, binding.Mark{Start: 8, Length: 3200}); ok {
		t.Error("a symbol beyond the end")
	}
	if _, ok := symbol.Drawn(make([]byte, 3200), binding.Mark{Length: 3200}); ok {
		t.Error("a black square is a symbol")
	}
}

func BenchmarkDrawn(b *testing.B) {
	m, _ := random(b, rand.New(rand.NewPCG(43, 1)), 40, 40)
	dark := m.Dark
	file := binding.SymbolStream(binding.Modules{Side: 40, Dark: dark})
	for b.Loop() {
		if _, ok := symbol.Drawn(file, binding.Mark{Length: 3200}); !ok {
			b.Fatal("no symbol")
		}
	}
}
