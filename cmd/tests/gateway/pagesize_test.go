package gateway_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/scanner"
)

// TestPageSizes stamps pages from small to absurd ones: each is refused with
// the reason, or a scanner with default settings reads the stamp off the page
// and verifies the file.
func TestPageSizes(t *testing.T) {
	w := world.New(t, 1)
	w.Scanner("home").Close()
	var tests []struct{ name, page string }
	add := func(name, page string) { tests = append(tests, struct{ name, page string }{name, page}) }
	for _, points := range []float64{200, 1000, 2384, 3370, 5000, 6500, 7700, 7800, 10_000, 14_400, 100_000, 1e7} {
		add(fmt.Sprintf("square of %.0f", points), fmt.Sprintf("/MediaBox[0 0 %.0f %.0f]", points, points))
	}
	add("strip", "/MediaBox[0 0 14400 500]")
	add("far corner", "/MediaBox[900000 900000 900595 900842]")
	add("crop box beyond the page", "/MediaBox[0 0 595 842]/CropBox[0 0 10000 10000]")
	add("crop box of an absurd page", "/MediaBox[0 0 10000000 10000000]/CropBox[0 0 595 842]")
	for _, unit := range []float64{1, 2, 5, 9, 20, 100, 1e6} {
		add(fmt.Sprintf("UserUnit %.0f", unit), fmt.Sprintf("/MediaBox[0 0 595 842]/UserUnit %.0f", unit))
	}
	stamped := 0
	for i, tt := range tests {
		pdf := world.Sheet{More: world.Objects{3: "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>" + tt.page + ">>"}}.PDF()
		status, answer := w.Try(w.Issuers[0], "/v1/tcode/stamps", map[string]any{
			"name": fmt.Sprint("n", i), "documentTypeCode": "DIP", "pdf": world.Base64(pdf),
		})
		switch {
		case status >= 400 && status < 500:
			t.Logf("%s: %d %v", tt.name, status, answer["message"])
			continue
		case status != 201:
			t.Errorf("%s: %d %v", tt.name, status, answer)
			continue
		}
		stamped++
		data, _ := answer["data"].(map[string]any)
		file := w.File(fmt.Sprintf("%d.pdf", i),
			w.Download(w.Issuers[0], fmt.Sprint(data["id"]), "stamped"))
		out, err := exec.Command(world.Program(t, "tcode-scan"), "--document-time", "5m", "--home",
			filepath.Join(w.Dir, "home"), "verify", file).CombinedOutput()
		if code := world.ExitCode(t, err); code != 0 || !strings.Contains(string(out), "VALID") {
			t.Errorf("%s: it was stamped, but verify exits %d:\n%s", tt.name, code, out)
		}
	}
	if stamped < 8 {
		t.Errorf("%d of %d pages were stamped", stamped, len(tests))
	}
}

// TestLargestPages: scanners draw a page of seven square metres with fewer dots, and have no closer
// look at it. A symbol is larger there, and a bound that makes it as narrow as elsewhere is refused with
// the modules that are read.
func TestLargestPages(t *testing.T) {
	w := world.New(t, 1)
	s := scanner.New(scanner.Config{})
	t.Cleanup(func() { s.Close() })
	pdf := pagesPDF([]sheetForm{plainForm(5000, 1400)})
	for i, at := range []map[string]any{
		{"xNorm": 0, "yNorm": 0.8399103952872936}, // not read with modules of 0.375 mm
		{"xNorm": 0.18, "yNorm": 0.835},
	} {
		stamp := func(name string) (int, map[string]any) {
			at["name"] = fmt.Sprint(name, i)
			var template struct{ Data struct{ ID string } }
			w.Call(w.Issuers[0], "POST", "/v1/tcode/templates/placement", at, &template)
			return w.Try(w.Issuers[0], "/v1/tcode/stamps", map[string]any{
				"name": at["name"], "documentTypeCode": "DIP", "pdf": world.Base64(pdf), "placementTemplateId": template.Data.ID,
			})
		}
		status, answer := stamp("free")
		data, ok := answer["data"].(map[string]any)
		if status != 201 || !ok {
			t.Fatalf("no bound: %d %v", status, answer)
		}
		if got := symbolsOf(t, s, w.Download(w.Issuers[0], fmt.Sprint(data["id"]),
			"stamped")); len(got) != 1 {
			t.Errorf("%v: the stamp is not read", at)
		}
		at["wNorm"] = 16.5 / 5000
		status, answer = stamp("bounded")
		if status != 422 || !strings.Contains(fmt.Sprint(answer["message"]), "scanners read modules of 0.404 mm and more") {
			t.Errorf("modules as elsewhere: %d %v, want 422 with the width that is read", status, answer)
		}
	}
}
