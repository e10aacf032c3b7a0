package gray_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
)

// grain returns a random image whose rows are further apart than its width.
func grain(w, h int, seed uint64) *gray.Image {
	r := rand.New(rand.NewPCG(seed, 1))
	big := gray.New(w+5, h+3)
	for i := range big.Pix {
		big.Pix[i] = byte(r.IntN(256))
	}
	return big.Crop(gray.Rect{X0: 3, Y0: 2, X1: 3 + w, Y1: 2 + h})
}

func TestValid(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		img  *gray.Image
		want bool
	}{
		{"new", gray.New(3, 2), true},
		{"empty", &gray.Image{}, true},
		{"nil", nil, false},
		{"stride below width", &gray.Image{Width: 4, Height: 1, Stride: 3, Pix: make([]byte, 9)}, false},
		{"too little memory", &gray.Image{Width: 4, Height: 2, Stride: 4, Pix: make([]byte, 7)}, false},
		{"last row without padding", &gray.Image{Width: 3, Height: 2, Stride: 4, Pix: make([]byte, 7)}, true},
		{"negative", &gray.Image{Width: -1, Height: 2, Stride: 4}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.img.Valid(); got != tt.want {
				t.Errorf("Valid = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestHalve(t *testing.T) {
	t.Parallel()
	src := grain(75, 7, 1) // two steps of sixteen pixels and a rest
	var dst gray.Image
	gray.Halve(&dst, src)
	if dst.Width != 37 || dst.Height != 3 {
		t.Fatalf("%d x %d, want 37 x 3", dst.Width, dst.Height)
	}
	for y := range 3 {
		for x := range 37 {
			sum := int(src.At(2*x, 2*y)) + int(src.At(2*x+1, 2*y)) + int(src.At(2*x, 2*y+1)) + int(src.At(2*x+1, 2*y+1))
			if want := byte((sum + 2) / 4); dst.At(x, y) != want {
				t.Errorf("(%d,%d) = %d, want %d", x, y, dst.At(x, y), want)
			}
		}
	}
}

func TestIntegral(t *testing.T) {
	t.Parallel()
	m := grain(40, 30, 2)
	var it gray.Integral
	it.Build(m)
	r := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		x, y := r.IntN(40), r.IntN(30)
		box := gray.Rect{X0: x, Y0: y, X1: x + 1 + r.IntN(40-x), Y1: y + 1 + r.IntN(30-y)}
		var want uint32
		for v := box.Y0; v < box.Y1; v++ {
			for u := box.X0; u < box.X1; u++ {
				want += uint32(m.At(u, v))
			}
		}
		if got := it.Sum(box); got != want {
			t.Errorf("Sum(%v) = %d, want %d", box, got, want)
		}
	}
	if got := it.Mean(gray.Rect{X0: 50, Y0: 50, X1: 60, Y1: 60}); got != 255 {
		t.Errorf("mean beside the image = %v, want 255", got)
	}
}

func TestThreshold(t *testing.T) {
	t.Parallel()
	m := grain(25, 21, 4)
	var it gray.Integral
	it.Build(m)
	got := make([]byte, 25*21)
	it.Threshold(m, got, 3, 8)
	for y := range 21 {
		for x := range 25 {
			mean := it.Mean(gray.Rect{X0: x - 3, Y0: y - 3, X1: x + 4, Y1: y + 4})
			want := byte(0)
			if float64(m.At(x, y))+8 < mean {
				want = 1
			}
			if got[y*25+x] != want {
				t.Errorf("(%d,%d) = %d, want %d", x, y, got[y*25+x], want)
			}
		}
	}
}

func TestGradient(t *testing.T) {
	t.Parallel()
	m := gray.New(9, 9)
	for y := range 9 {
		for x := range 9 {
			m.Pix[y*9+x] = byte(10*x + 3*y)
		}
	}
	dx, dy := make([]int16, 81), make([]int16, 81)
	gray.Gradient(m, dx, dy)
	if dx[4*9+4] != 80 || dy[4*9+4] != 24 {
		t.Errorf("gradient of a plane rising by 10 and 3 = %d, %d, want 80, 24", dx[40], dy[40])
	}
	if dx[0] != 0 || dy[80] != 0 || dx[4*9] != 0 {
		t.Error("border pixels have a gradient")
	}
}

func TestBilinear(t *testing.T) {
	t.Parallel()
	m := &gray.Image{Width: 2, Height: 2, Stride: 2, Pix: []byte{0, 100, 200, 40}}
	tests := []struct{ x, y, want float64 }{
		{0.5, 0.5, 0},
		{1.5, 0.5, 100},
		{0.5, 1.5, 200},
		{1.5, 1.5, 40},
		{1, 0.5, 50},
		{1, 1, 85},
		{-5, -5, 0},
		{9, 9, 40},
		{math.NaN(), 0, 255},
	}
	for _, tt := range tests {
		if got := m.Bilinear(tt.x, tt.y); got != tt.want {
			t.Errorf("Bilinear(%v, %v) = %v, want %v", tt.x, tt.y, got, tt.want)
		}
	}
}

func TestEnlargeKeepsPlaces(t *testing.T) {
	t.Parallel()
	m := gray.New(6, 6)
	for y := range 6 {
		for x := range 6 {
			m.Pix[y*6+x] = byte(20*x + 5*y)
		}
	}
	var big gray.Image
	gray.Enlarge(&big, m, 3)
	// The same place of both, away from the border, has the same gray level.
	if a, b := m.Bilinear(3, 3), big.Bilinear(9, 9); math.Abs(a-b) > 1 {
		t.Errorf("light at the centre %v became %v", a, b)
	}
}

func TestHomography(t *testing.T) {
	t.Parallel()
	q := [4]gray.Point{{X: 10, Y: 20}, {X: 110, Y: 25}, {X: 100, Y: 140}, {X: 5, Y: 120}}
	h, ok := gray.ToQuad(40, 30, q)
	if !ok {
		t.Fatal("no map to a plain quadrangle")
	}
	for i, p := range []gray.Point{{}, {X: 40}, {X: 40, Y: 30}, {Y: 30}} {
		if far := h.Map(p).Sub(q[i]).Len(); far > 1e-9 {
			t.Errorf("corner %d is %v px off", i, far)
		}
	}
	back, ok := h.Inverse()
	if !ok {
		t.Fatal("no inverse")
	}
	p := gray.Point{X: 13.7, Y: 21.1}
	if far := back.Map(h.Map(p)).Sub(p).Len(); far > 1e-9 {
		t.Errorf("there and back is %v modules off", far)
	}
	both := back.Mul(h)
	if far := both.Map(p).Sub(p).Len(); far > 1e-9 {
		t.Errorf("the product is %v modules off", far)
	}
	flat := [4]gray.Point{{X: 1}, {X: 2}, {X: 3}, {X: 4}}
	if _, ok := gray.ToQuad(1, 1, flat); ok {
		t.Error("four points on a line have a map")
	}
	if _, ok := (gray.Homography{}).Inverse(); ok {
		t.Error("the zero map has an inverse")
	}
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	m := gray.New(10, 10)
	for i := range m.Pix {
		m.Pix[i] = byte(i)
	}
	var h gray.Histogram
	h.Count(m, 1)
	if a, b := h.Quantile(0.1), h.Quantile(0.9); a != 10 || b != 90 {
		t.Errorf("quantiles %d and %d, want 10 and 90", a, b)
	}
}

// TestKernelsDoNotAllocate: once their memory exists, another page allocates nothing.
func TestKernelsDoNotAllocate(t *testing.T) {
	m := grain(200, 100, 5)
	var half gray.Image
	var it gray.Integral
	dx, dy, dark := make([]int16, 20000), make([]int16, 20000), make([]byte, 20000)
	var tmp []uint16
	var soft, means gray.Image
	var bits gray.Bits
	right, below := make([]uint64, 100), make([]uint64, 100)
	run := func() {
		gray.Halve(&half, m)
		it.Build(m)
		it.Threshold(m, dark, 7, 5)
		gray.Gradient(m, dx, dy)
		tmp = gray.Smooth(&soft, m, tmp)
		gray.Tiles(&means, m)
		bits.Darker(m, &means, 8)
		bits.Changes(right, below)
	}
	run()
	if n := testing.AllocsPerRun(20, run); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// BenchmarkKernels runs on an A4 page at 200 dpi: 1654 x 2339 px.
func BenchmarkKernels(b *testing.B) {
	m := grain(1654, 2339, 6)
	n := m.Width * m.Height
	var half, soft gray.Image
	var it gray.Integral
	it.Build(m)
	dx, dy, dark := make([]int16, n), make([]int16, n), make([]byte, n)
	var tmp []uint16
	var means gray.Image
	var bits gray.Bits
	gray.Tiles(&means, m)
	bits.Darker(m, &means, 8)
	right, below := make([]uint64, len(bits.Word)), make([]uint64, len(bits.Word))
	for _, k := range []struct {
		name string
		run  func()
	}{
		{"halve", func() { gray.Halve(&half, m) }},
		{"integral", func() { it.Build(m) }},
		{"threshold", func() { it.Threshold(m, dark, 12, 8) }},
		{"gradient", func() { gray.Gradient(m, dx, dy) }},
		{"smooth", func() { tmp = gray.Smooth(&soft, m, tmp) }},
		{"tiles", func() { gray.Tiles(&means, m) }},
		{"darker", func() { bits.Darker(m, &means, 8) }},
		{"changes", func() { bits.Changes(right, below) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				k.run()
			}
		})
	}
}
