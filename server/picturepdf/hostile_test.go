package picturepdf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/server/fault"
	"tcode/server/picturepdf"
)

// claiming is a PNG file of gray pixels that claims a size, with the beginning of its rows.
func claiming(w, h uint32, depth, colour byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
	head = append(head, depth, colour, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head))
}

// TestRefused names the reason of each refusal, and no picture ends this process.
func TestRefused(t *testing.T) {
	t.Parallel()
	m := quadrants(image.NewRGBA(image.Rect(0, 0, 60, 40)))
	photo, drawing, scan := asJPEG(t, m), asPNG(t, m), asTIFF(t, m)
	huge := bytes.Clone(photo)
	if at := bytes.Index(huge, []byte{0xFF, 0xC0}); at > 0 {
		copy(huge[at+5:], []byte{0xFF, 0xFF, 0xFF, 0xFF})
	}
	twelve := bytes.Replace(photo, []byte{0xFF, 0xC0, 0, 17, 8}, []byte{0xFF, 0xC0, 0, 17, 12}, 1)
	arithmetic := bytes.Replace(photo, []byte{0xFF, 0xC0}, []byte{0xFF, 0xC9}, 1)
	circle := pages(2, 10, 10)
	first := binary.LittleEndian.Uint32(circle[4:])
	binary.LittleEndian.PutUint32(circle[len(circle)-4:], first)
	for _, tt := range []struct {
		name    string
		picture []byte
		want    string
	}{
		{"empty", nil, "kind"},
		{"text", []byte("not a picture"), "kind"},
		{"gif", []byte("GIF89a\x01\x00\x01\x00"), "kind"},
		{"jpeg, cut", photo[:len(photo)-30], "cut"},
		{"jpeg, cut before the end of its scan", photo[:len(photo)-8], "cut"},
		{"jpeg, only its start", photo[:3], "cut"},
		{"jpeg, huge", huge, "pixels"},
		{"jpeg of 12 bits", twelve, "variant"},
		{"jpeg, arithmetic", arithmetic, "variant"},
		{"png, cut", drawing[:len(drawing)/2], "cut"},
		{"png, only its start", drawing[:12], "cut"},
		{"png, huge", claiming(1<<30, 1<<30, 1, 0), "pixels"},
		{"png, empty", claiming(0, 5, 1, 0), "damaged"},
		{"png, wide", claiming(59_000_000, 1, 16, 6), "memory"},
		{"png, checksum", bytes.Replace(drawing, []byte("IDAT"), []byte("IDAU"), 1), "damaged"},
		{"tiff, cut", scan[:len(scan)-40], "cut"},
		{"tiff, only its start", scan[:8], "cut"},
		{"tiff, a circle", circle, "damaged"},
		{"tiff of too many pages", pages(501, 4, 4), "frames"},
		{"tiff, huge", tiffFile([][]entry{{{256, 4, 1 << 30}, {257, 4, 1 << 30}}}, nil), "pixels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, got := picturepdf.ConvertForTest(tt.picture); got != tt.want {
				t.Errorf("refused as %q, want %q", got, tt.want)
			}
		})
	}
}

// TestMake: a child makes the same PDF, a refusal is a fault that blames the file, and a child that is killed at its limits
// leaves the pool at work.
func TestMake(t *testing.T) {
	t.Parallel()
	pool := sandbox.NewPool(sandbox.Config{Role: picturepdf.Role().Name, Size: 1})
	t.Cleanup(pool.Close)
	made := func(p *sandbox.Pool, picture []byte) ([]byte, error) {
		var out bytes.Buffer
		err := picturepdf.New(p).Make(t.Context(), io.NewSectionReader(bytes.NewReader(picture), 0, int64(len(picture))), &out)
		return out.Bytes(), err
	}
	photo := asJPEG(t, quadrants(image.NewRGBA(image.Rect(0, 0, 600, 400))))
	if got, err := made(pool, photo); err != nil || !bytes.Equal(got, must(t, photo)) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for name, picture := range map[string][]byte{"photo": photo, "fax": sample(t, "group4.tif"), "cmyk": sample(t, "cmyk.tif"), "drawing": asPNG(t, image.NewGray(image.Rect(0, 0, 9, 9)))} {
		picture = append(picture, make([]byte, 1<<20)...) // a small file is copied
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, picture, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path) // the child reads this very file, and may not write to it
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = picturepdf.New(pool).Make(t.Context(), io.NewSectionReader(file, 0, int64(len(picture))), &out)
		if file.Close(); err != nil || !bytes.Equal(out.Bytes(), must(t, picture)) {
			t.Errorf("%s in a file: %d bytes, %v", name, out.Len(), err)
		}
	}
	_, err := made(pool, photo[:len(photo)-30])
	if f := fault.As(err); f.Kind != fault.Invalid || f.Code != fault.CodeInvalidPDF || len(f.Fields["pdf"]) != 1 {
		t.Errorf("cut off: %v", err)
	}
	small := sandbox.NewPool(sandbox.Config{Role: picturepdf.Role().Name, Size: 1, MemoryBytes: 64 << 20})
	t.Cleanup(small.Close)
	_, err = made(small, asPNG(t, image.NewGray16(image.Rect(0, 0, 7000, 7000)))) // 98 MB of pixels
	if f := fault.As(err); f.Code != fault.CodeInvalidPDF || !errors.Is(err, sandbox.ErrMemory) && !errors.Is(err, sandbox.ErrCrashed) {
		t.Errorf("beyond the memory of a child: %v", err)
	}
	if got, err := made(small, photo); err != nil || len(got) == 0 {
		t.Errorf("after a child was killed: %v", err)
	}
}

// FuzzConvert: no bytes make the conversion panic, and what it makes is a PDF with a page for each picture, the same each
// time.
func FuzzConvert(f *testing.F) {
	m := quadrants(image.NewNRGBA(image.Rect(0, 0, 24, 16)))
	for _, s := range [][]byte{asPNG(f, m), asJPEG(f, m), asTIFF(f, m), pages(2, 8, 8), fax(f, 32, 8), oriented(asJPEG(f, m), 6), claiming(1000, 1000, 1, 0)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, picture []byte) {
		if picturepdf.PixelsForTest(picture) > 1<<18 {
			return // such pictures take long
		}
		pdf, refused := picturepdf.ConvertForTest(picture)
		if refused != "" {
			return
		}
		if n := len(boxes(t, pdf)); n < 1 || n > picturepdf.MaxFrames {
			t.Fatalf("%d pages", n)
		}
		if again, _ := picturepdf.ConvertForTest(picture); !bytes.Equal(again, pdf) {
			t.Fatal("another PDF of the same picture")
		}
	})
}
