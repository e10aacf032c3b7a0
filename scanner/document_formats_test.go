package scanner_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tcode/scanner"
	"tcode/scanner/raster"
)

// TestFormats reads the symbol from every kind of image that people have. raster/testdata/make.sh made the files
// and describes them.
func TestFormats(t *testing.T) {
	t.Parallel()
	const text = "TCODE FORMAT TEST 0123456789"
	files, err := filepath.Glob(filepath.Join("raster", "testdata", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	images := map[string][]byte{}
	for _, name := range files {
		if filepath.Ext(name) == ".sh" {
			continue
		}
		if images[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if len(images) < 30 {
		t.Fatalf("%d files, want 30 or more", len(images))
	}
	s := newScanner(t, scanner.Config{})
	for name, file := range images {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(t.Context(), s, file, scanner.DocumentOptions{})
			if err != nil && raster.DefaultEngine != raster.MuPDF && slices.Contains(byMuPDF, name) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			page := 1
			if name == "pages.tif" {
				page = 2
			}
			if read := texts(got)[page]; len(read) != 1 || read[0] != text {
				t.Errorf("page %d of %d: %q, want %q; %s", page, len(got), read, text, got[page-1].Reading.Reason.Message)
			}
		})
	}
}

// TestStampedPage reads the stamp of a whole page in the formats of phones.
func TestStampedPage(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	file := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("raster", "testdata", "page", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want := strings.TrimSpace(string(file("page.txt")))
	for name, kind := range map[string]raster.Kind{"page.heic": raster.HEIC, "page.avif": raster.AVIF} {
		got, err := readAll(t.Context(), s, file(name), scanner.DocumentOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if read := texts(got)[1]; len(read) != 1 || read[0] != want || got[0].Kind != kind {
			t.Errorf("%s: a page of kind %s with %q; %s", name, got[0].Kind, read, got[0].Reading.Reason.Message)
		}
	}
}

// byMuPDF are the images that only MuPDF decodes: builds without it refuse them.
var byMuPDF = []string{"alpha.tif", "cmyk.tif", "group3.tif", "jpeg.tif", "jpegcolor.tif", "rle.bmp"}

// symbolJPEG is a JPEG with a random symbol of px a module.
func symbolJPEG(t *testing.T, seed uint64, px int) (file []byte, text string) {
	t.Helper()
	dark, text := randomSymbol(t, seed)
	m := image.NewGray(image.Rect(0, 0, 60*px, 48*px))
	for y := range m.Rect.Max.Y {
		for x := range m.Rect.Max.X {
			col, row := x/px-6, y/px-4
			if col < 0 || col >= 40 || row < 0 || row >= 40 || !dark[row*40+col] {
				m.SetGray(x, y, color.Gray{250})
			}
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), text
}

// TestOrientations: the scanner reads a photo as it was taken, mirrored or not.
func TestOrientations(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	file, text := symbolJPEG(t, 31, 4)
	for o := byte(1); o <= 8; o++ {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			t.Parallel()
			exif := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string([]byte{o}) + "\x00\x00\x00\x00\x00\x00\x00"
			turned := append([]byte{}, file[:2]...)
			turned = append(turned, 0xFF, 0xE1)
			turned = binary.BigEndian.AppendUint16(turned, uint16(len(exif)+2))
			turned = append(append(turned, exif...), file[2:]...)
			got, err := readAll(t.Context(), s, turned, scanner.DocumentOptions{})
			if err != nil {
				t.Fatal(err)
			}
			// Mirror images cannot be read in these cases: the picture holds the symbol upright.
			mirrored := o == 2 || o == 4 || o == 5 || o == 7
			if read := texts(got)[1]; !mirrored && (len(read) != 1 || read[0] != text) {
				t.Errorf("%q, want %q", read, text)
			}
			if wide := got[0].WidthPx > got[0].HeightPx; wide != (o < 5) {
				t.Errorf("%d x %d px", got[0].WidthPx, got[0].HeightPx)
			}
		})
	}
}

// TestOldJPEGInTIFF: compression 6 of TIFF 6.0 section 22, as scanners of the nineties wrote it: a whole JPEG file.
func TestOldJPEGInTIFF(t *testing.T) {
	t.Parallel()
	photo, text := symbolJPEG(t, 32, 4)
	b := []byte("II*\x00\x08\x00\x00\x00")
	entries := [][3]uint32{{256, 4, 240}, {257, 4, 192}, {258, 3, 8}, {259, 3, 6}, {262, 3, 1}, {273, 4, 0}, {277, 3, 1}, {278, 4, 192}, {279, 4, uint32(len(photo))}, {513, 4, 0}, {514, 4, uint32(len(photo))}}
	at := uint32(8 + 2 + 12*len(entries) + 4)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		if e[0] == 273 || e[0] == 513 {
			e[2] = at
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
		b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, e[2])
	}
	b = append(binary.LittleEndian.AppendUint32(b, 0), photo...)
	got, err := readAll(t.Context(), newScanner(t, scanner.Config{}), b, scanner.DocumentOptions{})
	if raster.DefaultEngine != raster.MuPDF && errors.Is(err, raster.ErrUnsupported) {
		return
	}
	if read := texts(got)[1]; err != nil || len(read) != 1 || read[0] != text {
		t.Errorf("%q, %v; want %q", read, err, text)
	}
}
