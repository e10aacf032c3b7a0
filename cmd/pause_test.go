package cmd_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAskedPause: a sync that sends nothing, because an answer has asked for a
// pause, says so and fails, so that a script does not count it as done.
func TestAskedPause(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	pdf := w.file("paper.pdf", w.stamp(w.issuers[0], "paper", smallPDF(1)).pdf)
	scan := w.scanning("home")
	if _, out, code := scan("enrol", "--gateway", w.url()); code != 0 {
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
	if _, out, code := scan("sync", "--gateway", w.url()); code != 1 || !strings.Contains(out, "1 scans wait because") {
		t.Errorf("during the pause: exit code %d\n%s", code, out)
	}
}
