package pdfstamp_test

import (
	"bytes"
	"errors"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
)

// A verdict holds the results for one file.
type verdict struct {
	name       string
	renders    bool // poppler or MuPDF draws its last or first page, without a password
	refused    *fault.Fault
	err        error // any other error
	added      int
	prefix     bool
	same       bool // twice the same bytes
	binding    binding.State
	worse      bool           // qpdf says more against it than before
	kind       [2]string      // of the last cross-reference section, before and after
	signatures [2]int         // that pdfsig calls valid, before and after
	changed    map[string]int // pixels outside the box, by renderer; absent is none
	unrendered []string       // renderers that drew the page before and not after
	others     []string       // renderers that draw page 1, which is not stamped, otherwise than before
	read       bool           // by a reader that is not ours, from 300 dpi
	took       time.Duration  // to stamp it once
}

// judge stamps a file twice and checks it with other programs, with the renderers
// named in by or all.
func judge(t testing.TB, s stamper, file string, by ...string) verdict {
	v := verdict{name: filepath.Base(file)}
	pdf, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return v
	}
	ref := payload.Reference{1, 2, 3}
	var k sealed
	start := time.Now()
	st, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, ref, side, k.seal(ref))
	v.took = time.Since(start)
	if err != nil {
		if v.refused, _ = errors.AsType[*fault.Fault](err); v.refused == nil {
			v.err = err
		}
		for _, draw := range renderers { // they draw a page that they cannot decrypt as an empty one
			img := draw(t, file, 1, 20)
			v.renders = v.renders || img != nil && !darkIn(img).Empty()
		}
		return v
	}
	var k2 sealed
	again, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, ref, side, k2.seal(ref))
	v.same = err == nil && bytes.Equal(again.PDF, st.PDF)
	v.binding = k.check(st.PDF).State
	compare(t, &v, pdf, st, k.text, by...)
	return v
}

// compare fills in the results of other programs on pdf and its stamped twin.
func compare(t testing.TB, v *verdict, pdf []byte, st inMemory, text string, by ...string) {
	t.Helper()
	v.added, v.prefix = len(st.PDF)-len(pdf), bytes.HasPrefix(st.PDF, pdf)
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before.pdf"), filepath.Join(dir, "after.pdf")
	for name, b := range map[string][]byte{before: pdf, after: st.PDF} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Error(err)
		}
	}
	v.worse = severity(t, after) > severity(t, before)
	v.kind = [2]string{lastSection(pdf), lastSection(st.PDF)}
	if bytes.Contains(pdf, []byte("/ByteRange")) {
		v.signatures = [2]int{valid(t, before), valid(t, after)}
	}
	for name, draw := range renderers {
		if len(by) > 0 && !slices.Contains(by, name) {
			continue
		}
		was := draw(t, before, st.Page(), 72)
		if was == nil {
			continue
		}
		v.renders = true
		now := draw(t, after, st.Page(), 72)
		if now == nil || now.Rect != was.Rect {
			v.unrendered = append(v.unrendered, name)
			continue
		}
		if n := outside(was, now, st.Places[0]); n > 0 {
			if v.changed == nil {
				v.changed = map[string]int{}
			}
			v.changed[name] = n
		}
	}
	if st.Page() > 1 {
		for name, draw := range renderers {
			if was := draw(t, before, 1, 72); was != nil {
				if now := draw(t, after, 1, 72); now == nil || now.Rect != was.Rect || differing(was, now, image.Rectangle{}) > 0 {
					v.others = append(v.others, name)
				}
			}
		}
	}
	if img := crop(t, after, st); img != nil {
		v.read = readSymbol(img) == text
	}
}

// severity ranks the findings of qpdf: none, warnings, errors. Better than before
// is common: a linearized file that was damaged is no longer read as one.
func severity(t testing.TB, file string) int {
	t.Helper()
	switch _, code := run(t, "qpdf", "--check", file); code {
	case 0:
		return 0
	case 3:
		return 1
	}
	return 2
}

// valid counts the signatures that pdfsig calls valid.
func valid(t testing.TB, file string) int {
	t.Helper()
	out, _ := run(t, "pdfsig", "-nocert", file)
	return strings.Count(out, "Signature is Valid")
}

// lastSection returns the kind of section that startxref leads to: "table", "stream",
// or "" if it is unknown.
func lastSection(pdf []byte) string {
	i := bytes.LastIndex(pdf, []byte("startxref"))
	if i < 0 {
		return ""
	}
	word := strings.Fields(string(pdf[i+len("startxref") : min(len(pdf), i+40)]))
	if len(word) == 0 {
		return ""
	}
	header := max(0, bytes.Index(pdf[:min(len(pdf), 1024)], []byte("%PDF-")))
	at, err := strconv.Atoi(word[0])
	if err != nil || at < 0 || at >= len(pdf)-header {
		return ""
	}
	for _, base := range []int{header, 0} {
		switch b := bytes.TrimLeft(pdf[base+at:min(len(pdf), base+at+400)], "\x00\t\n\f\r "); {
		case bytes.HasPrefix(b, []byte("xref")):
			return "table"
		case bytes.Contains(b, []byte("/XRef")):
			return "stream"
		}
	}
	return ""
}
