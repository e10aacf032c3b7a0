package app_test

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
	"tcode/cmd/internal/world"
	"tcode/offline/binding"
	"tcode/scanner/answer"
	"tcode/scanner/filekind"
	"tcode/scanner/web/engine"
	"tcode/sync/wire"
)

// undrawnPlaces are the places in the JSON text of a PDF that may differ, with the reason (scanner/web/engine/PROTOCOL.md, "Without
// drawing"). Pictures, frames and texts differ in scanId alone.
var undrawnPlaces = []struct {
	member, why string
	is          *regexp.Regexp
}{
	{"page, hidden", "the stamp is read from the bytes, and no page is known to show it", regexp.MustCompile(`"page":\d+,("hidden":true,)?`)},
	{"scanId", "each scan has its own", regexp.MustCompile(`"scanId":"[^"]*",`)},
	{"symbol.moduleMm", "measured on a drawn page", regexp.MustCompile(`"moduleMm":[0-9.e-]+,`)},
	{"symbol.corners", "measured on a drawn page", regexp.MustCompile(`"corners":\[\[[^{}"]*\]\]`)},
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

// variants returns the files that are made of one: as it is and, if it can be stamped, those that a scanner may meet.
func variants(t *testing.T, w *world.World, name string) (all map[string][]byte, stamped bool) {
	t.Helper()
	original, d := mustRead(t, name), w.Deliver(name)
	all = map[string][]byte{"not stamped": original}
	if d.Status != http.StatusCreated {
		return all, false
	}
	all["stamped"], all["changed"], all["repainted"] = d.PDF, slices.Clone(d.PDF), slices.Clone(d.PDF)
	all["changed"][len(original)/2] ^= 1
	k := binding.Marks(d.PDF)[0]
	all["repainted"][k.Start+k.Length/2] ^= 1
	all["added to"] = append(slices.Clone(d.PDF), "\n% more\n"...)
	return all, true
}

// TestEngineByteForByte: for stamped files, changed ones and ones that were added to, the engine's JSON has the bytes of `tcode-scan
// verify --json`, except at the places that only drawing tells. It takes every thirtieth PDF of the corpus, all with
// TCODE_ANSWERS=all, or those of the folder TCODE_PDFS.
func TestEngineByteForByte(t *testing.T) {
	w := world.New(t, 1)
	dev, e := w.DeviceAndEngine()
	equal, differ, answers := map[string]int{}, map[string]int{}, map[string]int{}
	stamped, files := 0, 0
	for _, name := range world.RealFiles(t, os.Getenv("TCODE_ANSWERS") == "all") {
		all, could := variants(t, w, name)
		if files++; could {
			stamped++
		}
		for kind, file := range all {
			if len(file) > engine.MaxFile || filekind.Of(file) != filekind.PDF {
				continue
			}
			got, err := e.File(t.Context(), "file.pdf", file, wire.Context{})
			if err != nil {
				t.Fatalf("%s, %s: %v", name, kind, err)
			}
			answers[strings.Join(append([]string{kind + ":", got.Screens[0].Headline}, got.Undrawn...), " ")]++
			drawn, err := dev.Verify(t.Context(), "file.pdf", file, device.VerifyOptions{})
			if err != nil && len(drawn) == 0 {
				if answers[kind+", not drawn"]++; got.Screens[0].Tone != answer.Refuse && found(got.Findings) > 0 {
					t.Errorf("%s, %s: %v, but %s", name, kind, err, got.JSON)
				}
				continue
			}
			switch kind {
			case "repainted": // its symbol is readable on the page alone, so the engine has one finding less
				if h := got.Screens[0].Headline; h != "not_genuine" || len(drawn) > len(got.Findings)+1 {
					t.Errorf("%s, %s: %s: %s", name, kind, h, got.JSON)
				}
			case "not stamped": // reasons differ: one drew all pages
				if found(got.Findings) > found(drawn) || found(got.Findings) < found(drawn) && len(got.Undrawn) == 0 {
					t.Errorf("%s, %s: %s", name, kind, got.JSON)
				}
			default:
				a, b := withoutPlaces(linesOf(t, drawn), strings.SplitAfter(strings.TrimSuffix(got.JSON, "\n"), "\n"), differ)
				if diff := cmp.Diff(a, b); diff != "" {
					t.Errorf("%s, %s (-tcode-scan +engine):\n%s", name, kind, diff)
					continue
				}
				equal[kind]++
			}
		}
	}
	if 2*stamped <= files { // a few are encrypted or damaged
		t.Errorf("only %d of %d files could be stamped", stamped, files)
	}
	t.Logf("%d of %d files stamped; equal: %v; answers: %v", stamped, files, equal, answers)
	for _, p := range undrawnPlaces {
		t.Logf("%s differs in %d answers: %s", p.member, differ[p.member], p.why)
	}
}

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
