package trust_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline"
	"tcode/offline/statuslist"
)

// TestRevocationIsKnown measures the time from the answer to a revocation until a connected device, tcode-scan sync
// --follow, makes a concurrent verify report it. TCODE_REFRESH_EVERY is the time between refreshes, and
// TCODE_REVOCATIONS the number of revocations.
func TestRevocationIsKnown(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	scan := w.ScanAnswers("device")
	if _, output, code := scan("enrol", "--gateway", w.URL()); code != 0 {
		t.Fatal(output)
	}
	follow := exec.CommandContext(t.Context(), world.Program(t, "tcode-scan"), "--home",
		filepath.Join(w.Dir, "device"), "sync", "--follow")
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
	beside := w.OpenDevice("device")
	longest := time.Duration(0)
	for range world.Count(t, "TCODE_REVOCATIONS", 1) {
		p := w.Stamp(w.Issuers[0], "one", world.Document(t, "contract.pdf"))
		file := w.File("one.pdf", p.PDF)
		if answers, output, _ := scan("verify", file); len(answers) == 0 || answers[0].Verdict != string(offline.Valid) {
			t.Fatal(output)
		}
		w.Call(w.Issuers[0], http.MethodPost, "/v1/tcode/stamps/"+p.ID+"/revoke",
			map[string]any{"reason": "test"}, nil)
		revoked := time.Now()
		for shardOf(w, beside, p.Payload.Status.Shard()).Get(p.Payload.Status.Entry()) != statuslist.Revoked {
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
