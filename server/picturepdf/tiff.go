package picturepdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"

	old "github.com/hhrutter/tiff"
	"golang.org/x/image/tiff"

	"tcode/scanner/picturefile"
	"tcode/scanner/tiffpage"
)

// sheetsOfTIFF decodes the pages of a file one after the other. It leaves out previews.
func sheetsOfTIFF(file []byte) ([]sheet, error) {
	frames, err := framesOf(file)
	if err != nil {
		return nil, err
	}
	var sheets []sheet
	left := maxOutput
	for _, f := range frames {
		img, err := f.decode(file)
		if err != nil {
			return nil, f.reading(err)
		}
		c, err := encode(img, left)
		if err != nil {
			return nil, err
		}
		left -= len(c.data)
		sheets = append(sheets, sheet{c, f.Meta.Believed()})
	}
	return sheets, nil
}

// A frame is a page of a TIFF file that has yet to be decoded.
type frame struct {
	tiffpage.Page
	at int64 // of its directory
}

// framesOf reads the directories of a file. Nothing is decoded.
func framesOf(file []byte) ([]frame, error) {
	order := picturefile.TIFFOrder(file)
	if order == nil {
		return nil, errDamaged
	}
	var out []frame
	seen := map[uint32]bool{}
	total := 0
	for next := order.Uint32(file[4:]); next != 0; {
		if seen[next] {
			return nil, fmt.Errorf("%w: the directories are a circle", errDamaged)
		}
		seen[next] = true
		p, following, ok := tiffpage.At(file, order, next)
		switch {
		case !ok:
			return nil, errCut
		case len(seen) > 2*MaxFrames:
			return nil, errDamaged
		}
		f := frame{p, int64(next)}
		next = following
		if f.Preview {
			continue
		}
		if len(out) == MaxFrames {
			return nil, errFrames
		}
		if err := f.check(); err != nil {
			return nil, err
		}
		if total += f.Width * f.Height; total > maxTotal {
			return nil, errTotal
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return nil, errDamaged
	}
	return out, nil
}

// check returns the reason why f is not decoded.
func (f frame) check() error {
	if err := checkSize(f.Width, f.Height); err != nil {
		return err
	}
	if err := f.Variant(); err != nil {
		return err
	}
	if f.Bits > 16 || !f.readable() {
		return fmt.Errorf("%w: %d samples of %d bits", errVariant, f.Samples, f.Bits)
	}
	// The decoder holds a strip as it is stored, which may be the page, and the pixels.
	return checkMemory(float64(f.Width*f.Height), float64(f.Samples*f.Bits)/8+f.decodedBytes())
}

// readable reports whether a decoder knows the layout of pixels. In others, such as gray with alpha, it would take the samples
// of one pixel for several pixels.
func (f frame) readable() bool {
	switch f.Colours {
	case 0, 1, 3: // gray and palette
		return f.Samples == 1 && !(f.second() && f.Tiled)
	case 2: // RGB
		return f.Samples == 3 || f.Samples == 4
	case 5: // CMYK
		return f.Samples == 4
	}
	return false
}

// second reports whether only the second decoder, which comes with pdfcpu, reads f: in CMYK, with a fourth sample that
// is no opacity, as JPEG and as runs. It reads the same pixels as the first one does, but for tiles of gray.
func (f frame) second() bool {
	jpeg := f.Coding == tiffpage.OldJPEG || f.Coding == tiffpage.JPEG
	return f.Colours == 5 || f.Samples == 4 && f.Bits == 8 || jpeg || f.Coding == tiffpage.RLE
}

// decode returns the pixels of f.
func (f frame) decode(file []byte) (image.Image, error) {
	if !f.second() {
		return f.Decode(file)
	}
	// The bounds were checked for our reading of the directory.
	if cfg, err := old.DecodeConfigAt(bytes.NewReader(file), f.at); err == nil && (cfg.Width != f.Width || cfg.Height != f.Height) {
		return nil, fmt.Errorf("%w: the decoder finds a page of another size", errDamaged)
	}
	img, err := old.DecodeAt(bytes.NewReader(file), f.at)
	return f.Upright(img), err
}

// decodedBytes returns the bytes of a decoded pixel.
func (f frame) decodedBytes() float64 {
	per := 1.0
	if f.Samples > 1 {
		per = 4
	}
	if f.Bits > 8 {
		per *= 2
	}
	return per
}

// reading names an error of a decoder.
func (f frame) reading(err error) error {
	for _, known := range []error{tiffpage.ErrFax, errDamaged} {
		if errors.Is(err, known) {
			return err
		}
	}
	_, second := errors.AsType[old.UnsupportedError](err)
	if _, first := errors.AsType[tiff.UnsupportedError](err); first || second || f.Fax() {
		return fmt.Errorf("%w: %w", errVariant, err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errCut
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}
