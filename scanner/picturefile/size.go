package picturefile

import (
	"bytes"
	"encoding/binary"

	"tcode/scanner/filekind"
)

// Size returns the size in px that a file of kind k claims, before any turn. head is the file or its begin. ok is false if the
// size is not in head, or if the kind is none of PNG, JPEG, GIF, BMP, WebP, HEIC and AVIF. A claim of HEIC and AVIF is that of
// the largest image in the file.
func Size(k filekind.Kind, head []byte) (w, h int, ok bool) {
	read := map[filekind.Kind]func([]byte) (int, int){
		filekind.PNG: pngSize, filekind.JPEG: jpegSize, filekind.GIF: gifSize, filekind.BMP: bmpSize, filekind.WebP: webpSize,
		filekind.HEIC: heifSize, filekind.AVIF: heifSize,
	}[k]
	if read == nil {
		return 0, 0, false
	}
	w, h = read(head)
	return w, h, w > 0 && h > 0
}

func pngSize(b []byte) (w, h int) {
	if len(b) < 24 {
		return 0, 0
	}
	return int(binary.BigEndian.Uint32(b[16:])), int(binary.BigEndian.Uint32(b[20:]))
}

func gifSize(b []byte) (w, h int) {
	if len(b) < 10 {
		return 0, 0
	}
	return int(binary.LittleEndian.Uint16(b[6:])), int(binary.LittleEndian.Uint16(b[8:]))
}

// bmpSize reads the header behind that of the file: an old one has short numbers, a later one a negative height if the
// rows are stored from the top.
func bmpSize(b []byte) (w, h int) {
	if len(b) < 26 {
		return 0, 0
	}
	if binary.LittleEndian.Uint32(b[14:]) < 40 {
		return int(binary.LittleEndian.Uint16(b[18:])), int(binary.LittleEndian.Uint16(b[20:]))
	}
	w, h = int(int32(binary.LittleEndian.Uint32(b[18:]))), int(int32(binary.LittleEndian.Uint32(b[22:])))
	return w, max(h, -h)
}

// jpegSize walks the segments up to the first frame (ITU-T T.81, B.2.2).
func jpegSize(b []byte) (w, h int) {
	for b = b[min(2, len(b)):]; len(b) >= 9 && b[0] == 0xFF; {
		marker := b[1]
		if marker == 0xFF { // fill byte
			b = b[1:]
			continue
		}
		n := 2 + int(binary.BigEndian.Uint16(b[2:]))
		switch {
		case marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
			return int(binary.BigEndian.Uint16(b[7:])), int(binary.BigEndian.Uint16(b[5:]))
		case marker == 0xDA || n < 4 || n > len(b):
			return 0, 0
		}
		b = b[n:]
	}
	return 0, 0
}

// webpSize reads the first chunk (RFC 9649, 2.5 to 2.7).
func webpSize(b []byte) (w, h int) {
	if len(b) < 30 {
		return 0, 0
	}
	u24 := func(at int) int { return int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16 }
	switch string(b[12:16]) {
	case "VP8X":
		return u24(24) + 1, u24(27) + 1
	case "VP8L":
		bits := binary.LittleEndian.Uint32(b[21:])
		return int(bits&0x3FFF) + 1, int(bits>>14&0x3FFF) + 1
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(b[26:]) & 0x3FFF), int(binary.LittleEndian.Uint16(b[28:]) & 0x3FFF)
	}
	return 0, 0
}

// heifSize finds the properties "ispe" of all images (ISO/IEC 23008-12, 6.5.3), wherever they are: a claim too many only refuses a file.
func heifSize(b []byte) (w, h int) {
	for {
		_, rest, found := bytes.Cut(b, []byte("ispe"))
		if !found || len(rest) < 12 {
			return w, h
		}
		if pw, ph := int(binary.BigEndian.Uint32(rest[4:])), int(binary.BigEndian.Uint32(rest[8:])); pw*ph > w*h {
			w, h = pw, ph
		}
		b = rest
	}
}
