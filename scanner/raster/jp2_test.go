package raster_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"tcode/scanner/raster"
)

// TestJP2: both engines show the pixels of a JPEG 2000 image as they are.
func TestJP2(t *testing.T) {
	t.Parallel()
	bits, err := os.ReadFile("testdata/one.pbm")
	if err != nil {
		t.Fatal(err)
	}
	eachEngine(t, func(t *testing.T, engine raster.Option) {
		r := newRasterizer(t, raster.Limits{}, engine)
		want, err := pages(t, r, bits, 150)
		if err != nil {
			t.Fatal(err)
		}
		for name, white := range map[string]int{"gray.j2k": 255, "color.jp2": 255, "deep16.jp2": 255, "veil.jp2": 255, "tiles.jp2": 255} {
			file, err := os.ReadFile("testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			ps, err := pages(t, r, file, 150)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			m := ps[0].Image
			if m.Width != want[0].Image.Width || m.Height != want[0].Image.Height {
				t.Errorf("%s: %d x %d px", name, m.Width, m.Height)
				continue
			}
			off := 0
			for i, v := range want[0].Image.Pix[:m.Width*m.Height] {
				if v > 128 != (m.Pix[i] > 160) || v > 128 && int(m.Pix[i]) < white-60 {
					off++
				}
			}
			if off > 0 {
				t.Errorf("%s: %d pixels differ", name, off)
			}
		}
	})
}

// jp2File puts code into the boxes of a file that claims w x h px, and more boxes into its header.
func jp2File(w, h uint32, components uint16, code string, more ...[]byte) []byte {
	const gray = 17
	header := [][]byte{
		box("ihdr", u32(h, w), u16(components), []byte{7, 7, 0, 0}),
		box("colr", []byte{1, 0, 0}, u32(gray)),
	}
	return bytes.Join([][]byte{
		box("jP  ", []byte("\r\n\x87\n")),
		box("ftyp", []byte("jp2 "), u32(0), []byte("jp2 ")),
		box("jp2h", append(header, more...)...),
		box("jp2c", []byte(code)),
	}, nil)
}

// TestJP2Resolution: the resolution of the capture counts.
func TestJP2Resolution(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("testdata/gray.j2k")
	if err != nil {
		t.Fatal(err)
	}
	resolution := box("res ", box("resc", u16(11811, 1, 11811, 1), []byte{0, 0})) // a metre
	ps, err := pages(t, newRasterizer(t, raster.Limits{}), jp2File(120, 120, 1, string(code), resolution), 150)
	if err != nil {
		t.Fatal(err)
	}
	if dpi := ps[0].DPI; dpi < 299.9 || dpi > 300.1 {
		t.Errorf("%g dpi, want 300", dpi)
	}
}

// jpx returns a JPEG 2000 codestream of w x h px without data, in tiles of t px a side.
func jpx(w, h, t, components int) string {
	b := []byte("\xff\x4f\xff\x51") // SOC, SIZ
	b = binary.BigEndian.AppendUint16(b, uint16(38+3*components))
	b = binary.BigEndian.AppendUint16(b, 0)
	for _, v := range []int{w, h, 0, 0, t, t, 0, 0} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	b = binary.BigEndian.AppendUint16(b, uint16(components))
	for range components {
		b = append(b, 7, 1, 1)
	}
	b = append(b, "\xff\x52\x00\x0c\x00\x00\x00\x01\x00\x01\x04\x04\x00\x01"...) // COD: 1 level, 5/3
	b = append(b, "\xff\x5c\x00\x07\x40\x40\x48\x48\x50"...)                     // QCD
	tiles := min((w+t-1)/t*((h+t-1)/t), 16)
	for i := range tiles {
		b = append(b, "\xff\x90\x00\x0a"...)
		b = binary.BigEndian.AppendUint16(b, uint16(i))
		b = binary.BigEndian.AppendUint32(b, 0)
		b = append(b, 0, 1)
		b = append(b, "\xff\x93"...)
		b = append(b, make([]byte, 32)...)
	}
	return string(append(b, 0xff, 0xd9))
}
