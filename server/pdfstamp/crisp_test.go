package pdfstamp_test

import (
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
	"tcode/testdata/corpus"
)

// TestCrisp draws upright symbols between device pixels, on pages of every
// turn. Renderers stretch an image to whole pixels; within that, each module is
// a clear dark or light of its own. The test measures turned symbols too: poppler
// draws turned images without smoothing, so only 300 dpi counts. TCODE_LONG=all draws all, not a third.
func TestCrisp(t *testing.T) {
	t.Parallel()
	need(t, "pdftoppm")
	need(t, "mutool")
	s := newStamper(t)
	// The least distance of a module's middle from mid-gray, of 128.
	tests := []struct {
		name     string
		draw     func(t testing.TB, file string, page int, dpi float64, more ...string) *image.Gray
		dpi      float64
		rotation int
		least    float64
	}{
		{"poppler", render, 150, 0, 25},
		{"poppler", render, 300, 0, 100},
		{"poppler", render, 300, 90, 5},
		{"poppler", render, 600, 90, 120},
		{"MuPDF", renderMuPDF, 100, 0, 50},
		{"MuPDF", renderMuPDF, 150, 0, 90},
		{"MuPDF", renderMuPDF, 300, 270, 120},
	}
	for i, turn := range []int{0, 90, 180, 270} {
		for j, at := range []geometry.Point{{X: 0.3137, Y: 0.6271}, {X: 0.7713, Y: 0.2239}, {X: 0.5, Y: 0.5}} {
			for k, tt := range tests {
				if (i+j+k)%3 != 0 && !corpus.Long() {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v dpi/turned %d on %d/%v", tt.name, tt.dpi, tt.rotation, turn, at.X), func(t *testing.T) {
					t.Parallel()
					spec := blank
					spec.page += fmt.Sprintf("/Rotate %d", turn)
					st, k := stamped(t, s, spec.build(), pdfstamp.Placement{Anchor: geometry.Center, At: &at, Rotation: tt.rotation}, payload.Reference{1})
					file := filepath.Join(t.TempDir(), "stamped.pdf")
					if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
						t.Fatal(err)
					}
					img := tt.draw(t, file, 1, tt.dpi)
					if img == nil {
						t.Fatal("not rendered")
					}
					box := darkIn(img)
					want := st.Places[0].Symbol
					px := tt.dpi / 25.4
					for _, d := range []float64{
						float64(box.Min.X) - want.X*px, float64(box.Min.Y) - want.Y*px,
						float64(box.Max.X) - (want.X+want.Width)*px, float64(box.Max.Y) - (want.Y+want.Height)*px,
					} {
						if math.Abs(d) > 1.01 {
							t.Errorf("drawn in %v, %.2f px off", box, d)
						}
					}
					if got := clearest(img, box, k.modules, tt.rotation); got < tt.least {
						t.Errorf("the least clear module is %.0f from mid-gray, want %v", got, tt.least)
					}
				})
			}
		}
	}
}

// clearest returns how far the least clear module of the symbol in box is from
// mid-gray, over the middle half of it; below 0 one shows the wrong shade.
func clearest(img *image.Gray, box image.Rectangle, m binding.Modules, rotation int) float64 {
	least := 255.0
	w, h := float64(box.Dx())/float64(m.Side), float64(box.Dy())/float64(m.Side)
	for i, dark := range m.Dark {
		column, row := i%m.Side, i/m.Side
		for range rotation / 90 {
			column, row = m.Side-1-row, column
		}
		sum := 0.0
		const taps = 5
		for j := range taps * taps {
			dx, dy := 0.25+(float64(j%taps)+0.5)/taps/2, 0.25+(float64(j/taps)+0.5)/taps/2
			sum += float64(gray(img, box.Min.X+int((float64(column)+dx)*w), box.Min.Y+int((float64(row)+dy)*h)))
		}
		d := sum/(taps*taps) - 127.5
		if dark {
			d = -d
		}
		least = min(least, d)
	}
	return least
}
