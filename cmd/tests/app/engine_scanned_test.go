package app_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/scanner/answer"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/scanned"
	"tcode/scanner/web/engine"
	"tcode/sync/wire"
)

// scannedMembers are the members of the JSON about a symbol on a page's picture that are measured on another picture than
// that of an engine (scanner/web/engine/PROTOCOL.md, "Without drawing").
var scannedMembers = []string{"scanId", "symbol"}

// TestEngineScans: the engine reads PDFs of scanned stamped pages and gives the JSON of `tcode-scan verify --json`. It takes every
// thirtieth PDF of the corpus, all with TCODE_ANSWERS=all, each in one coding; in more with TCODE_SCANS, up to 6.
func TestEngineScans(t *testing.T) {
	w := world.New(t, 1)
	dev, e := w.DeviceAndEngine()
	codings := min(world.Count(t, "TCODE_SCANS", 1), len(scanned.Codings))
	files, drawing, reading := map[scanned.Coding]int{}, map[scanned.Coding]int{}, map[scanned.Coding]int{}
	for i, name := range world.RealFiles(t, os.Getenv("TCODE_ANSWERS") == "all") {
		d := w.Deliver(name)
		if d.Status != http.StatusCreated {
			continue
		}
		dpi := float64(200 + 100*(i%2))
		var seen []*gray.Image
		for n, page := range world.DrawPages(t, d.PDF, dpi, 1, d.Page) {
			seen = append(seen, simulate.Scan(page, uint64(10*i+n)))
		}
		if len(seen) == 0 {
			t.Logf("%s: not scanned", d.File)
			continue
		}
		for k := range codings {
			coding := scanned.Codings[(i+k)%len(scanned.Codings)]
			file, err := scanned.PDF(seen, scanned.Options{DPI: dpi, Coding: coding, Strips: 1 + (i+k)%2*7})
			if err != nil {
				t.Fatal(err)
			}
			if len(file) > engine.MaxFile { // noise in three colours
				continue
			}
			drawn, undrawn := bothAnswers(t, dev, e, file)
			files[coding]++
			drawing[coding] += min(1, found(drawn))
			reading[coding] += min(1, found(undrawn.Findings))
			sameScan(t, fmt.Sprintf("%s, %g dpi, %s", d.File, dpi, coding), drawn, undrawn)
		}
	}
	theirs, ours := 0, 0
	for _, coding := range scanned.Codings {
		t.Logf("%s: %d files, tcode-scan reads %d, the engine %d", coding, files[coding], drawing[coding], reading[coding])
		theirs, ours = theirs+drawing[coding], ours+reading[coding]
	}
	// They read other pixels, so one of a hundred, with symbols near the limit, may be read by one alone.
	if theirs == 0 || ours < theirs-theirs/50 {
		t.Errorf("the engine reads %d files, tcode-scan %d", ours, theirs)
	}
}

// TestEngineScansAttacked: a page that shows something else than its picture, or a part of it, never makes the engine find what
// tcode-scan does not see.
func TestEngineScansAttacked(t *testing.T) {
	w := world.New(t, 1)
	page := world.DrawPages(t, w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1)).PDF, 150, 1)[0]
	dev, e := w.DeviceAndEngine()
	unit := 72.0 / 150
	wide, high := float64(page.Width)*unit, float64(page.Height)*unit
	whole := fmt.Sprintf("0 0 %.2f %.2f re", wide, high)
	for _, tt := range []struct {
		name string
		opt  scanned.Options
		sees bool // the engine finds the stamp
	}{
		{"as it is", scanned.Options{}, true},
		{"turned", scanned.Options{Page: "/Rotate 90"}, true},
		{"covered", scanned.Options{After: "1 g " + whole + " f"}, false},
		{"with a line", scanned.Options{After: "0 0 m 300 300 l S"}, false},
		{"below its picture", scanned.Options{Before: "0.5 g " + whole + " f"}, true},
		{"cropped", scanned.Options{Page: "/CropBox [0 0 40 40]"}, false},
		{"clipped", scanned.Options{Before: "0 0 40 40 re W n"}, false},
		{"clipped away", scanned.Options{Before: "0 0 m 0 0 l W n"}, false},
		{"moved off the page", scanned.Options{Before: fmt.Sprintf("1 0 0 1 %.2f 0 cm", wide)}, false},
		{"too small to see", scanned.Options{Before: "0.02 0 0 0.02 100 100 cm"}, false},
		{"in a layer", scanned.Options{Before: "/OC /Layer BDC", After: "EMC"}, false},
		{"mirrored", scanned.Options{Before: fmt.Sprintf("-1 0 0 1 %.2f 0 cm", wide)}, true},
		{"in white on white", scanned.Options{Coding: scanned.Bilevel, Before: "1 g"}, true}, // a picture has its own colours
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opt.DPI = 150
			if tt.opt.Coding == "" {
				tt.opt.Coding = scanned.Flate
			}
			file, err := scanned.PDF([]*gray.Image{page}, tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			drawn, got := bothAnswers(t, dev, e, file)
			if found(got.Findings) > found(drawn) || (found(got.Findings) > 0) != tt.sees {
				t.Errorf("the engine found %d, tcode-scan %d: %s", found(got.Findings), found(drawn), got.JSON)
			}
			if found(got.Findings) < found(drawn) && len(got.Undrawn) == 0 {
				t.Errorf("the engine found less, and nothing is left open: %s", got.JSON)
			}
		})
	}
}

// bothAnswers returns the answers of tcode-scan and of the engine.
func bothAnswers(t *testing.T, dev *device.Device, e *engine.Engine, file []byte) ([]answer.Finding, engine.Answer) {
	t.Helper()
	drawn, err := dev.Verify(t.Context(), "file.pdf", file, device.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.File(t.Context(), "file.pdf", file, wire.Context{})
	if err != nil {
		t.Fatal(err)
	}
	return drawn, got
}

// found counts the TCodes of findings.
func found(findings []answer.Finding) (n int) {
	for _, f := range findings {
		if f.Found() {
			n++
		}
	}
	return n
}

// sameScan compares answers about a scanned document: what the engine found, tcode-scan found too, and says the same about it.
func sameScan(t *testing.T, name string, drawn []answer.Finding, got engine.Answer) {
	t.Helper()
	if len(got.Undrawn) > 0 {
		t.Errorf("%s: left open: %s", name, strings.Join(got.Undrawn, " "))
	}
	if found(drawn) == 0 || found(got.Findings) == 0 {
		t.Logf("%s: tcode-scan finds %d, the engine %d", name, found(drawn), found(got.Findings))
		if found(got.Findings) > 0 {
			t.Errorf("%s: the engine found something, tcode-scan nothing: %s", name, got.JSON)
		}
		return
	}
	if diff := cmp.Diff(comparable(t, drawn, scannedMembers), comparable(t, got.Findings, scannedMembers)); diff != "" {
		t.Errorf("%s (-tcode-scan +engine):\n%s", name, diff)
	}
	for _, s := range got.Screens {
		if s.Headline != "compare" {
			t.Errorf("%s: the screen says %s", name, s.Headline)
		}
	}
}
