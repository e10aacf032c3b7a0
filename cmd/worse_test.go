package cmd_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTamperedFileLeads: a genuine stamp on a changed file is not found, on the
// device and at the gateway, whatever the gateway answers about the payload alone.
func TestTamperedFileLeads(t *testing.T) {
	w := newWorld(t, 1)
	w.scanner("home").Close()
	p := w.stamp(w.issuers[0], "paper", smallPDF(1))
	tampered := bytes.Replace(p.pdf, []byte("Paper number 1"), []byte("Paper number 9"), 1)
	if bytes.Equal(tampered, p.pdf) {
		t.Fatal("the file was not changed")
	}
	scan := w.scan("home")
	if out, code := scan("verify", w.file("tampered.pdf", tampered)); code != 1 || !strings.Contains(out, `"verdict":"not_found"`) {
		t.Fatalf("verify: exit code %d\n%s", code, out)
	}
	if out, code := scan("sync"); code != 0 {
		t.Fatalf("sync: exit code %d\n%s", code, out)
	}
	out, _ := scan("history")
	var row map[string]any
	if err := json.Unmarshal([]byte(out), &row); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"verdict": "not_found", "offlineVerdict": "not_found", "gatewayVerdict": "valid", "binding": "mismatch", "finding": "payload_on_other_file",
	} {
		if row[name] != want {
			t.Errorf("history: %s is %v, want %v", name, row[name], want)
		}
	}
	var page struct{ Items []map[string]any }
	w.call(w.issuers[0], http.MethodGet, "/v1/tcode/verify/document/"+p.reference+"/scans?Finding=any", nil, &page)
	if len(page.Items) != 1 {
		t.Fatalf("scans: %v", page.Items)
	}
	for name, want := range map[string]any{
		"verdict": "not_found", "offlineVerdict": "not_found", "gatewayVerdict": "valid", "binding": "mismatch", "assurance": "none", "finding": "payload_on_other_file",
	} {
		if page.Items[0][name] != want {
			t.Errorf("gateway: %s is %v, want %v", name, page.Items[0][name], want)
		}
	}
}

// TestClonedHome: the gateway detects a copied scanner's folder, and has the
// scans of both.
func TestClonedHome(t *testing.T) {
	w := newWorld(t, 1)
	w.scanner("home").Close()
	pdf := w.file("paper.pdf", w.stamp(w.issuers[0], "paper", smallPDF(1)).pdf)
	home := w.scan("home")
	home("verify", pdf)
	if err := os.CopyFS(filepath.Join(w.dir, "clone"), os.DirFS(filepath.Join(w.dir, "home"))); err != nil {
		t.Fatal(err)
	}
	gateway := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(program(t, "tcode-gateway"), append([]string{"--data", w.data}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for _, scan := range []func(...string) (string, int){home, w.scan("clone")} {
		scan("verify", pdf)
		if out, code := scan("sync"); code != 0 {
			t.Fatalf("sync: exit code %d\n%s", code, out)
		}
	}
	if at := w.scansAtGateway(); len(at) != 3 {
		t.Errorf("%d scans at the gateway, want 3", len(at))
	}
	var device map[string]any
	if err := json.Unmarshal([]byte(gateway("--json", "device", "list", "--flagged")), &device); err != nil {
		t.Fatal(err)
	}
	if device["flag"] != "seq_reused" || device["flagSeq"] != 2.0 || device["scans"] != 3.0 {
		t.Errorf("device %v", device)
	}
	if out := gateway("device", "list"); !strings.Contains(out, "number 2 has two scans") || !strings.Contains(out, "device clear") {
		t.Errorf("device list\n%s", out)
	}
	gateway("device", "clear", device["scannerId"].(string))
	if out := gateway("device", "list", "--flagged"); !strings.Contains(out, "no device is flagged") {
		t.Errorf("after clear\n%s", out)
	}
}

// scan returns a function that runs tcode-scan with a home and returns its
// output and exit code.
func (w *world) scan(home string) func(args ...string) (string, int) {
	return func(args ...string) (string, int) {
		w.t.Helper()
		out, err := exec.Command(program(w.t.(*testing.T), "tcode-scan"), append([]string{"--home", filepath.Join(w.dir, home), "--json"}, args...)...).Output()
		return string(out), exitCode(w.t.(*testing.T), err)
	}
}
