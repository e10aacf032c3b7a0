package pageimage

import "encoding/binary"

// bare returns a JPEG picture without the parts that programs for photographs follow and those for PDF do not:
// the turn (Exif) and colour profiles. It returns nil unless the picture has w by h px of 8 bits and parts
// components and, with 4 of them, Adobe's marker. Its parts behind the first scan are not examined.
func bare(data []byte, w, h, parts int) []byte {
	const (
		soi, eoi, sos, app0, app14, app15, com = 0xD8, 0xD9, 0xDA, 0xE0, 0xEE, 0xEF, 0xFE
		sof0, sof2                             = 0xC0, 0xC2
	)
	if len(data) < 4 || data[0] != 0xFF || data[1] != soi {
		return nil
	}
	out := append(make([]byte, 0, len(data)), data[:2]...)
	sized, adobe := false, false
	for rest := data[2:]; len(rest) >= 4; {
		if rest[0] != 0xFF {
			return nil
		}
		if rest[1] == 0xFF { // a byte that fills
			rest = rest[1:]
			continue
		}
		kind, n := rest[1], int(binary.BigEndian.Uint16(rest[2:]))+2
		if n < 4 || n > len(rest) || kind < sof0 || kind == soi || kind == eoi {
			return nil
		}
		body := rest[4:n]
		switch {
		case kind == sos:
			if !sized || parts == 4 && !adobe {
				return nil
			}
			return append(out, rest...)
		case kind >= sof0 && kind <= 0xCF && kind != 0xC4 && kind != 0xC8 && kind != 0xCC:
			good := kind <= sof2 && len(body) >= 6 && body[0] == 8 && int(body[5]) == parts
			if sized || !good || int(binary.BigEndian.Uint16(body[1:])) != h || int(binary.BigEndian.Uint16(body[3:])) != w {
				return nil
			}
			sized = true
		case kind == app14:
			adobe = adobe || len(body) >= 12 && string(body[:5]) == "Adobe"
		case kind > app0 && kind <= app15, kind == com:
			rest = rest[n:]
			continue
		}
		out = append(out, rest[:n]...)
		rest = rest[n:]
	}
	return nil
}
