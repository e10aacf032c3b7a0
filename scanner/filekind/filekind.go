// Package filekind tells formats of files apart by their bytes. Call [Of].
//
// The package decides, for the renderer and for the judgement of a file's bytes, which kind of file
// a person looks at. A browser uses it too.
package filekind

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Kind is a file format, identified by content.
type Kind string

// The kinds that package raster renders. Unknown is everything else.
const (
	Unknown Kind = ""
	PDF     Kind = "pdf"
	PNG     Kind = "png"
	JPEG    Kind = "jpeg"
	TIFF    Kind = "tiff"
	BMP     Kind = "bmp"
	GIF     Kind = "gif"
	WebP    Kind = "webp"
	HEIC    Kind = "heic" // HEIF with HEVC
	AVIF    Kind = "avif" // HEIF with AV1
	JP2     Kind = "jp2"  // JPEG 2000, with boxes or without
	PNM     Kind = "pnm"  // PBM, PGM, PPM and PAM
)

// JP2Signature is the first box of a JPEG 2000 file (ISO/IEC 15444-1, I.5.1).
const JP2Signature = "\x00\x00\x00\x0cjP  \r\n\x87\n"

// HeadLen is the number of bytes at the start of a file in which a PDF may have its header (ISO 32000-1
// annex H.3, note 13), and which suffice for the kind of a picture.
const HeadLen = 1024

// Of returns the kind of a file from its bytes, never from its name. It needs the whole file: one that
// viewers could take for a picture or for a PDF is Unknown, because they disagree about what it
// shows. A PDF in a container, such as a ZIP archive, is not the file either; see [Foreign].
func Of(file []byte) Kind {
	head := file[:min(len(file), HeadLen)]
	if bytes.HasPrefix(head, []byte("%PDF-")) {
		return PDF
	}
	if kind := OfImage(head); kind != Unknown {
		if isPDFToo(file) {
			return Unknown
		}
		return kind
	}
	if name, _ := container(head); name == "" && bytes.Contains(head, []byte("%PDF-")) {
		return PDF
	}
	return Unknown
}

// Before describes the bytes before the header of a PDF: their number, and their apparent kind, such
// as "a byte order mark". It returns 0 if the header comes first, or there is none.
func Before(pdf []byte) (n int, what string) {
	head := pdf[:min(len(pdf), HeadLen)]
	n = bytes.Index(head, []byte("%PDF-"))
	if n <= 0 {
		return 0, ""
	}
	before := bytes.ToLower(head[:n])
	text := bytes.TrimSpace(bytes.TrimPrefix(before, []byte("\xef\xbb\xbf")))
	switch {
	case len(bytes.Trim(before, pdfSpace)) == 0:
		what = "white space"
	case len(text) == 0:
		what = "a byte order mark"
	case text[0] == '<':
		what = "HTML or XML"
	case bytes.Contains(text, []byte("content-type:")) || bytes.HasPrefix(text, []byte("http/")):
		what = "the header of a mail or a web page"
	case bytes.HasPrefix(text, []byte("\x1b%-12345x")):
		what = "commands for a printer"
	case !bytes.ContainsFunc(text, control):
		what = "text"
	default:
		what = "binary data"
	}
	return n, what
}

// OfImage returns the kind of an image from its first bytes.
func OfImage(head []byte) Kind {
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
	case has("\xff\x4f\xff\x51"), has(JP2Signature):
		return JP2
	case pnmHeader(head):
		return PNM
	case has("BM") && len(head) >= 18 && bmpHeader(binary.LittleEndian.Uint32(head[14:])):
		return BMP
	}
	return heifBrand(head)
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

// heifBrand returns the kind of a file of HEIF from the brands in its first box (ISO/IEC 23008-12, 10.2), Unknown for videos
// and other files with such boxes.
func heifBrand(head []byte) Kind {
	if len(head) < 16 || string(head[4:8]) != "ftyp" {
		return Unknown
	}
	brands := head[8:min(len(head), int(min(binary.BigEndian.Uint32(head), uint32(len(head)))))]
	var all []string
	for n := 0; n+4 <= len(brands); n += 4 {
		if n != 4 { // the version of the first
			all = append(all, string(brands[n:n+4]))
		}
	}
	has := func(list ...string) bool {
		return slices.ContainsFunc(list, func(brand string) bool { return slices.Contains(all, brand) })
	}
	switch {
	case has("avif", "avis", "MA1A", "MA1B"):
		return AVIF
	case has("heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "msf1"):
		return HEIC
	}
	return Unknown
}
