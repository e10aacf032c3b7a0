package raster

import (
	"bytes"
	"strings"

	"tcode/scanner/filekind"
)

// foreign are formats that are not read.
var foreign = []struct {
	offset       int
	magic        string
	name, advice string
}{
	{0, "PK\x03\x04", "it looks like a ZIP or Office file", ""},
	{0, "\xd0\xcf\x11\xe0", "it looks like an old Office file", ""},
	{0, "II+\x00", "it looks like a BigTIFF image", "save it as PDF, PNG or an ordinary TIFF"},
	{0, "MM\x00+", "it looks like a BigTIFF image", "save it as PDF, PNG or an ordinary TIFF"},
	{0, "%!PS", "it looks like a PostScript file", ""},
	{0, "\xff\x0a", "it looks like a JPEG XL image", adviceExport},
	{0, "\x00\x00\x00\x0cJXL \r\n\x87\n", "it looks like a JPEG XL image", adviceExport},
	{4, "ftypcrx ", "it looks like a camera's raw file", adviceRaw},
	{0, "FUJIFILMCCD-RAW", "it looks like a camera's raw file", adviceRaw},
	{0, "IIU\x00", "it looks like a camera's raw file", adviceRaw},
	{0, "IIRO", "it looks like a camera's raw file", adviceRaw},
	{0, "8BPS", "it looks like a Photoshop file", adviceExport},
	{0, "AT&TFORM", "it looks like a DjVu file", adviceExport},
	{0, "\x97JB2\r\n\x1a\n", "it looks like a JBIG2 image", adviceExport},
	{4, "ftyp", "it looks like a video", "send a photo of the stamp"},
}

// Advice for files that another program must convert.
const (
	adviceExport = "export it as PNG or JPEG"
	adviceRaw    = "export it as JPEG; on an iPhone switch Apple ProRAW off, in Settings, Camera, Formats"
)

// unsupported returns the error about a file of unknown kind that begins with head and ends with tail. It describes the
// apparent format, so that the user knows what to do.
func unsupported(head, tail []byte) *Error {
	head = head[:min(len(head), filekind.HeadLen)]
	if filekind.OfImage(head) != Unknown {
		return &Error{Err: ErrUnsupported, Detail: "it is an image and a PDF at once, so viewers disagree about what it shows"}
	}
	for _, f := range foreign {
		if len(head) >= f.offset && bytes.HasPrefix(head[f.offset:], []byte(f.magic)) {
			return &Error{Err: ErrUnsupported, Detail: f.name, Advice: f.advice}
		}
	}
	if bytes.HasSuffix(tail, []byte(tgaFooter)) {
		return &Error{Err: ErrUnsupported, Detail: "it looks like a TGA image", Advice: adviceExport}
	}
	start := strings.TrimLeft(string(head), "\xef\xbb\xbf \t\r\n")
	if strings.HasPrefix(start, "<svg") || strings.HasPrefix(start, "<?xml") && strings.Contains(start, "<svg") {
		return &Error{Err: ErrUnsupported, Detail: "it looks like an SVG drawing", Advice: adviceExport}
	}
	if !bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' }) {
		return &Error{Err: ErrUnsupported, Detail: "it looks like a text file"}
	}
	return &Error{Err: ErrUnsupported}
}

// tgaFooter ends a TGA file of version 2. Files of version 1 have no mark at all.
const tgaFooter = "TRUEVISION-XFILE.\x00"
