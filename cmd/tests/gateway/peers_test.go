package gateway_test

import (
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline/payload"
	"tcode/testdata"
)

// TestOthersRead: third-party readers get the very text from every stamped
// document of our own, as third-party programs render it: zxing-wasm from the
// full page at 200 dpi, libdmtx from a tight crop at 300 dpi.
func TestOthersRead(t *testing.T) {
	pdftoppm, dmtxread := world.Need(t, "pdftoppm"), world.Need(t, "dmtxread")
	node := world.Need(t, "node")
	const folder = "cmd/tcode-demo/peers"
	peers := world.Path(folder)
	if _, err := os.Stat(filepath.Join(peers, "node_modules")); err != nil {
		world.Need(t, "zxing-wasm (npm ci in "+folder+")")
	}
	w := world.New(t, 1)
	entries, err := testdata.Documents.ReadDir("documents")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{} // page at 200 dpi -> text
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".pdf" {
			continue
		}
		p := w.Stamp(w.Issuers[0], e.Name(), world.Document(t, e.Name()))
		text := payload.EncodeText(p.Raw)
		pdf := w.File(e.Name(), p.PDF)
		want[world.Render(t, pdftoppm, pdf, "200")] = text

		crop := cropStamp(t, world.Render(t, pdftoppm, pdf, "300"))
		out, err := exec.Command(dmtxread, "--stop-after=1", "--milliseconds=20000", crop).Output()
		if err != nil || string(out) != text {
			t.Errorf("dmtxread on %s: %q (%v), want %q", e.Name(), out, err, text)
		}
	}
	if len(want) < 5 {
		t.Fatalf("%d documents, want at least 5", len(want))
	}
	cmd := exec.Command(node, "read.mjs")
	cmd.Dir = peers
	for page := range want {
		cmd.Args = append(cmd.Args, page)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("zxing-wasm: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(want) {
		t.Fatalf("zxing-wasm answered for %d pages, want %d", len(lines), len(want))
	}
	for _, line := range lines {
		page, found, _ := strings.Cut(line, "\t")
		var texts []string
		if err := json.Unmarshal([]byte(found), &texts); err != nil {
			t.Fatal(err)
		}
		if len(texts) != 1 || texts[0] != want[page] {
			t.Errorf("zxing-wasm on %s: %q, want %q", filepath.Base(page), texts, want[page])
		}
	}
}

// cropStamp cuts out the default place of the stamp: the box of 16.5 mm, 10 mm
// from the right and lower borders, with 2 mm around it.
func cropStamp(t *testing.T, page string) string {
	t.Helper()
	f, err := os.Open(page)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	px := func(mm float64) int { return int(mm / 25.4 * 300) }
	b := img.Bounds()
	box := image.Rect(b.Max.X-px(28.5), b.Max.Y-px(28.5), b.Max.X-px(8), b.Max.Y-px(8)).Intersect(b)
	crop := image.NewGray(image.Rect(0, 0, box.Dx(), box.Dy()))
	for y := range box.Dy() {
		for x := range box.Dx() {
			crop.Set(x, y, color.GrayModel.Convert(img.At(box.Min.X+x, box.Min.Y+y)))
		}
	}
	name := strings.TrimSuffix(page, ".png") + "-crop.png"
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := png.Encode(out, crop); err != nil {
		t.Fatal(err)
	}
	return name
}
