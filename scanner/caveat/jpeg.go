package caveat

import "bytes"

// Markers of segments (ITU-T T.81, table B.1).
const (
	sof0, sof2, dht      = 0xC0, 0xC2, 0xC4
	rst0, rst7, soi, eoi = 0xD0, 0xD7, 0xD8, 0xD9
	sos, dqt, dri        = 0xDA, 0xDB, 0xDD
	app0, app15, com     = 0xE0, 0xEF, 0xFE
)

// jpegSize returns the size in the header of a JPEG picture. It returns false if common programs
// differ in how they read the header, as image/jpeg does. That package would be a hundredth of the
// scanner in a browser, which needs the rest of it for nothing.
func jpegSize(data []byte) (w, h int, ok bool) {
	rest, isJPEG := bytes.CutPrefix(data, []byte{0xFF, soi})
	for jfif := false; isJPEG; {
		var marker byte
		if marker, rest = nextMarker(rest); marker >= rst0 && marker <= rst7 {
			continue
		}
		if len(rest) < 2 || marker == eoi {
			return 0, 0, false
		}
		n := int(rest[0])<<8 | int(rest[1])
		if marker == sos {
			return w, h, ok && n >= 2
		}
		if n < 2 || n > len(rest) {
			return 0, 0, false
		}
		segment := rest[2:n]
		rest = rest[n:]
		switch {
		case marker >= sof0 && marker <= sof2:
			if ok { // two headers
				return 0, 0, false
			}
			w, h, ok = frameSize(segment)
			if !ok || jfif {
				return w, h, ok
			}
		case marker == app0:
			if len(segment) >= 5 {
				jfif = bytes.HasPrefix(segment, []byte("JFIF\x00"))
			}
		case marker != dht && marker != dqt && marker != dri && (marker < app0 || marker > app15) && marker != com:
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// nextMarker skips to the next marker and returns it with the bytes behind it; none remain if there is none.
func nextMarker(b []byte) (marker byte, rest []byte) {
	for {
		at := bytes.IndexByte(b, 0xFF)
		if at < 0 {
			return 0, nil
		}
		fill := 0
		for b = b[at:]; len(b) > 0 && b[0] == 0xFF; b = b[1:] {
			fill++
		}
		if len(b) == 0 {
			return 0, nil
		}
		// A single FF with 00 is data. After fill bytes image/jpeg takes 00 for a marker.
		if b[0] != 0 || fill > 1 {
			return b[0], b[1:]
		}
	}
}

// frameSize reads a frame header (B.2.2): 8 bits, and the samplings that programs commonly read.
func frameSize(s []byte) (w, h int, ok bool) {
	if len(s) < 6 || s[0] != 8 || len(s) != 6+3*int(s[5]) {
		return 0, 0, false
	}
	ids := map[byte]bool{}
	var across, down [4]int
	count := int(s[5])
	if count != 1 && count != 3 && count != 4 {
		return 0, 0, false
	}
	for i := range count {
		c := s[6+3*i:]
		across[i], down[i] = int(c[1]>>4), int(c[1]&15)
		if ids[c[0]] || c[2] > 3 || !sampling(across[i]) || !sampling(down[i]) {
			return 0, 0, false
		}
		ids[c[0]] = true
	}
	switch ones := across[1] == 1 && down[1] == 1 && across[2] == 1 && down[2] == 1; count {
	case 3:
		ok = down[0] < 4 && across[0]%across[1] == 0 && down[0]%down[1] == 0 && across[1] == across[2] && down[1] == down[2]
	case 4:
		ok = across[0] == down[0] && across[0] < 4 && ones && across[3] == across[0] && down[3] == down[0]
	default:
		ok = true
	}
	return int(s[3])<<8 | int(s[4]), int(s[1])<<8 | int(s[2]), ok
}

func sampling(n int) bool { return n == 1 || n == 2 || n == 4 }
