package app_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/web"
	"tcode/scanner/web/phonetest"
)

// turnedPictures makes photos of one symbol in dir, with each orientation of Exif from 2 to 8: the pixels are turned, and the file says how to turn
// them back. It returns the orientations by file name.
func turnedPictures(t *testing.T, dir string) map[string]int {
	t.Helper()
	upright := gray.New(1200, 900)
	upright.Fill(225)
	simulate.Draw(upright, simulate.Stranger(), simulate.Place{X: 700, Y: 200, ModulePx: 5, Quiet: 3}, 15, 235)
	made := map[string]int{}
	for o := 2; o <= 8; o++ {
		stored := image.NewGray(image.Rect(0, 0, upright.Width, upright.Height))
		if o >= 5 {
			stored = image.NewGray(image.Rect(0, 0, upright.Height, upright.Width))
		}
		right, low := stored.Rect.Dx()-1, stored.Rect.Dy()-1
		for y := range upright.Height {
			for x, v := range upright.Row(y) {
				at := [...][2]int{2: {right - x, y}, 3: {right - x, low - y}, 4: {x, low - y}, 5: {y, x}, 6: {y, low - x}, 7: {right - y, low - x}, 8: {right - y, x}}[o]
				stored.Pix[at[1]*stored.Stride+at[0]] = v
			}
		}
		var out bytes.Buffer
		if err := jpeg.Encode(&out, stored, nil); err != nil {
			t.Fatal(err)
		}
		note := "\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string(rune(o)) + "\x00\x00\x00\x00\x00\x00\x00"
		name := filepath.Join(dir, fmt.Sprintf("turned%d.jpg", o))
		if err := os.WriteFile(name, slices.Insert(out.Bytes(), 2, []byte(note)...), 0o600); err != nil {
			t.Fatal(err)
		}
		made[name] = o
	}
	return made
}

// TestTurnedPhotos: photos that say how they must be turned get the answer of "tcode-scan verify" when a person opens them as a file, and
// when the phone's own camera gives them. The app shows a verdict for each.
func TestTurnedPhotos(t *testing.T) {
	t.Parallel()
	p := appPhone(t)
	dir := t.TempDir()
	names := slices.Sorted(maps.Keys(turnedPictures(t, dir)))
	theirs := verified(t, names)
	srv := httptest.NewServer(web.New())
	t.Cleanup(srv.Close)
	p.On(srv.URL + "/scan/#/trust")
	p.Wait("#title")
	phonetest.Eval[bool](p, `import('/scan/js/app.js').then(({app}) => app.anyway = true)`) // without trust documents
	same, near := 0, 0
	for _, name := range names {
		want := kept.ReplaceAllString(strings.ReplaceAll(theirs[name], dir+string(filepath.Separator), ""), "")
		if !strings.Contains(want, `"verdict":"unverified"`) {
			t.Errorf("tcode-scan says %s", want)
		}
		for _, button := range []string{"file", "camera"} {
			phonetest.Eval[bool](p, `location.hash = '#/scan', import('/scan/js/app.js').then(({app}) => (app.current = null, true))`)
			selector := fmt.Sprintf(`main button:has(use[href="#i-%s"])`, button)
			p.Wait(selector)
			p.Choose(selector, name)
			p.Wait(".verdict__word")
			got := kept.ReplaceAllString(phonetest.Eval[string](p, `import('/scan/js/app.js').then(({app}) => app.current.json)`), "")
			switch {
			case got == want:
				same++
			case corners.ReplaceAllString(got, "") == corners.ReplaceAllString(want, ""):
				near++
			default:
				t.Errorf("%s, %s:\n%s\ntcode-scan verify:\n%s", filepath.Base(name), button, got, want)
			}
		}
	}
	t.Logf("of %d answers %d have the same bytes, %d have other corners", 2*len(names), same, near)
	for _, wrong := range p.Wrong() {
		t.Error(wrong)
	}
}
