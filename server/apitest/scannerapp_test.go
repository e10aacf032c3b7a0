package apitest

import (
	"net/http"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
)

// TestScannerApp: the paths below /scan/ belong to the scanner app, and no others. No limit of look-ups applies to
// them, because one visit loads dozens of files.
//
//engine:sqlite no row is read
func TestScannerApp(t *testing.T) {
	t.Parallel()
	app := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	r := harness.Start(t, func(c *server.Config) {
		c.ScannerApp = app
		c.Limits.LookupsPerMinute = 2
	})
	for range 20 {
		for path, want := range map[string]bool{"/scan": true, "/scan/": true, "/scan/js/main.js": true, "/scanner": false, "/v1/scan/": false, "/healthz": false} {
			if got := r.Get("", path).StatusCode == http.StatusAccepted; got != want {
				t.Fatalf("%s goes to the app: %v, want %v", path, got, want)
			}
		}
	}
	without := harness.Start(t)
	without.Want(without.Get("", "/scan/"), http.StatusNotFound)
}
