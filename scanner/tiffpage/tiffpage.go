// Package tiffpage decodes single pages of TIFF files (TIFF 6.0). Call [At] for the directory of a page, then
// [Page.Decode].
//
//	directory ─▶ At ─▶ Page ─▶ Decode ─▶ pixels, as the page looks
//	                             └─▶ ErrFax, ErrPlanes, ErrBitOrder: other decoders may read it
//
// The decoder is golang.org/x/image/tiff. It ignores some tags that say how pixels are stored, and so returns wrong pixels
// of a few variants without an error. This package refuses these, and corrects those of a fax.
package tiffpage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"golang.org/x/image/tiff"

	"tcode/scanner/picturefile"
)

// Variants that are not decoded. Other ones are a [tiff.UnsupportedError].
var (
	ErrFax      = errors.New("a fax in two dimensions (Group 3), with fill bits or without end-of-line codes")
	ErrPlanes   = errors.New("colours in separate planes")
	ErrBitOrder = errors.New("bytes whose bits are in reversed order")
)

// errSize is returned if a directory gives two sizes.
var errSize = errors.New("the page has two sizes")

// A Page is a directory of a file: how its pixels are stored.
type Page struct {
	Width, Height int              // px, as stored
	Meta          picturefile.Meta // as the file has it
	Preview       bool             // a smaller copy of another page
	Raw           bool             // of a camera (Adobe's Digital Negative)
	Tiled         bool             // in tiles, not in strips
	Bits, Samples int              // of the first sample; samples of a pixel
	Coding        int              // compression
	Colours       int              // 0 WhiteIsZero, 1 BlackIsZero, 2 RGB, 3 palette, 5 CMYK, 6 YCbCr

	order              binary.ByteOrder
	at                 uint32
	planes, fill, fax3 int
}

// Compressions.
const (
	RLE     = 2 // of runs, as in a fax, without end-of-line codes
	group3  = 3
	group4  = 4
	OldJPEG = 6
	JPEG    = 7
)

// At reads the directory at offset at of file, whose bytes have the given order. next is the offset of the next
// directory, 0 if there is none. ok is false if the directory lies outside of the file.
func At(file []byte, order binary.ByteOrder, at uint32) (p Page, next uint32, ok bool) {
	entries, next, ok := picturefile.ParseIFD(file, order, at)
	if !ok {
		return Page{}, 0, false
	}
	p = Page{Bits: 1, Samples: 1, Coding: 1, planes: 1, fill: 1, order: order, at: at, Meta: picturefile.TIFFMeta(file, order, entries)}
	subfile := 0
	to := map[uint16]*int{
		254: &subfile, 256: &p.Width, 257: &p.Height, 258: &p.Bits, 259: &p.Coding, 262: &p.Colours, 266: &p.fill, 277: &p.Samples,
		284: &p.planes, 292: &p.fax3,
	}
	for ; len(entries) >= picturefile.IFDEntry; entries = entries[picturefile.IFDEntry:] {
		switch tag := order.Uint16(entries); {
		case tag == 322: // width of tiles
			p.Tiled = true
		case tag == 50706: // version of a Digital Negative
			p.Raw = true
		case to[tag] != nil:
			*to[tag] = first(file, order, entries)
			delete(to, tag)
		}
	}
	p.Preview = subfile&1 != 0
	return p, next, true
}

// first returns the first number of an entry; 0 if it is none.
func first(file []byte, order binary.ByteOrder, entry []byte) int {
	kind, n, value := order.Uint16(entry[2:]), order.Uint32(entry[4:]), entry[8:]
	size := map[uint16]uint32{1: 1, 3: 2, 4: 4}[kind] // bytes, shorts, longs
	if size == 0 || n == 0 {
		return 0
	}
	if n > 4/size {
		at := int64(order.Uint32(value))
		if at+4 > int64(len(file)) {
			return 0
		}
		value = file[at:]
	}
	switch size {
	case 1:
		return int(value[0])
	case 2:
		return int(order.Uint16(value))
	}
	return int(order.Uint32(value) & 0x7FFFFFFF)
}

// Fax reports whether the page is coded as by CCITT.
func (p Page) Fax() bool { return p.Coding >= RLE && p.Coding <= group4 }

// Variant returns the variant of this package that the page is of, nil if it is none.
func (p Page) Variant() error {
	switch jpeg := p.Coding == OldJPEG || p.Coding == JPEG; {
	case p.Coding == group3 && p.fax3&3 != 0: // two dimensions, or parts without a code
		return ErrFax
	case p.planes == 2 && p.Samples > 1:
		return ErrPlanes
	case p.fill == 2 && !p.Fax() && !jpeg:
		return ErrBitOrder
	}
	return nil
}

// Decode returns the pixels of the page in file, which is the one that p was read from. The caller checks the size of the
// page first.
func (p Page) Decode(file []byte) (image.Image, error) {
	if err := p.Variant(); err != nil {
		return nil, err
	}
	r := reader{Reader: bytes.NewReader(file), head: bytes.Clone(file[:8])}
	p.order.PutUint32(r.head[4:], p.at)
	cfg, err := tiff.DecodeConfig(r)
	if err == nil && (cfg.Width != p.Width || cfg.Height != p.Height) {
		err = errSize
	}
	var img image.Image
	if err == nil {
		img, err = tiff.Decode(r)
	}
	if unsupported := tiff.UnsupportedError(""); err != nil && p.Fax() && !errors.As(err, &unsupported) {
		return nil, fmt.Errorf("%w, or damaged: %w", ErrFax, err)
	}
	return p.Upright(img), err
}

// A reader reads a file whose header leads to another directory first: the decoder reads the first one only. The file
// itself may be shared, so that no caller can write to it.
type reader struct {
	*bytes.Reader
	head []byte
}

// ReadAt implements [io.ReaderAt], by which alone the decoder reads.
func (r reader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.Reader.ReadAt(p, off)
	if off >= 0 && off < int64(len(r.head)) {
		copy(p[:n], r.head[off:])
	}
	return n, err
}

// Upright returns img, which the decoder of x/image or one like it made of the page, as the page looks. Those
// decoders do not reverse white and black runs of a fax that is BlackIsZero (TIFF 6.0, section 11). It overwrites img.
func (p Page) Upright(img image.Image) image.Image {
	if m, ok := img.(*image.Gray); ok && p.Fax() && p.Colours == 1 {
		for i := range m.Pix {
			m.Pix[i] = ^m.Pix[i]
		}
	}
	return img
}
