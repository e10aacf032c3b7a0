package pageimage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"math"
	"os"
	"strings"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
	"tcode/scanner/pageimage"
	"tcode/scanner/raster"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/scanned"
)

func TestMain(m *testing.M) {
	sandbox.Main(raster.Roles()...)
	os.Exit(m.Run())
}

// decode is the decoder of JPEG pictures in tests.
func decode(_ context.Context, data []byte, w, h int) (*gray.Image, error) {
	if bytes.Contains(data, []byte("Exif")) {
		return nil, errors.New("a browser would turn the picture")
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return pageimage.Shrink(simulate.FromImage(img), w, h), nil
}

// drawn returns page 1 of a PDF as an engine draws it.
func drawn(t *testing.T, file []byte, dpi float64) *gray.Image {
	t.Helper()
	r := raster.New(sandbox.Config{}, raster.Limits{})
	defer r.Close()
	var img *gray.Image
	err := r.Open(t.Context(), file, func(d *raster.Document) error {
		p, err := d.Look(raster.Request{Page: 1, DPI: dpi, MaxPixels: 20_000_000})
		if err == nil {
			img = p.Image.Clone()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// apart returns the mean difference of two pictures, up to 255. Sizes may differ by 2 px.
func apart(a, b *gray.Image) float64 {
	if math.Abs(float64(a.Width-b.Width)) > 2 || math.Abs(float64(a.Height-b.Height)) > 2 {
		return 255
	}
	sum, n := 0.0, 0
	for y := range min(a.Height, b.Height) {
		for x := range min(a.Width, b.Width) {
			sum += math.Abs(float64(a.At(x, y)) - float64(b.At(x, y)))
			n++
		}
	}
	return sum / float64(n)
}

// TestCodings: pages in each coding, whole and in strips, are those that an engine draws.
func TestCodings(t *testing.T) {
	t.Parallel()
	page := simulate.Clutter(850, 1100, 18, 4)
	for _, coding := range scanned.Codings {
		for _, strips := range []int{1, 7} {
			t.Run(fmt.Sprintf("%s %d", coding, strips), func(t *testing.T) {
				t.Parallel()
				file, err := scanned.PDF([]*gray.Image{page, page}, scanned.Options{DPI: 100, Coding: coding, Strips: strips})
				if err != nil {
					t.Fatal(err)
				}
				doc := pageimage.Open(file)
				if doc.Pages() != 2 || doc.Wrong != "" {
					t.Fatalf("%d pages, %q", doc.Pages(), doc.Wrong)
				}
				got, err := doc.Show(t.Context(), 1, decode)
				if err != nil {
					t.Fatal(err)
				}
				if d := apart(got.Image, drawn(t, file, 100)); d > 3 || math.Abs(got.DPI-100) > 0.1 {
					t.Errorf("%g dpi, %.2f apart", got.DPI, d)
				}
			})
		}
	}
}

// A sheet is a PDF of one page with a picture of 6x4 px in which each px differs, and more objects from number 6.
type sheet struct {
	page     string // entries of the page
	contents string
	picture  string // entries of the picture; empty: gray
	data     []byte
	more     []string
	xobjects string
}

var tones = []byte{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 200, 210, 220, 255}

func (s sheet) pdf() []byte {
	if s.picture == "" {
		s.picture = "/ColorSpace /DeviceGray /BitsPerComponent 8"
	}
	if s.data == nil {
		s.data = tones
	}
	if !strings.Contains(s.page, "MediaBox") {
		s.page += " /MediaBox [0 0 60 40]"
	}
	if !strings.Contains(s.page, "Contents") {
		s.page += " /Contents 4 0 R"
	}
	if !strings.Contains(s.picture, "Width") {
		s.picture += " /Width 6 /Height 4"
	}
	objects := append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
		"<< /Type /Page /Parent 2 0 R " + s.page + " /Resources << /XObject << /Im 5 0 R " + s.xobjects + " >> /ExtGState << /Half << /ca 0.5 >> /Full << /ca 1 /BM /Normal >> >> " +
			"/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /T3 << /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /FirstChar 65 /LastChar 65 /Widths [1] /CharProcs << >> /Encoding << /Differences [65 /A] >> >> >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(s.contents), s.contents),
		fmt.Sprintf("<< /Type /XObject /Subtype /Image %s /Length %d >>\nstream\n%s\nendstream", s.picture, len(s.data), s.data),
	}, s.more...)
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n")
	at := make([]int, len(objects))
	for i, o := range objects {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

const whole = "q 60 0 0 40 0 0 cm /Im Do Q"

// grayProfile returns a colour profile of gray with a curve from one level to another.
func grayProfile(from, to uint16) string {
	head := make([]byte, 128)
	copy(head[16:], "GRAYXYZ ")
	copy(head[36:], "acsp")
	curve := []byte{byte(from >> 8), byte(from), byte(to >> 8), byte(to)}
	return string(head) + "\x00\x00\x00\x01kTRC\x00\x00\x00\x90\x00\x00\x00\x10curv\x00\x00\x00\x00\x00\x00\x00\x02" + string(curve)
}

// stream returns an object with data.
func stream(dict, data string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
}

// TestPlaces: a page is shown as an engine draws it, however the picture lies on it.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]sheet{
		"whole":                {contents: whole},
		"turned 90":            {contents: whole, page: "/Rotate 90"},
		"turned 180":           {contents: whole, page: "/Rotate 180"},
		"turned 270":           {contents: whole, page: "/Rotate -90"},
		"mirrored":             {contents: "q -60 0 0 40 60 0 cm /Im Do Q"},
		"upside down":          {contents: "q 60 0 0 -40 0 40 cm /Im Do Q"},
		"picture turned":       {contents: "q 0 40 -60 0 60 0 cm /Im Do Q"},
		"picture turned back":  {contents: "q 0 -40 60 0 0 40 cm /Im Do Q"},
		"transposed":           {contents: "q 0 40 60 0 0 0 cm /Im Do Q", page: "/Rotate 90"},
		"cropped":              {contents: whole, page: "/CropBox [10 10 50 40]"},
		"cropped and turned":   {contents: whole, page: "/CropBox [10 10 50 40] /Rotate 270"},
		"larger than the page": {contents: "q 120 0 0 80 -20 -30 cm /Im Do Q"},
		"smaller":              {contents: "q 30 0 0 20 20 10 cm /Im Do Q"},
		"clipped":              {contents: "q 10 10 30 20 re W n 60 0 0 40 0 0 cm /Im Do Q"},
		"two, one on the other": {
			contents: whole + " q 30 0 0 20 10 10 cm /Two Do Q", xobjects: "/Two 6 0 R",
			more: []string{stream("/Type /XObject /Subtype /Image /Width 3 /Height 1 /ColorSpace /DeviceRGB /BitsPerComponent 8", "\xff\x00\x00\x00\xff\x00\x00\x00\xff")},
		},
		"in a form": {
			contents: "q 2 0 0 2 0 0 cm /Fm Do Q", xobjects: "/Fm 6 0 R",
			more: []string{stream("/Type /XObject /Subtype /Form /BBox [0 0 60 15] /Matrix [1 0 0 1 0 1] /Resources << /XObject << /Im 5 0 R >> >>", "30 0 0 20 0 0 cm /Im Do")},
		},
		"hides what is below":         {contents: "0 0 60 40 re f BT /F 12 Tf 5 5 Td (below) Tj ET " + whole},
		"invisible text":              {contents: whole + " BT 3 Tr /F 12 Tf 5 5 Td (text) Tj ET"},
		"own origin":                  {contents: "q 60 0 0 40 100 200 cm /Im Do Q", page: "/MediaBox [100 200 160 240]"},
		"a unit of its own":           {contents: whole, page: "/UserUnit 2"},
		"a usual state":               {contents: "/Full gs " + whole},
		"inverted":                    {contents: whole, picture: "/ColorSpace /DeviceGray /BitsPerComponent 8 /Decode [1 0]"},
		"stencil":                     {contents: whole, picture: "/ImageMask true", data: []byte("\xa8\x54\xa8\x54")},
		"stencil, inverted":           {contents: whole, picture: "/ImageMask true /Decode [1 0]", data: []byte("\xa8\x54\xa8\x54")},
		"2 bits":                      {contents: whole, picture: "/ColorSpace /DeviceGray /BitsPerComponent 2", data: []byte("\x1b\x10\xe4\xb0\x1b\x10\xe4\xb0")},
		"4 bits indexed":              {contents: whole, picture: "/ColorSpace [/Indexed /DeviceRGB 3 <000000FF0000808080FFFFFF>] /BitsPerComponent 4", data: []byte("\x01\x23\x01\x32\x10\x00\x33\x33\x33\x22\x22\x22")},
		"CalGray":                     {contents: whole, picture: "/ColorSpace [/CalGray << /WhitePoint [0.95 1 1.09] >>] /BitsPerComponent 8"},
		"a profile":                   {contents: whole, picture: "/ColorSpace [/ICCBased 6 0 R] /BitsPerComponent 8", more: []string{stream("/N 1", grayProfile(0, 65535))}},
		"nothing":                     {contents: ""},
		"a stencil beneath a picture": {contents: whole + " q 60 0 0 40 0 0 cm /St Do Q", xobjects: "/St 6 0 R", more: []string{stream("/Type /XObject /Subtype /Image /ImageMask true /Width 8 /Height 4", "\xaa\x55\xaa\x55")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := s.pdf()
			doc := pageimage.Open(file)
			got, err := doc.Show(t.Context(), 1, decode)
			if err != nil {
				t.Fatalf("%v (%s)", err, doc.Wrong)
			}
			want := pageimage.Shrink(drawn(t, file, 2*got.DPI), got.Image.Width, got.Image.Height) // engines refuse few dpi
			// At the edges of px engines mix tones.
			if d := apart(got.Image, want); d > 5 {
				t.Errorf("%.1f apart at %g dpi:\n%s\ninstead of\n%s", d, got.DPI, rows(got.Image), rows(want))
			}
		})
	}
}

// rows writes every 5th px of a picture.
func rows(m *gray.Image) string {
	var b strings.Builder
	for y := 2; y < m.Height; y += 5 {
		for x := 2; x < m.Width; x += 5 {
			fmt.Fprintf(&b, "%4d", m.At(x, y))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestOthers: a page that shows something else, or may, is not shown.
func TestOthers(t *testing.T) {
	t.Parallel()
	note := "<< /Type /Annot /Subtype /Square /Rect [0 0 60 40] /AP << /N 7 0 R >> >>"
	for name, s := range map[string]sheet{
		"a rectangle on it":          {contents: whole + " 1 g 0 0 60 40 re f"},
		"text on it":                 {contents: whole + " BT /F 12 Tf (text) Tj ET"},
		"invisible text, of shapes":  {contents: whole + " BT 3 Tr /T3 12 Tf (A) Tj ET"},
		"text that clips":            {contents: "BT 7 Tr /F 12 Tf (A) Tj ET " + whole},
		"a bent clip":                {contents: "q 0 0 m 60 0 l 0 40 l h W n 60 0 0 40 0 0 cm /Im Do Q"},
		"half transparent":           {contents: "/Half gs " + whole},
		"askew":                      {contents: "q 60 5 -5 40 0 0 cm /Im Do Q"},
		"a line below, not hidden":   {contents: "0 0 m 60 40 l S q 30 0 0 20 10 10 cm /Im Do Q"},
		"a shading":                  {contents: whole + " /Sh sh"},
		"an inline picture":          {contents: whole + " BI /W 1 /H 1 /CS /G /BPC 8 ID a EI"},
		"an optional part":           {contents: "/OC /Part BDC " + whole + " EMC"},
		"an optional picture":        {contents: whole, picture: "/ColorSpace /DeviceGray /BitsPerComponent 8 /OC << /Type /OCG /Name (a) >>"},
		"a mask":                     {contents: whole, picture: "/ColorSpace /DeviceGray /BitsPerComponent 8 /Mask [0 5]"},
		"an annotation":              {contents: whole, page: "/Annots [6 0 R]", more: []string{note, stream("/Type /XObject /Subtype /Form /BBox [0 0 60 40]", "0 0 60 40 re f")}},
		"a stencil in another tone":  {contents: "0.5 g " + whole, picture: "/ImageMask true", data: []byte("\xa8\x54\xa8\x54")},
		"no such picture":            {contents: "/Other Do"},
		"more restored than saved":   {contents: "Q " + whole},
		"an operator of its own":     {contents: whole + " foo"},
		"a form inside of itself":    {contents: "/Fm Do", xobjects: "/Fm 6 0 R", more: []string{stream("/Type /XObject /Subtype /Form /BBox [0 0 60 40] /Resources << /XObject << /Fm 6 0 R >> >>", "/Fm Do /Fm Do")}},
		"samples of 16 bits":         {contents: whole, picture: "/ColorSpace /DeviceGray /BitsPerComponent 16", data: append(tones, tones...)},
		"an unknown space":           {contents: whole, picture: "/ColorSpace [/Separation /Black /DeviceGray << /FunctionType 2 /Domain [0 1] /N 1 >>] /BitsPerComponent 8"},
		"JBIG2":                      {contents: whole, picture: "/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /JBIG2Decode"},
		"too few samples":            {contents: whole, data: tones[:20]},
		"no profile":                 {contents: whole, picture: "/ColorSpace [/ICCBased 6 0 R] /BitsPerComponent 8", more: []string{stream("/N 1", "nothing")}},
		"a profile of negatives":     {contents: whole, picture: "/ColorSpace [/ICCBased 6 0 R] /BitsPerComponent 8", more: []string{stream("/N 1", grayProfile(65535, 0))}},
		"an indexed space cut short": {contents: whole, picture: "/ColorSpace [/Indexed /DeviceRGB 255 <000000FF0000>] /BitsPerComponent 8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := pageimage.Open(s.pdf()).Show(t.Context(), 1, decode)
			if !errors.Is(err, pageimage.ErrContents) && !errors.Is(err, pageimage.ErrCoding) {
				t.Errorf("shown, with error %v", err)
			}
		})
	}
}

// TestBombs: files that ask for much work in few bytes are refused soon.
func TestBombs(t *testing.T) {
	t.Parallel()
	stencils := strings.Repeat("q 50000 0 0 38000 0 0 cm /Im Do Q ", 1900)
	for name, s := range map[string]sheet{
		"contents again and again": {contents: strings.Repeat(" ", 1<<20), page: "/Contents [" + strings.Repeat("4 0 R ", 40) + "]"},
		"a form again and again": {
			contents: strings.Repeat("/Fm Do ", 50_000), xobjects: "/Fm 6 0 R",
			more: []string{stream("/Type /XObject /Subtype /Form /BBox [0 0 60 40]", strings.Repeat(" ", 1<<20))},
		},
		"forms in forms": {
			contents: strings.Repeat("/Fm Do ", 1000), xobjects: "/Fm 6 0 R",
			more: []string{
				stream("/Type /XObject /Subtype /Form /BBox [0 0 60 40] /Resources << /XObject << /Fm 7 0 R >> >>", strings.Repeat("/Fm Do ", 1000)),
				stream("/Type /XObject /Subtype /Form /BBox [0 0 60 40]", strings.Repeat("q Q ", 1000)),
			},
		},
		"stencils over and over":    {contents: stencils, picture: "/ImageMask true", data: []byte("\xa8\x54\xa8\x54"), page: "/MediaBox [0 0 60000 40000]"},
		"large pictures of nothing": {contents: whole, picture: "/ColorSpace /DeviceGray /BitsPerComponent 8 /Width 60000 /Height 60000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := pageimage.Open(s.pdf())
			if doc.Wrong != "" {
				t.Error(doc.Wrong)
			}
			if got, err := doc.Show(t.Context(), 1, decode); err == nil {
				t.Errorf("shown: %d x %d px", got.Image.Width, got.Image.Height)
			}
		})
	}
}

// TestJPEGs: a JPEG picture goes to the decoder only if its colours are those that the file says.
func TestJPEGs(t *testing.T) {
	t.Parallel()
	data, err := simulate.EncodeJPEG(&gray.Image{Width: 6, Height: 4, Stride: 6, Pix: tones}, 90)
	if err != nil {
		t.Fatal(err)
	}
	const plain = "/Filter /DCTDecode /BitsPerComponent 8 "
	for _, tt := range []struct {
		picture string
		data    []byte
		shown   bool
	}{
		{plain + "/ColorSpace /DeviceGray", data, true},
		{plain + "/ColorSpace /DeviceGray /Decode [0 1]", data, true},
		{plain + "/ColorSpace /DeviceGray /Decode [1 0]", data, false},
		{plain + "/ColorSpace /DeviceGray /SMask 5 0 R", data, false},
		{plain + "/ColorSpace /DeviceRGB", data, false},
		{plain + "/ColorSpace /DeviceCMYK", data, false},
		{plain + "/ColorSpace [/Indexed /DeviceGray 1 <00FF>]", data, false},
		{plain + "/ColorSpace /DeviceGray /DecodeParms << /ColorTransform 0 >>", data, false},
		{plain + "/ColorSpace /DeviceGray /Width 5 /Height 4", data, false},
		{plain + "/ColorSpace /DeviceGray", data[:20], false},
		{plain + "/ImageMask true", data, false},
	} {
		doc := pageimage.Open(sheet{contents: whole, picture: tt.picture, data: tt.data}.pdf())
		asked := false
		_, err := doc.Show(t.Context(), 1, func(ctx context.Context, data []byte, w, h int) (*gray.Image, error) {
			asked = true
			return decode(ctx, data, w, h)
		})
		if (err == nil) != tt.shown || asked != tt.shown {
			t.Errorf("%s: %v, decoder asked: %v", tt.picture, err, asked)
		}
	}
	file := sheet{contents: whole, picture: plain + "/ColorSpace /DeviceGray", data: data}.pdf()
	if _, err := pageimage.Open(file).Show(t.Context(), 1, nil); !errors.Is(err, pageimage.ErrCoding) {
		t.Errorf("without a decoder: %v", err)
	}
}
