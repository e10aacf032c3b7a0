package caveat

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"testing"
)

// likeJPEG compares jpegSize with image/jpeg.
func likeJPEG(t *testing.T, data []byte) bool {
	t.Helper()
	w, h, ok := jpegSize(data)
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if ok != (err == nil) || ok && (w != c.Width || h != c.Height) {
		t.Errorf("%x: %d by %d, %v, want %d by %d, %v", data[:min(len(data), 400)], w, h, ok, c.Width, c.Height, err)
	}
	return ok
}

// jpegs are headers of pictures, with and without JFIF.
func jpegs(t testing.TB) (all [][]byte) {
	t.Helper()
	for _, img := range []image.Image{image.NewGray(image.Rect(0, 0, 30, 20)), image.NewRGBA(image.Rect(0, 0, 300, 7))} {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, nil); err != nil {
			t.Fatal(err)
		}
		plain := b.Bytes()[2:]
		for _, before := range []string{"", "\xFF\xE0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00", "\xFF\xE0\x00\x04ab", "\xFF\xEE\x00\x0EAdobe\x00\x64\x00\x00\x00\x00\x01", "\xFF\xFE\x00\x03c\xFF\xFF", "x\xFF\x00y"} {
			all = append(all, append([]byte("\xFF\xD8"+before), plain...))
		}
	}
	four := "\xFF\xD8\xFF\xC2\x00\x14\x08\x00\x10\x00\x20\x04\x01\x22\x00\x02\x11\x00\x03\x11\x00\x04\x22\x00\xFF\xDA\x00\x02"
	return append(all, []byte(four))
}

func TestJPEG(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	taken := 0
	for _, data := range jpegs(t) {
		if !likeJPEG(t, data) {
			t.Errorf("%x is refused", data[:40])
		}
		header := data[:bytes.Index(data, []byte{0xFF, sos})+4]
		for range 20_000 {
			changed := append([]byte(nil), header...)
			for n := 1 + random.IntN(3); n > 0 && len(changed) > 3; n-- {
				at := random.IntN(len(changed))
				if frame := bytes.Index(changed, []byte{0xFF, sof0}); frame >= 0 && random.IntN(2) == 0 {
					at = min(frame+random.IntN(24), len(changed)-1) // most bytes are of tables, which no function reads
				}
				switch random.IntN(6) {
				case 0:
					changed[at] = []byte{0, 1, 2, 3, 4, 8, 0x11, 0x12, 0x21, 0x22, 0x41, 0x14, 0xFF}[random.IntN(13)]
				case 1:
					changed[at] = byte(random.IntN(256))
				case 2:
					changed = append(changed[:at:at], append([]byte{0xFF, byte(0xC0 + random.IntN(64))}, changed[at:]...)...)
				case 3:
					changed = append(changed[:at:at], changed[at+1:]...)
				case 4:
					changed = append(append([]byte(nil), changed...), changed[2:]...)
				default:
					changed = changed[:at+1]
				}
			}
			if likeJPEG(t, changed) {
				taken++
			}
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d changed headers are taken", taken)
}

// TestSamplings compares all pairs of samplings.
func TestSamplings(t *testing.T) {
	t.Parallel()
	for first := range 256 {
		for second := range 256 {
			for _, n := range []int{1, 3, 4} {
				data := []byte{0xFF, soi, 0xFF, sof0, 0, byte(8 + 3*n), 8, 0, 1, 0, 2, byte(n)}
				for i := range n {
					hv := byte(second)
					if i == 0 || i == 3 {
						hv = byte(first)
					}
					data = append(data, byte(i), hv, 0)
				}
				likeJPEG(t, append(data, 0xFF, sos, 0, 2))
			}
		}
	}
}

func FuzzJPEG(f *testing.F) {
	for _, data := range jpegs(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { likeJPEG(t, data) })
}
