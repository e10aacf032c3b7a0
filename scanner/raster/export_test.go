package raster

import "tcode/scanner/gray"

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

// Shrink and Split reduce large images.
var (
	Shrink = shrink
	Split  = split
)

// Orient turns and mirrors an image.
var Orient = orient

// ToGray converts a decoded image.
var ToGray = toGray

// DecodePNG decodes a plain PNG.
var DecodePNG = decodePNG

// Meta reads the resolution and orientation of an image file.
func Meta(k Kind, file []byte) (orientation int, dpi float64) {
	m := readMeta(k, file)
	return m.orientation, m.dpi
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
