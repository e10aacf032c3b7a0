//go:build !js

package fallback

import (
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"

	"tcode/offline/contain"
	"tcode/scanner/gray"
)

// Read returns gozxing's opinions on img, one for each binarizer with a result, without
// duplicates.
func Read(img *gray.Image) []Opinion {
	if !img.Valid() || img.Width < 8 || img.Height < 8 {
		return nil
	}
	pix := img.Pix
	if img.Stride != img.Width {
		pix = img.Clone().Pix
	}
	var out []Opinion
	for _, hybrid := range []bool{true, false} {
		o, ok := read(pix, img.Width, img.Height, hybrid)
		if ok && (len(out) == 0 || string(out[0].Codewords) != string(o.Codewords)) {
			out = append(out, o)
		}
	}
	return out
}

// read runs one binarizer and the reader. A panic in them counts as no opinion: the
// picture comes from outside and the code is not ours.
func read(pix []byte, w, h int, hybrid bool) (o Opinion, ok bool) {
	defer func() {
		if value := recover(); value != nil {
			contain.Recovered("gozxing", value)
			o, ok = Opinion{}, false
		}
	}()
	src, err := gozxing.NewPlanarYUVLuminanceSource(pix, w, h, 0, 0, w, h, false)
	if err != nil {
		return Opinion{}, false
	}
	binarizer := gozxing.NewGlobalHistgramBinarizer(src)
	if hybrid {
		binarizer = gozxing.NewHybridBinarizer(src)
	}
	bitmap, err := gozxing.NewBinaryBitmap(binarizer)
	if err != nil {
		return Opinion{}, false
	}
	res, err := datamatrix.NewDataMatrixReader().Decode(bitmap, nil)
	if err != nil || len(res.GetResultPoints()) != 4 {
		return Opinion{}, false
	}
	o.Codewords = res.GetRawBytes()
	// gozxing's order: top left, bottom left, bottom right, top right.
	for i, k := range [4]int{0, 3, 2, 1} {
		p := res.GetResultPoints()[k]
		o.Corners[i] = gray.Point{X: p.GetX(), Y: p.GetY()}
	}
	return o, true
}
