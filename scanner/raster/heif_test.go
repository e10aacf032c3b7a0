package raster_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

// cornerOf returns the coded image of 64 x 96 px with a black upper left quarter, and its type of item.
func cornerOf(t testing.TB, k raster.Kind) (c coded, item string) {
	t.Helper()
	item, configuration := "hvc1", "hvcC"
	if k == raster.AVIF {
		item, configuration = "av01", "av1C"
	}
	file, err := os.ReadFile("testdata/corner/corner." + string(k))
	if err != nil {
		t.Fatal(err)
	}
	return codedOf(t, file, configuration), item
}

// turned returns a file with that image and more properties.
func turned(t testing.TB, k raster.Kind, more ...[]byte) []byte {
	t.Helper()
	c, item := cornerOf(t, k)
	uses := []int{1, 2}
	for i := range more {
		uses = append(uses, 3+i)
	}
	return buildHEIF(string(k), append([][]byte{ispe(64, 96), c.configuration}, more...), []heifItem{{1, item, c.data, uses}})
}

func irot(quarters byte) []byte { return box("irot", []byte{quarters}) }
func imir(axis byte) []byte     { return box("imir", []byte{axis}) }

// clap returns a crop to w x h px around a point that is x, y px from the middle.
func clap(w, h uint32, x, y int32) []byte {
	return box("clap", u32(w, 1, h, 1, uint32(x), 1, uint32(y), 1))
}

// TestHEIFTurns: libheif turns the images itself, for libavif this package does. Both show the black quarter at the same place.
// Angles count anticlockwise; mirrored along axis 0, top and bottom change places.
func TestHEIFTurns(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{})
	tests := []struct {
		name       string
		properties [][]byte
		w, h, x, y int // the expected place of the black quarter
	}{
		{"as coded", nil, 64, 96, 5, 5},
		{"irot 0", [][]byte{irot(0)}, 64, 96, 5, 5},
		{"irot 1", [][]byte{irot(1)}, 96, 64, 5, 58},
		{"irot 2", [][]byte{irot(2)}, 64, 96, 58, 90},
		{"irot 3", [][]byte{irot(3)}, 96, 64, 90, 5},
		{"imir 0", [][]byte{imir(0)}, 64, 96, 5, 90},
		{"imir 1", [][]byte{imir(1)}, 64, 96, 58, 5},
		{"irot 1, imir 0", [][]byte{irot(1), imir(0)}, 96, 64, 5, 5},
		{"irot 1, imir 1", [][]byte{irot(1), imir(1)}, 96, 64, 90, 58},
		{"irot 3, imir 0", [][]byte{irot(3), imir(0)}, 96, 64, 90, 58},
		{"irot 3, imir 1", [][]byte{irot(3), imir(1)}, 96, 64, 5, 5},
		{"imir 0, irot 1", [][]byte{imir(0), irot(1)}, 96, 64, 90, 58},
		{"crop to the left half", [][]byte{clap(40, 96, -12, 0)}, 40, 96, 5, 5},
		{"crop, irot 1", [][]byte{clap(40, 96, -12, 0), irot(1)}, 96, 40, 5, 34},
	}
	for _, k := range []raster.Kind{raster.HEIC, raster.AVIF} {
		for _, tt := range tests {
			t.Run(string(k)+"/"+tt.name, func(t *testing.T) {
				ps, err := pages(t, r, turned(t, k, tt.properties...), 150)
				if err != nil {
					t.Fatal(err)
				}
				m := ps[0].Image
				if m.Width != tt.w || m.Height != tt.h {
					t.Fatalf("%d x %d px, want %d x %d", m.Width, m.Height, tt.w, tt.h)
				}
				for _, p := range [][2]int{{5, 5}, {m.Width - 6, 5}, {5, m.Height - 6}, {m.Width - 6, m.Height - 6}} {
					if v, black := m.At(p[0], p[1]), p == [2]int{tt.x, tt.y}; black && v > 20 || !black && v < 235 {
						t.Errorf("pixel %v = %d, black = %v", p, v, black)
					}
				}
			})
		}
	}
}

// TestHEIFGrid: phones write large photos as tiles.
func TestHEIFGrid(t *testing.T) {
	t.Parallel()
	c, _ := cornerOf(t, raster.HEIC)
	ps, err := pages(t, newRasterizer(t, raster.Limits{}), grid(c, 120, 180, 2, 2, 64, 96), 150)
	if err != nil {
		t.Fatal(err)
	}
	m := ps[0].Image
	if m.Width != 120 || m.Height != 180 {
		t.Fatalf("%d x %d px, want 120 x 180", m.Width, m.Height)
	}
	for _, p := range [][2]int{{5, 5}, {69, 5}, {5, 101}, {69, 101}} { // the same corner of each tile
		if v := m.At(p[0], p[1]); v > 20 {
			t.Errorf("pixel %v = %d, want black", p, v)
		}
		if v := m.At(p[0]+40, p[1]+60); v < 235 {
			t.Errorf("pixel (%d, %d) = %d, want white", p[0]+40, p[1]+60, v)
		}
	}
}

// hostileHEIF returns files that lie or lead in circles, and the expected sentinels; nil: the answer may be an image.
func hostileHEIF(t testing.TB) map[string]struct {
	file []byte
	want error
} {
	t.Helper()
	c, _ := cornerOf(t, raster.HEIC)
	av1, _ := cornerOf(t, raster.AVIF)
	one := func(w, h uint32) []byte {
		return buildHEIF("heic", [][]byte{ispe(w, h), c.configuration}, []heifItem{{1, "hvc1", c.data, []int{1, 2}}})
	}
	whole := one(64, 96)
	giant := box("ispe", u32(0, 0xFFFFFFFF, 0xFFFFFFFF))
	loop := []heifItem{{1, "grid", []byte{0, 0, 0, 0, 0, 64, 0, 96}, []int{1}}, {2, "grid", []byte{0, 0, 0, 0, 0, 64, 0, 96}, []int{1}}}
	deep := box("meta", nil)
	for range 2000 {
		deep = box("meta", u32(0), deep)
	}
	data := func(file []byte, at int) []byte {
		out := bytes.Clone(file)
		for i := len(out) - at; i < len(out); i += 7 {
			out[i] ^= 0x5A
		}
		return out
	}
	type hostile = struct {
		file []byte
		want error
	}
	return map[string]hostile{
		"cut off in the boxes":       {whole[:200], raster.ErrDamaged},
		"cut off in the data":        {whole[:len(whole)-40], nil},
		"only the first box":         {whole[:24], raster.ErrUnsupported},
		"damaged data":               {data(whole, 60), nil},
		"damaged AV1":                {data(turned(t, raster.AVIF), 60), nil},
		"a size of 0 x 96":           {one(0, 96), raster.ErrDamaged},
		"a size of 30000 x 30000":    {one(30000, 30000), raster.ErrTooLarge},
		"a size of 2^32 x 2^32":      {buildHEIF("heic", [][]byte{giant, c.configuration}, []heifItem{{1, "hvc1", c.data, []int{1, 2}}}), raster.ErrTooLarge},
		"a size larger than coded":   {one(640, 960), nil},
		"a size smaller than coded":  {one(16, 16), nil},
		"no size":                    {buildHEIF("heic", [][]byte{c.configuration}, []heifItem{{1, "hvc1", c.data, []int{1}}}), raster.ErrDamaged},
		"no configuration":           {buildHEIF("heic", [][]byte{ispe(64, 96)}, []heifItem{{1, "hvc1", c.data, []int{1}}}), raster.ErrDamaged},
		"another coding":             {buildHEIF("heic", [][]byte{ispe(64, 96)}, []heifItem{{1, "jpeg", c.data, []int{1}}}), raster.ErrUnsupported},
		"AV1 that claims to be HEVC": {buildHEIF("heic", [][]byte{ispe(64, 96), av1.configuration}, []heifItem{{1, "av01", av1.data, []int{1, 2}}}), raster.ErrUnsupported},
		"a grid without tiles":       {buildHEIF("heic", [][]byte{ispe(64, 96)}, loop[:1]), raster.ErrUnsupported},
		"a grid of itself":           {buildHEIF("heic", [][]byte{ispe(64, 96)}, loop[:1], heifRef{"dimg", 1, []uint16{1}}), raster.ErrUnsupported},
		"grids of each other":        {buildHEIF("heic", [][]byte{ispe(64, 96)}, loop, heifRef{"dimg", 1, []uint16{2}}, heifRef{"dimg", 2, []uint16{1}}), raster.ErrUnsupported},
		"a grid of 65000 tiles":      {manyTiles(c), raster.ErrTooLarge},
		"small, of large tiles":      {grid(c, 64, 96, 16, 16, 8192, 6144), raster.ErrTooLarge},
		"its own transparency":       {buildHEIF("heic", [][]byte{ispe(64, 96), c.configuration, auxC("urn:mpeg:hevc:2015:auxid:1")}, []heifItem{{1, "hvc1", c.data, []int{1, 2, 3}}}, heifRef{"auxl", 1, []uint16{1}}), nil},
		"nested boxes":               {append(box("ftyp", []byte("heic"), u32(0)), deep...), raster.ErrDamaged},
		"a box longer than the file": {append(box("ftyp", []byte("heic"), u32(0)), "\xff\xff\xff\xffmeta"...), raster.ErrDamaged},
		"a crop outside":             {turned(t, raster.AVIF, clap(64, 96, 50, 50)), raster.ErrDamaged},
		"a turn without an angle":    {turned(t, raster.AVIF, box("irot")), raster.ErrDamaged},
		"a video":                    {box("ftyp", []byte("isom"), u32(0), []byte("mp42")), raster.ErrUnsupported},
	}
}

// auxC returns the property of an auxiliary image of this type.
func auxC(kind string) []byte { return fullBox("auxC", 0, []byte(kind), []byte{0}) }

// manyTiles returns a grid with as many references as one box can have, all to one tile.
func manyTiles(c coded) []byte {
	ref := heifRef{"dimg", 1, make([]uint16, 65000)}
	for i := range ref.to {
		ref.to[i] = 2
	}
	return buildHEIF("heic", [][]byte{ispe(64, 96), c.configuration}, []heifItem{
		{1, "grid", []byte{0, 0, 255, 254, 0, 64, 0, 96}, []int{1}},
		{2, "hvc1", c.data, []int{1, 2}},
	}, ref)
}

// TestHEIFHostile: a child answers each of these files with an image or a reason, and lives on.
func TestHEIFHostile(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{})
	for name, tt := range hostileHEIF(t) {
		t.Run(name, func(t *testing.T) {
			ps, err := pages(t, r, tt.file, 150)
			t.Logf("%d pages, %v", len(ps), err)
			if _, ours := errors.AsType[*raster.Error](err); err != nil && !ours {
				t.Errorf("err = %v, want a *raster.Error", err)
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("err = %v, want %v", err, tt.want)
			}
		})
	}
	if ps, err := pages(t, r, turned(t, raster.HEIC), 150); err != nil || len(ps) != 1 {
		t.Errorf("afterwards: %d pages, %v", len(ps), err)
	}
}

// TestHEIFTransparency: the second run, which gets the transparency, needs another number in the file.
func TestHEIFTransparency(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/veil.heic")
	if err != nil {
		t.Fatal(err)
	}
	r := newRasterizer(t, raster.Limits{})
	err = r.Open(t.Context(), file, func(d *raster.Document) error {
		p, err := d.Page(1, 150)
		if err == nil && p.Image.At(0, 0) < 250 {
			t.Errorf("pixel (0, 0) = %d, want white: nothing is opaque there", p.Image.At(0, 0))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestHEIFProtections: the children that decode have the same protections as others.
func TestHEIFProtections(t *testing.T) {
	t.Parallel()
	for _, k := range []raster.Kind{raster.HEIC, raster.AVIF} {
		p := sandbox.NewPool(sandbox.Config{Role: "raster-" + string(k), Size: 1})
		defer p.Close()
		got, err := p.Protections(t.Context())
		if err != nil || !strings.Contains(got, "seccomp") && strings.Contains(got, "landlock") {
			t.Errorf("%s: %q, %v", k, got, err)
		}
	}
}

// TestNoSharedLibrary: no library of the system is loaded for HEIC and AVIF, in no process of the program.
func TestNoSharedLibrary(t *testing.T) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("the loaded libraries are read in /proc")
	}
	for _, name := range []string{"libheif", "libavif", "libde265", "libaom", "libffi"} {
		if bytes.Contains(maps, []byte(name)) {
			t.Errorf("%s is loaded", name)
		}
	}
	for name, err := range raster.DynamicLibraries() {
		if err == nil {
			t.Errorf("%s uses a shared library", name)
		}
	}
}
