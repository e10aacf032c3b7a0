package pdfstamp_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
)

// The corpus and what must come out of it. Floors rise with improvements.
const (
	corpusFiles = 137
	minStamped  = 109
	minRead     = 99
	maxAdded    = 8 << 10 // median; single pages carry large dictionaries
)

// A verdict is what one corpus file came to.
type verdict struct {
	name     string
	err      error
	added    int
	worse    bool // qpdf says more against it than before
	rendered bool // pdftoppm draws the page, before and after
	read     bool
	changed  int // pixels outside the box
	binding  binding.State
	prefix   bool
}

func judge(t *testing.T, s *pdfstamp.Stamper, file string) verdict {
	v := verdict{name: filepath.Base(file)}
	pdf, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return v
	}
	var k sealed
	ref := payload.Reference{1, 2, 3}
	st, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, ref, side, k.seal(ref))
	if err != nil {
		v.err = err
		return v
	}
	v.added = len(st.PDF) - len(pdf)
	v.prefix = bytes.HasPrefix(st.PDF, pdf)
	v.binding = k.check(st.PDF).State
	stamped := filepath.Join(t.TempDir(), "stamped.pdf")
	if err := os.WriteFile(stamped, st.PDF, 0o600); err != nil {
		t.Error(err)
		return v
	}
	_, before := run(t, "qpdf", "--check", file)
	_, after := run(t, "qpdf", "--check", stamped)
	// 0 is clean, 3 has warnings, 2 has errors. Better than before is common: a
	// linearized file that was damaged is no longer read as one.
	rank := map[int]int{0: 0, 3: 1}
	severity := func(code int) int {
		if n, ok := rank[code]; ok {
			return n
		}
		return 2
	}
	v.worse = severity(after) > severity(before)
	look(t, &v, file, stamped, st, k.text)
	return v
}

// look renders the stamped page before and after.
func look(t *testing.T, v *verdict, file, stamped string, st pdfstamp.Stamped, text string) {
	const dpi = 72
	was, now := render(t, file, st.Page(), dpi), render(t, stamped, st.Page(), dpi)
	if was == nil || now == nil || was.Bounds() != now.Bounds() {
		return
	}
	v.rendered = true
	box := boxPx(st, dpi, 2)
	for y := range now.Bounds().Dy() {
		for x := range now.Bounds().Dx() {
			if !(image.Point{x, y}).In(box) && gray(was, x, y) != gray(now, x, y) {
				v.changed++
			}
		}
	}
	if img := crop(t, stamped, st); img != nil {
		v.read = readSymbol(img) == text
	}
}

// crop draws the stamp's box at 300 dpi, or returns nil.
func crop(t *testing.T, file string, st pdfstamp.Stamped) *image.Gray {
	r := boxPx(st, 300, 0)
	return render(t, file, st.Page(), 300, "-x", fmt.Sprint(r.Min.X), "-y", fmt.Sprint(r.Min.Y), "-W", fmt.Sprint(r.Dx()), "-H", fmt.Sprint(r.Dy()))
}

// boxPx returns the stamp's box in pixels of the rendered page, grown by grow.
func boxPx(st pdfstamp.Stamped, dpi, grow float64) image.Rectangle {
	k := dpi / 25.4
	b := st.Places[0].Box
	return image.Rect(int(math.Floor(b.X*k-grow)), int(math.Floor(b.Y*k-grow)), int(math.Ceil((b.X+b.Width)*k+grow)), int(math.Ceil((b.Y+b.Height)*k+grow)))
}

func gray(img *image.Gray, x, y int) uint8 { return img.Pix[y*img.Stride+x] }

// render draws one page as others see it, or nil.
func render(t *testing.T, file string, page int, dpi float64, more ...string) *image.Gray {
	out := filepath.Join(t.TempDir(), "page")
	n := fmt.Sprint(page)
	args := append([]string{"-cropbox", "-gray", "-png", "-singlefile", "-r", fmt.Sprint(dpi), "-f", n, "-l", n}, more...)
	if _, code := run(t, "pdftoppm", append(args, file, out)...); code != 0 {
		return nil
	}
	b, err := os.ReadFile(out + ".png")
	if err != nil {
		return nil
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	return toGray(img)
}

// toGray gives pixels that a loop can look at without a call each.
func toGray(img image.Image) *image.Gray {
	g, ok := img.(*image.Gray)
	if !ok {
		g = image.NewGray(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
		draw.Draw(g, g.Rect, img, img.Bounds().Min, draw.Src)
	}
	return g
}

// readSymbol reads a tight crop with a reader that is not ours.
func readSymbol(img image.Image) string {
	bmp, err := gozxing.NewBinaryBitmapFromImage(img)
	if err != nil {
		return ""
	}
	reader := datamatrix.NewDataMatrixReader()
	for _, hints := range []map[gozxing.DecodeHintType]any{nil, {gozxing.DecodeHintType_PURE_BARCODE: true}} {
		if r, err := reader.Decode(bmp, hints); err == nil {
			return r.GetText()
		}
	}
	return ""
}

// report prints the table and holds it against the floors.
func report(t *testing.T, all []verdict) {
	var added []int
	var stamped, rendered, read, untouched int
	refused := map[string]int{}
	for _, v := range all {
		if v.err != nil {
			f, ok := errors.AsType[*fault.Fault](v.err)
			if !ok {
				t.Errorf("%s: %v, want a fault", v.name, v.err)
				continue
			}
			refused[f.Code+": "+f.Message]++
			continue
		}
		stamped++
		added = append(added, v.added)
		if !v.prefix || v.binding != binding.Match || v.worse {
			t.Errorf("%s: prefix %v, binding %s, worse under qpdf %v", v.name, v.prefix, v.binding, v.worse)
		}
		if !v.rendered {
			continue
		}
		rendered++
		if v.changed == 0 {
			untouched++
		}
		if v.read {
			read++
		}
		if v.changed != 0 || !v.read {
			t.Logf("%s: read %v, %d pixels changed outside the box", v.name, v.read, v.changed)
		}
	}
	slices.Sort(added)
	var b strings.Builder
	fmt.Fprintf(&b, "%d files, %d stamped\n", len(all), stamped)
	for why, n := range refused {
		fmt.Fprintf(&b, "%4d refused: %s\n", n, why)
	}
	fmt.Fprintf(&b, "%4d rendered, %d read at 300 dpi, %d with no pixel changed outside the box\n", rendered, read, untouched)
	if stamped == 0 {
		t.Fatal("nothing was stamped")
	}
	fmt.Fprintf(&b, "added bytes: median %d, max %d\n", added[len(added)/2], added[len(added)-1])
	t.Log("\n" + b.String())
	if stamped < minStamped || read < minRead || added[len(added)/2] > maxAdded {
		t.Errorf("below the floor: stamped %d of %d, read %d of %d", stamped, minStamped, read, minRead)
	}
}
