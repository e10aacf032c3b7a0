package scanned

import (
	"bytes"
	"errors"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// cmyk returns a JPEG picture in black ink, with three other inks that it does not use, as Adobe's programs write it: samples are
// light, not ink, and a marker says so. Each ink has a scan of its own, which is that of a gray picture.
func cmyk(m *gray.Image) ([]byte, error) {
	plain, err := simulate.EncodeJPEG(m, 75)
	if err != nil {
		return nil, err
	}
	none := gray.New(m.Width, m.Height)
	none.Fill(255)
	blank, err := simulate.EncodeJPEG(none, 75)
	if err != nil {
		return nil, err
	}
	const sof, sos = 0xC0, 0xDA
	out := bytes.NewBuffer([]byte{0xFF, 0xD8})
	out.WriteString("\xFF\xEE\x00\x0EAdobe\x00\x64\x00\x00\x00\x00\x00")
	for rest := plain[2:]; len(rest) > 4; {
		n := 2 + int(rest[2])<<8 + int(rest[3])
		switch rest[1] {
		case sof:
			out.Write([]byte{0xFF, sof, 0, 8 + 4*3})
			out.Write(rest[4:9])
			out.WriteByte(4)
			for ink := range byte(4) {
				out.Write([]byte{ink + 1, 0x11, 0})
			}
		case sos:
			at := len(plain) - len(rest) + n // the heads of both are alike
			for ink := range byte(4) {
				scan := blank
				if ink == 3 {
					scan = plain
				}
				out.Write([]byte{0xFF, sos, 0, 8, 1, ink + 1, 0, 0, 63, 0})
				out.Write(bytes.TrimSuffix(scan[at:], []byte{0xFF, 0xD9}))
			}
			out.Write([]byte{0xFF, 0xD9})
			return out.Bytes(), nil
		default:
			out.Write(rest[:n])
		}
		rest = rest[n:]
	}
	return nil, errors.New("the JPEG picture has no scan")
}
