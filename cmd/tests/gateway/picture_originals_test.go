package gateway_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"image/png"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hhrutter/tiff"

	"tcode/cmd/internal/world"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// TestPictureOriginals: an issuer stamps scanned originals (PNG, JPEG, TIFF). The stamped PDF is valid by both engines, which draw it alike,
// and so is the stamp after the page was printed and scanned.
func TestPictureOriginals(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	w.Scanner("home").Close()
	page := simulate.Scan(world.DrawPages(t, world.Document(t, "letter.pdf"), 150, 1)[0], 1)
	img := &image.Gray{Pix: page.Pix, Stride: page.Width, Rect: image.Rect(0, 0, page.Width, page.Height)}
	for ending, encode := range map[string]func(*bytes.Buffer) error{
		"png":  func(b *bytes.Buffer) error { return png.Encode(b, img) },
		"jpg":  func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) },
		"tiff": func(b *bytes.Buffer) error { return tiff.Encode(b, img, nil) },
	} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			var original bytes.Buffer
			if err := encode(&original); err != nil {
				t.Fatal(err)
			}
			stamped := w.Stamp(w.Issuers[0], ending, original.Bytes())
			judge := func(file string, args ...string) {
				t.Helper()
				args = append([]string{
					"--home", filepath.Join(w.Dir, "home"), "--json", "verify", file,
				}, args...)
				out, err := exec.Command(world.Program(t, "tcode-scan"), args...).Output()
				var got struct{ Verdict string }
				if json.Unmarshal(out, &got) != nil || world.ExitCode(t, err) != 0 ||
					got.Verdict != "valid" {
					t.Errorf("%s %v: %v\n%s", file, args, err, out)
				}
			}
			judge(w.File(ending+".pdf", stamped.PDF), "--engine", "both", "--require-plain")
			for seed, sheet := range world.DrawPages(t, stamped.PDF, 300, 1) {
				judge(w.File(ending+"-paper.png", pngOf(t, simulate.Scan(sheet, uint64(seed)))),
					"--paper")
			}
		})
	}
}

func pngOf(t *testing.T, page *gray.Image) []byte {
	t.Helper()
	out, err := simulate.EncodePNG(page)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
