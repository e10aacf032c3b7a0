package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/web/engine"
	"tcode/scanner/web/engine/still"
	"tcode/sync/wire"
)

// A decoded is a picture in memory, with a count of its ends.
type decoded struct {
	*still.Memory
	closed *int
}

func (d decoded) Close() { *d.closed++ }

// pngHead is the begin of a PNG file of that size.
func pngHead(w, h uint32) []byte {
	head := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	for _, v := range []uint32{w, h} {
		head = append(head, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
	}
	return head
}

// TestStill: each TCode on a picture has a finding, also one that a reduced look misses; a picture without one has a
// reason. The picture is closed each time.
func TestStill(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	small := gray.New(4000, 3000)
	small.Fill(230)
	simulate.Draw(small, simulate.Stranger(), simulate.Place{X: 3100, Y: 2400, ModulePx: 2.6, Quiet: 4}, 20, 230)
	for _, tt := range []struct {
		name  string
		img   *gray.Image
		found int
		words string
	}{
		{"one.png", page(1200, 800, simulate.Stranger()), 1, `"file":"one.png","kind":"png","page":1,"scanId":"","notKept":true,"symbol":{"modules":[40,40],"corners":`},
		{"two", page(1200, 800, simulate.Stranger(), simulate.Stranger()), 2, `"verdict":"unverified"`},
		{"small", small, 1, `"verdict":"unverified"`},
		{"foreign", page(1200, 800, other(t)), 0, `"verdict":"no_symbol","code":"foreign_symbol"`},
		{"", page(1200, 800), 0, `{"file":"photo","kind":"png","verdict":"no_symbol","code":"low_contrast","reason":"the image is nearly blank`},
	} {
		closed := 0
		a, err := e.Still(t.Context(), engine.Still{
			Name: tt.name, Source: engine.SourcePhoto, File: pngHead(uint32(tt.img.Width), uint32(tt.img.Height)), Size: 900,
			Decode: func(context.Context) (engine.Decoded, error) {
				return decoded{(*still.Memory)(tt.img), &closed}, nil
			},
		}, wire.Context{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		found := 0
		for _, f := range a.Findings {
			if f.Found() {
				found++
			}
		}
		if found != tt.found || !strings.Contains(a.JSON, tt.words) || closed != 1 || a.Source != engine.SourcePhoto || len(a.Screens) != len(a.Findings) {
			t.Errorf("%s: %d TCodes, closed %d times: %s", tt.name, found, closed, a.JSON)
		}
	}
}

// TestStillRefused: what cannot be a picture is refused before it is decoded, and the rest with a word for its owner.
func TestStillRefused(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	broken := errors.New("broken")
	heic, err := os.ReadFile("../../raster/testdata/gray.heic")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		still engine.Still
		img   *gray.Image // of the decoder; nil: it fails
		calls int
		code  string
	}{
		{"empty", engine.Still{File: []byte{}}, nil, 0, "empty"},
		{"PDF", engine.Still{File: []byte("%PDF-1.7\n"), Size: 9}, nil, 0, "unsupported"},
		{
			"PDF too",
			engine.Still{File: fmt.Append(pngHead(10, 10), strings.Repeat("A", 3000), "1 0 obj"), Size: 3040},
			nil, 0, "unsupported",
		},
		{"text", engine.Still{File: []byte("hello"), Size: 5}, nil, 0, "unsupported"},
		{"bytes", engine.Still{File: pngHead(10, 10), Size: engine.MaxStill + 1}, nil, 0, "too_large"},
		{"side", engine.Still{File: pngHead(12_001, 10), Size: 99}, nil, 0, "too_large"},
		{"pixels", engine.Still{File: pngHead(10_000, 6_001), Size: 99}, nil, 0, "too_large"},
		{"damaged", engine.Still{File: pngHead(10, 10), Size: 99}, nil, 1, "damaged"},
		{"HEIC", engine.Still{File: heic, Size: int64(len(heic))}, nil, 1, "unsupported"},
		{"a lie", engine.Still{File: pngHead(10, 10), Size: 99}, &gray.Image{Width: 12_001, Height: 1, Stride: 12_001, Pix: make([]byte, 12_001)}, 1, "too_large"},
		{"no area", engine.Still{File: pngHead(10, 10), Size: 99}, &gray.Image{}, 1, "damaged"},
	} {
		calls, closed := 0, 0
		tt.still.Decode = func(context.Context) (engine.Decoded, error) {
			if calls++; tt.img == nil {
				return nil, broken
			}
			return decoded{(*still.Memory)(tt.img), &closed}, nil
		}
		a, err := e.Still(t.Context(), tt.still, wire.Context{})
		doc, ok := errors.AsType[*engine.DocumentError](err)
		if !ok || doc.Code != tt.code || doc.Advice == "" || calls != tt.calls || len(a.Findings) > 0 {
			t.Errorf("%s: %v after %d calls, want %s", tt.name, err, calls, tt.code)
		}
		if errors.Is(err, engine.ErrTooLarge) != (tt.code == "too_large") || tt.img != nil && closed != 1 {
			t.Errorf("%s: %v, closed %d times", tt.name, err, closed)
		}
	}
}
