package picturepdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"tcode/offline/contain"
	"tcode/scanner/filekind"
	"tcode/scanner/picturefile"
)

// A sheet is one page of the PDF: a coded picture and how it lies.
type sheet struct {
	coded
	meta picturefile.Meta
}

// convert returns the PDF of a picture. The decoders are other people's: a panic of theirs is damage of the picture.
func convert(file []byte) (pdf []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			pdf, err = nil, fmt.Errorf("%w: the decoder panicked: %w", errDamaged, contain.Recovered("picture", p))
		}
	}()
	contain.Seed("picture")
	var sheets []sheet
	switch filekind.Of(file) {
	case filekind.PNG:
		sheets, err = sheetOfPNG(file)
	case filekind.JPEG:
		sheets, err = sheetOfJPEG(file)
	case filekind.TIFF:
		sheets, err = sheetsOfTIFF(file)
	default:
		err = errKind
	}
	if err != nil {
		return nil, err
	}
	return assemble(sheets)
}

// checkSize returns an error for a page that is empty or too large.
func checkSize(w, h int) error {
	switch {
	case w <= 0 || h <= 0:
		return errDamaged
	case w > MaxPixels || h > MaxPixels || int64(w)*int64(h) > MaxPixels:
		return errPixels
	}
	return nil
}

// checkMemory returns an error if a page of px pixels takes too many bytes to decode.
func checkMemory(px, bytesPerPixel float64) error {
	if px*bytesPerPixel > maxDecoded {
		return errMemory
	}
	return nil
}

// reading names an error of a decoder. Those of the standard library tell no end of the file from other damage, but by
// the error that they wrap or are.
func reading(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errCut
	}
	if _, ok := errors.AsType[png.UnsupportedError](err); ok {
		return fmt.Errorf("%w: %w", errVariant, err)
	}
	if _, ok := errors.AsType[jpeg.UnsupportedError](err); ok {
		return fmt.Errorf("%w: %w", errVariant, err)
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// pngHeader is the length of the signature and of the first chunk (PNG, 11.2.2).
const pngHeader = 8 + 8 + 13 + 4

func sheetOfPNG(file []byte) ([]sheet, error) {
	if len(file) < pngHeader {
		return nil, errCut
	}
	width, height, _ := picturefile.Size(filekind.PNG, file)
	if err := checkSize(width, height); err != nil {
		return nil, err
	}
	depth, colour, interlaced := file[24], file[25], file[28] != 0
	per := 1.0                      // byte of a decoded pixel
	if colour != 0 && colour != 3 { // RGB, or with alpha
		per = 4
	}
	if depth == 16 {
		per *= 2
	}
	if interlaced { // the largest pass is half of the picture
		per *= 1.5
	}
	if err := checkMemory(float64(width)*float64(height), per+1); err != nil {
		return nil, err
	}
	img, err := png.Decode(bytes.NewReader(file))
	switch {
	case err != nil && !bytes.Contains(file, []byte("IEND")):
		return nil, errCut // which the decoder calls bad data
	case err != nil:
		return nil, reading(err)
	}
	c, err := encode(img, maxOutput)
	return []sheet{{c, picturefile.MetaOf(filekind.PNG, file)}}, err
}

// sheetOfJPEG keeps the coded picture, unless it is of four colours.
func sheetOfJPEG(file []byte) ([]sheet, error) {
	j, err := cleanJPEG(file)
	if err != nil {
		return nil, err
	}
	if err := checkSize(j.width, j.height); err != nil {
		return nil, err
	}
	if err := checkMemory(1, j.memory()); err != nil {
		return nil, err
	}
	img, err := jpeg.Decode(bytes.NewReader(j.bytes))
	switch {
	case err != nil && j.endless:
		return nil, errCut // within its last scan
	case err != nil:
		return nil, reading(err)
	}
	s := sheet{meta: picturefile.MetaOf(filekind.JPEG, file)}
	if cmyk, ok := img.(*image.CMYK); ok {
		s.coded, err = encode(cmyk, maxOutput)
	} else {
		s.coded = coded{width: j.width, height: j.height, data: j.bytes, colours: j.components, bits: 8, filter: dct}
	}
	return []sheet{s}, err
}
