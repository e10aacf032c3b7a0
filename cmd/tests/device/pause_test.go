package device_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestAskedPause: a sync that sends nothing, because an answer has asked for a
// pause, says so and fails, so that a script does not count it as done.
func TestAskedPause(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	pdf := w.File("paper.pdf", w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1)).PDF)
	scan := w.ScanAnswers("home")
	if _, out, code := scan("enrol", "--gateway", w.URL()); code != 0 {
		t.Fatal(out)
	}
	if _, out, code := scan("verify", pdf); code != 0 {
		t.Fatal(out)
	}
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer busy.Close()
	if _, out, code := scan("sync", "--gateway", busy.URL); code != 1 {
		t.Errorf("the answer that asks for a pause: exit code %d\n%s", code, out)
	}
	if _, out, code := scan("sync", "--gateway", w.URL()); code != 1 ||
		!strings.Contains(out, "1 scans wait because") {
		t.Errorf("during the pause: exit code %d\n%s", code, out)
	}
}
