package raster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"tcode/scanner/filekind"
	"tcode/scanner/gray"
	"tcode/scanner/picturefile"
)

// jp2 describes a JPEG 2000 image.
type jp2 struct {
	boxed         bool    // with the boxes of a file, which say what the components mean
	width, height int     // px
	components    int     // 1 to 4
	depth         int     // bits of the first component
	opacity       bool    // one of the components
	dpi           float64 // 0: not set
}

// jp2Engine is a JPEG 2000 file. Both engines for PDFs can decode JPEG 2000, so the file becomes the only image of a PDF and
// the engine of the child draws it, a point for a pixel.
type jp2Engine struct {
	pdf    pdfEngine
	info   jp2
	limits Limits
}

func openJP2(file []byte, l Limits, openPDF func([]byte) (renderer, error)) (engine, error) {
	info, err := readJP2(file)
	if err != nil {
		return nil, err
	}
	if err := checkSides(info.width, info.height, l); err != nil {
		return nil, err
	}
	if n := info.memory(); n > maxJP2 {
		return nil, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("a JPEG 2000 image of %d x %d pixels that takes %d MiB of memory, the limit is %d MiB",
			info.width, info.height, n>>20, maxJP2>>20)}
	}
	doc, err := openPDF(info.document(file))
	if err != nil {
		return nil, err
	}
	return &jp2Engine{pdf: pdfEngine{doc: doc, limits: l}, info: info, limits: l}, nil
}

// maxJP2 bounds the memory for decoding an image, which both engines limit to 256 MiB.
const maxJP2 = 240 << 20

// memory returns the bytes that the engine with the larger need, PDFium, needs for the samples and its images of them, so that
// both answer alike. It was measured: 13.3 million pixels in colour, 8.4 million with opacity and 36 million in gray fit, 14.1,
// 9.9 and 42.3 million do not.
func (j jp2) memory() int64 {
	each := 6*j.components + 1
	if j.opacity || j.components == 4 {
		each += 4
	}
	return int64(j.width) * int64(j.height) * int64(each)
}

func (e *jp2Engine) pages() int { return 1 }

func (e *jp2Engine) close() { e.pdf.close() }

func (e *jp2Engine) page(_ int, _ float64, _ int, into *gray.Image) (drawn, error) {
	if _, err := e.pdf.doc.load(0); err != nil {
		return drawn{}, damaged(err, "the image cannot be loaded")
	}
	into.Reset(e.info.width, e.info.height)
	if _, err := e.pdf.draw(drawing{scale: 1, w: e.info.width, h: e.info.height}, into.Pix); err != nil {
		return drawn{}, damaged(err, "the image cannot be decoded")
	}
	if e.info.depth < 8 && !e.info.opacity { // both engines only shift the bits, so white is too dark
		white := 255 &^ (1<<(8-e.info.depth) - 1)
		for i, v := range into.Pix {
			into.Pix[i] = byte(min(255, int(v)*255/white))
		}
	}
	return drawn{dpi: picturefile.Meta{DPI: e.info.dpi}.Believed().DPI}, nil
}

// document returns a PDF of one page that shows file.
func (j jp2) document(file []byte) []byte {
	meaning := ""
	switch {
	case j.boxed:
	case j.components < 3:
		meaning = "/ColorSpace /DeviceGray "
	default:
		meaning = "/ColorSpace /DeviceRGB "
	}
	if j.opacity {
		meaning += "/SMaskInData 1 "
	}
	var b bytes.Buffer
	var at [6]int
	object := func(n int, format string, args ...any) {
		at[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n", n)
		fmt.Fprintf(&b, format, args...)
	}
	b.Grow(len(file) + 2048)
	b.WriteString("%PDF-1.7\n")
	object(1, "<< /Type /Catalog /Pages 2 0 R >>\nendobj\n")
	object(2, "<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n")
	object(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>\nendobj\n", j.width, j.height)
	content := fmt.Sprintf("%d 0 0 %d 0 0 cm /I Do", j.width, j.height)
	object(4, "<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(content), content)
	object(5, "<< /Type /XObject /Subtype /Image /Width %d /Height %d %s/Filter /JPXDecode /Length %d >>\nstream\n", j.width, j.height, meaning, len(file))
	b.Write(file)
	b.WriteString("\nendstream\nendobj\n")
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at))
	for _, offset := range at[1:] {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at), xref)
	return b.Bytes()
}

// errNoJP2 is the error of a file whose parts contradict each other.
var errNoJP2 = &Error{Err: ErrDamaged, Detail: "its boxes do not fit its JPEG 2000 image"}

// readJP2 reads the headers of a JPEG 2000 file, with boxes or without.
func readJP2(file []byte) (jp2, error) {
	if !bytes.HasPrefix(file, []byte(filekind.JP2Signature)) {
		return jp2{}.coded(file)
	}
	j := jp2{boxed: true}
	var code []byte
	var header *jp2
	sound := boxes(file, func(b mediaBox) bool {
		switch b.kind {
		case "jp2h":
			header = new(jp2)
			return boxes(b.data, header.take)
		case "jp2c":
			code = b.data
		}
		return code == nil
	})
	if header == nil || code == nil {
		if !sound {
			return jp2{}, errBadBoxes
		}
		return jp2{}, &Error{Err: ErrDamaged, Detail: "it has no JPEG 2000 image"}
	}
	j.opacity, j.dpi = header.opacity, header.dpi
	j, err := j.coded(code)
	if err != nil {
		return jp2{}, err
	}
	if header.width != j.width || header.height != j.height {
		return jp2{}, errNoJP2
	}
	return j, nil
}

// take reads a box of the header.
func (j *jp2) take(b mediaBox) bool {
	c := cursor{data: b.data}
	switch b.kind {
	case "ihdr":
		j.height, j.width = int(c.number(4)), int(c.number(4))
	case "cdef": // meaning of the components
		for range c.number(2) {
			c.number(2)
			if kind := c.number(2); !c.bad && (kind == 1 || kind == 2) {
				j.opacity = true
			}
			c.number(2)
		}
	case "res ":
		boxes(b.data, func(b mediaBox) bool {
			if len(b.data) >= 10 && (b.kind == "resc" || b.kind == "resd" && j.dpi == 0) {
				n, d := float64(binary.BigEndian.Uint16(b.data[4:])), float64(binary.BigEndian.Uint16(b.data[6:]))
				if perMetre := n / d * math.Pow(10, float64(int8(b.data[9]))); perMetre > 0 && perMetre < 1e6 {
					j.dpi = perMetre * 0.0254
				}
			}
			return true
		})
		return true
	}
	return !c.bad
}

// coded reads the first marker of a code stream (ISO/IEC 15444-1, A.5.1).
func (j jp2) coded(code []byte) (jp2, error) {
	if len(code) < 4 || string(code[:4]) != "\xff\x4f\xff\x51" {
		return jp2{}, &Error{Err: ErrDamaged, Detail: "its JPEG 2000 image has no size"}
	}
	c := cursor{data: code[4:]}
	c.number(4) // length, capabilities
	x1, y1, x0, y0 := int(c.number(4)), int(c.number(4)), int(c.number(4)), int(c.number(4))
	tw, th := c.number(4), c.number(4)
	c.number(4) // origin of the tiles
	c.number(4)
	j.width, j.height, j.components = x1-x0, y1-y0, int(c.number(2))
	for n := range min(j.components, 4) {
		depth := int(c.number(1)&0x7F) + 1
		if depth > 16 {
			return jp2{}, &Error{Err: ErrUnsupported, Detail: fmt.Sprintf("a JPEG 2000 image of %d bits", depth)}
		}
		if n == 0 {
			j.depth = depth
		}
		c.number(2)
	}
	switch {
	case c.bad || tw == 0 || th == 0:
		return jp2{}, errNoJP2
	case j.components < 1 || j.components > 4:
		return jp2{}, &Error{Err: ErrUnsupported, Detail: fmt.Sprintf("a JPEG 2000 image of %d components", j.components)}
	}
	return j, nil
}
