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
//	           │                              HEIC, AVIF: boxes ≤ 60 MP ─▶ libheif, libavif, in children of their own
//	           │                              JPEG 2000: SIZ ≤ 60 MP ─▶ the only image of a PDF ─▶ as pdf
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
// HEIC and AVIF are decoded in the same way, by modules of libheif and libavif from gen2brain/heic and gen2brain/avif. Each has
// a pool of children, which start when such a file comes, because the module must be compiled before a child restricts itself.
// The modules' own Go code is not used: it gives the decoder 4 GiB of memory and the standard output. Their search for shared
// libraries of the system ends at package noload.
//
// A child has at most 512 MiB of memory (TestBombs, TestHEIFBombs). MuPDF allocates through a counter that refuses more than 256 MiB, and
// the memory of a PDFium instance has the same limit; libheif has 352 MiB, libavif 400 MiB. A page that needs more is [ErrTooLarge], even if the engine would
// leave out an image and continue. Pages are drawn in bands, and an image is refused if decoding it takes too much memory.
// The sandbox bounds the rest.
//
// Every program that uses the package calls sandbox.Main(raster.Roles()...) first.
package raster

import (
	"errors"
	"fmt"

	"tcode/scanner/filekind"
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
	Advice string // what to do about such a file; empty: nothing in particular
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
type Kind = filekind.Kind

// The kinds that can be rendered. Unknown is everything else.
const (
	Unknown = filekind.Unknown
	PDF     = filekind.PDF
	PNG     = filekind.PNG
	JPEG    = filekind.JPEG
	TIFF    = filekind.TIFF
	BMP     = filekind.BMP
	GIF     = filekind.GIF
	WebP    = filekind.WebP
	HEIC    = filekind.HEIC
	AVIF    = filekind.AVIF
	JP2     = filekind.JP2
	PNM     = filekind.PNM
)

// Sniff returns the kind of a file from its first bytes, never from its name.
func Sniff(file []byte) Kind { return filekind.Of(file) }
