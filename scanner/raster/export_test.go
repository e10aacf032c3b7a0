package raster

import (
	"github.com/gen2brain/avif"
	"github.com/gen2brain/heic"

	"tcode/scanner/gray"
	"tcode/scanner/picturefile"
)

// DynamicLibraries returns why the modules that embed decoders use no shared library of the system, nil if one does.
func DynamicLibraries() map[string]error {
	return map[string]error{"heic": heic.Dynamic(), "avif": avif.Dynamic()}
}

// RenderHere renders page n, from 0, with the default engine and limits in this process, for comparison.
func RenderHere(file []byte) (render func(n int, dpi float64) (*gray.Image, float64, error), end func(), err error) {
	l := Limits{}.withDefaults()
	open := openMuPDFDocument
	if DefaultEngine == PDFium {
		open = openPDFiumDocument
	}
	e, err := server{open}.open(PDF, l, file)
	if err != nil {
		return nil, nil, err
	}
	return func(n int, dpi float64) (*gray.Image, float64, error) {
		img := new(gray.Image)
		made, err := e.page(n, dpi, l.MaxPixels, img)
		return img, made.dpi, err
	}, e.close, nil
}

// Orient turns and mirrors an image.
var Orient = orient

// ToGray converts a decoded image.
var ToGray = toGray

// DecodePNG decodes a plain PNG.
var DecodePNG = decodePNG

// Meta reads the resolution and orientation of an image file.
func Meta(k Kind, file []byte) (orientation int, dpi float64) {
	m := picturefile.MetaOf(k, file)
	return m.Orientation, m.DPI
}

// TIFFPages counts the pages of a TIFF file.
func TIFFPages(file []byte, maxPages int) (int, error) {
	e, err := openTIFF(file, Limits{MaxPages: maxPages}.withDefaults())
	if err != nil {
		return 0, err
	}
	return e.pages(), nil
}

// TakeSquares assigns pix to the squares of a page of w x h px with these pictures.
func TakeSquares(w, h int, dpi float64, pictures []gray.Rect, pix []byte) error {
	_, err := takeSquares(header{width: w, height: h, drawn: drawn{dpi: dpi, pictures: pictures}}, pix)
	return err
}

// counter is an engine that counts how often it draws.
type counter struct{ drawn int }

func (c *counter) pages() int { return 1 }
func (c *counter) close()     {}

func (c *counter) page(_ int, dpi float64, _ int, into *gray.Image) (drawn, error) {
	c.drawn++
	into.Reset(200, 200)
	return drawn{dpi: dpi, pictures: []gray.Rect{{X0: 10, Y0: 10, X1: 90, Y1: 90}}}, nil
}

// DrawnFor returns how often a page is drawn for these requests, one after the other.
func DrawnFor(list ...Request) int {
	c := new(counter)
	s := sheet{engine: c, limits: Limits{}.withDefaults()}
	for _, r := range list {
		if _, _, err := s.look(r.ask(s.limits.MaxPixels)); err != nil {
			panic(err)
		}
	}
	return c.drawn
}

// Still describes the main image of a HEIC or AVIF file.
type Still struct {
	Width, Height, Number, NumberEnd int
	Work                             int64
	still                            still
}

// ReadStill reads one with at most maxPixels.
func ReadStill(file []byte, maxPixels int) (Still, error) {
	s, err := readStill(file, Limits{MaxPixels: maxPixels}.withDefaults())
	return Still{s.width, s.height, s.number, s.numberEnd, s.work, s}, err
}

// Shown returns the size of the image after its changes.
func (s Still) Shown() (w, h int, ok bool) {
	m, err := s.still.changed(gray.New(s.Width, s.Height))
	if err != nil {
		return 0, 0, false
	}
	return m.Width, m.Height, true
}

// PNMImages decodes all images of a file with at most maxPixels each.
func PNMImages(file []byte, maxPixels, maxPages int) (images []*gray.Image, err error) {
	e, err := openPNM(file, Limits{MaxPixels: maxPixels, MaxPages: maxPages}.withDefaults())
	if err != nil {
		return nil, err
	}
	for n := range e.pages() {
		m := new(gray.Image)
		if _, err := e.page(n, 0, 0, m); err != nil {
			return nil, err
		}
		images = append(images, m)
	}
	return images, nil
}

// ReadJP2 reads the header of a JPEG 2000 file and returns the PDF that shows it.
func ReadJP2(file []byte) (w, h, components int, dpi float64, pdf []byte, err error) {
	j, err := readJP2(file)
	if err != nil {
		return 0, 0, 0, 0, nil, err
	}
	return j.width, j.height, j.components, j.dpi, j.document(file), nil
}
