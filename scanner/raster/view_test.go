package raster_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"testing"

	"tcode/scanner/raster"
)

// view draws one view of file.
func view(t *testing.T, engine raster.Option, file []byte, r raster.ViewRequest) (v raster.View, err error) {
	t.Helper()
	err = newRasterizer(t, raster.Limits{MaxPixels: 1_000_000}, engine).Open(t.Context(), file, func(d *raster.Document) (err error) {
		v, err = d.View(r)
		return err
	})
	return v, err
}

// noted returns a page with a red square of 72 pt in its lower left corner and a black annotation in the upper right
// one.
func noted() []byte {
	return pdfOf("1 0 0 rg 0 0 72 72 re f", letter+` /Annots [<< /Type /Annot /Subtype /Square /F 4 /Rect [540 720 612 792] /C [0 0 0] /IC [0 0 0] >>]`)
}

func TestView(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine raster.Option) {
		tests := []struct {
			name       string
			r          raster.ViewRequest
			w, h, x, y int     // px of the view and where it lies
			at         [2]int  // a pixel of the view
			want       [3]byte // its colour; gray: the first of it
		}{
			{"whole page", raster.ViewRequest{DPI: 72}, 612, 792, 0, 0, [2]int{10, 780}, [3]byte{76}},
			{"in colour", raster.ViewRequest{DPI: 72, Colour: true}, 612, 792, 0, 0, [2]int{10, 780}, [3]byte{255, 0, 0}},
			{"annotation", raster.ViewRequest{DPI: 72, Colour: true}, 612, 792, 0, 0, [2]int{580, 30}, [3]byte{0, 0, 0}},
			{"part", raster.ViewRequest{DPI: 144, Area: raster.Area{X: 0, Y: 700, Width: 100, Height: 92}}, 200, 184, 0, 1400, [2]int{20, 60}, [3]byte{76}},
			{"part over the edge", raster.ViewRequest{DPI: 72, Area: raster.Area{X: -50, Y: 750, Width: 100, Height: 100}}, 50, 42, 0, 750, [2]int{20, 20}, [3]byte{76}},
			{"ground", raster.ViewRequest{DPI: 72, Colour: true, Area: raster.Area{X: 200, Y: 200, Width: 10, Height: 10}}, 10, 10, 200, 200, [2]int{5, 5}, [3]byte{255, 255, 255}},
			{"few pixels", raster.ViewRequest{DPI: 300, MaxPixels: 32 * 42}, 0, 0, 0, 0, [2]int{0, 0}, [3]byte{255}},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				tt.r.Page = 1
				v, err := view(t, engine, noted(), tt.r)
				if err != nil {
					t.Fatal(err)
				}
				if tt.w > 0 && (v.Width != tt.w || v.Height != tt.h || v.X != tt.x || v.Y != tt.y || v.DPI != tt.r.DPI) {
					t.Errorf("%d x %d px at %d, %d, %g dpi; want %d x %d at %d, %d", v.Width, v.Height, v.X, v.Y, v.DPI, tt.w, tt.h, tt.x, tt.y)
				}
				if tt.r.MaxPixels > 0 && (v.Width*v.Height > tt.r.MaxPixels || v.DPI >= tt.r.DPI) {
					t.Errorf("%d x %d px at %g dpi", v.Width, v.Height, v.DPI)
				}
				n := 1
				if tt.r.Colour {
					n = 3
				} else if g := v.Gray(); !g.Valid() || g.At(tt.at[0], tt.at[1]) != v.Pix[tt.at[1]*v.Width+tt.at[0]] {
					t.Error("the gray image differs")
				}
				if got := v.Pix[n*(tt.at[1]*v.Width+tt.at[0]):][:n]; !bytes.Equal(got, tt.want[:n]) {
					t.Errorf("pixel %v, want %v", got, tt.want[:n])
				}
			})
		}
	})
}

// TestViewBoxes: a page is the intersection of its two boxes, whichever is larger.
func TestViewBoxes(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine raster.Option) {
		for boxes, want := range map[string][3]int{ // width, height, and where the square of 72 pt begins
			"/MediaBox [0 0 300 200]":                                    {300, 200, 0},
			"/MediaBox [0 0 300 200] /CropBox [-40 -40 340 240]":         {300, 200, 0},
			"/MediaBox [-20 0 300 200] /CropBox [-40 10 250 240]":        {270, 190, 20},
			"/MediaBox [0 0 300 200] /CropBox [400 400 500 500]":         {100, 100, -1},
			"/MediaBox [0 0 300 200] /CropBox [0 0 340 200] /UserUnit 2": {600, 400, 0},
		} {
			v, err := view(t, engine, pdf(boxes), raster.ViewRequest{Page: 1, DPI: 72})
			if err != nil && want[2] < 0 { // MuPDF shows the CropBox, PDFium nothing
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", boxes, err)
			}
			begins := bytes.IndexByte(v.Pix[(v.Height-20)*v.Width:(v.Height-19)*v.Width], 0)
			if v.Width != want[0] || v.Height != want[1] || begins != want[2] {
				t.Errorf("%s: %d x %d px, the square begins at %d; want %v", boxes, v.Width, v.Height, begins, want)
			}
		}
	})
}

// TestViewLeavesLookAlone: Look draws no annotations, even after a view drew them.
func TestViewLeavesLookAlone(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine raster.Option) {
		err := newRasterizer(t, raster.Limits{}, engine).Open(t.Context(), noted(), func(d *raster.Document) error {
			for range 2 {
				if _, err := d.View(raster.ViewRequest{Page: 1, DPI: 72}); err != nil {
					return err
				}
				p, err := d.Page(1, 72)
				if err != nil {
					return err
				}
				if p.Image.At(580, 30) != 255 || p.Image.At(10, 780) == 255 {
					t.Error("Look draws annotations, or not the page")
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestViewRefused(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine raster.Option) {
		picture := encode(t, func(w *bytes.Buffer) error { return png.Encode(w, image.NewGray(image.Rect(0, 0, 8, 8))) })
		tests := []struct {
			name string
			file []byte
			r    raster.ViewRequest
			want error
		}{
			{"beside the page", noted(), raster.ViewRequest{Page: 1, DPI: 72, Area: raster.Area{X: 700, Y: 0, Width: 10, Height: 10}}, raster.ErrUnsupported},
			{"an image", picture, raster.ViewRequest{Page: 1, DPI: 72}, raster.ErrUnsupported},
			{"no such page", noted(), raster.ViewRequest{Page: 2, DPI: 72}, errors.ErrUnsupported},
			{"no resolution", noted(), raster.ViewRequest{Page: 1}, errors.ErrUnsupported},
			{"an absurd area", noted(), raster.ViewRequest{Page: 1, DPI: 72, Area: raster.Area{Width: 1e300, Height: 1}}, errors.ErrUnsupported},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				if _, err := view(t, engine, tt.file, tt.r); !errors.Is(err, tt.want) {
					t.Errorf("err = %v, want %v", err, tt.want)
				}
			})
		}
	})
}

// TestViewFractions: a page whose size is no whole number of units is drawn to scale, up to its
// right and lower edges.
func TestViewFractions(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine raster.Option) {
		for _, page := range []struct {
			content, boxes string
			want           [4]int // of the ink at 72 dpi: left, top, right, bottom
		}{
			{"0.5 1 7.5 9.5 re f", "/MediaBox [0 0 8.5 11] /UserUnit 72", [4]int{36, 36, 576, 720}},
			{"10 10 80.6 80.8 re f", "/MediaBox [0 0 100.6 100.8] /UserUnit 5", [4]int{50, 50, 453, 454}},
			{"10 10 575.28 821.89 re f", "/MediaBox [0 0 595.28 841.89]", [4]int{10, 10, 585, 832}},
			{"10 10 575.28 821.89 re f", "/MediaBox [0 0 595.28 841.89] /Rotate 90", [4]int{10, 10, 832, 585}},
		} {
			v, err := view(t, engine, pdfOf(page.content, page.boxes), raster.ViewRequest{Page: 1, DPI: 72})
			if err != nil {
				t.Fatalf("%s: %v", page.boxes, err)
			}
			got := [4]int{v.Width, v.Height, 0, 0}
			for i, p := range v.Pix {
				if x, y := i%v.Width, i/v.Width; p < 128 {
					got = [4]int{min(got[0], x), min(got[1], y), max(got[2], x+1), max(got[3], y+1)}
				}
			}
			for i := range got {
				if d := got[i] - page.want[i]; d < -1 || d > 1 {
					t.Errorf("%s: ink at %v, want %v", page.boxes, got, page.want)
					break
				}
			}
		}
	})
}
