package device_test

import (
	"os/exec"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestRefusedDevice: a device that the operator refuses is told why and keeps its scans; once it is accepted, each arrives once.
func TestRefusedDevice(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	scan := w.ScanAnswers("lost")
	if _, output, code := scan("enrol", "--gateway", w.URL()); code != 0 {
		t.Fatal(output)
	}
	operator := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(world.Program(t, "tcode-gateway"),
			append([]string{"--data", w.Data, "device"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	p := w.Stamp(w.Issuers[0], "one", world.Document(t, "contract.pdf"))
	if _, output, code := scan("verify", w.File("one.pdf", p.PDF)); code != 0 {
		t.Fatal(output)
	}
	id := w.OpenDevice("lost").ScannerID()
	operator("refuse", id, "--reason", "the phone is lost")
	for range 2 {
		if _, output, code := scan("sync"); code == 0 || !strings.Contains(output, "this device is refused: the phone is lost") {
			t.Errorf("sync of a refused device: %d %s", code, output)
		}
	}
	if _, output, _ := scan("history"); strings.Count(output, `"state":"queued"`) != 1 {
		t.Errorf("the scan is not kept: %s", output)
	}
	if n := len(w.ScansAtGateway()); n != 0 {
		t.Errorf("%d scans at the gateway", n)
	}
	operator("accept", id)
	for range 2 {
		if _, output, code := scan("sync"); code != 0 {
			t.Errorf("sync once accepted: %s", output)
		}
	}
	if n := len(w.ScansAtGateway()); n != 1 {
		t.Errorf("%d scans at the gateway, want 1", n)
	}
}
