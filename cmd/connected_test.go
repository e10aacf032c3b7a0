package cmd_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/statuslist"
)

// TestRevocationIsKnown measures the time from the answer to a revocation until a connected device, tcode-scan sync
// --follow, makes a concurrent verify report it. TCODE_REFRESH_EVERY is the time between refreshes, and
// TCODE_REVOCATIONS the number of revocations.
func TestRevocationIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	scan := w.scanning("device")
	if _, output, code := scan("enrol", "--gateway", w.url()); code != 0 {
		t.Fatal(output)
	}
	follow := exec.CommandContext(t.Context(), program(t, "tcode-scan"), "--home", filepath.Join(w.dir, "device"), "sync", "--follow")
	every := os.Getenv("TCODE_REFRESH_EVERY")
	if every == "" {
		every = "5s"
	}
	follow.Env = append(os.Environ(), "TCODE_REFRESH_EVERY="+every)
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		follow.Process.Signal(os.Interrupt)
		follow.Wait()
	})
	beside := w.openDevice("device")
	longest := time.Duration(0)
	for range count(t, "TCODE_REVOCATIONS", 1) {
		p := w.stamp(w.issuers[0], "one", document(t, "contract.pdf"))
		file := w.file("one.pdf", p.pdf)
		if answers, output, _ := scan("verify", file); len(answers) == 0 || answers[0].Verdict != string(offline.Valid) {
			t.Fatal(output)
		}
		w.call(w.issuers[0], http.MethodPost, "/v1/tcode/stamps/"+p.id+"/revoke", map[string]any{"reason": "test"}, nil)
		revoked := time.Now()
		for w.shard(beside, p.payload.Status.Shard()).Get(p.payload.Status.Entry()) != statuslist.Revoked {
			if time.Since(revoked) > time.Minute {
				t.Fatal("not known after a minute")
			}
			time.Sleep(50 * time.Millisecond)
		}
		longest = max(longest, time.Since(revoked))
		if answers, output, code := scan("verify", file); code != 1 || len(answers) == 0 || answers[0].Verdict != string(offline.Revoked) {
			t.Fatal(output)
		}
	}
	t.Logf("refreshed every %s: a revocation is known after %v at most", every, longest.Round(10*time.Millisecond))
}
