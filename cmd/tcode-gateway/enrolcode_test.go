package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/enrolcode/codetest"
)

// The program shows the same text in all forms.
func TestEnrolCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "code.png")
	gateway(t, data, "init")
	gateway(t, data, "tenant", "create", "--name", "Acme", "--reference", "ACME01")
	var root struct{ Fingerprint string }
	if err := json.Unmarshal([]byte(gateway(t, data, "root", "show", "--json")), &root); err != nil {
		t.Fatal(err)
	}
	want := "https://gateway.example/#tcode-enrol=" + root.Fingerprint
	var line enrolCodeLine
	if err := json.Unmarshal([]byte(gateway(t, data, "enrol-code", "--json", "--public-url", "https://gateway.example/v1", "-o", file)), &line); err != nil {
		t.Fatal(err)
	}
	if line.Code != want || line.Gateway != "https://gateway.example" || line.Fingerprint != root.Fingerprint || line.File != file {
		t.Errorf("%+v, want the code %s", line, want)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	link := "https://gateway.example/scan/#tcode-enrol=" + root.Fingerprint
	if line.Link != link {
		t.Errorf("link %s, want %s", line.Link, link)
	}
	if got := codetest.ReadQR(t, img.(*image.Paletted).SubImage(image.Rect(0, 0, img.Bounds().Max.X*57/100, img.Bounds().Max.Y))); got != link {
		t.Errorf("the picture says %q, want %q", got, link)
	}
	if got := codetest.ReadSymbol(t, img); got != want {
		t.Errorf("the symbol of the picture says %q, want %q", got, want)
	}
	shown := gateway(t, data, "enrol-code", "--public-url", "https://gateway.example")
	if !strings.Contains(shown, "█") || !strings.Contains(shown, "\n"+want+"\n") || strings.Contains(shown, "\x1b") {
		t.Errorf("shown in a pipe:\n%s", shown)
	}
}
