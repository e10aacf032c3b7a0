package picturepdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/hhrutter/tiff"

	"tcode/scanner/picturefile"
)

// Tags of a directory (TIFF 6.0, section 8).
const (
	tagSubfile = 254
	tagWidth   = 256
	tagHeight  = 257
	tagBits    = 258
	tagCoding  = 259
	tagColours = 262
	tagSamples = 277
	tagPlanes  = 284

	reduced = 1 // bit of tagSubfile: a smaller copy of another page
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
		// The bounds were checked for our reading of the directory.
		if cfg, err := tiff.DecodeConfigAt(bytes.NewReader(file), int64(f.at)); err == nil && (cfg.Width != f.width || cfg.Height != f.height) {
			return nil, fmt.Errorf("%w: the decoder finds a page of another size", errDamaged)
		}
		img, err := tiff.DecodeAt(bytes.NewReader(file), int64(f.at))
		if err != nil {
			return nil, f.reading(err)
		}
		c, err := encode(img, left)
		if err != nil {
			return nil, err
		}
		left -= len(c.data)
		sheets = append(sheets, sheet{c, f.meta})
	}
	return sheets, nil
}

// A frame is a page of a TIFF file that has yet to be decoded.
type frame struct {
	at            uint32 // of its directory
	fax           bool   // coded as by CCITT
	width, height int
	meta          picturefile.Meta
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
		entries, following, ok := picturefile.ParseIFD(file, order, next)
		switch {
		case !ok:
			return nil, errCut
		case len(entries) > maxIFD*picturefile.IFDEntry, len(seen) > 2*MaxFrames:
			return nil, errDamaged
		}
		f := frame{at: next, width: value(order, entries, tagWidth, 0), height: value(order, entries, tagHeight, 0)}
		next = following
		if value(order, entries, tagSubfile, 0)&reduced != 0 {
			continue
		}
		if len(out) == MaxFrames {
			return nil, errFrames
		}
		if err := checkSize(f.width, f.height); err != nil {
			return nil, err
		}
		coding := value(order, entries, tagCoding, 1)
		f.fax = coding >= 2 && coding <= 4
		px := f.width * f.height
		if total += px; total > maxTotal {
			return nil, errTotal
		}
		samples, bits := value(order, entries, tagSamples, 1), bitsOf(file, order, entries)
		if bits > 16 || !readable(value(order, entries, tagColours, 0), samples, value(order, entries, tagPlanes, 1)) {
			return nil, fmt.Errorf("%w: %d samples of %d bits", errVariant, samples, bits)
		}
		// The decoder holds a strip as it is stored, which may be the page, and the pixels.
		if err := checkMemory(float64(px), float64(samples*bits)/8+decodedBytes(samples, bits)); err != nil {
			return nil, err
		}
		f.meta = picturefile.TIFFMeta(file, order, entries).Believed()
		out = append(out, f)
	}
	if len(out) == 0 {
		return nil, errDamaged
	}
	return out, nil
}

// readable reports whether the decoder knows the layout of pixels. In others, such as gray with alpha, it would take the samples
// of one pixel for several pixels.
func readable(colours, samples, planes int) bool {
	switch colours {
	case 0, 1, 3: // gray and palette
		return samples == 1
	case 2, 6: // RGB, and in a JPEG YCbCr
		return (samples == 3 || samples == 4) && planes == 1
	case 5: // CMYK
		return samples == 4 && planes == 1
	}
	return false
}

// decodedBytes returns the bytes of a decoded pixel.
func decodedBytes(samples, bits int) float64 {
	per := 1.0
	if samples > 1 {
		per = 4
	}
	if bits > 8 {
		per *= 2
	}
	return per
}

// value returns a tag that is one short or long, or otherwise.
func value(order binary.ByteOrder, entries []byte, tag uint16, otherwise int) int {
	for ; len(entries) >= picturefile.IFDEntry; entries = entries[picturefile.IFDEntry:] {
		if order.Uint16(entries) != tag {
			continue
		}
		if order.Uint16(entries[2:]) == 3 {
			return int(order.Uint16(entries[8:]))
		}
		return int(order.Uint32(entries[8:]) & 0x7FFFFFFF)
	}
	return otherwise
}

// bitsOf returns the bits of a sample. If there are more than two, their numbers lie outside of the directory.
func bitsOf(file []byte, order binary.ByteOrder, entries []byte) int {
	for ; len(entries) >= picturefile.IFDEntry; entries = entries[picturefile.IFDEntry:] {
		if order.Uint16(entries) != tagBits {
			continue
		}
		if n := order.Uint32(entries[4:]); n <= 2 {
			return int(order.Uint16(entries[8:]))
		}
		if at := int64(order.Uint32(entries[8:])); at+2 <= int64(len(file)) {
			return int(order.Uint16(file[at:]))
		}
	}
	return 1
}

// reading names an error of the decoder. It reads fax codes with end-of-line codes only, and takes all others for damage.
func (f frame) reading(err error) error {
	if _, ok := errors.AsType[tiff.UnsupportedError](err); ok || f.fax {
		return fmt.Errorf("%w: %w", errVariant, err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errCut
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}
