package caveat

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"

	"golang.org/x/image/ccitt"

	"tcode/scanner/pdfobj"
)

// coded checks the data of a picture of w by h samples that filter unpacks: some programs
// leave out data that cannot be unpacked, and others draw them in part.
func (r resource) coded(o pdfobj.Object, filter pdfobj.Name, w, h int) bool {
	d := o.Dict()
	data, ok := r.doc.Coded(o)
	if !ok {
		return true // another check reports data that cannot be inflated here
	}
	parms := r.doc.Dict(d["DecodeParms"])
	if list := r.doc.Array(d["DecodeParms"]); len(list) > 0 {
		parms = r.doc.Dict(list[len(list)-1])
	}
	switch filter {
	case "DCTDecode":
		width, height, ok := jpegSize(data)
		return ok && width == w && height == h
	case "JPXDecode":
		return jpeg2000(data, w, h)
	case "JBIG2Decode":
		return segments(data, w, h)
	}
	return r.fax(data, parms, w, h)
}

// fax checks the data of ITU-T T.4 and T.6. It does not know the mixed coding of
// T.4.
func (r resource) fax(data []byte, parms pdfobj.Dict, w, h int) bool {
	k, _ := r.doc.Value(parms["K"]).(int)
	columns, isInt := r.doc.Value(parms["Columns"]).(int)
	if !parms.Has("Columns") {
		columns, isInt = 1728, true
	}
	rows, _ := r.doc.Value(parms["Rows"]).(int)
	if !isInt || columns != w || rows != 0 && rows < h || k > 0 || w > 1<<16 || h > 1<<16 {
		return false
	}
	size := (w + 7) / 8 * h
	if size > *r.left {
		return true // larger ones are left to programs that draw it
	}
	*r.left -= size
	coding := ccitt.Group4
	if k == 0 {
		coding = ccitt.Group3
	}
	options := &ccitt.Options{Align: r.doc.Value(parms["EncodedByteAlign"]) == true}
	n, err := io.Copy(io.Discard, ccitt.NewReader(bytes.NewReader(data), ccitt.MSB, coding, w, h, options))
	return err == nil && n == int64(size)
}

// jpeg2000 checks the parts of a picture of ITU-T T.800: boxes, or a codestream, whose
// header names w by h samples and whose tiles are all there.
func jpeg2000(data []byte, w, h int) bool {
	if !bytes.HasPrefix(data, []byte("\xFF\x4F\xFF\x51")) {
		if data = codestream(data); data == nil {
			return false
		}
	}
	const siz, start, end = 0xFF51, 0xFF90, 0xFFD9
	pos, styles, steps := 2, false, false // of coding and of quantization
	for pos+4 <= len(data) {
		marker, n := int(binary.BigEndian.Uint16(data[pos:])), int(binary.BigEndian.Uint16(data[pos+2:]))
		switch {
		case marker < 0xFF00 || n < 2 || pos+2+n > len(data):
			return false
		case marker == start:
			if n != 10 {
				return false
			}
			part := int(binary.BigEndian.Uint32(data[pos+6:]))
			if part < 14 || !styles || !steps || pos+part > len(data) {
				return false
			}
			if pos += part; pos+2 <= len(data) && binary.BigEndian.Uint16(data[pos:]) == end {
				return true
			}
			continue
		case marker == 0xFF52:
			styles = true
		case marker == 0xFF5C:
			steps = true
		case marker == siz:
			if n < 38 {
				return false
			}
			at := func(i int) int { return int(binary.BigEndian.Uint32(data[pos+6+4*i:])) }
			if at(0)-at(2) != w || at(1)-at(3) != h {
				return false
			}
		}
		pos += 2 + n
	}
	return false
}

// codestream returns the codestream in the boxes of a JP2 file, nil if there is
// none.
func codestream(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte("\x00\x00\x00\x0CjP  \r\n\x87\n")) {
		return nil
	}
	for len(data) >= 8 {
		n, kind, head := uint64(binary.BigEndian.Uint32(data)), string(data[4:8]), uint64(8)
		switch {
		case n == 0:
			n = uint64(len(data))
		case n == 1 && len(data) >= 16:
			n, head = binary.BigEndian.Uint64(data[8:]), 16
		}
		if n < head || n > uint64(len(data)) {
			return nil
		}
		if kind == "jp2c" {
			return data[head:n]
		}
		data = data[n:]
	}
	return nil
}

// regions are the segments of ITU-T T.88 that all programs read. Some programs leave out
// refinements, and regions that later segments use.
var regions = []byte{0, 6, 7, 16, 22, 23, 38, 39, 48, 49, 50, 51, 53, 62}

// segments checks the segments of a JBIG2 picture of w by h samples as they stand
// in a PDF: one page, from its header to the end.
func segments(data []byte, w, h int) bool {
	first := true
	for len(data) > 0 {
		if len(data) < 11 {
			return len(bytes.TrimSpace(data)) == 0 && !first
		}
		kind, pos := data[4]&0x3F, 5
		refs := int(data[pos] >> 5)
		if pos++; refs == 7 {
			refs = int(binary.BigEndian.Uint32(data[5:]) & 0x1FFFFFFF)
			pos += 3 + (refs+8)/8
		}
		size := 1
		switch n := binary.BigEndian.Uint32(data); {
		case n > 1<<16:
			size = 4
		case n > 1<<8:
			size = 2
		}
		if refs > len(data) {
			return false
		}
		pos += refs * size
		if pos++; data[4]&0x40 != 0 {
			pos += 3
		}
		if pos+4 > len(data) || !slices.Contains(regions, kind) {
			return false
		}
		n := int(binary.BigEndian.Uint32(data[pos:]))
		if pos += 4; n > len(data)-pos {
			return false
		}
		if kind == 48 {
			if n != 19 || !first || int(binary.BigEndian.Uint32(data[pos:])) != w {
				return false
			}
			high := binary.BigEndian.Uint32(data[pos+4:])
			if high != 0xFFFFFFFF && int(high) != h {
				return false
			}
			first = false
		}
		data = data[pos+n:]
	}
	return !first
}
