package device_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/sync/wire"
)

// TestLyingGateway: an attacker between scanner and gateway repeats the batch
// id and rejects everything, without a receipt. The scan stays in the queue,
// the exit code reports it, and the next sync sends it to the real gateway.
func TestLyingGateway(t *testing.T) {
	w := world.New(t, 1)
	w.Scanner("home").Close()
	pdf := w.File("paper.pdf", w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1)).PDF)
	liar := httptest.NewServer(http.HandlerFunc(reject))
	defer liar.Close()
	scan := func(args ...string) (string, int) {
		out, err := exec.Command(world.Program(t, "tcode-scan"),
			append([]string{"--home", filepath.Join(w.Dir, "home"), "--json"},
				args...)...).CombinedOutput()
		return string(out), world.ExitCode(t, err)
	}
	if out, code := scan("verify", pdf); code != 0 {
		t.Fatalf("verify: exit code %d\n%s", code, out)
	}
	if out, code := scan("sync", "--gateway", liar.URL); code != 1 || !strings.Contains(out, "rejected") {
		t.Errorf("sync with the liar: exit code %d, want 1 and the rejection told:\n%s", code, out)
	}
	if out, _ := scan("history", "--state", "dead"); out != "" {
		t.Errorf("the liar ended a scan:\n%s", out)
	}
	if out, code := scan("sync"); code != 0 || !strings.Contains(out, `"accepted":1`) {
		t.Errorf("sync with the gateway: exit code %d, want 0 and one accepted:\n%s", code, out)
	}
	if at := w.ScansAtGateway(); len(at) != 1 {
		t.Errorf("%d scans at the gateway, want 1", len(at))
	}
}

// reject answers like a gateway that refuses all scans.
func reject(rw http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(wire.HeaderBatchID)
	rw.Header().Set(wire.HeaderBatchID, id)
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(http.StatusBadRequest) // for a batch of one: that scan has the fault
	_ = json.NewEncoder(rw).Encode(map[string]any{"status": 400, "code": "INVALID_PAYLOAD", "message": "no"})
}
