package raster_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// chunk is one chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// rawPNG is a PNG of w x h px with any bytes as filtered rows, in IDAT chunks of at most size bytes.
func rawPNG(w, h uint32, depth, colour byte, rows []byte, size int, before, after []byte) []byte {
	var z bytes.Buffer
	c := zlib.NewWriter(&z)
	_, _ = c.Write(rows)
	_ = c.Close()
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	b := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, depth, colour, 0, 0, 0))...)
	b = append(b, before...)
	for data := z.Bytes(); ; data = data[size:] {
		size = max(1, min(size, len(data)))
		if len(data) <= size {
			b = append(b, chunk("IDAT", data)...)
			break
		}
		b = append(b, chunk("IDAT", data[:size])...)
	}
	return append(append(b, after...), chunk("IEND", nil)...)
}

// sameAsImagePNG fails the test if file is taken as a plain PNG and image/png reads it differently, and returns whether it is.
func sameAsImagePNG(t *testing.T, file []byte) bool {
	t.Helper()
	got := &gray.Image{Pix: bytes.Repeat([]byte{77}, 40)} // memory of another page
	if !raster.DecodePNG(file, got) {
		return false
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("image/png: %v", err)
	}
	want := raster.ToGray(img)
	if got.Width != want.Width || got.Height != want.Height || got.Stride != got.Width || !bytes.Equal(got.Pix, want.Pix) {
		t.Fatalf("%d x %d px differ from image/png's %d x %d", got.Width, got.Height, want.Width, want.Height)
	}
	return true
}

// TestPlainPNG: files of the usual encoder are plain, others are left to image/png.
func TestPlainPNG(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	all := image.Rect(0, 0, 61, 33)
	grays, opaque, clear, deep := image.NewGray(all), image.NewNRGBA(all), image.NewNRGBA(all), image.NewGray16(all)
	for y := range all.Dy() {
		for x := range all.Dx() {
			c := color.NRGBA{255, 255, 255, 255}
			if x%20 > 11 { // runs of white, smooth and noisy parts
				c = color.NRGBA{byte(4 * x), byte(y * x), byte(r.IntN(256)), 255}
			}
			opaque.SetNRGBA(x, y, c)
			c.A = byte(r.IntN(256))
			clear.SetNRGBA(x, y, c)
			grays.SetGray(x, y, color.Gray{c.G})
			deep.SetGray16(x, y, color.Gray16{uint16(r.IntN(1 << 16))})
		}
	}
	colours := image.NewPaletted(all, color.Palette{color.White, color.Black})
	for name, tt := range map[string]struct {
		m     image.Image
		plain bool
	}{"gray": {grays, true}, "RGB": {opaque, true}, "RGBA": {clear, true}, "16 bits": {deep, false}, "palette": {colours, false}} {
		var b bytes.Buffer
		if err := png.Encode(&b, tt.m); err != nil {
			t.Fatal(err)
		}
		if got := sameAsImagePNG(t, b.Bytes()); got != tt.plain {
			t.Errorf("%s: plain = %v, want %v", name, got, tt.plain)
		}
		for n := range b.Len() {
			if raster.DecodePNG(b.Bytes()[:n], new(gray.Image)) {
				t.Errorf("%s: the first %d of %d bytes are complete", name, n, b.Len())
			}
		}
	}
	grayAlpha := rawPNG(2, 1, 8, 4, []byte{0, 10, 255, 200, 128}, 9, chunk("tEXt", []byte("a\x00b")), nil)
	if !sameAsImagePNG(t, grayAlpha) {
		t.Error("gray with alpha, a text and several chunks of data: not plain")
	}
	for name, file := range map[string][]byte{
		"transparent colour": rawPNG(2, 1, 8, 0, []byte{0, 10, 20}, 99, chunk("tRNS", []byte{0, 10}), nil),
		"a row too many":     rawPNG(2, 1, 8, 0, []byte{0, 10, 20, 0, 1, 2}, 99, nil, nil),
		"a row too few":      rawPNG(2, 2, 8, 0, []byte{0, 10, 20}, 99, nil, nil),
		"no such filter":     rawPNG(2, 1, 8, 0, []byte{5, 10, 20}, 99, nil, nil),
		"too large":          rawPNG(60_001, 1000, 8, 0, nil, 99, nil, nil),
	} {
		if sameAsImagePNG(t, file) {
			t.Errorf("%s: plain", name)
		}
	}
}

// FuzzPlainPNG: whatever the rows, a plain PNG has the pixels that image/png gives, and image/png reads every file that is
// taken as plain.
func FuzzPlainPNG(f *testing.F) {
	f.Add(uint8(3), uint8(2), uint8(8), uint8(2), []byte{4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 9, 8, 7, 6, 5, 4, 3, 2, 1}, uint8(5), []byte{}, uint16(0))
	f.Add(uint8(2), uint8(1), uint8(8), uint8(4), []byte{1, 10, 255, 200, 128}, uint8(200), []byte("text"), uint16(0))
	f.Add(uint8(2), uint8(2), uint8(8), uint8(0), []byte{2, 10, 255, 1, 128, 1}, uint8(200), []byte{}, uint16(0x0301))
	f.Fuzz(func(t *testing.T, w, h, depth, colour uint8, rows []byte, size uint8, more []byte, change uint16) {
		var extra []byte
		if len(more) > 4 {
			extra = chunk(string(more[:4]), more[4:])
		}
		file := rawPNG(uint32(w), uint32(h), depth, colour, rows, int(size)+1, extra, nil)
		if at := int(change >> 3); at > 0 && at < len(file) { // damage
			file[at] ^= 1 << (change & 7)
		}
		sameAsImagePNG(t, file)
		sameAsImagePNG(t, rawPNG(uint32(w), uint32(h), depth, colour, rows, int(size)+1, nil, extra))
	})
}
