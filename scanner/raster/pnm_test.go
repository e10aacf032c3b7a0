package raster_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tcode/scanner/raster"
)

// TestPNM: each type of Netpbm shows the same gray values.
func TestPNM(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{})
	tests := []struct {
		name, file string
		want       []byte // of 3 x 2 px
	}{
		{"plain bits", "P1\n# a comment\n3 2\n10 1\n0 1 0", []byte{0, 255, 0, 255, 0, 255}},
		{"plain gray", "P2 3 2 100\n0 50 100 # half\n25 75 100", []byte{0, 128, 255, 64, 191, 255}},
		{"plain colours", "P3 3 2 255 255 0 0 0 255 0 0 0 255 0 0 0 255 255 255 9 9 9", []byte{76, 150, 29, 0, 255, 9}},
		{"bits", "P4 3 2\n\xa0\x40", []byte{0, 255, 0, 255, 0, 255}},
		{"gray", "P5\n3 2\n255\n\x00\x80\xff\x01\x02\x03", []byte{0, 128, 255, 1, 2, 3}},
		{"gray above its most", "P5 3 2 100 \x00\x32\x64\xff\x19\x4b", []byte{0, 128, 255, 255, 64, 191}},
		{"deep gray", "P5 3 2 65535 \x00\x00\x80\x00\xff\xff\x00\xff\x01\x01\x7f\x7f", []byte{0, 128, 255, 1, 1, 127}},
		{"colours", "P6 3 2 255 \xff\x00\x00\x00\xff\x00\x00\x00\xff\x00\x00\x00\xff\xff\xff\x09\x09\x09", []byte{76, 150, 29, 0, 255, 9}},
		{"pam bits", "P7\nWIDTH 3\nHEIGHT 2\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n\x00\x01\x00\x01\x00\x01", []byte{0, 255, 0, 255, 0, 255}},
		{"pam gray with opacity", "P7\n# a comment\nWIDTH 3\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n" +
			"\x00\xff\x00\x00\x00\x80\x09\xff\x80\xff\xff\x00", []byte{0, 255, 127, 9, 128, 255}},
		{"pam colours with opacity", "P7\nHEIGHT 2\nWIDTH 3\nDEPTH 4\nMAXVAL 255\nENDHDR\n" +
			strings.Repeat("\xff\x00\x00\xff\x00\x00\x00\x00\x00\x00\x00\xff", 2), []byte{76, 255, 0, 76, 255, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ps, err := pages(t, r, []byte(tt.file), 150)
			if err != nil {
				t.Fatal(err)
			}
			if m := ps[0].Image; m.Width != 3 || m.Height != 2 || !bytes.Equal(m.Pix[:6], tt.want) {
				t.Errorf("%d x %d px: %v, want %v", m.Width, m.Height, m.Pix, tt.want)
			}
		})
	}
}

// TestPNMPages: images one after the other are pages.
func TestPNMPages(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{MaxPages: 3})
	file := []byte("P5 1 1 255 \x07P4 9 1\n\xff\x80P6 1 1 255 \x09\x09\x09")
	ps, err := pages(t, r, file, 150)
	if err != nil || len(ps) != 3 {
		t.Fatalf("%d pages, %v; want 3", len(ps), err)
	}
	if got := fmt.Sprint(ps[0].Image.Pix, ps[1].Image.Pix, ps[2].Image.Pix); got != "[7] [0 0 0 0 0 0 0 0 0] [9]" {
		t.Errorf("pixels %s", got)
	}
	if _, err := pages(t, r, append(file, "P5 1 1 255 \x01"...), 150); !errors.Is(err, raster.ErrTooLarge) {
		t.Errorf("4 pages of 3: err = %v, want ErrTooLarge", err)
	}
}

// TestPNMHostile: limits come before memory, and files that end too early are damaged.
func TestPNMHostile(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{})
	for _, tt := range []struct {
		name, file string
		want       error
	}{
		{"0 wide", "P5 0 5 255 ", raster.ErrDamaged},
		{"too many pixels", "P5 100000 100000 255 ", raster.ErrTooLarge},
		{"a number of ten digits", "P5 1073741824 1073741824 255 ", raster.ErrTooLarge},
		{"cut off", "P5 5 5 255 abc", raster.ErrDamaged},
		{"cut off text", "P2 5 5 255 1 2 3", raster.ErrDamaged},
		{"cut off bits", "P1 5 5 101", raster.ErrDamaged},
		{"60 million of text", "P1 7000 8000 1", raster.ErrDamaged},
		{"white is 0", "P5 5 5 0 ", raster.ErrUnsupported},
		{"white is 65536", "P5 5 5 65536 ", raster.ErrUnsupported},
		{"a number without an end", "P5 " + strings.Repeat("9", 600), raster.ErrUnsupported},
		{"five channels", "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\nabcde", raster.ErrUnsupported},
		{"a negative width", "P7\nWIDTH -1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\na", raster.ErrUnsupported},
		{"a text", "P1 is the first of our plans.", raster.ErrUnsupported},
	} {
		if _, err := pages(t, r, []byte(tt.file), 150); !errors.Is(err, tt.want) {
			t.Errorf("%s: err = %v, want %v", tt.name, err, tt.want)
		}
	}
}
