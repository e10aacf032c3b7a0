// Package scanned makes PDFs of pages as document scanners make them: each page is a picture that
// fills it. Call [PDF].
//
//	pages, gray ─▶ coding: JPEG, Flate, bilevel Flate, fax ─▶ one picture, or strips ─▶ PDF
//
// The same pages give the same bytes.
package scanned

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// A Coding is the way in which the pictures of a PDF are coded.
type Coding string

// The codings.
const (
	JPEG    Coding = "jpeg"    // gray, quality 75, with a camera's note that it is turned, which programs for PDF ignore
	CMYK    Coding = "cmyk"    // JPEG in four inks
	Flate   Coding = "flate"   // 8 bits of gray, with PNG's predictor Up
	RGB     Coding = "rgb"     // 3 times 8 bits, without a predictor
	Bilevel Coding = "bilevel" // 1 bit, black below the mean of black and white
	Fax     Coding = "fax"     // 1 bit, ITU-T T.6
)

// Codings are all codings.
var Codings = []Coding{JPEG, CMYK, Flate, RGB, Bilevel, Fax}

// Options describe a PDF.
type Options struct {
	DPI    float64 // px of the pages per inch
	Coding Coding
	Strips int    // pictures of each page, one below the other; 0: 1
	Page   string // more entries of each page, such as /Rotate 90
	Before string // contents of each page before the pictures
	After  string // and behind them
}

// PDF returns a PDF with one page for each image.
func PDF(pages []*gray.Image, opt Options) ([]byte, error) {
	opt.Strips = max(opt.Strips, 1)
	w := &writer{Options: opt}
	w.b.WriteString("%PDF-1.5\n")
	w.object("<< /Type /Catalog /Pages 2 0 R >>")
	each := 2 + opt.Strips // objects of a page
	kids := make([]string, len(pages))
	for i := range pages {
		kids[i] = fmt.Sprintf("%d 0 R", 3+i*each)
	}
	w.object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(pages), strings.Join(kids, " ")))
	for i, page := range pages {
		if err := w.page(3+i*each, page); err != nil {
			return nil, err
		}
	}
	start := w.b.Len()
	fmt.Fprintf(&w.b, "xref\n0 %d\n0000000000 65535 f \n", len(w.at)+1)
	for _, at := range w.at {
		fmt.Fprintf(&w.b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&w.b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(w.at)+1, start)
	return w.b.Bytes(), nil
}

// A writer writes objects, numbered from 1.
type writer struct {
	Options
	b  bytes.Buffer
	at []int
}

func (w *writer) object(text string) {
	w.at = append(w.at, w.b.Len())
	fmt.Fprintf(&w.b, "%d 0 obj\n%s\nendobj\n", len(w.at), text)
}

func (w *writer) stream(dict string, data []byte) {
	w.object(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data))
}

// page writes a page as object n and the next ones.
func (w *writer) page(n int, page *gray.Image) error {
	unit, strips := 72/w.DPI, w.Strips // points a px
	high := float64(page.Height) * unit
	var names, contents strings.Builder
	contents.WriteString(w.Before + "\n")
	for i := range strips {
		from, to := i*page.Height/strips, (i+1)*page.Height/strips
		fmt.Fprintf(&names, "/Im%d %d 0 R ", i, n+2+i)
		fmt.Fprintf(&contents, "q %.4f 0 0 %.4f 0 %.4f cm /Im%d Do Q\n", float64(page.Width)*unit, float64(to-from)*unit, high-float64(to)*unit, i)
	}
	contents.WriteString(w.After)
	w.object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.4f %.4f] /Resources << /XObject << %s>> >> /Contents %d 0 R %s >>",
		float64(page.Width)*unit, high, names.String(), n+1, w.Page))
	w.stream("", []byte(contents.String()))
	for i := range strips {
		part := page.Crop(gray.Rect{Y0: i * page.Height / strips, X1: page.Width, Y1: (i + 1) * page.Height / strips}).Clone()
		dict, data, err := encoded(part, w.Coding)
		if err != nil {
			return err
		}
		w.stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d %s", part.Width, part.Height, dict), data)
	}
	return nil
}

// encoded returns the entries of a picture's dictionary and its data.
func encoded(m *gray.Image, coding Coding) (dict string, data []byte, err error) {
	switch coding {
	case JPEG:
		data, err = simulate.EncodeJPEG(m, 75)
		if err == nil {
			data = append([]byte("\xFF\xD8\xFF\xE1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"), data[2:]...)
		}
		return "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode", data, err
	case CMYK:
		data, err = cmyk(m)
		return "/ColorSpace /DeviceCMYK /BitsPerComponent 8 /Filter /DCTDecode /Decode [1 0 1 0 1 0 1 0]", data, err
	case Flate:
		dict = fmt.Sprintf("/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns %d >>", m.Width)
		for y := range m.Height {
			data = append(data, 2)
			for x, v := range m.Row(y) {
				if y > 0 {
					v -= m.Row(y - 1)[x]
				}
				data = append(data, v)
			}
		}
		data, err = deflated(data)
		return dict, data, err
	case RGB:
		for _, v := range m.Pix {
			data = append(data, v, v, v)
		}
		data, err = deflated(data)
		return "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode", data, err
	case Bilevel:
		data, err = deflated(bits(m))
		return "/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /FlateDecode", data, err
	case Fax:
		dict = fmt.Sprintf("/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns %d /Rows %d >>", m.Width, m.Height)
		return dict, fax(m), nil
	}
	return "", nil, fmt.Errorf("no coding %q", coding)
}

func deflated(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		return nil, fmt.Errorf("deflate: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("deflate: %w", err)
	}
	return b.Bytes(), nil
}

// white reports whether a px is white in a bilevel picture.
func white(v byte) bool { return v >= 128 }

// bits returns a picture with 1 bit for each px, 1 white, each row in whole bytes.
func bits(m *gray.Image) []byte {
	out := make([]byte, 0, (m.Width+7)/8*m.Height)
	for y := range m.Height {
		row := make([]byte, (m.Width+7)/8)
		for x, v := range m.Row(y) {
			if white(v) {
				row[x/8] |= 0x80 >> (x % 8)
			}
		}
		out = append(out, row...)
	}
	return out
}
