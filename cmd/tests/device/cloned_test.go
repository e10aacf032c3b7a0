package device_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestClonedHome: the gateway detects a copied scanner's folder, and has the
// scans of both.
func TestClonedHome(t *testing.T) {
	w := world.New(t, 1)
	w.Scanner("home").Close()
	pdf := w.File("paper.pdf", w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1)).PDF)
	home := w.Scan("home")
	home("verify", pdf)
	if err := os.CopyFS(filepath.Join(w.Dir, "clone"),
		os.DirFS(filepath.Join(w.Dir, "home"))); err != nil {
		t.Fatal(err)
	}
	gateway := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(world.Program(t, "tcode-gateway"),
			append([]string{"--data", w.Data}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for _, scan := range []func(...string) (string, int){home, w.Scan("clone")} {
		scan("verify", pdf)
		if out, code := scan("sync"); code != 0 {
			t.Fatalf("sync: exit code %d\n%s", code, out)
		}
	}
	if at := w.ScansAtGateway(); len(at) != 3 {
		t.Errorf("%d scans at the gateway, want 3", len(at))
	}
	var device map[string]any
	if err := json.Unmarshal([]byte(gateway("--json", "device", "list", "--flagged")),
		&device); err != nil {
		t.Fatal(err)
	}
	if device["flag"] != "seq_reused" || device["flagSeq"] != 2.0 || device["scans"] != 3.0 {
		t.Errorf("device %v", device)
	}
	if out := gateway("device", "list"); !strings.Contains(out, "number 2 has two scans") ||
		!strings.Contains(out, "device clear") {
		t.Errorf("device list\n%s", out)
	}
	gateway("device", "clear", device["scannerId"].(string))
	out := gateway("device", "list", "--flagged")
	if !strings.Contains(out, "no device is flagged") {
		t.Errorf("after clear\n%s", out)
	}
}
