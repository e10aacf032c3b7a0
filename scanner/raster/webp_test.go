package raster_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/jpeg"
	"os"
	"slices"
	"testing"

	"tcode/scanner/raster"
)

// animatedWebP returns an animation of two frames, each of them the picture in file, which is a still one.
func animatedWebP(t testing.TB, file []byte, width, height int) []byte {
	t.Helper()
	part := func(name string, data []byte) []byte {
		out := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data)))
		return append(append(out, data...), make([]byte, len(data)%2)...)
	}
	size := []byte{byte(width - 1), byte((width - 1) >> 8), 0, byte(height - 1), byte((height - 1) >> 8), 0}
	parts := file[12:]
	if string(parts[:4]) == "VP8X" {
		parts = parts[18:]
	}
	frame := part("ANMF", slices.Concat(make([]byte, 6), size, []byte{100, 0, 0, 0}, parts))
	head := part("VP8X", append([]byte{2 | 16, 0, 0, 0}, size...))
	return part("RIFF", slices.Concat([]byte("WEBP"), head, part("ANIM", make([]byte, 6)), frame, frame))
}

// TestAnimatedWebP: of an animation the first frame is read, as of a GIF.
func TestAnimatedWebP(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{})
	for _, name := range []string{"lossless.webp", "lossy.webp", "alpha.webp", "lossyalpha.webp"} {
		still, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := pages(t, r, still, 150)
		if err != nil {
			t.Fatal(err)
		}
		moving := animatedWebP(t, still, want[0].Image.Width, want[0].Image.Height)
		got, err := pages(t, r, moving, 150)
		if err != nil || len(got) != 1 || !bytes.Equal(got[0].Image.Pix, want[0].Image.Pix) {
			t.Errorf("%s: %d pages, %v", name, len(got), err)
		}
		for n := 12; n < len(moving); n += 7 { // cut off anywhere
			if _, err := pages(t, r, moving[:n], 150); n < len(still)/2 && !errors.Is(err, raster.ErrDamaged) {
				t.Errorf("%s, %d bytes: %v", name, n, err)
			}
		}
	}
}

// TestJPEGWithoutEnd: a picture that lacks its end marker alone is read; one that lacks more is damaged.
func TestJPEGWithoutEnd(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{})
	whole := encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, corner(40, 60), nil) })
	for missing, want := range []error{nil, nil, nil} {
		ps, err := pages(t, r, whole[:len(whole)-missing], 150)
		if !errors.Is(err, want) {
			t.Fatalf("%d bytes missing: %v", missing, err)
		}
		sameCorner(t, ps[0].Image, 40, 60, 5, 5)
	}
	if _, err := pages(t, r, whole[:len(whole)-9], 150); !errors.Is(err, raster.ErrDamaged) {
		t.Errorf("9 bytes missing: %v", err)
	}
}
