package raster

import (
	"bytes"
	"encoding/binary"
	"math"
)

// meta is the orientation and resolution of an image file.
type meta struct {
	orientation int     // TIFF 6.0 tag 274: 1 upright .. 8; 0: not set
	dpi         float64 // 0: not set
}

// readMeta never fails: it returns an empty meta if the file has no valid one.
func readMeta(k Kind, file []byte) (m meta) {
	switch k {
	case JPEG:
		m = jpegMeta(file)
	case PNG:
		m = pngMeta(file)
	case WebP:
		m = webpMeta(file)
	}
	return m.believed()
}

// believed removes the resolutions of screens, 72 and 96 dpi: cameras and drawing programs write them by
// default, and no scanner has them.
func (m meta) believed() meta {
	if r := math.Round(m.dpi); r == 72 || r == 96 {
		m.dpi = 0
	}
	return m
}

// jpegMeta walks the segments before the scan: APP0 JFIF has the density, APP1 Exif the orientation.
func jpegMeta(file []byte) (m meta) {
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
				m.dpi = x
			case 2:
				m.dpi = x * 2.54
			}
		case marker == 0xE1 && bytes.HasPrefix(data, []byte("Exif\x00\x00")):
			m = m.or(exifMeta(data[6:]))
		}
		b = b[2+n:]
	}
	return m
}

// pngMeta walks the chunks before the pixels: pHYs has pixels per metre, eXIf the orientation.
func pngMeta(file []byte) (m meta) {
	for b := file[min(8, len(file)):]; len(b) >= 12; {
		n := int64(binary.BigEndian.Uint32(b))
		kind := string(b[4:8])
		if kind == "IDAT" || 12+n > int64(len(b)) {
			break
		}
		data := b[8 : 8+n]
		switch {
		case kind == "pHYs" && n == 9 && data[8] == 1:
			m.dpi = float64(binary.BigEndian.Uint32(data)) * 0.0254
		case kind == "eXIf":
			m = m.or(exifMeta(data))
		}
		b = b[12+n:]
	}
	return m
}

// webpMeta walks the RIFF chunks for EXIF.
func webpMeta(file []byte) meta {
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
	return meta{}
}

// or fills the unset fields of m from o.
func (m meta) or(o meta) meta {
	if m.orientation == 0 {
		m.orientation = o.orientation
	}
	if m.dpi == 0 {
		m.dpi = o.dpi
	}
	return m
}

// exifMeta reads the first directory of an Exif block, which is a TIFF file of its own.
func exifMeta(b []byte) meta {
	order := tiffOrder(b)
	if order == nil {
		return meta{}
	}
	entries, _, ok := parseIFD(b, order, order.Uint32(b[4:]))
	if !ok {
		return meta{}
	}
	return metaOf(b, order, entries)
}

func tiffOrder(b []byte) binary.ByteOrder {
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

// ifdEntry is the length of a directory entry: tag, type, count, value or offset.
const ifdEntry = 12

// parseIFD returns the entries of the directory at offset and the offset of the next one.
func parseIFD(b []byte, order binary.ByteOrder, offset uint32) (entries []byte, next uint32, ok bool) {
	at := int64(offset)
	if at < 8 || at+2 > int64(len(b)) {
		return nil, 0, false
	}
	n := int64(order.Uint16(b[at:])) * ifdEntry
	end := at + 2 + n
	if n == 0 || end > int64(len(b)) {
		return nil, 0, false
	}
	if end+4 <= int64(len(b)) {
		next = order.Uint32(b[end:])
	}
	return b[at+2 : end], next, true
}

// metaOf reads tags 274 Orientation, 282 XResolution and 296 ResolutionUnit (TIFF 6.0 section 8).
func metaOf(b []byte, order binary.ByteOrder, entries []byte) meta {
	m := meta{}
	unit := uint16(2)
	for ; len(entries) >= ifdEntry; entries = entries[ifdEntry:] {
		short := order.Uint16(entries[8:])
		switch order.Uint16(entries) {
		case 274:
			if short >= 1 && short <= 8 {
				m.orientation = int(short)
			}
		case 282:
			if at := int64(order.Uint32(entries[8:])); at+8 <= int64(len(b)) {
				if den := order.Uint32(b[at+4:]); den != 0 {
					m.dpi = float64(order.Uint32(b[at:])) / float64(den)
				}
			}
		case 296:
			unit = short
		}
	}
	switch unit {
	case 2:
	case 3:
		m.dpi *= 2.54
	default:
		m.dpi = 0
	}
	return m
}
