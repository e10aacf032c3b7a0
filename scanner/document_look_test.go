package scanner_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/scanner"
	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

// drawnAsImage is content that draws dark, n modules a side, as an image of side pt at (x, y).
func drawnAsImage(dark []bool, n int, x, y, side float64) string {
	row := (n + 7) / 8
	data := make([]byte, row*n)
	for i, d := range dark {
		if !d {
			data[i/n*row+i%n/8] |= 0x80 >> (i % n % 8)
		}
	}
	return fmt.Sprintf("q %g 0 0 %g %g %g cm BI /W %d /H %d /BPC 1 /CS /G /F /AHx ID %x> EI Q ", side, side, x, y, n, n, data)
}

// TestStampOnlyImages: the scanner searches images that could be stamps first, whatever way the page is turned, and
// finds their symbols at the right place.
func TestStampOnlyImages(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	stamp, text := randomSymbol(t, 21)
	checks := make([]bool, 40*40)
	for i := range checks {
		checks[i] = (i%40/3+i/40/3)%2 == 0
	}
	other, otherText := symbolPage(t, 22, 15)
	photo := drawnAsImage(checks, 40, 300, 600, 60)
	for _, tt := range []struct {
		name, content, entries string
		want                   []string
		partial                bool
	}{
		{"image", emptyPage().content + drawnAsImage(stamp, 40, 501.3, 60.7, 42.52), letter, []string{text}, true},
		{"turned", emptyPage().content + drawnAsImage(stamp, 40, 501.3, 60.7, 42.52), letter + " /Rotate 90", []string{text}, true},
		{"upside down", emptyPage().content + drawnAsImage(stamp, 40, 501.3, 60.7, 42.52), letter + " /Rotate 180", []string{text}, true},
		{"cropped", drawnAsImage(stamp, 40, 501.3, 60.7, 42.52), "/MediaBox [0 0 612 792] /CropBox [400.5 20.25 600 400]", []string{text}, true},
		{"small modules", emptyPage().content + drawnAsImage(stamp, 40, 501.3, 60.7, 36), letter, []string{text}, true},
		{"among photos", photo + drawnAsImage(stamp, 40, 501.3, 60.7, 42.52) + photo, letter, []string{text}, true},
		{"two stamps", drawnAsImage(stamp, 40, 50, 60, 45) + drawnAsImage(stamp, 40, 501.3, 60.7, 42.52), letter, []string{text, text}, true},
		{"a photo and drawn lines", other.content + photo, letter, []string{otherText}, false},
		{"both ways", other.content + drawnAsImage(stamp, 40, 50, 60, 42.52), letter, []string{text}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := pdf(pdfPage{tt.entries, tt.content})
			got, err := readAll(t.Context(), s, file, scanner.DocumentOptions{StampOnly: true})
			if err != nil || len(got) != 1 {
				t.Fatalf("%d pages, %v", len(got), err)
			}
			if diff := cmp.Diff(tt.want, texts(got)[1]); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
			if got[0].Partial != tt.partial {
				t.Errorf("partial = %v, want %v", got[0].Partial, tt.partial)
			}
			all, err := readAll(t.Context(), s, file, scanner.DocumentOptions{})
			if err != nil || all[0].Partial {
				t.Errorf("all symbols: partial = %v, %v", all[0].Partial, err)
			}
			samePlace(t, got[0].Reading.Symbols[0], all[0].Reading.Symbols)
		})
	}
}

// samePlace checks that one of all is at the place of s, within a pixel.
func samePlace(t *testing.T, s symbol.Symbol, all []symbol.Symbol) {
	t.Helper()
	for _, a := range all {
		far := 0.0
		for i, c := range a.Corners {
			far = max(far, math.Hypot(c[0]-s.Corners[i][0], c[1]-s.Corners[i][1]))
		}
		if far < 1.5 && a.Text == s.Text {
			return
		}
	}
	t.Errorf("no symbol at %.1f of those of the whole page: %d", s.Corners, len(all))
}

// TestParts: a page too large to be read in one piece is read in parts, and a symbol of several parts is one symbol.
func TestParts(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	stamp, text := randomSymbol(t, 23)
	var content string
	for _, at := range [][2]float64{{100, 100}, {1250, 1650}, {2350, 3200}} { // A0
		content += drawnAsImage(stamp, 40, at[0], at[1], 30)
	}
	got, err := readAll(t.Context(), s, pdf(pdfPage{"/MediaBox [0 0 2384 3370]", content}), scanner.DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{text, text, text}, texts(got)[1]); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if got[0].DPI < 150 || math.Abs(float64(got[0].WidthPx)/got[0].DPI*72-2384) > 2 {
		t.Errorf("%d px at %g dpi, want the whole page at 150 dpi or more", got[0].WidthPx, got[0].DPI)
	}
	for _, symbol := range got[0].Reading.Symbols {
		x, y := symbol.Corners[3][0]/got[0].DPI*72, 3370-symbol.Corners[3][1]/got[0].DPI*72
		if math.Hypot(x-100, y-100) > 2 && math.Hypot(x-1250, y-1650) > 2 && math.Hypot(x-2350, y-3200) > 2 {
			t.Errorf("a symbol at (%.0f, %.0f) pt", x, y)
		}
	}
}

// TestPartsTogether: the page's answer is made of those of its parts.
func TestPartsTogether(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		answers []string // of the parts, after the first look
		want    string   // reason
	}{
		{"nothing", []string{symbol.CodeNothingFound}, symbol.CodeNothingFound},
		{"the most telling reason", []string{symbol.CodeQuietZoneCut, symbol.CodeBlurred, symbol.CodeNothingFound}, symbol.CodeBlurred},
		{"too late for a part: the first look stands", []string{symbol.CodeBlurred, symbol.CodeOutOfTime}, symbol.CodeNothingFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScanner(t, scanner.Config{Readers: 1})
			looks := 0
			s.SetReader(func(_ context.Context, _ *gray.Image, _ symbol.Options) (reading symbol.Reading) {
				reading.Reason.Code = symbol.CodeNothingFound
				if looks++; looks > 1 {
					reading.Reason.Code = tt.answers[(looks-2)%len(tt.answers)]
				}
				return reading
			})
			got, err := readAll(t.Context(), s, pdf(pdfPage{letter, ""}), scanner.DocumentOptions{})
			if err != nil || got[0].Reading.Reason.Code != tt.want || looks < 4 {
				t.Errorf("reason %q after %d looks, %v; want %q", got[0].Reading.Reason.Code, looks, err, tt.want)
			}
		})
	}
}

// TestReaderHangs: a reader that goes on after the time of its document costs the document and nothing else: the only
// place for a reader is free again.
func TestReaderHangs(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{Readers: 1, Ceiling: time.Second})
	free := make(chan struct{})
	s.SetReader(func(_ context.Context, _ *gray.Image, _ symbol.Options) (reading symbol.Reading) {
		<-free
		return reading
	})
	_, err := readAll(t.Context(), s, pdf(emptyPage()), scanner.DocumentOptions{})
	de, ok := errors.AsType[*scanner.DocumentError](err)
	if !ok || de.Code != scanner.FileCrashed || !strings.Contains(de.Message, "page 1: it did not end in time") {
		t.Errorf("%v, want that the reader of page 1 did not end", err)
	}
	s.SetReader(symbol.ReadImage)
	page, text := symbolPage(t, 7, 15)
	got, err := readAll(t.Context(), s, pdf(page), scanner.DocumentOptions{})
	if diff := cmp.Diff(map[int][]string{1: {text}}, texts(got)); err != nil || diff != "" {
		t.Errorf("the next document: %v (-want +got):\n%s", err, diff)
	}
	close(free)
}
