package raster_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"tcode/scanner/raster"
)

// TestJP2Hostile: the sizes are checked before a decoder sees the file.
func TestJP2Hostile(t *testing.T) {
	t.Parallel()
	small := jpx(20, 20, 20, 1)
	depth := []byte(small)
	depth[4+2+2+8*4+2] = 37 // 38 bits
	tiny := strings.Replace(small, string(binary.BigEndian.AppendUint32(nil, 20)), "\x00\x00\x00\x00", 1)
	for name, tt := range map[string]struct {
		file []byte
		want error
	}{
		"30000 x 30000":              {[]byte(jpx(30000, 30000, 30000, 1)), raster.ErrTooLarge},
		"2^31 x 2^31":                {[]byte(jpx(1<<31, 1<<31, 1<<31, 1)), raster.ErrTooLarge},
		"four samples a pixel":       {[]byte(jpx(4000, 4000, 4000, 4)), raster.ErrTooLarge},
		"2000 components":            {[]byte(jpx(100, 100, 100, 2000)), raster.ErrUnsupported},
		"no component":               {[]byte(jpx(100, 100, 100, 0)), raster.ErrUnsupported},
		"38 bits":                    {depth, raster.ErrUnsupported},
		"0 wide":                     {[]byte(tiny), raster.ErrDamaged},
		"header only":                {[]byte(small[:20]), raster.ErrDamaged},
		"boxes of another size":      {jp2File(20, 30, 1, small), raster.ErrDamaged},
		"boxes without an image":     {jp2File(20, 20, 1, ""), raster.ErrDamaged},
		"cut off in the boxes":       {jp2File(20, 20, 1, small)[:60], raster.ErrDamaged},
		"a code stream without data": {[]byte(jpx(2000, 2000, 2000, 1)), nil},
		"tiles of one pixel":         {[]byte(jpx(4000, 4000, 1, 1)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine raster.Option) {
				if raceDetector && strings.HasSuffix(t.Name(), "/"+string(raster.PDFium)) {
					return // it takes minutes; it runs without the detector
				}
				_, err := pages(t, newRasterizer(t, raster.Limits{}, engine), tt.file, 150)
				if _, ours := errors.AsType[*raster.Error](err); err != nil && !ours || tt.want != nil && !errors.Is(err, tt.want) {
					t.Errorf("err = %v, want %v", err, tt.want)
				}
				t.Log(err)
			})
		})
	}
}
