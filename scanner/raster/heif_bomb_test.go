//go:build !race

package raster_test

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
	"tcode/testdata/corpus"
)

// slowHEIFBombs take most of the time, some until a child's time is over: TCODE_LONG=all decodes them.
var slowHEIFBombs = []string{
	"HEIC of 7680 x 7680", "HEIC that claims 4000 x 4000", "a grid of 60 million pixels",
	"a grid of tiles that claim 64 x 96", "a grid of 4096 tiles",
}

// TestHEIFBombs: no child that decodes HEIC or AVIF exceeds its memory limit, whatever the boxes claim, and the next file is
// decoded.
func TestHEIFBombs(t *testing.T) {
	if !peaks() {
		t.Skip("peaks of memory are read in /proc")
	}
	file := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	heic, avif := file("testdata/giant/giant.heic"), file("testdata/giant/giant.avif")
	hevc, av1 := codedOf(t, heic, "hvcC"), codedOf(t, avif, "av1C")
	small, _ := cornerOf(t, raster.HEIC)
	one := func(k raster.Kind, c coded, item string, w, h uint32) []byte {
		return buildHEIF(string(k), [][]byte{ispe(w, h), c.configuration}, []heifItem{{1, item, c.data, []int{1, 2}}})
	}
	for name, file := range map[string][]byte{
		"HEIC of 7680 x 7680":                      heic,
		"AVIF of 7680 x 7680 in 12 bits":           avif,
		"HEIC that claims 16 x 16":                 one(raster.HEIC, hevc, "hvc1", 16, 16),
		"AVIF that claims 16 x 16":                 one(raster.AVIF, av1, "av01", 16, 16),
		"HEIC that claims 4000 x 4000":             one(raster.HEIC, hevc, "hvc1", 4000, 4000),
		"AVIF that claims 3000 x 3000":             one(raster.AVIF, av1, "av01", 3000, 3000),
		"60 million pixels of HEIC, coded 64 x 96": one(raster.HEIC, small, "hvc1", 7700, 7700),
		"a grid of 60 million pixels":              grid(small, 7680, 7680, 120, 30, 64, 256),
		"a grid of tiles that claim 64 x 96":       grid(hevc, 640, 960, 10, 10, 64, 96),
		"a grid of 4096 tiles":                     grid(small, 4096, 6144, 64, 64, 64, 96),
		"a grid of 64 tiles":                       grid(small, 512, 768, 8, 8, 64, 96),
	} {
		if !corpus.Long() && slices.Contains(slowHEIFBombs, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			stop := watchPeak(t)
			r := raster.New(sandbox.Config{Size: 1}, raster.Limits{}, raster.WithCache(cache))
			defer r.Close()
			start := time.Now()
			_, err := pages(t, r, file, 150)
			took := time.Since(start)
			next := turned(t, raster.Sniff(file))
			if _, err := pages(t, r, next, 150); err != nil {
				t.Errorf("the next file: %v", err)
			}
			if _, ok := errors.AsType[*raster.Error](err); err != nil && !ok && !errors.Is(err, sandbox.ErrTimeout) {
				t.Errorf("err = %v, want an error of the file", err)
			}
			peak, _ := stop()
			t.Logf("%d bytes: %d MiB, %v, %v", len(file), peak>>20, took.Round(time.Millisecond), err)
			if peak == 0 || peak > childBytes {
				t.Errorf("a child had %d MiB in memory, the limit is %d", peak>>20, childBytes>>20)
			}
		})
	}
}
