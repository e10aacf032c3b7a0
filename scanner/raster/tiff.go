package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"golang.org/x/image/tiff"

	"tcode/scanner/filekind"
	"tcode/scanner/gray"
	"tcode/scanner/picturefile"
)

// tiffEngine is a TIFF file: a chain of directories, each of them a page. The decoder reads only the first directory,
// so each page is decoded with the file's header pointing at its directory.
type tiffEngine struct {
	file   []byte // private to this engine, which overwrites its header
	order  binary.ByteOrder
	ifds   []uint32 // offsets of the directories
	limits Limits
}

func openTIFF(file []byte, l Limits) (engine, error) {
	order := picturefile.TIFFOrder(file)
	if order == nil {
		return nil, &Error{Err: ErrDamaged, Detail: "not a TIFF header"}
	}
	e := &tiffEngine{file: file, order: order, limits: l}
	seen := map[uint32]bool{}
	for next := order.Uint32(file[4:]); next != 0 && !seen[next]; {
		if len(e.ifds) > l.MaxPages {
			break // one more than the limit is enough for a refusal
		}
		seen[next] = true
		entries, following, ok := picturefile.ParseIFD(file, order, next)
		if !ok {
			if len(e.ifds) == 0 {
				return nil, &Error{Err: ErrDamaged, Detail: "the TIFF directory lies outside of the file"}
			}
			break // the pages before it may be complete
		}
		if len(e.ifds) == 0 && hasTag(order, entries, tagDNGVersion) { // its first image is a small preview
			return nil, &Error{Err: ErrUnsupported, Detail: "it is a camera's raw file: " + filekind.AdviceRaw}
		}
		e.ifds = append(e.ifds, next)
		next = following
	}
	return e, nil
}

func (e *tiffEngine) pages() int { return len(e.ifds) }

func (e *tiffEngine) close() {}

func (e *tiffEngine) page(n int, _ float64, _ int, into *gray.Image) (drawn, error) {
	if n < 0 || n >= len(e.ifds) {
		return drawn{}, fmt.Errorf("page %d of %d", n+1, len(e.ifds))
	}
	entries, _, _ := picturefile.ParseIFD(e.file, e.order, e.ifds[n])
	m := picturefile.TIFFMeta(e.file, e.order, entries)
	img, err := e.decode(n)
	if err == nil {
		*into = *orient(toGray(img), m.Orientation)
		return drawn{dpi: m.Believed().DPI}, nil
	}
	u, unsupported := errors.AsType[tiff.UnsupportedError](err)
	if _, ours := errors.AsType[*Error](err); ours || !unsupported && !isFax(tiffValue(e.order, entries, tagCompression)) {
		return drawn{}, err
	}
	// MuPDF reads more variants: JPEG inside of TIFF, CMYK, fax without end-of-line codes. It numbers the pages itself,
	// from the header's directory.
	e.order.PutUint32(e.file[4:], e.ifds[0])
	derr := drawImage(e.file, n, tiffValue(e.order, entries, tagWidth), m.DPI, e.limits, into)
	if errors.Is(derr, ErrUnsupported) && unsupported {
		derr = &Error{Err: ErrUnsupported, Detail: "a TIFF with " + string(u)}
	} else if errors.Is(derr, ErrUnsupported) {
		derr = err // the decoder's own message
	}
	return drawn{dpi: m.Believed().DPI}, derr
}

// decode decodes directory n.
func (e *tiffEngine) decode(n int) (image.Image, error) {
	e.order.PutUint32(e.file[4:], e.ifds[n])
	cfg, err := tiff.DecodeConfig(bytes.NewReader(e.file))
	if err != nil {
		return nil, err
	}
	if err := checkSize(cfg, e.limits); err != nil {
		return nil, err
	}
	return tiff.Decode(bytes.NewReader(e.file))
}

// Tags of TIFF 6.0 and of files that begin like one.
const (
	tagWidth       = 256 // px
	tagCompression = 259
	tagDNGVersion  = 50706 // of Adobe's Digital Negative
)

// hasTag reports whether a directory has an entry for tag.
func hasTag(order binary.ByteOrder, entries []byte, tag uint16) bool {
	for ; len(entries) >= picturefile.IFDEntry; entries = entries[picturefile.IFDEntry:] {
		if order.Uint16(entries) == tag {
			return true
		}
	}
	return false
}

// isFax reports whether compression is one of CCITT's.
func isFax(compression int) bool { return compression >= 2 && compression <= 4 }

// tiffValue reads a tag that is a short or a long, or returns 0.
func tiffValue(order binary.ByteOrder, entries []byte, tag uint16) int {
	for ; len(entries) >= picturefile.IFDEntry; entries = entries[picturefile.IFDEntry:] {
		if order.Uint16(entries) != tag {
			continue
		}
		if order.Uint16(entries[2:]) == 3 {
			return int(order.Uint16(entries[8:]))
		}
		return int(order.Uint32(entries[8:]))
	}
	return 0
}
