package app_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tcode/cmd/internal/world"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/video"
	"tcode/scanner/symbol"
	"tcode/scanner/web/phonetest"
)

// A filmCamera is the file that the phone's camera shows. Chromium reads it from its start whenever the camera is opened.
type filmCamera struct{ name string }

// newFilmCamera returns a camera with a first film, and the options of a browser that has it.
func newFilmCamera(t *testing.T) (filmCamera, []chromedp.ExecAllocatorOption) {
	t.Helper()
	c := filmCamera{filepath.Join(t.TempDir(), "camera.mjpeg")}
	c.put(t, video.Scene{Page: gray.New(100, 100), Frames: 2})
	return c, []chromedp.ExecAllocatorOption{
		chromedp.Flag("use-fake-ui-for-media-stream", true), chromedp.Flag("use-fake-device-for-media-stream", true),
		chromedp.Flag("use-file-for-fake-video-capture", c.name),
	}
}

// put places another film before the camera.
func (c filmCamera) put(t *testing.T, s video.Scene) {
	t.Helper()
	var film bytes.Buffer
	if err := s.MJPEG(&film); err != nil {
		t.Fatal(err)
	}
	world.WriteFile(t, c.name+".new", film.Bytes())
	if err := os.Rename(c.name+".new", c.name); err != nil {
		t.Fatal(err)
	}
}

// watchScript opens the camera on the app's scan screen, and returns the frames that the video showed with their times, and the
// verdict on the screen with its. It ends with a verdict, or after MS ms.
const watchScript = `(async () => {
	const {camera} = await import('/scan/js/camera.js'), {app} = await import('/scan/js/app.js');
	const rest = (ms) => new Promise((ok) => setTimeout(ok, ms));
	location.hash = '#/history';
	while (document.querySelector('video') || document.querySelector('.verdict__word')) await rest(10);
	camera.stop();
	const seen = {Frames: [], Word: '', Verdict: '', At: 0, Hints: []};
	const strip = new OffscreenCanvas(BITS * CELL, CELL).getContext('2d', {willReadFrequently: true});
	const look = (video) => (now, about) => {
		if (!video.isConnected) return;
		strip.drawImage(video, 0, video.videoHeight - CELL, BITS * CELL, CELL, 0, 0, BITS * CELL, CELL);
		const px = strip.getImageData(0, CELL / 2, BITS * CELL, 1).data;
		let number = 0;
		for (let i = 0; i < BITS; i++) number = number * 2 + (px[4 * (CELL * i + CELL / 2)] > 127 ? 1 : 0);
		seen.Frames.push({Number: number, At: about.captureTime ?? about.presentationTime});
		const hint = document.querySelector('.view__hint')?.textContent;
		if (hint && hint !== seen.Hints.at(-1)) seen.Hints.push(hint);
		video.requestVideoFrameCallback(look(video));
	};
	let watched = null;
	const begin = performance.now();
	const verdict = new Promise((ok) => {
		const observer = new MutationObserver(() => {
			const video = document.querySelector('video');
			if (video && video !== watched) { watched = video; video.requestVideoFrameCallback(look(video)); }
			const word = document.querySelector('.verdict__word');
			if (word) requestAnimationFrame(() => { seen.Word = word.textContent; seen.Verdict = app.current.findings[0].verdict; seen.At = performance.now(); observer.disconnect(); ok(); });
		});
		observer.observe(document.body, {childList: true, subtree: true});
		setTimeout(() => { observer.disconnect(); ok(); }, MS);
	});
	location.hash = '#/scan';
	await verdict;
	return seen;
})()`

// A filmSeen is what the app did with a film. Times are in ms since the page was loaded.
type filmSeen struct {
	Frames []struct {
		Number int
		At     float64
	}
	Word    string // on the screen; empty: there was no verdict
	Verdict string
	At      float64
	Hints   []string
}

// watch has the app look at the film for at most so many ms.
func (c filmCamera) watch(p *phonetest.Phone, ms int) filmSeen {
	return phonetest.Eval[filmSeen](p, strings.NewReplacer("BITS", fmt.Sprint(video.Bits), "CELL", fmt.Sprint(video.Cell), "MS", fmt.Sprint(ms)).Replace(watchScript))
}

// first returns when the camera gave frame number, or would have, if the page had not missed it.
func (w filmSeen) first(number int) (at float64, ok bool) {
	for _, f := range w.Frames {
		if f.Number >= number {
			return f.At - float64(f.Number-number)*1000/video.Rate, true
		}
	}
	return 0, false
}

// A printedPage is a stamped page on paper.
type printedPage struct {
	page     *gray.Image
	middle   gray.Point // of the symbol
	modulePx float64
	corner   gray.Point // the symbol's top left
}

// onPaper draws the first page of a stamped document and finds its symbol.
func onPaper(t *testing.T, r *raster.Rasterizer, pdf []byte, text string) (s printedPage) {
	t.Helper()
	err := r.Open(t.Context(), pdf, func(d *raster.Document) error {
		p, err := d.Page(1, 300)
		if err == nil {
			s.page = p.Image.Clone()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	reading := symbol.ReadImage(t.Context(), s.page, symbol.Options{MaxSymbols: 1})
	if text == "" {
		return s
	}
	if len(reading.Symbols) != 1 || reading.Symbols[0].Text != text {
		t.Fatalf("the printed page has %d symbols: %+v", len(reading.Symbols), reading.Reason)
	}
	found := reading.Symbols[0]
	s.middle, s.modulePx, s.corner = found.Middle(), found.ModulePx, gray.Point{X: found.Corners[0][0], Y: found.Corners[0][1]}
	return s
}

// changed returns the page with another symbol instead of its own, whose payload has one changed bit.
func (s printedPage) changed(t *testing.T, raw []byte, bit int) printedPage {
	t.Helper()
	raw = slices.Clone(raw)
	raw[bit/8] ^= 1 << (bit % 8)
	other, err := simulate.Stamp(payload.EncodeText(raw))
	if err != nil {
		t.Fatal(err)
	}
	s.page = s.page.Clone()
	simulate.Draw(s.page, other, simulate.Place{X: s.corner.X, Y: s.corner.Y, ModulePx: s.modulePx, Quiet: 2}, 0, 255)
	if got := symbol.ReadImage(t.Context(), s.page, symbol.Options{MaxSymbols: 1}); len(got.Symbols) != 1 || got.Symbols[0].Text != payload.EncodeText(raw) {
		t.Fatalf("the changed symbol is not read: %+v", got.Reason)
	}
	return s
}

// scene returns a random scene of the page, with modules of 3 to 8 px in a frame of 1280 x 720 px.
func (s printedPage) scene(seed uint64) video.Scene {
	side := 2.8 + 4.2*rand.New(rand.NewPCG(seed, 2)).Float64()
	v := video.Random(s.page, s.middle, side/s.modulePx, seed)
	v.Sharp, v.Frames, v.Numbered = 4, 45, true
	return v
}

// genuineWord is the headline of a valid stamp on paper: a camera cannot see whether the text is the approved one, so a person compares.
const genuineWord = "GENUINE STAMP, COMPARE"

// TestAppVideos plays films of stamped pages to the app's camera: turned, tilted, near and far, in uneven light, with noise, and blurred
// at the start. Pages as issued are valid, those with one changed bit in the symbol at no time, and text alone has no verdict.
// TCODE_VIDEOS is the number of films of genuine pages, of changed ones and of text: 1 otherwise. With -v the test prints the
// time from the first sharp frame to the verdict on the screen.
func TestAppVideos(t *testing.T) {
	t.Parallel()
	genuine, rest := world.Count(t, "TCODE_VIDEOS", 1), world.Count(t, "TCODE_VIDEOS", 1)
	w := world.New(t, 1)
	var papers []world.Paper
	names := []string{"letter.pdf", "diploma.pdf", "invoice.pdf"}
	for i := range genuine {
		papers = append(papers, w.Stamp(w.Issuers[0], fmt.Sprint("paper ", i),
			world.Document(t, names[i%len(names)])))
	}
	w.AwaitPublished(0)
	r := raster.New(sandbox.Config{}, raster.Limits{})
	t.Cleanup(r.Close)
	p := appPhone(t)
	camera, options := newFilmCamera(t)
	enrolApp(t, w, p, options...)
	var times []float64
	for i := range genuine {
		if i > 0 && i%6 == 0 { // a phone is on for some minutes only
			p.Off()
			p.On(w.URL()+"/scan/", options...)
			p.Wait("#title")
		}
		seed := uint64(i + 1)
		page := onPaper(t, r, papers[i].PDF, payload.EncodeText(papers[i].Raw))
		scene := page.scene(seed)
		camera.put(t, scene)
		got := camera.watch(p, 60_000) // a busy machine shows few frames
		first, ok := got.first(scene.Blurred)
		if !ok && got.Word != "" {
			first = got.At // it is read before it is sharp
		}
		took := got.At - first
		times = append(times, took)
		t.Logf("film %2d: %3.0f degrees, tilt %2.0f, modules %.1f px, %2d blurred frames: %q %4.0f ms after the first sharp frame (%d frames, hints %q)", seed, scene.Turn, scene.Tilt, scene.Scale*page.modulePx, scene.Blurred, got.Word, took, len(got.Frames), got.Hints)
		if got.Verdict != "valid" || got.Word != genuineWord {
			t.Errorf("film %d: %q, %q", seed, got.Verdict, got.Word)
		}
		if i >= rest {
			continue
		}
		bit := rand.New(rand.NewPCG(seed, 3)).IntN(8 * len(papers[i].Raw))
		camera.put(t, page.changed(t, papers[i].Raw, bit).scene(seed))
		got = camera.watch(p, 2500)
		t.Logf("film %2d, bit %d changed: %q", seed, bit, got.Word)
		if got.Verdict == "valid" || got.Word == genuineWord || strings.Contains(got.Word, "VALID") {
			t.Errorf("film %d, bit %d changed: %q, %q", seed, bit, got.Verdict, got.Word)
		}
		plain := onPaper(t, r, papers[i].Original, "")
		plain.middle, plain.modulePx = page.middle, page.modulePx
		camera.put(t, plain.scene(seed))
		if got = camera.watch(p, 2500); got.Word != "" || len(got.Frames) == 0 {
			t.Errorf("film %d without a symbol: the verdict is %q after %d frames", seed, got.Word, len(got.Frames))
		}
	}
	slices.Sort(times)
	within, _ := slices.BinarySearch(times, 1000)
	t.Logf("%d of %d films had a verdict within 1 s of the first sharp frame; median %.0f ms, at most %.0f ms", within, genuine, times[len(times)/2], times[len(times)-1])
	for _, wrong := range p.Wrong() {
		t.Error(wrong)
	}
}
