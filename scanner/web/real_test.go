package web_test

import (
	"bytes"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/video"
	"tcode/scanner/web"
)

// TestRealEngine: a film of a stamped page before the camera, the engine of this program, and an answer on
// the screen. The phone has no trust documents, so the answer is UNVERIFIED.
func TestRealEngine(t *testing.T) {
	t.Parallel()
	if _, err := fs.Stat(web.BuiltFiles(), "engine.wasm.gz"); err != nil {
		missing(t, "the engine is not built: go generate ./scanner/web")
	}
	page := simulate.Clutter(1200, 1000, 26, 5)
	simulate.Draw(page, simulate.Stranger(), simulate.Place{X: 500, Y: 400, ModulePx: 6, Quiet: 2}, 0, 255)
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
