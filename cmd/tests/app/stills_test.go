package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/jpeg"
	"image/png"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline/host/journal"
	"tcode/offline/host/sandbox"
	"tcode/offline/host/trustjournal"
	"tcode/scanner/filekind"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/simulate"
	"tcode/scanner/web"
	"tcode/scanner/web/engine"
	"tcode/scanner/web/engine/still"
	"tcode/scanner/web/phonetest"
	"tcode/sync/wire"
	"tcode/testdata/corpus"
)

// TestStillsAsVerify: the engine of the web app gives for a picture, byte for byte, the answer of "tcode-scan verify --json",
// where both decode it alike. With TCODE_CORPUS it compares pictures of others too.
func TestStillsAsVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := stillPictures(t, dir)
	names := append(slices.Sorted(maps.Keys(want)), corpusPictures(t)...)
	theirs := verified(t, names)
	e := stillEngine(t)
	r := raster.New(sandbox.Config{}, raster.Limits{})
	t.Cleanup(r.Close)
	same, found := 0, 0
	for _, name := range names {
		a, err := judgeStill(t, e, r, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if number, made := want[name]; made && (number != len(a.Findings) || !a.Findings[0].Found()) {
			t.Errorf("%s: %d TCodes, want %d: %s", name, len(a.Findings), number, a.JSON)
		}
		if a.Findings[0].Found() {
			found++
		}
		if a.JSON != theirs[name] {
			t.Errorf("%s:\n%s\ntcode-scan verify:\n%s", name, a.JSON, theirs[name])
			continue
		}
		same++
	}
	t.Logf("%d of %d pictures have the same answer, %d of them with a TCode", same, len(names), found)
}

// kept are the members by which a device that keeps its scans differs from one that does not.
var kept = regexp.MustCompile(`,"scanId":"[^"]*"|,"notKept":true`)

// TestStillsInBrowser: the browser's decoder takes the place of ours. The JSON has the same bytes. Only the corners on a lossy picture
// may be others, because decoders round in their own ways.
func TestStillsInBrowser(t *testing.T) {
	t.Parallel()
	app := web.New()
	if !app.Built() {
		if os.Getenv("CI") == "true" {
			t.Fatal("the engine is not built")
		}
		t.Skip("the engine is not built: go generate ./scanner/web")
	}
	dir := t.TempDir()
	want := stillPictures(t, dir)
	names := append(slices.Sorted(maps.Keys(want)), corpusPictures(t)...)
	theirs := verified(t, names)
	srv := httptest.NewServer(app)
	t.Cleanup(srv.Close)
	p := phonetest.New(t)
	p.On(srv.URL + "/scan/")
	same, near, late := 0, 0, 0
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		native := kept.ReplaceAllString(theirs[name], "")
		ours, inTime := inBrowser(p, name, raw, native)
		switch {
		case ours == native:
			same++
		case filekind.Of(raw) != filekind.PNG && corners.ReplaceAllString(ours, "") == corners.ReplaceAllString(native, ""):
			near++
		case !inTime && late < len(names)/10:
			late++
			t.Logf("%s: not read in %v on this busy machine: %s", name, still.Budget, ours)
		default:
			t.Errorf("%s, in time %t:\n%s\ntcode-scan verify:\n%s", name, inTime, ours, native)
		}
	}
	t.Logf("of %d pictures %d have the same bytes, %d have other corners, %d came late", len(names), same, near, late)
	for _, wrong := range p.Wrong() {
		t.Error(wrong)
	}
}

// inBrowser returns the app's answer about a picture. On a busy machine the time for a large picture may end early: the app is asked
// up to three times until it has an answer in time.
func inBrowser(p *phonetest.Phone, name string, raw []byte, native string) (ours string, inTime bool) {
	for range 3 {
		begin := time.Now()
		a := phonetest.Must[struct{ Answer struct{ JSON string } }](p, "file", map[string]any{"name": name, "bytes": raw}).Answer
		ours = kept.ReplaceAllString(a.JSON, "")
		if inTime = time.Since(begin) < still.Budget; inTime || ours == native {
			break
		}
	}
	return ours, inTime
}

var corners = regexp.MustCompile(`"corners":[^a-z]*`)

// symbolOf returns the symbol of a TCode's text.
func symbolOf(t *testing.T, text string) simulate.Symbol {
	t.Helper()
	s, err := simulate.Stamp(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stillPictures makes pictures in dir and returns the number of TCodes on each, by name.
func stillPictures(t *testing.T, dir string) map[string]int {
	t.Helper()
	stamp := simulate.Stranger()
	made := map[string]int{}
	add := func(name string, m *gray.Image, number int) {
		name = filepath.Join(dir, name)
		var out bytes.Buffer
		var err error
		img := &image.Gray{Pix: m.Pix, Stride: m.Stride, Rect: image.Rect(0, 0, m.Width, m.Height)}
		if strings.HasSuffix(name, ".jpg") {
			err = jpeg.Encode(&out, img, &jpeg.Options{Quality: 80})
		} else {
			err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		made[name] = number
	}
	draw := func(w, h int, modulePx float64, at ...gray.Point) *gray.Image {
		m := gray.New(w, h)
		m.Fill(225)
		part := simulate.Clutter(900, 700, 18, uint64(w))
		for y := range part.Height {
			copy(m.Row(y)[40:], part.Row(y))
		}
		for _, p := range at {
			simulate.Draw(m, stamp, simulate.Place{X: p.X, Y: p.Y, ModulePx: modulePx, Quiet: 2}, 15, 235)
		}
		return m
	}
	add("small.png", draw(1200, 900, 4, gray.Point{X: 500, Y: 300}), 1)
	add("two.png", draw(2200, 2000, 4, gray.Point{X: 500, Y: 900}, gray.Point{X: 1500, Y: 1500}), 2)
	add("photo12.jpg", draw(4000, 3000, 9, gray.Point{X: 1800, Y: 1400}), 1)
	add("fine12.png", draw(4000, 3000, 2.6, gray.Point{X: 2800, Y: 2100}), 1)
	add("three48.png", draw(8000, 6000, 3.1, gray.Point{X: 300, Y: 900}, gray.Point{X: 5100, Y: 3300}, gray.Point{X: 7400, Y: 5600}), 3)
	light := draw(4000, 3000, 8, gray.Point{X: 1800, Y: 1400})
	light.Invert()
	add("light12.png", light, 1)
	turned := simulate.Photo(draw(2400, 1800, 7, gray.Point{X: 1100, Y: 800}), 7)
	add("angle.jpg", turned, 1)
	return made
}

// corpusPictures returns every eighth picture of others in the folder TCODE_CORPUS, all of them with TCODE_ANSWERS=all.
func corpusPictures(t *testing.T) (names []string) {
	t.Helper()
	dir := corpus.Dir(t)
	if dir == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "images", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range files {
		if i%12 > 0 && os.Getenv("TCODE_ANSWERS") != "all" {
			continue
		}
		if raw, err := os.ReadFile(name); err == nil && engine.IsPicture(filekind.Of(raw)) {
			names = append(names, name)
		}
	}
	return names
}

// verified returns what "tcode-scan verify --json" prints for each picture.
func verified(t *testing.T, names []string) map[string]string {
	t.Helper()
	cmd := exec.Command(world.Program(t, "tcode-scan"),
		append([]string{
			"--home", filepath.Join(t.TempDir(), "home"), "--json", "verify",
			"--no-record",
		}, names...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if code := world.ExitCode(t, err); code != 1 && code != 4 {
		t.Fatalf("exit code %d\n%s", code, errs.Bytes())
	}
	lines := map[string]string{}
	for line := range strings.Lines(string(out)) {
		var about struct{ File string }
		if err := json.Unmarshal([]byte(line), &about); err != nil {
			t.Fatal(err)
		}
		lines[about.File] += line
	}
	return lines
}

// stillEngine returns an engine without trust documents that keeps nothing.
func stillEngine(t *testing.T) *engine.Engine {
	t.Helper()
	var disk journal.Disk
	trust, err := trustjournal.Open(t.Context(), func(context.Context) (journal.Journal, error) { return disk.Open() }, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{Trust: trust.Book})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A grayPicture is a picture as the program decodes it.
type grayPicture struct{ *still.Memory }

func (grayPicture) Close() {}

// judgeStill has the engine judge a file.
func judgeStill(t *testing.T, e *engine.Engine, r *raster.Rasterizer, name string) (engine.Answer, error) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	decode := func(ctx context.Context) (engine.Decoded, error) {
		var m *gray.Image
		err := r.Open(ctx, raw, func(d *raster.Document) error {
			p, err := d.Page(1, 300)
			if err == nil {
				m = p.Image.Clone()
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		return grayPicture{(*still.Memory)(m)}, nil
	}
	return e.Still(t.Context(), engine.Still{Name: name, Source: engine.SourceFile, File: raw, Size: int64(len(raw)), Decode: decode}, wire.Context{})
}
