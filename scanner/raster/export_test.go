package raster

import "tcode/scanner/gray"

// RenderHere renders page n, from 0, in this process, for comparison. limits are the defaults.
func RenderHere(file []byte) (render func(n int, dpi float64) (*gray.Image, float64, error), end func(), err error) {
	l := Limits{}.withDefaults()
	e, err := openPDF(file, l)
	if err != nil {
		return nil, nil, err
	}
	return func(n int, dpi float64) (*gray.Image, float64, error) {
		img := new(gray.Image)
		made, err := e.page(n, dpi, l.MaxPixels, img)
		return img, made.dpi, err
	}, e.close, nil
}

// Shrink and Split cut large images down.
var (
	Shrink = shrink
	Split  = split
)

// Orient turns and mirrors an image.
var Orient = orient

// Meta reads what an image file says about resolution and orientation.
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
