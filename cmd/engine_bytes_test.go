package cmd_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/cmd/internal/device"
	"tcode/offline/binding"
	"tcode/scanner/answer"
	"tcode/scanner/web/engine"
	"tcode/sync/wire"
)

// undrawnPlaces are the places in the JSON text that only drawing tells, or that differ with each scan
// (scanner/web/engine/PROTOCOL.md, "Without drawing").
var undrawnPlaces = []struct {
	member string
	is     *regexp.Regexp
}{
	{"page, hidden", regexp.MustCompile(`"page":\d+,("hidden":true,)?`)},
	{"scanId", regexp.MustCompile(`"scanId":"[^"]*",`)},
	{"symbol.moduleMm", regexp.MustCompile(`"moduleMm":[0-9.e-]+,`)},
	{"symbol.corners", regexp.MustCompile(`"corners":\[\[[^{}"]*\]\]`)},
}

// linesOf returns findings as `tcode-scan verify --json` prints them, in a fixed order.
func linesOf(t *testing.T, findings []answer.Finding) []string {
	t.Helper()
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	for _, f := range findings {
		if err := out.Encode(f); err != nil {
			t.Fatal(err)
		}
	}
	return strings.SplitAfter(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// withoutPlaces returns lines without the places that may differ, and counts in differ those that do.
func withoutPlaces(drawn, undrawn []string, differ map[string]int) (a, b []string) {
	a, b = slices.Clone(drawn), slices.Clone(undrawn)
	for _, p := range undrawnPlaces {
		values := func(lines []string) (all []string) {
			for i, line := range lines {
				all = append(all, p.is.FindString(line))
				lines[i] = p.is.ReplaceAllString(line, "")
			}
			slices.Sort(all)
			return all
		}
		if !slices.Equal(values(a), values(b)) {
			differ[p.member]++
		}
	}
	slices.Sort(a)
	slices.Sort(b)
	return a, b
}

// TestEngineByteForByte: for stamped files, changed ones and ones that were added to, the engine's JSON has the bytes of `tcode-scan
// verify --json`, except at the places that only drawing tells. It takes every tenth PDF of the corpus, all with
// TCODE_ANSWERS=all, or those of the folder TCODE_PDFS.
func TestEngineByteForByte(t *testing.T) {
	w := newWorld(t, 1)
	dev, e := engineBeside(t, w)
	equal, differ, answers := map[string]int{}, map[string]int{}, map[string]int{}
	stamped, files := 0, 0
	for _, name := range realFiles(t, os.Getenv("TCODE_ANSWERS") == "all") {
		d := w.deliver(name)
		if files++; d.status != http.StatusCreated {
			continue
		}
		stamped++
		original := mustRead(t, name)
		changed, repainted := slices.Clone(d.pdf), slices.Clone(d.pdf)
		changed[len(original)/2] ^= 1
		k := binding.Marks(d.pdf)[0]
		repainted[k.Start+k.Length/2] ^= 1
		for kind, file := range map[string][]byte{
			"stamped": d.pdf, "changed": changed, "added to": append(slices.Clone(d.pdf), "\n% more\n"...), "not stamped": original, "repainted": repainted,
		} {
			if len(file) > engine.MaxFile {
				t.Logf("%s, %s: %d bytes", d.file, kind, len(file))
				continue
			}
			drawn, err := dev.Verify(t.Context(), "file.pdf", file, device.VerifyOptions{})
			if err != nil && len(drawn) == 0 {
				answers[kind+": not drawn"]++
				continue
			}
			got, err := e.File(t.Context(), "file.pdf", file, wire.Context{})
			if err != nil {
				t.Fatalf("%s, %s: %v", d.file, kind, err)
			}
			answers[kind+": "+got.Screens[0].Headline]++
			if kind == "repainted" { // its symbol is readable on the page alone, so the engine has one finding less
				if h := got.Screens[0].Headline; h != "not_genuine" || len(drawn) > len(got.Findings)+1 {
					t.Errorf("%s, %s: %s: %s", d.file, kind, h, got.JSON)
				}
				continue
			}
			if kind == "not stamped" { // reasons differ: one drew all pages
				if found(got.Findings) > found(drawn) || found(got.Findings) < found(drawn) && len(got.Undrawn) == 0 {
					t.Errorf("%s, %s: %s", d.file, kind, got.JSON)
				}
				continue
			}
			a, b := withoutPlaces(linesOf(t, drawn), strings.SplitAfter(strings.TrimSuffix(got.JSON, "\n"), "\n"), differ)
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("%s, %s (-tcode-scan +engine):\n%s", d.file, kind, diff)
				continue
			}
			equal[kind]++
		}
	}
	if stamped < 5 {
		t.Errorf("only %d of %d files could be stamped", stamped, files)
	}
	t.Logf("%d of %d files stamped; equal: %v; answers: %v; places that differ: %v", stamped, files, equal, answers, differ)
}

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
