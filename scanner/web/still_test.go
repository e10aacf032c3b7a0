package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// mostWasm bounds the memory of the engine, bytes.
const mostWasm = 96_000_000

// A stillReply is the reply about a picture.
type stillReply struct {
	OK     bool
	Result struct {
		Ms     float64
		Answer struct{ JSON, Source string }
	}
	Error struct{ Code, Document, Message, Advice string }
}

// still has the engine judge a picture by a script that returns its reply.
func (p *phone) still(script string) (r stillReply) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(eval[string](p, "(async () => JSON.stringify("+script+"))()")), &r); err != nil {
		p.t.Fatal(err)
	}
	return r
}

// wasm returns the memory of the engine, bytes.
func (p *phone) wasm() int {
	p.t.Helper()
	return eval[int](p, `ask({op: 'memory'}).then((r) => r.result.wasmBytes)`)
}

// photograph returns a picture of w x h px with text, noise and a stamp of that module side in px; 0: none.
func photograph(t *testing.T, w, h int, modulePx float64) *gray.Image {
	t.Helper()
	m := gray.New(w, h)
	part := simulate.Clutter(1600, 1200, 22, uint64(w+h))
	state := uint32(1)
	for y := range h {
		row := m.Row(y)
		for x := range row {
			state = state*1664525 + 1013904223
			row[x] = byte(max(0, int(part.Pix[y%1200*1600+x%1600])*7/8+int(state>>28)))
		}
	}
	if modulePx > 0 {
		simulate.Draw(m, simulate.Stranger(), simulate.Place{X: float64(w) / 2, Y: float64(h) / 2, ModulePx: modulePx, Quiet: 3}, 15, 230)
	}
	return m
}

// coded encodes a picture.
func coded(t *testing.T, m *gray.Image, kind string) []byte {
	t.Helper()
	img := &image.Gray{Pix: m.Pix, Stride: m.Stride, Rect: image.Rect(0, 0, m.Width, m.Height)}
	var out bytes.Buffer
	var err error
	if kind == "png" {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img)
	} else {
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: 85})
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestStillMemory: ten photos of 12 million pixels, read and not read, and one of 60 million leave the engine small.
func TestStillMemory(t *testing.T) {
	files := map[string][]byte{
		"near": coded(t, photograph(t, 4000, 3000, 9), "jpeg"), "far": coded(t, photograph(t, 4000, 3000, 2.8), "jpeg"),
		"none": coded(t, photograph(t, 4000, 3000, 0), "jpeg"), "huge": coded(t, photograph(t, 10_000, 6000, 3), "jpeg"),
		"small": coded(t, photograph(t, 2400, 1800, 5), "png"),
	}
	p := openEngine(t, files)
	t.Logf("%.1f MB of wasm at the start", float64(p.wasm())/1e6)
	names := []string{"near", "far", "none", "near", "far", "none", "near", "far", "none", "near", "huge", "small", "huge"}
	for i, name := range names {
		r := p.still(fmt.Sprintf(`await ask({op: 'still', picture: new Blob([await load(%q)]), name: %q})`, name, name))
		verdict := map[bool]string{true: `"verdict":"no_symbol"`, false: `"verdict":"unverified"`}[name == "none"]
		if !r.OK || !strings.Contains(r.Result.Answer.JSON, verdict) || r.Result.Answer.Source != "photo" {
			t.Errorf("%s: %+v", name, r)
		}
		size := p.wasm()
		t.Logf("%2d. %s: %.0f ms, %.1f MB of wasm", i+1, name, r.Result.Ms, float64(size)/1e6)
		if size > mostWasm {
			t.Errorf("%d bytes of wasm, want at most %d", size, mostWasm)
		}
	}
	p.clean()
}

// TestStillKinds: pictures of each coding that the browser decodes are read, as stills and as files, and others are refused with advice.
func TestStillKinds(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"stamp.png": coded(t, photograph(t, 1200, 900, 5), "png"), "stamp.jpg": coded(t, photograph(t, 1200, 900, 5), "jpeg"), "empty": {}, "text": []byte("no picture")}
	for _, name := range []string{"color.avif", "gray.heic", "lzw.tif", "one.pbm"} {
		raw, err := os.ReadFile("../raster/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = raw
	}
	files["cut.png"] = files["stamp.png"][:len(files["stamp.png"])/8]
	files["wide.png"] = append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x01\x00\x00\x00\x00\x00\x10"), files["stamp.png"][24:]...)
	p := openEngine(t, files)
	const webp = `(async () => { const b = await createImageBitmap(new Blob([await load('stamp.png')])); const c = new OffscreenCanvas(b.width, b.height); c.getContext('2d').drawImage(b, 0, 0); window.webp = await (await c.convertToBlob({type: 'image/webp', quality: 0.8})).arrayBuffer(); return webp.byteLength > 1000; })()`
	if !eval[bool](p, webp) {
		t.Fatal("no WebP picture")
	}
	for name, want := range map[string]string{
		"stamp.png": `"kind":"png","page":1,`, "stamp.jpg": `"kind":"jpeg","page":1,`, "webp": `"kind":"webp","page":1,`,
		"color.avif": `"kind":"avif","verdict":"no_symbol","code":`,
		"gray.heic":  "unsupported", "lzw.tif": "unsupported", "one.pbm": "unsupported", "text": "unsupported", "empty": "empty", "wide.png": "too_large",
	} {
		load := fmt.Sprintf(`await load(%q)`, name)
		if name == "webp" {
			load = `webp.slice(0)`
		}
		for source, script := range map[string]string{
			"photo": `await ask({op: 'still', picture: new Blob([` + load + `]), name: 'x'})`, "file": `await ask({op: 'file', bytes: ` + load + `, name: 'x'})`,
		} {
			r := p.still(script)
			switch {
			case strings.HasPrefix(want, `"`):
				if !r.OK || !strings.Contains(r.Result.Answer.JSON, want) || r.Result.Answer.Source != source {
					t.Errorf("%s as %s: %+v", name, source, r)
				}
			case r.OK || r.Error.Document != want || r.Error.Message == "" || r.Error.Advice == "" || r.Error.Code != map[bool]string{true: "too_large", false: "document"}[want == "too_large"]:
				t.Errorf("%s as %s: %+v, want %s", name, source, r, want)
			}
		}
	}
	if r := p.still(`await ask({op: 'still', picture: await createImageBitmap(new Blob([await load('stamp.png')]))})`); !r.OK || !strings.HasPrefix(r.Result.Answer.JSON, `{"file":"photo","page":1,`) {
		t.Errorf("a bitmap: %+v", r)
	}
	for _, script := range []string{`await ask({op: 'still'})`, `await ask({op: 'still', picture: 'x'})`, `await ask({op: 'file'})`} {
		if r := p.still(script); r.OK || r.Error.Code != "request" {
			t.Errorf("%s: %+v", script, r)
		}
	}
	t.Log(p.still(`await ask({op: 'still', picture: new Blob([await load('cut.png')])})`))
	p.clean()
}
