// Package raster converts the pages of PDF and image files to gray images. Call [New] first.
//
// A sandboxed child process (package tcode/offline/host/sandbox) examines, parses and draws the bytes: one PDF of 450
// bytes ends the process that draws it, another takes 22 GB, a third never returns. The parent only reads the first
// bytes to find the kind of the file.
//
//	parent                                        child
//	Sniff ─▶ Open ──────file, limits────────▶ pdf: MuPDF or PDFium draws gray into our memory
//	           │ ◀────────page count───────── image: DecodeConfig ≤ 60 MP, decode ─▶ over white ─▶ luminance
//	           │                                     ─▶ EXIF orientation; MuPDF for rare TIFF and BMP
//	         Look ──page, dpi, most px, part─▶ sheet: whole page, smaller one, or part of it
//	           │ ◀──size, dpi, 8-bit pixels── one page at a time, so 500 pages need the memory of one; on
//	           │                              request only the pixels around pictures that could be stamps
//	         View ─page, dpi, area, colour─▶ as people see it: with annotations and form fields, in colour if asked
//
// Images have children of their own, with decoders in Go and no engine; only BMP and TIFF files, of which MuPDF reads more
// variants, go to the children that draw PDFs.
//
// MuPDF comes with go-fitz, but is called directly: go-fitz draws in RGB with alpha and copies that three times, which
// takes four times as long (BenchmarkInProcess), and a page without a valid size ends the process.
//
// PDFium comes with go-pdfium as a WebAssembly module that runs under wazero, so that builds without cgo also draw PDFs
// and a caller can compare two programs ([WithEngine]). The module may read the bytes of the document and nothing else: it
// gets no file system, clock or output. It is compiled before the child restricts itself; the machine code is kept in a
// folder ([WithCache]), because compiling takes seconds. Its instance, with a memory of its own, lives as long as a
// document.
//
// A child has at most 512 MiB of memory (TestBombs). MuPDF allocates through a counter that refuses more than 256 MiB, and
// the memory of a PDFium instance has the same limit. A page that needs more is [ErrTooLarge], even if the engine would
// leave out an image and continue. Pages are drawn in bands, and an image is refused if decoding it takes too much memory.
// The sandbox bounds the rest.
//
// Every program that uses the package calls sandbox.Main(raster.Roles()...) first.
package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Reasons why a file or a page cannot be rendered. They are wrapped in an [*Error].
var (
	ErrEmpty       = errors.New("the file is empty")
	ErrUnsupported = errors.New("not a PDF or a supported image")
	ErrEncrypted   = errors.New("encrypted with a password")
	ErrDamaged     = errors.New("damaged")
	ErrTooLarge    = errors.New("too large")
)

// Error describes what is wrong with a file or one of its pages.
type Error struct {
	Err    error  // one of the sentinels of this package
	Page   int    // from 1; 0: the whole file
	Detail string // figures or the decoder's words; may be empty
}

func (e *Error) Error() string {
	s := e.Err.Error()
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Page > 0 {
		s = fmt.Sprintf("page %d: %s", e.Page, s)
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// codes name the sentinels between child and parent.
var codes = map[string]error{
	"empty": ErrEmpty, "unsupported": ErrUnsupported, "encrypted": ErrEncrypted, "damaged": ErrDamaged, "too_large": ErrTooLarge,
}

func codeOf(err error) string {
	for code, e := range codes {
		if errors.Is(err, e) {
			return code
		}
	}
	return ""
}

// Kind is a file format, identified by content.
type Kind string

// The kinds that can be rendered. Unknown is everything else.
const (
	Unknown Kind = ""
	PDF     Kind = "pdf"
	PNG     Kind = "png"
	JPEG    Kind = "jpeg"
	TIFF    Kind = "tiff"
	BMP     Kind = "bmp"
	GIF     Kind = "gif"
	WebP    Kind = "webp"
)

// pdfHeaderWithin is the number of bytes at its start in which a PDF may have its header (ISO 32000-1
// annex H.3, note 13).
const pdfHeaderWithin = 1024

// Sniff returns the kind of a file from its first bytes, never from its name.
func Sniff(file []byte) Kind {
	head := file[:min(len(file), pdfHeaderWithin)]
	has := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case !has("%PDF-") && bytes.Contains(head, []byte("%PDF-")) && imageKind(head) != Unknown:
		return Unknown // a picture to one viewer, a document to the next: the intended kind is unknown
	case has("%PDF-"):
		return PDF
	}
	if kind := imageKind(head); kind != Unknown {
		return kind
	}
	if bytes.Contains(head, []byte("%PDF-")) {
		return PDF
	}
	return Unknown
}

// imageKind returns the kind of an image from its first bytes.
func imageKind(head []byte) Kind {
	has := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case has("\x89PNG\r\n\x1a\n"):
		return PNG
	case has("\xff\xd8\xff"):
		return JPEG
	case has("II*\x00"), has("MM\x00*"):
		return TIFF
	case has("GIF87a"), has("GIF89a"):
		return GIF
	case has("RIFF") && len(head) >= 12 && string(head[8:12]) == "WEBP":
		return WebP
	case has("BM") && len(head) >= 18 && bmpHeader(binary.LittleEndian.Uint32(head[14:])):
		return BMP
	}
	return Unknown
}

// bmpHeader reports whether n is the size of a known BMP information header: plain text may also begin with
// "BM".
func bmpHeader(n uint32) bool {
	switch n {
	case 12, 40, 52, 56, 64, 108, 124:
		return true
	}
	return false
}

// unsupportedDetail describes the apparent format of a file of unknown kind, so that the user knows
// what to do.
func unsupportedDetail(file []byte) string {
	head := file[:min(len(file), pdfHeaderWithin)]
	if imageKind(head) != Unknown {
		return "it is an image and a PDF at once, so viewers disagree about what it shows"
	}
	for _, f := range []struct {
		offset int
		magic  string
		name   string
	}{
		{0, "PK\x03\x04", "it looks like a ZIP or Office file"},
		{0, "\xd0\xcf\x11\xe0", "it looks like an old Office file"},
		{4, "ftyphei", "it looks like a HEIC photo"},
		{4, "ftypmif", "it looks like a HEIF photo"},
		{4, "ftypavif", "it looks like an AVIF image"},
		{0, "\x00\x00\x00\x0cjP  ", "it looks like a JPEG 2000 image"},
		{0, "II+\x00", "it looks like a BigTIFF image"},
		{0, "MM\x00+", "it looks like a BigTIFF image"},
		{0, "%!PS", "it looks like a PostScript file"},
	} {
		if len(head) >= f.offset && bytes.HasPrefix(head[f.offset:], []byte(f.magic)) {
			return f.name
		}
	}
	if !bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' }) {
		return "it looks like a text file"
	}
	return ""
}
