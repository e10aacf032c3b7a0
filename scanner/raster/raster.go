// Package raster turns the pages of PDF and image files into gray images.
//
// The bytes are looked at, parsed and drawn in a sandboxed child process (package tcode/offline/host/sandbox): a PDF of
// 450 bytes ends the process that draws it, another takes 22 GB, a third never returns. The parent
// only looks at the first bytes to tell what kind of file it is.
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
// MuPDF comes with go-fitz, but is called directly: go-fitz draws in RGB with alpha and copies that three times, which
// takes four times as long (BenchmarkInProcess), and a page that it cannot bound ends the process.
//
// PDFium comes with go-pdfium as a WebAssembly module that runs under wazero, so that builds without cgo draw PDFs too and
// that two programs can be asked what a page shows ([WithEngine]). The module may read the bytes of the document and
// nothing else: no file system, clock or output is given to it. It is compiled before the child restricts itself; the
// machine code is kept in a folder ([WithCache]), because compiling takes seconds. An instance of it, with a memory of
// its own, lives as long as a document.
//
// A child has 512 MiB of memory at most (TestBombs). MuPDF allocates through a counter that refuses what is beyond 256 MiB,
// and the memory of a PDFium instance ends there; a page for which that is not enough is [ErrTooLarge], also where the
// engine would have left out an image and gone on. Pages are drawn in bands, and images are refused by the memory that
// decoding them takes. The sandbox bounds the rest.
//
// Every program that uses the package calls sandbox.Main(raster.Roles()...) first.
package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Why a file or a page cannot be rendered. They come inside an [*Error].
var (
	ErrEmpty       = errors.New("the file is empty")
	ErrUnsupported = errors.New("not a PDF or a supported image")
	ErrEncrypted   = errors.New("encrypted with a password")
	ErrDamaged     = errors.New("damaged")
	ErrTooLarge    = errors.New("too large")
)

// Error says what is wrong with a file or one of its pages.
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

// Kind is a file format, told by content.
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

// pdfHeaderWithin is how far from its start a PDF may say that it is one (ISO 32000-1 annex H.3, note 13).
const pdfHeaderWithin = 1024

// Sniff tells the kind of a file by its first bytes, never by its name.
func Sniff(file []byte) Kind {
	head := file[:min(len(file), pdfHeaderWithin)]
	has := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case !has("%PDF-") && bytes.Contains(head, []byte("%PDF-")) && imageKind(head) != Unknown:
		return Unknown // a picture to one viewer, a document to the next: which was meant is unknown
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

// imageKind tells the kind of an image by its first bytes.
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

// bmpHeader says whether n is the size of a known BMP information header: "BM" alone also begins plain text.
func bmpHeader(n uint32) bool {
	switch n {
	case 12, 40, 52, 56, 64, 108, 124:
		return true
	}
	return false
}

// unsupportedDetail says what a file of unknown kind looks like, so that the user knows what to do.
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
