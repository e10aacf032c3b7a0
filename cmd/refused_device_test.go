package cmd_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestRefusedDevice: a device that the operator refuses is told why and keeps its scans; once it is accepted, each arrives once.
func TestRefusedDevice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	scan := w.scanning("lost")
	if _, output, code := scan("enrol", "--gateway", w.url()); code != 0 {
		t.Fatal(output)
	}
	operator := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(program(t, "tcode-gateway"), append([]string{"--data", w.data, "device"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	p := w.stamp(w.issuers[0], "one", document(t, "contract.pdf"))
	if _, output, code := scan("verify", w.file("one.pdf", p.pdf)); code != 0 {
		t.Fatal(output)
	}
	id := w.openDevice("lost").ScannerID()
	operator("refuse", id, "--reason", "the phone is lost")
	for range 2 {
		if _, output, code := scan("sync"); code == 0 || !strings.Contains(output, "this device is refused: the phone is lost") {
			t.Errorf("sync of a refused device: %d %s", code, output)
		}
	}
	if _, output, _ := scan("history"); strings.Count(output, `"state":"queued"`) != 1 {
		t.Errorf("the scan is not kept: %s", output)
	}
	if n := len(w.scansAtGateway()); n != 0 {
		t.Errorf("%d scans at the gateway", n)
	}
	operator("accept", id)
	for range 2 {
		if _, output, code := scan("sync"); code != 0 {
			t.Errorf("sync once accepted: %s", output)
		}
	}
	if n := len(w.scansAtGateway()); n != 1 {
		t.Errorf("%d scans at the gateway, want 1", n)
	}
}
