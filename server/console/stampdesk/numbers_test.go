package stampdesk_test

import (
	"bytes"
	"net/http"
	"testing"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
)

// TestNumbers: every number of the form, at and beyond its edges, on pages from 5 mm to 5 m, is answered
// with the editor.
func TestNumbers(t *testing.T) {
	t.Parallel()
	w := world(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Issuer)))
	numbers := []string{"0", "1e-300", "0.1", "1", "4.9", "50", "72", "99.9", "100", "297", "2400", "5000", "5100.1", "-0", "-1", "1e308", "1e999", "NaN", "-Inf", "0x1p-3", "99999999999999999999", "1,5"}
	inputs := []string{"x", "y", "size", "height", "rotation", "custom", "dpi", "module", "quiet", "padding", "opacity", "captionFont", "top", "right", "bottom", "left", "page"}
	for _, size := range []string{"14.17 14.17", "595 842", "14173 57", "14173 3900"} {
		pdf := bytes.Replace(harness.PDF("numbers"), []byte("/MediaBox [0 0 595 842]"), []byte("/MediaBox [0 0 "+size+"]"), 1)
		at := open(t, b, "a.pdf", pdf)
		for i, name := range inputs {
			for k, number := range numbers {
				if (i+k)%10 > 0 {
					continue
				}
				form := filled([]string{"look", "nearest"}[(i+k)/10%2], "at", "point", "x", "1", "y", "1", "caption", "on", "captionText", "a", "scope", []string{"custom", "first"}[k%2], "custom", "1")
				form.Set(name, number)
				form.Set(inputs[(i+1+k%5)%len(inputs)], numbers[(k*7+i)%len(numbers)])
				if r := b.Send(at, form); r.StatusCode != http.StatusOK && r.StatusCode != http.StatusSeeOther {
					t.Errorf("page %s, %s = %s, %s: %d", size, name, number, form.Encode(), r.StatusCode)
				}
			}
		}
	}
}
