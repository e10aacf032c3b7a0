package picturefile

import (
	"bytes"
	"encoding/binary"
	"math"

	"tcode/scanner/filekind"
)

// Meta is the orientation and resolution of an image file.
type Meta struct {
	Orientation int     // TIFF 6.0 tag 274: 1 upright .. 8; 0: not set
	DPI         float64 // 0: not set
	DPIY        float64 // from row to row, where it differs, as of a fax; 0: DPI
}

// MetaOf returns the data in a JPEG, PNG or WebP file, with a resolution as [Meta.Believed]. It never fails: it returns an empty
// Meta if the file has none, or is of another kind.
func MetaOf(k filekind.Kind, file []byte) (m Meta) {
	switch k {
	case filekind.JPEG:
		m = jpegMeta(file)
	case filekind.PNG:
		m = pngMeta(file)
	case filekind.WebP:
		m = webpMeta(file)
	}
	return m.Believed()
}

// Believed removes the resolutions of screens, 72 and 96 dpi: cameras and drawing programs write them by
// default, and no scanner has them.
func (m Meta) Believed() Meta {
	if r := math.Round(m.DPI); r == 72 || r == 96 {
		m.DPI, m.DPIY = 0, 0
	}
	return m
}

// jpegMeta walks the segments before the scan: APP0 JFIF has the density, APP1 Exif the orientation.
func jpegMeta(file []byte) (m Meta) {
	for b := file[min(2, len(file)):]; len(b) >= 4 && b[0] == 0xFF; {
		marker, n := b[1], int(binary.BigEndian.Uint16(b[2:]))
		if marker == 0xFF { // fill byte
			b = b[1:]
			continue
		}
		if marker == 0xDA || n < 2 || len(b) < 2+n {
			break
		}
		data := b[4 : 2+n]
		switch {
		case marker == 0xE0 && len(data) >= 12 && string(data[:5]) == "JFIF\x00":
			x := float64(binary.BigEndian.Uint16(data[8:]))
			switch data[7] {
			case 1:
				m.DPI = x
			case 2:
				m.DPI = x * 2.54
			}
		case marker == 0xE1 && bytes.HasPrefix(data, []byte("Exif\x00\x00")):
			m = m.or(exifMeta(data[6:]))
		}
		b = b[2+n:]
	}
	return m
}

// pngMeta walks the chunks before the pixels: pHYs has pixels per metre, eXIf the orientation.
func pngMeta(file []byte) (m Meta) {
	for b := file[min(8, len(file)):]; len(b) >= 12; {
		n := int64(binary.BigEndian.Uint32(b))
		kind := string(b[4:8])
		if kind == "IDAT" || 12+n > int64(len(b)) {
			break
		}
		data := b[8 : 8+n]
		switch {
		case kind == "pHYs" && n == 9 && data[8] == 1:
			m.DPI = float64(binary.BigEndian.Uint32(data)) * 0.0254
		case kind == "eXIf":
			m = m.or(exifMeta(data))
		}
		b = b[12+n:]
	}
	return m
}

// webpMeta walks the RIFF chunks for EXIF.
func webpMeta(file []byte) Meta {
	for b := file[min(12, len(file)):]; len(b) >= 8; {
		n := int64(binary.LittleEndian.Uint32(b[4:]))
		if 8+n > int64(len(b)) {
			break
		}
		if string(b[:4]) == "EXIF" {
			return exifMeta(bytes.TrimPrefix(b[8:8+n], []byte("Exif\x00\x00")))
		}
		b = b[min(8+n+n&1, int64(len(b))):]
	}
	return Meta{}
}

// or fills the unset fields of m from o.
func (m Meta) or(o Meta) Meta {
	if m.Orientation == 0 {
		m.Orientation = o.Orientation
	}
	if m.DPI == 0 {
		m.DPI, m.DPIY = o.DPI, o.DPIY
	}
	return m
}

// exifMeta reads the first directory of an Exif block, which is a TIFF file of its own.
func exifMeta(b []byte) Meta {
	order := TIFFOrder(b)
	if order == nil {
		return Meta{}
	}
	entries, _, ok := ParseIFD(b, order, order.Uint32(b[4:]))
	if !ok {
		return Meta{}
	}
	return TIFFMeta(b, order, entries)
}

// TIFFOrder returns the order of bytes of a TIFF file, nil if b has no TIFF header.
func TIFFOrder(b []byte) binary.ByteOrder {
	switch {
	case len(b) < 8:
		return nil
	case string(b[:4]) == "II*\x00":
		return binary.LittleEndian
	case string(b[:4]) == "MM\x00*":
		return binary.BigEndian
	}
	return nil
}

// IFDEntry is the length in bytes of a directory entry: tag, type, count, value or offset.
const IFDEntry = 12

// ParseIFD returns the entries of the TIFF directory at offset and the offset of the next one.
func ParseIFD(b []byte, order binary.ByteOrder, offset uint32) (entries []byte, next uint32, ok bool) {
	at := int64(offset)
	if at < 8 || at+2 > int64(len(b)) {
		return nil, 0, false
	}
	n := int64(order.Uint16(b[at:])) * IFDEntry
	end := at + 2 + n
	if n == 0 || end > int64(len(b)) {
		return nil, 0, false
	}
	if end+4 <= int64(len(b)) {
		next = order.Uint32(b[end:])
	}
	return b[at+2 : end], next, true
}

// TIFFMeta reads tags 274 Orientation, 282 XResolution, 283 YResolution and 296 ResolutionUnit (TIFF 6.0 section 8) of a
// directory.
func TIFFMeta(b []byte, order binary.ByteOrder, entries []byte) Meta {
	m := Meta{}
	unit := uint16(2)
	for ; len(entries) >= IFDEntry; entries = entries[IFDEntry:] {
		short := order.Uint16(entries[8:])
		switch order.Uint16(entries) {
		case 274:
			if short >= 1 && short <= 8 {
				m.Orientation = int(short)
			}
		case 282:
			m.DPI = rational(b, order, order.Uint32(entries[8:]))
		case 283:
			m.DPIY = rational(b, order, order.Uint32(entries[8:]))
		case 296:
			unit = short
		}
	}
	switch unit {
	case 2:
	case 3:
		m.DPI, m.DPIY = m.DPI*2.54, m.DPIY*2.54
	default:
		m.DPI, m.DPIY = 0, 0
	}
	if m.DPIY == m.DPI {
		m.DPIY = 0
	}
	return m
}

// rational returns the fraction at an offset, 0 if there is none.
func rational(b []byte, order binary.ByteOrder, offset uint32) float64 {
	at := int64(offset)
	if at+8 > int64(len(b)) {
		return 0
	}
	den := order.Uint32(b[at+4:])
	if den == 0 {
		return 0
	}
	return float64(order.Uint32(b[at:])) / float64(den)
}
