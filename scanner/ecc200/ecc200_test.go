package ecc200_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix/decoder"
	"github.com/makiuchi-d/gozxing/datamatrix/encoder"

	"tcode/scanner/ecc200"
)

// randomData returns data codewords that fill s with ASCII text.
func randomData(r *rand.Rand, s ecc200.Size) []byte {
	data := make([]byte, s.Data)
	for i := range data {
		data[i] = byte(1 + r.IntN(128))
	}
	return data
}

// allSizes returns the sizes of ECC 200 and the extended ones.
func allSizes() []ecc200.Size { return append(ecc200.Sizes(), ecc200.Extended()...) }

func TestSizes(t *testing.T) {
	t.Parallel()
	if n, more := len(ecc200.Sizes()), len(ecc200.Extended()); n != 30 || more != 18 {
		t.Fatalf("%d sizes and %d extended ones, want 30 and 18", n, more)
	}
	for _, s := range allSizes() {
		data := 0
		for row := range s.Rows {
			for col := range s.Cols {
				if s.Fixed(row, col) == ecc200.Data {
					data++
				}
			}
		}
		// Some sizes have four modules more than bits.
		if rest := data - 8*s.Total(); rest != 0 && rest != 4 {
			t.Errorf("%dx%d: %d data modules for %d codewords", s.Rows, s.Cols, data, s.Total())
		}
	}
}

// TestEncodeAgainstGozxing compares placement and error correction with an independent
// writer.
func TestEncodeAgainstGozxing(t *testing.T) {
	t.Parallel()
	for _, s := range ecc200.Sizes() {
		r := rand.New(rand.NewPCG(1, uint64(s.Rows*1000+s.Cols)))
		data := randomData(r, s)
		got, err := ecc200.Encode(data, s)
		if err != nil {
			t.Fatal(err)
		}
		shape := encoder.SymbolShapeHint_FORCE_RECTANGLE
		if s.Square() {
			shape = encoder.SymbolShapeHint_FORCE_SQUARE
		}
		info, err := encoder.SymbolInfo_Lookup(s.Data, shape, nil, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		all, err := encoder.ErrorCorrection_EncodeECC200(data, info)
		if err != nil {
			t.Fatal(err)
		}
		p := encoder.NewDefaultPlacement(all, info.GetSymbolDataWidth(), info.GetSymbolDataHeight())
		p.Place()
		wrong := 0
		rh, rw := s.RegionRows+2, s.RegionCols+2
		for row := range s.Rows {
			for col := range s.Cols {
				want := s.Fixed(row, col) == ecc200.Dark
				if s.Fixed(row, col) == ecc200.Data {
					want = p.GetBit(col/rw*s.RegionCols+col%rw-1, row/rh*s.RegionRows+row%rh-1)
				}
				if got[row*s.Cols+col] != want {
					wrong++
				}
			}
		}
		if wrong != 0 && s.Rows != 144 { // 144x144: gozxing writes the other interleaving
			t.Errorf("%dx%d: %d modules differ", s.Rows, s.Cols, wrong)
		}
	}
}

// TestDecodeAgainstGozxing reads our symbols with an independent reader.
func TestDecodeAgainstGozxing(t *testing.T) {
	t.Parallel()
	for _, s := range ecc200.Sizes() {
		r := rand.New(rand.NewPCG(2, uint64(s.Rows*1000+s.Cols)))
		data := randomData(r, s)
		dark, err := ecc200.Encode(data, s)
		if err != nil {
			t.Fatal(err)
		}
		bits, err := gozxing.NewBitMatrix(s.Cols, s.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range dark {
			if d {
				bits.Set(i%s.Cols, i/s.Cols)
			}
		}
		res, err := decoder.NewDecoder().Decode(bits)
		if err != nil {
			t.Errorf("%dx%d: %v", s.Rows, s.Cols, err)
			continue
		}
		if diff := cmp.Diff(data, res.GetRawBytes()); diff != "" {
			t.Errorf("%dx%d: codewords (-want +got)\n%s", s.Rows, s.Cols, diff)
		}
	}
}

func TestDecodeCorrects(t *testing.T) {
	t.Parallel()
	for _, s := range allSizes() {
		r := rand.New(rand.NewPCG(3, uint64(s.Rows*1000+s.Cols)))
		data := randomData(r, s)
		dark, err := ecc200.Encode(data, s)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(dark)
		// The test changes one module in as many places as one block corrects: at most as many
		// codewords are wrong, wherever the modules lie.
		for n := s.ECC / s.Blocks / 2; n > 0; {
			i := r.IntN(len(dark))
			if s.Fixed(i/s.Cols, i%s.Cols) == ecc200.Data && dark[i] == want[i] {
				dark[i] = !dark[i]
				n--
			}
		}
		got, err := ecc200.Decode(ecc200.Grid{Rows: s.Rows, Cols: s.Cols, Dark: dark})
		if err != nil {
			t.Errorf("%dx%d: %v", s.Rows, s.Cols, err)
			continue
		}
		if !slices.Equal(got.Codewords, data) || !slices.Equal(got.Dark, want) {
			t.Errorf("%dx%d: decoded something else", s.Rows, s.Cols)
		}
	}
}

// TestDecodeErasures changes three quarters of the redundancy at places that the grid
// itself doubts: errors alone correct only half of it.
func TestDecodeErasures(t *testing.T) {
	t.Parallel()
	for _, side := range []int{24, 40, 44, 64} {
		s, _ := ecc200.SizeOf(side, side)
		r := rand.New(rand.NewPCG(4, uint64(side)))
		data := randomData(r, s)
		dark, err := ecc200.Encode(data, s)
		if err != nil {
			t.Fatal(err)
		}
		g := ecc200.Grid{Rows: side, Cols: side, Dark: dark, Confidence: make([]float32, len(dark))}
		for i := range g.Confidence {
			g.Confidence[i] = 1
		}
		for n := s.ECC / s.Blocks * 5 / 8; n > 0; {
			i := r.IntN(len(dark))
			if s.Fixed(i/side, i%side) == ecc200.Data && g.Confidence[i] == 1 {
				dark[i], g.Confidence[i] = !dark[i], 0
				n--
			}
		}
		if _, err := ecc200.Decode(ecc200.Grid{Rows: side, Cols: side, Dark: dark}); (side == 40 || side == 44) && !errors.Is(err, ecc200.ErrUncorrectable) {
			t.Errorf("%d without confidence: %v, want ErrUncorrectable", side, err)
		}
		got, err := ecc200.Decode(g)
		if err != nil {
			t.Errorf("%d: %v", side, err)
			continue
		}
		if !slices.Equal(got.Codewords, data) {
			t.Errorf("%d: decoded something else", side)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	s, _ := ecc200.SizeOf(10, 10)
	good, err := ecc200.Encode([]byte{66, 67, 68}, s)
	if err != nil {
		t.Fatal(err)
	}
	inverse := make([]bool, 100)
	for i, d := range good {
		inverse[i] = !d
	}
	tests := []struct {
		name string
		grid ecc200.Grid
		want error
	}{
		{"size", ecc200.Grid{Rows: 11, Cols: 11, Dark: make([]bool, 121)}, ecc200.ErrSize},
		{"length", ecc200.Grid{Rows: 10, Cols: 10, Dark: make([]bool, 99)}, ecc200.ErrSize},
		{"blank", ecc200.Grid{Rows: 10, Cols: 10, Dark: make([]bool, 100)}, ecc200.ErrFinder},
		{"inverse", ecc200.Grid{Rows: 10, Cols: 10, Dark: inverse}, ecc200.ErrFinder},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := ecc200.Decode(tt.grid); !errors.Is(err, tt.want) {
				t.Errorf("err = %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := ecc200.Encode([]byte{1, 2}, s); !errors.Is(err, ecc200.ErrLength) {
		t.Errorf("Encode of 2 codewords: %v, want ErrLength", err)
	}
}

// TestNoiseIsNotRead: random modules inside a perfect finder must not decode.
func TestNoiseIsNotRead(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for _, s := range allSizes() {
		for range 60 {
			g := ecc200.Grid{Rows: s.Rows, Cols: s.Cols, Dark: make([]bool, s.Rows*s.Cols), Confidence: make([]float32, s.Rows*s.Cols)}
			for i := range g.Dark {
				g.Dark[i] = r.IntN(2) == 0
				g.Confidence[i] = r.Float32()
				if m := s.Fixed(i/s.Cols, i%s.Cols); m != ecc200.Data {
					g.Dark[i] = m == ecc200.Dark
				}
			}
			if d, err := ecc200.Decode(g); err == nil {
				t.Errorf("%dx%d: noise read as %v (%d errors, %d erasures)", s.Rows, s.Cols, d.Codewords, d.Errors, d.Erasures)
			}
		}
	}
}

// TestTextAgainstGozxing reads the codewords of gozxing's high-level encoder, in the modes
// that it chooses.
func TestTextAgainstGozxing(t *testing.T) {
	t.Parallel()
	texts := []string{
		"A", "123456", "HELLO WORLD 1234567890", "hello world, lower case text mode",
		"http://example.org/path?x=1&y=2", "ABC>ABC123>AB*DEF>123456789", ".A.C1.3.DATA.123DATA.123DATA",
		"caf\u00e9 noir",
		strings.Repeat("9Z8Y", 60), strings.Repeat("aB3$", 40), "\x00\x01\x02 control \x1f",
		"MEMANT-1F-MESTECH", "[)>\x1e05\x1dA1B2\x1e\x04",
	}
	r := rand.New(rand.NewPCG(6, 6))
	for range 300 {
		var b strings.Builder
		for range 1 + r.IntN(80) {
			switch r.IntN(5) {
			case 0:
				b.WriteByte('0' + byte(r.IntN(10)))
			case 1:
				b.WriteByte(' ' + byte(r.IntN(95)))
			case 2:
				b.WriteByte('a' + byte(r.IntN(26)))
			case 3:
				b.WriteString("ABCDEFGH"[:1+r.IntN(8)])
			default:
				b.WriteString("lower case"[:1+r.IntN(10)])
			}
		}
		texts = append(texts, b.String())
	}
	for _, want := range texts {
		data, err := encoder.EncodeHighLevel(want, encoder.SymbolShapeHint_FORCE_NONE, nil, nil)
		if err != nil {
			t.Fatalf("%q: %v", want, err)
		}
		got, err := ecc200.Text(data)
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v from %v", want, got, err, data)
		}
	}
}

// base256 returns the codewords of a segment of b, written from ISO/IEC 16022
// 5.2.9. gozxing's own writer puts one length byte too many into some.
func base256(b []byte, toEnd bool) []byte {
	out := []byte{231}
	raw := b
	switch {
	case toEnd:
		raw = append([]byte{0}, b...)
	case len(b) < 250:
		raw = append([]byte{byte(len(b))}, b...)
	default:
		raw = append([]byte{byte(len(b)/250 + 249), byte(len(b) % 250)}, b...)
	}
	for _, v := range raw {
		out = append(out, byte((int(v)+149*(len(out)+1)%255+1)%256))
	}
	return out
}

func TestTextBase256(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 249, 250, 251, 600} {
		b := make([]byte, n)
		var want strings.Builder
		for i := range b {
			b[i] = byte(i*7 + 3)
			want.WriteRune(rune(b[i]))
		}
		got, err := ecc200.Text(append(base256(b, false), 66))
		if err != nil || got != want.String()+"A" {
			t.Errorf("%d bytes: %q, %v", n, got, err)
		}
		got, err = ecc200.Text(base256(b, true))
		if err != nil || got != want.String() {
			t.Errorf("%d bytes to the end: %q, %v", n, got, err)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   []byte
		want string
		err  error
	}{
		{"ascii", []byte{66, 67, 68}, "ABC", nil},
		{"digits", []byte{142, 164, 186}, "123456", nil},
		{"pad", []byte{66, 129, 70}, "A", nil},
		{"upper shift", []byte{235, 106}, "\u00e9", nil},
		{"gs1", []byte{232, 131, 142}, "0112", nil},
		{"gs1 separator", []byte{232, 131, 232, 142}, "01\x1d12", nil},
		{"macro 05", []byte{236, 66}, "[)>\x1e05\x1dA\x1e\x04", nil},
		{"macro 06", []byte{237, 66}, "[)>\x1e06\x1dA\x1e\x04", nil},
		{"c40", []byte{230, 91, 11, 91, 11, 254}, "AIMAIM", nil},
		{"c40 to the end", []byte{230, 91, 11}, "AIM", nil},
		{"c40 and one ascii", []byte{230, 91, 11, 66}, "AIMA", nil},
		{"reader program", []byte{234, 66}, "A", nil},
		{"reader program late", []byte{66, 234}, "", ecc200.ErrText},
		{"upper shift at the end", []byte{66, 235}, "", ecc200.ErrText},
		{"base 256 too long", []byte{231, 200, 1}, "", ecc200.ErrText},
		{"eci 26", []byte{241, 27, 235, 68, 235, 42}, "\u00e9", nil},
		{"eci 7 needs a table", []byte{241, 8, 66, 235, 68}, "A\u00c3", nil},
		{"unknown codeword", []byte{242}, "", ecc200.ErrText},
		{"zero", []byte{0}, "", ecc200.ErrText},
		{"empty", nil, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ecc200.Text(tt.in)
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("Text(%v) = %q, %v, want %q, %v", tt.in, got, err, tt.want, tt.err)
			}
		})
	}
}
