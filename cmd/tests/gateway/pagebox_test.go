package gateway_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestLargePageElsewhere: the stamp on one page is readable even if another
// page is too large for any scanner.
func TestLargePageElsewhere(t *testing.T) {
	w := world.New(t, 1)
	home := filepath.Join(w.Dir, "home")
	w.Scanner("home").Close()
	pdf := world.Sheet{More: world.Objects{
		2: "<</Type/Pages/Kids[6 0 R 3 0 R]/Count 2>>",
		6: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9000 9000]>>",
	}}.PDF()
	p, _ := w.StampAt(pdf, map[string]any{"name": "n"})
	out, err := exec.Command(world.Program(t, "tcode-scan"), "--home", home, "verify",
		w.File("large.pdf", p.PDF)).CombinedOutput()
	if world.ExitCode(t, err) != 0 || !strings.Contains(string(out), "VALID") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPageBoxes: a page of any declared size is stamped and reads with default
// settings, or it is refused with a reason. The largest page that is stamped is
// the largest that the scanner draws.
func TestPageBoxes(t *testing.T) {
	w := world.New(t, 1)
	home := filepath.Join(w.Dir, "home")
	w.Scanner("home").Close()
	for boxes, want := range map[string]int{ // 0: stamped or refused
		"/MediaBox[0 0 7743 7743]":                        201,
		"/MediaBox[0 0 7744 7744]":                        422,
		"/MediaBox[0 0 7800 7800]":                        422,
		"/MediaBox[0 0 14400 14400]":                      422,
		"/MediaBox[0 0 100 500000]":                       0,
		"/MediaBox[0 0 1048577 20]":                       422,
		"/MediaBox[0 0 10000000 10000000]":                422,
		"/MediaBox[0 0 99999999999999999999 1]":           422,
		"/MediaBox[0 0 -99999999999999999999 1]":          422,
		"/MediaBox[-10000000 -10000000 1 1]":              422,
		"/MediaBox[9000000 9000000 9000595 9000842]":      422,
		"/MediaBox[100000 100000 100595 100842]":          0,
		"/MediaBox[0 0 0 0]":                              0,
		"/MediaBox[0 0 0.01 0.01]":                        422,
		"/MediaBox[0 0 -595 -842]":                        201,
		"/MediaBox[595 842 0 0]":                          201,
		"/MediaBox[0 0 NaN Inf]":                          0,
		"/MediaBox[0 0 1e7 1e7]":                          0,
		"/MediaBox[0 0 0x253 0x34A]":                      0,
		"/MediaBox[(a)(b) 3 4]":                           0,
		"/MediaBox[0 0 595]":                              0,
		"/MediaBox null":                                  0,
		"/UserUnit 1000000":                               422,
		"/UserUnit 14":                                    422,
		"/UserUnit 0.000001":                              422,
		"/UserUnit 0":                                     0,
		"/UserUnit -1":                                    0,
		"/UserUnit NaN":                                   0,
		"/UserUnit 99999999999999999999":                  0,
		"/CropBox[0 0 90000 90000]":                       422,
		"/CropBox[0 0 0 0]":                               0,
		"/CropBox[700 900 800 1000]":                      0,
		"/CropBox[0 0 NaN 842]":                           0,
		"/MediaBox[0 0 20000 20000]/CropBox[0 0 9 9]":     422,
		"/MediaBox[0 0 20000 20000]/CropBox[0 0 600 600]": 0,
		"/Rotate 1000000090":                              0,
		"/Rotate 45":                                      0,
	} {
		page := world.Sheet{More: world.Objects{3: "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>" + boxes + ">>"}}
		if !strings.Contains(boxes, "/MediaBox") {
			page.More[3] = strings.Replace(page.More[3], "/Contents",
				"/MediaBox[0 0 595 842]/Contents", 1)
		}
		pdf := page.PDF()
		status, answer := w.Try(w.Issuers[0], "/v1/tcode/stamps",
			map[string]any{"name": "n", "documentTypeCode": "DIP", "pdf": world.Base64(pdf)})
		if want == 0 && status != http.StatusCreated && status/100 != 4 || want != 0 && status != want {
			t.Errorf("%s: %d %v, want %d", boxes, status, answer, want)
		}
		previewed, told := w.Try(w.Issuers[0], "/v1/tcode/templates/placement/preview",
			map[string]any{"pdf": world.Base64(pdf), "placement": map[string]any{"name": "p"}})
		if previewed >= 500 {
			t.Errorf("%s: preview: %d %v", boxes, previewed, told)
		}
		if status != http.StatusCreated {
			if answer["code"] == "" || answer["message"] == "" {
				t.Errorf("%s: no reason: %v", boxes, answer)
			}
			continue
		}
		id := answer["data"].(map[string]any)["id"].(string)
		file := w.File("box.pdf", w.Download(w.Issuers[0], id, "stamped"))
		out, err := exec.Command(world.Program(t, "tcode-scan"), "--home", home, "verify",
			file).CombinedOutput()
		if world.ExitCode(t, err) != 0 || !strings.Contains(string(out), "VALID") {
			t.Errorf("%s: stamped, and then: %s", boxes, fmt.Sprint(err, "\n", string(out)))
		}
	}
}
