package web_test

import (
	"bytes"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"tcode/offline/payload"
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/video"
	"tcode/scanner/web"
)

// stampText is the text of a TCode that no phone knows the issuer of.
const stampText = "N99HU6PYFLT8FKAFA69D0M6T9Q3N7EG2K8XK2CGEDP079Q9UKV676EZ2BZOD84ITJG9IOF6ZFCHMFT8WDPSJQQ8PPRY7R4ZBE3NH0WLX6CI92QLBG0EMUIEXZYH1H7ASL22MK9B036JHAQWU0ZU19I4PIS4O4POGDZ61H150"

// TestRealEngine: a film of a stamped page before the camera, the engine of this program, and an answer on
// the screen. The phone has no trust documents, so the answer is UNVERIFIED.
func TestRealEngine(t *testing.T) {
	t.Parallel()
	if _, err := fs.Stat(web.BuiltFiles(), "engine.wasm"); err != nil {
		missing(t, "the engine is not built: go generate ./scanner/web")
	}
	data, size, err := payload.Codewords(stampText)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := ecc200.SizeOf(size, size)
	if !ok {
		t.Fatalf("no symbol of %d modules", size)
	}
	dark, err := ecc200.Encode(data, s)
	if err != nil {
		t.Fatal(err)
	}
	page := simulate.Clutter(1200, 1000, 26, 5)
	simulate.Draw(page, simulate.Symbol{Rows: size, Cols: size, Dark: dark}, simulate.Place{X: 500, Y: 400, ModulePx: 6, Quiet: 2}, 0, 255)
	var film bytes.Buffer
	scene := video.Random(page, gray.Point{X: 620, Y: 520}, 0.9, 5)
	scene.Frames = 45
	if err := scene.MJPEG(&film); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "camera.mjpeg")
	if err := os.WriteFile(name, film.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(web.New())
	t.Cleanup(srv.Close)
	p := openAt(t, srv.URL, append(camera, chromedp.Flag("use-file-for-fake-video-capture", name))...)
	p.start("en", ".choices")
	p.click(".choice", "Scan documents anyway")
	p.Wait(".verdict--unknown")
	p.picture("en-real-answer")
	if word := eval[string](p, `document.querySelector('.verdict__word').textContent`); word != "UNVERIFIED" {
		t.Errorf("a stamp of an unknown issuer is %s", word)
	}
	p.clean()
}
