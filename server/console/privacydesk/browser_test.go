package privacydesk_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/privacy"
)

// arms writes a logo to a file.
func arms(t *testing.T) (path string) {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 120, 80))
	draw.Draw(m, m.Bounds(), image.NewUniform(color.RGBA{R: 0x34, G: 0x40, B: 0xa8, A: 0xff}), image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(30, 20, 90, 60), image.NewUniform(color.White), image.Point{}, draw.Src)
	var out bytes.Buffer
	harness.Must(t, png.Encode(&out, m))
	path = filepath.Join(t.TempDir(), "arms.png")
	harness.Must(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

// TestScreens: an owner shortens a time, erases a stamp from its screen, and gives the
// public pages a colour, a contact and a logo, with a preview that follows the typing, in
// Chromium; every screen passes axe, in English and Arabic, and texts of people stay texts.
//
//engine:sqlite the screens are the same on both
func TestScreens(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	s := consoletest.Open(t, w)
	b := s.As(consoletest.Ruth(account.Owner))
	id := w.Identity("ACME01")
	st, doc := made(w, id, consoletest.Hostile[0], consoletest.Hostile[1]), issued(w, id, consoletest.Hostile[2])
	said := func() string { return consoletest.Eval[string](s, `document.querySelector('main').textContent`) }
	wants := func(parts ...string) {
		t.Helper()
		for _, p := range parts {
			if got := said(); !strings.Contains(got, p) {
				t.Errorf("no %q: %s", p, got)
			}
		}
	}

	s.At(home)
	s.Is(home, "Privacy")
	s.Look("privacy-first")
	s.Do(chromedp.SetValue(chromedp.ID("days-mails"), "3"))
	s.Quiet()
	s.Press("#days-mails")
	wants("Some times cannot be kept", "7 to 3650 days")
	s.Look("privacy-wrong")
	s.Forgive() // a refused form is an error of its page
	s.Do(chromedp.SetValue(chromedp.ID("days-mails"), "30"))
	s.Press("#days-mails")
	s.Is(home+"/retention", "Keep data for a shorter time?")
	s.Look("privacy-shorten")
	s.Fill("typed", "ACME01")
	wants("The times are saved.")
	if set, err := w.Admin.Privacy.Retention(t.Context(), "ACME01"); err != nil || set[privacy.Mails] != 30 {
		t.Errorf("kept %v: %v", set, err)
	}

	at := "/console/stamps/" + st.ID
	s.At(at)
	s.Follow(`.page-head a[href*="/erase/"]`)
	s.Is(home+"/erase/stamp/"+st.ID, "Erase files and personal data?")
	s.Look("erase")
	s.Quiet()
	s.Do(chromedp.SetValue(chromedp.ID("reason"), "asked"), chromedp.SetValue(chromedp.ID("typed"), "TCR-0"))
	s.Press("#typed")
	wants("This is not what has to be typed.")
	s.Look("erase-wrong")
	s.Forgive()
	s.Fill("typed", st.Reference.String())
	wants("Its files and personal data are erased.", "were erased on", "Ruth Nakamura")
	s.Look("erased-stamp")
	if got, err := w.Admin.Stamps.Get(t.Context(), "ACME01", st.ID); err != nil || !got.Erased() {
		t.Errorf("not erased: %v", err)
	}
	s.At(home + "/erase?reference=" + doc.Reference.String())
	s.Is(home+"/erase/document/"+doc.ID, "Erase files and personal data?")
	b.Want(home+"/export", map[string][]string{}, 200, "")
	harness.Must(t, w.Admin.Privacy.Sweep(t.Context()))
	s.At(home)
	wants("Last clearing:", st.Reference.String(), "The person asked for it", "Last exports")
	s.Look("privacy")
	brands(s, w)
	s.Language("ar")
	s.Look("brand-ar")
	s.At(home)
	s.Look("privacy-ar")
	s.At(home + "/erase/document/" + doc.ID)
	s.Look("erase-ar")
	if consoletest.Eval[bool](s, `!!window.hit`) {
		t.Error("a text has run")
	}
	s.Quiet()
}

// brands walks through the screen of public pages.
func brands(s *consoletest.Screen, w *consoletest.World) {
	t := s.T
	t.Helper()
	drawn := func(want string) {
		t.Helper()
		consoletest.Eventually(t, func() bool {
			return strings.Contains(consoletest.Eval[string](s, `document.getElementById('preview').innerHTML`), want)
		})
	}
	s.At("/console/brand")
	s.Is("/console/brand", "Public pages")
	s.Look("brand-none")
	s.Do(chromedp.SendKeys(chromedp.ID("colour"), "#3440A8"), chromedp.SendKeys(chromedp.ID("email"), "registry@acme.example"))
	drawn(`fill="#3440a8"`)
	drawn("registry@acme.example")
	if b, err := w.Admin.Brands.Brand(t.Context(), "ACME01"); err != nil || b.Colour != "" {
		t.Errorf("a preview was stored: %+v %v", b, err)
	}
	s.Quiet()
	s.Fill("phone", "911")
	s.Look("brand-wrong")
	s.Forgive()
	consoletest.Eval[bool](s, `(document.getElementById('phone').value = '', true)`)
	s.Fill("phone", "+49 30 123456", "web", "https://acme.example/registry")
	s.Do(chromedp.SetUploadFiles(chromedp.ID("file"), []string{arms(t)}))
	s.Press("#file")
	s.Look("brand")
	b, err := w.Admin.Brands.Brand(t.Context(), "ACME01")
	if err != nil || b.Colour != "#3440a8" || b.Phone != "+49 30 123456" || b.Logo.Width != 120 {
		t.Errorf("stored %+v %v", b, err)
	}
	s.At("/console/brand/remove")
	s.Look("brand-remove")
	s.At("/console/brand/example")
	if got := consoletest.Eval[string](s, `document.body.textContent`); !strings.Contains(got, "registry@acme.example") || !consoletest.Eval[bool](s, `document.querySelector('.issuer img').naturalWidth === 120`) {
		t.Errorf("the example is %s", got)
	}
	s.At("/console/brand")
}
