//go:build !race

package pdfstamp_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
	"tcode/testdata/corpus"
)

// TestHard stamps files with one feature or fault each: our own files, and the files
// that other programs write from one of them. It compares the results with the bars
// of real files. One renderer draws each file, or none, in turn; with TCODE_LONG=all
// every renderer draws every file. The folder TCODE_HARD, if set, keeps the files for tests of whole
// programs.
func TestHard(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"qpdf", "pdftoppm", "pdfsig", "mutool"} {
		need(t, tool)
	}
	s := newStamper(t)
	dir := os.Getenv("TCODE_HARD")
	if dir == "" {
		dir = t.TempDir()
	}
	files := hardFiles(t, dir)
	for _, c := range hardCases() {
		if c.want == "" {
			continue
		}
		h := newHard()
		c.build(h)
		pdf := h.build()
		var k sealed
		_, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, payload.Reference{1}, side, k.seal(payload.Reference{1}))
		if err == nil || fault.As(err).Code == "" || !strings.Contains(fault.As(err).Message, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	verdicts := make([]verdict, len(files))
	var wg sync.WaitGroup
	slot := make(chan struct{}, 2)
	for i, f := range files {
		wg.Go(func() {
			slot <- struct{}{}
			defer func() { <-slot }()
			var by []string // both take minutes
			if !corpus.Long() {
				by = append(slices.Sorted(maps.Keys(renderers)), "none")[i%3:][:1]
			}
			verdicts[i] = judge(t, s, f, by...)
			if who := disputed[verdicts[i].name]; who != "" {
				delete(verdicts[i].changed, who)
				verdicts[i].unrendered = slices.DeleteFunc(verdicts[i].unrendered, func(w string) bool { return w == who || who == "both" })
			}
		})
	}
	wg.Wait()
	for _, v := range verdicts {
		if v.refused != nil || v.err != nil {
			t.Errorf("%s: not stamped%s", v.name, why(v))
		}
	}
	report(t, verdicts)
}

// hardFiles writes to dir the files of [hardCases] that can be stamped, and the files
// that other programs write from one of them. It returns their names.
func hardFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	write := func(name string, h *hardFile) string {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, h.build(), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, c := range hardCases() {
		if c.want == "" {
			h := newHard()
			c.build(h)
			files = append(files, write(c.name, h))
		}
	}
	return append(files, rewritten(t, dir, write("base", newHard()))...)
}

// disputed maps the faults on which the renderers disagree to the renderer whose
// drawing of the stamped file differs from the one before.
var disputed = map[string]string{
	"contents with gaps":                       "poppler", // draws nothing at all
	"length is below zero":                     "poppler", // draws nothing at all
	"contents end in stray Q after a change":   "poppler", // the first stray Q undoes the change; others skip it
	"page _MediaBox[0 0 595 842]_Rotate 180.0": "poppler", // no number with a fraction turns a page
	"hybrid, page hidden":                      "both",    // objects that are free in the table stay free; the standard and qpdf find the page
	"a value without a key":                    "MuPDF",   // gives up on the page
}

// rewritten returns the files that other programs write from file.
func rewritten(t *testing.T, dir, file string) (files []string) {
	t.Helper()
	for i, line := range []string{
		"qpdf --object-streams=generate IN OUT", "qpdf --linearize IN OUT", "qpdf --linearize --object-streams=generate IN OUT", "qpdf --qdf IN OUT",
		"qpdf --object-streams=generate --compress-streams=n IN OUT", "qpdf --newline-before-endstream IN OUT", "qpdf --min-version=2.0 --coalesce-contents IN OUT",
		"qpdf --empty --pages IN IN -- OUT", "qpdf --overlay IN -- IN OUT", "qpdf --rotate=+90 IN OUT", "qpdf --allow-weak-crypto --linearize --encrypt  o 40 -- IN OUT",
		"mutool clean -gggg IN OUT", "mutool clean -d -a IN OUT", "mutool clean -l IN OUT", "pdftocairo -pdf IN OUT", "pdfunite IN IN OUT", "gs -q -sDEVICE=pdfwrite -o OUT IN", "gs -q -sDEVICE=pdfwrite -dCompatibilityLevel=1.3 -o OUT IN",
	} {
		out := filepath.Join(dir, fmt.Sprintf("%d %s.pdf", i, strings.NewReplacer("/", "_").Replace(line)))
		args := strings.Split(line, " ")
		for j := range args {
			args[j] = strings.NewReplacer("IN", file, "OUT", out).Replace(args[j])
		}
		if args[0] == "gs" && !has("gs") {
			continue // not among the tools that must be there
		}
		if text, code := run(t, args[0], args[1:]...); code != 0 && code != 3 {
			t.Errorf("%s: %s", line, text)
			continue
		}
		if b, err := os.ReadFile(out); err == nil && bytes.HasPrefix(b, []byte("%PDF-")) {
			files = append(files, out)
		} else {
			t.Errorf("%s makes no PDF", line)
		}
	}
	return files
}
