package raster_test

import (
	"bytes"
	"errors"
	"image/jpeg"
	"os"
	"strings"
	"testing"

	"tcode/scanner/raster"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine raster.Option) {
		r := newRasterizer(t, raster.Limits{MaxBytes: 1 << 20}, engine)
		asJPEG := encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, corner(400, 600), nil) })
		loop := tiffPages(2, 2, 1)
		tests := []struct {
			name string
			file []byte
			want error
		}{
			{"empty", nil, raster.ErrEmpty},
			{"text", []byte("Dear Sir or Madam,\nplease find attached"), raster.ErrUnsupported},
			{"text that begins with BM", []byte("BMW is a maker of cars and of motorcycles"), raster.ErrUnsupported},
			{"office file", []byte("PK\x03\x04 and so on"), raster.ErrUnsupported},
			{"PDF in name only", []byte("%PDF-1.7\nnothing of a PDF follows"), raster.ErrDamaged},
			{"PDF cut off", pdf(letter)[:40], raster.ErrDamaged},
			{"PDF without pages", pdf(), raster.ErrDamaged},
			{"page of 1e9 pt", pdf("/MediaBox [0 0 1000000000 1000000000]"), raster.ErrTooLarge},
			{"page of 14400 pt", pdf("/MediaBox [0 0 14400 14400]"), raster.ErrTooLarge},
			{"user unit of 1e6", pdf(letter + " /UserUnit 1000000"), raster.ErrTooLarge},
			{"JPEG cut off", asJPEG[:len(asJPEG)/2], raster.ErrDamaged},
			{"JPEG header only", asJPEG[:3], raster.ErrDamaged},
			{"PNG of 65535 x 65535", pngChunk(pngHeader(65535, 65535), "IDAT", nil), raster.ErrTooLarge},
			{"PNG of 0 x 5", pngHeader(0, 5), raster.ErrDamaged},
			{"TIFF directory outside", []byte("II*\x00\xff\xff\xff\x7f"), raster.ErrDamaged},
			{"TIFF empty directory", append([]byte("II*\x00\x08\x00\x00\x00"), 0, 0, 0, 0, 0, 0), raster.ErrDamaged},
			{"GIF cut off", []byte("GIF89a\xff\xff\xff\xff"), raster.ErrDamaged},
			{"2 MiB", append(pdf(letter), make([]byte, 2<<20)...), raster.ErrTooLarge},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				_, err := pages(t, r, tt.file, 150)
				if !errors.Is(err, tt.want) {
					t.Fatalf("err = %v, want %v", err, tt.want)
				}
				if _, ok := errors.AsType[*raster.Error](err); !ok {
					t.Errorf("err = %#v, want a *raster.Error", err)
				}
				if s := err.Error(); strings.ContainsAny(s, "\x00\n") || len(s) > 300 {
					t.Errorf("message = %q, want one short line", s)
				}
			})
		}
		planes, err := os.ReadFile("testdata/tiff/zip-planes.tif")
		if err != nil {
			t.Fatal(err)
		}
		_, err = pages(t, r, planes, 150)
		if err != nil && (!errors.Is(err, raster.ErrUnsupported) || !strings.Contains(err.Error(), "separate planes: save it as")) {
			t.Errorf("TIFF in planes: %v, want its name and what to do", err)
		}
		if ps, err := pages(t, r, asJPEG[:len(asJPEG)-2], 150); err != nil || len(ps) != 1 {
			t.Errorf("JPEG without its end marker: %d pages, %v", len(ps), err)
		}
		if ps, err := pages(t, r, loop, 150); err != nil || len(ps) != 1 {
			t.Errorf("afterwards: %d pages, %v", len(ps), err)
		}
	})
}

// TestForeign: the formats that are not read have a name, and advice if another program can convert them.
func TestForeign(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{})
	for _, tt := range []struct{ file, name, advice string }{
		{"\x00\x00\x00\x0cJXL \r\n\x87\n", "JPEG XL", "PNG or JPEG"},
		{"\xff\x0a\x00", "JPEG XL", "PNG or JPEG"},
		{"\x00\x00\x00\x18ftypcrx \x00\x00\x00\x01crx isom", "raw file", "ProRAW off"},
		{"IIU\x00\x18\x00\x00\x00", "raw file", "ProRAW off"},
		{"\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00qt  ", "video", "photo"},
		{strings.Repeat("\x00", 900) + strings.Repeat("\x01", 900) + "TRUEVISION-XFILE.\x00", "TGA", "PNG or JPEG"},
		{"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG", "PNG or JPEG"},
		{"Dear Sir", "text file", ""},
		{"\x00\x01\x02", "", ""},
	} {
		_, err := pages(t, r, []byte(tt.file), 150)
		e, ok := errors.AsType[*raster.Error](err)
		if !ok || !errors.Is(err, raster.ErrUnsupported) || !strings.Contains(e.Detail, tt.name) || !strings.Contains(e.Advice, tt.advice) || (e.Advice != "") != (tt.advice != "") {
			t.Errorf("%.20q: %#v, want %q and %q", tt.file, err, tt.name, tt.advice)
		}
	}
	dng := []byte("II*\x00\x08\x00\x00\x00\x02\x00" +
		"\x00\x01\x03\x00\x01\x00\x00\x00\x10\x00\x00\x00" + "\x12\xc6\x01\x00\x04\x00\x00\x00\x01\x04\x00\x00" + "\x00\x00\x00\x00")
	if _, err := pages(t, r, dng, 150); !errors.Is(err, raster.ErrUnsupported) || !strings.Contains(err.Error(), "raw file") {
		t.Errorf("DNG: %v", err)
	}
}

// TestAbsurdSides: MuPDF refuses numbers that PDFium cannot read; PDFium uses US letter for such a page.
func TestAbsurdSides(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine raster.Option) {
		nines := strings.Repeat("9", 38)
		ps, err := pages(t, newRasterizer(t, raster.Limits{}, engine), pdf("/MediaBox [-"+nines+" 0 "+nines+" 5]"), 72)
		if err == nil && (ps[0].Width != 612 || ps[0].Height != 792) {
			t.Errorf("%d x %d px", ps[0].Width, ps[0].Height)
		}
		if err != nil && !errors.Is(err, raster.ErrTooLarge) {
			t.Errorf("err = %v, want ErrTooLarge", err)
		}
	})
}

func TestSniffIgnoresNothingButContent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		head string
		want raster.Kind
	}{
		{"", raster.Unknown},
		{"%PDF-1.4", raster.PDF},
		{strings.Repeat(" ", 1019) + "%PDF-", raster.PDF},
		{strings.Repeat(" ", 1020) + "%PDF-", raster.Unknown},
		{"\xff\xd8\xff\xe0", raster.JPEG},
		{"MM\x00*", raster.TIFF},
		{"MM\x00+", raster.Unknown},
		{"RIFF....WEBP", raster.WebP},
		{"RIFF....WAVE", raster.Unknown},
		// Both kinds in one file: each viewer chooses for itself.
		{"\x89PNG\r\n\x1a\n....%PDF-1.4", raster.Unknown},
		{"\xff\xd8\xff\xe0....%PDF-1.4", raster.Unknown},
		{"%PDF-1.4\x89PNG\r\n\x1a\n", raster.PDF},
		{"BM............\x28\x00\x00\x00", raster.BMP},
		{"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", raster.HEIC},
		{"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic", raster.HEIC},
		{"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1avif", raster.AVIF},
		{"\x00\x00\x00\x14ftypavis\x00\x00\x00\x00avif", raster.AVIF},
		{"\x00\x00\x00\x14ftypmsf1\x00\x00\x00\x00hevc", raster.HEIC},
		{"\x00\x00\x00\x14ftypmif1heic....heic", raster.HEIC},
		{"\x00\x00\x00\x10ftypisomheic", raster.Unknown},                 // a version, not a brand
		{"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00heic", raster.Unknown}, // behind the box
		{"\xff\xff\xff\xffftypheic\x00\x00\x00\x00", raster.HEIC},
		{"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic%PDF-1.4", raster.Unknown},
		{"\x00\x00\x00\x18ftypcrx \x00\x00\x00\x01crx isom", raster.Unknown},
		{"\x00\x00\x00\x0cjP  \r\n\x87\n", raster.JP2},
		{"\xff\x4f\xff\x51", raster.JP2},
		{"P5 10 20 255\n", raster.PNM},
		{"P4\n# CREATOR\n10 20\n", raster.PNM},
		{"P5 10", raster.Unknown},
		{"P8 10 20 255\n", raster.Unknown},
	} {
		if got := raster.Sniff([]byte(tt.head)); got != tt.want {
			t.Errorf("Sniff(%.20q) = %q, want %q", tt.head, got, tt.want)
		}
	}
}
