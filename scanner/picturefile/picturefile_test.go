package picturefile_test

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"testing"

	_ "image/gif" // formats of image.DecodeConfig
	_ "image/jpeg"
	_ "image/png"

	_ "golang.org/x/image/bmp" // the same
	_ "golang.org/x/image/webp"

	"tcode/scanner/filekind"
	"tcode/scanner/picturefile"
)

// TestSize: the size is that of a decoder, for each picture of the renderer's tests.
func TestSize(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../raster/testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	read := map[filekind.Kind]int{}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		kind := filekind.Of(raw)
		w, h, ok := picturefile.Size(kind, raw)
		if ok {
			read[kind]++
		}
		cfg, _, err := image.DecodeConfig(bytes.NewReader(raw))
		if known := kind != filekind.HEIC && kind != filekind.AVIF && err == nil; known && (!ok || w != cfg.Width || h != cfg.Height) {
			t.Errorf("%s: %d x %d px, %v; want %d x %d", name, w, h, ok, cfg.Width, cfg.Height)
		}
		for n := range min(len(raw), 64) { // no part of a file is a fault
			picturefile.Size(kind, raw[:n])
			picturefile.MetaOf(kind, raw[:n])
		}
	}
	for _, kind := range []filekind.Kind{filekind.PNG, filekind.JPEG, filekind.GIF, filekind.BMP, filekind.WebP, filekind.HEIC, filekind.AVIF} {
		if read[kind] == 0 {
			t.Errorf("no size of a %s was read", kind)
		}
	}
}

// FuzzSize: no bytes are a fault, and a size that is known is positive.
func FuzzSize(f *testing.F) {
	f.Add("jpeg", []byte("\xff\xd8\xff\xc0\x00\x11\x08\x00\x10\x00\x20\x03"))
	f.Add("avif", []byte("ispe\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x20"))
	f.Fuzz(func(t *testing.T, kind string, head []byte) {
		w, h, ok := picturefile.Size(filekind.Kind(kind), head)
		if ok && (w <= 0 || h <= 0) {
			t.Errorf("%d x %d px", w, h)
		}
		picturefile.MetaOf(filekind.Kind(kind), head)
	})
}
