package web_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/video"
	"tcode/scanner/symbol"
)

// film writes the video of a page with a symbol, and returns its file and the symbol's text.
func film(t *testing.T, seed uint64) (name, text string) {
	t.Helper()
	s, text, err := simulate.RandomText(rand.New(rand.NewPCG(seed, 1)), 40)
	if err != nil {
		t.Fatal(err)
	}
	paper := simulate.Clutter(1200, 1000, 26, seed)
	simulate.Draw(paper, s, simulate.Place{X: 500, Y: 400, ModulePx: 6, Quiet: 2}, 0, 255)
	var out bytes.Buffer
	scene := video.Random(paper, gray.Point{X: 620, Y: 520}, 0.9, seed)
	scene.Frames = 45
	if err := scene.MJPEG(&out); err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.TempDir(), "camera.mjpeg")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name, text
}

// TestFrames: the picture that the page takes from the camera is one that the reader reads. Browsers scale
// and convert it on the way.
func TestFrames(t *testing.T) {
	t.Parallel()
	name, text := film(t, 3)
	p := open(t, field(), append(camera, chromedp.Flag("use-file-for-fake-video-capture", name))...)
	p.start("en", ".view__hint .icon")
	p.picture("en-film")
	const take = `(async () => { const video = document.querySelector('video'), b = await createImageBitmap(video); const c = new OffscreenCanvas(b.width, b.height); c.getContext('2d').drawImage(b, 0, 0); const blob = await c.convertToBlob(); const bytes = new Uint8Array(await blob.arrayBuffer()); let s = ''; for (const x of bytes) s += String.fromCharCode(x); return btoa(s); })()`
	var last symbol.Reading
	for range 40 { // the film begins blurred
		raw, err := base64.StdEncoding.DecodeString(eval[string](p, take))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		last = symbol.ReadImage(t.Context(), grayOf(img), symbol.Options{MaxSymbols: 1})
		if len(last.Symbols) == 1 {
			break
		}
	}
	if len(last.Symbols) != 1 || last.Symbols[0].Text != text {
		t.Errorf("no frame of the film is read as the text of its symbol: %s", last.Reason.Message)
	}
	p.clean()
}

// TestEarlyCamera: after the first scan, the app opens the camera before its engine and its screen are there, once, and only if the scan
// screen comes next. On a phone that is enrolled no more it is off again. The screen stays on while the camera does.
func TestEarlyCamera(t *testing.T) {
	t.Parallel()
	const count = `(() => {
		const md = navigator.mediaDevices, ask = md.getUserMedia.bind(md), all = navigator.permissions, query = all.query.bind(all);
		window.asked = [];
		all.query = (q) => { asked.push('permission'); return query(q); };
		md.getUserMedia = (c) => { asked.push('camera'); return ask(c).then((s) => (window.stream = s)); };
		const lock = navigator.wakeLock, stay = lock.request.bind(lock);
		lock.request = (type) => stay(type).then((l) => (window.screenLock = l));
	})()`
	listen := func(p *phone) {
		if _, err := chromedp.Call(p.Context(), page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: count}); err != nil {
			t.Fatal(err)
		}
	}
	visit := func(p *phone, route, selector, want string) {
		p.Do(chromedp.Navigate(p.url+"/scan/icon.svg"), chromedp.Navigate(p.url+"/scan/"+route))
		p.Wait(selector)
		if got := eval[string](p, `asked.join(' ')`); got != want {
			t.Errorf("%q asks for %q, want %q", route, got, want)
		}
	}
	p := open(t, field(), camera...)
	listen(p)
	visit(p, "", ".view__hint .icon", "camera")
	waitFor(p, `new Promise((ok) => { const look = () => localStorage.getItem('tcode-page')?.includes('"scanned":true') ? ok(true) : setTimeout(look, 20); look(); })`)
	visit(p, "", ".view__hint .icon", "permission camera")
	waitFor(p, `new Promise((ok) => { const look = () => window.screenLock?.released === false ? ok(true) : setTimeout(look, 20); look(); })`)
	visit(p, "#/history", ".item", "")
	p.clean()
	p = open(t, fresh(), camera...)
	listen(p)
	p.Do(chromedp.Navigate(p.url + "/scan/icon.svg"))
	eval[bool](p, `localStorage.setItem('tcode-page', '{"scanned": true}'), true`)
	visit(p, "", ".choices", "permission camera")
	waitFor(p, `new Promise((ok) => { const look = () => window.stream && !window.stream.active && window.screenLock?.released !== false ? ok(true) : setTimeout(look, 20); look(); })`)
	p.clean()
}

// grayOf converts a picture.
func grayOf(img image.Image) *gray.Image {
	b := img.Bounds()
	m := gray.New(b.Dx(), b.Dy())
	draw.Draw(&image.Gray{Pix: m.Pix, Stride: m.Stride, Rect: b}, b, img, b.Min, draw.Src)
	return m
}
