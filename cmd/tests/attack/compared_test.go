package attack_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/offline/payload"
	"tcode/scanner/caveat"
)

// TestCompared: two engines draw a file whose issuer does not vouch that it is
// plain if a person asks for plain ones, and no other file.
func TestCompared(t *testing.T) {
	w := world.New(t, 2)
	keys := signers(w)
	p := w.Stamp(w.Issuers[0], "plain", world.Sheet{}.PDF())
	unflag := func(p *payload.Payload) { p.Plain = false } // as a gateway that compares nothing
	p = resealed(t, p, p.PDF, keys[0], unflag)
	flagged := resealed(t, p, p.PDF, keys[0], func(p *payload.Payload) { p.Plain = true })
	_, outer := restamped(w, nil)
	outer = resealed(t, outer, outer.PDF, keys[1], unflag)
	w.Scanner("compares").Close() // enrolled
	asked := 0
	var answer []caveat.Caveat
	var fault error
	compare := func(context.Context, string, []byte) ([]caveat.Caveat, error) {
		asked++
		return answer, fault
	}
	open := func(compare func(context.Context, string, []byte) ([]caveat.Caveat, error)) *device.Device {
		s, err := device.Open(t.Context(),
			device.Config{Home: filepath.Join(w.Dir, "compares"), Compare: compare})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	with, without := open(compare), open(nil)
	differs := []caveat.Caveat{{Code: caveat.Rendering, Text: "page 1: two engines draw it differently"}}
	for _, tt := range []struct {
		name    string
		dev     *device.Device
		file    []byte
		compare bool
		answer  []caveat.Caveat
		fault   error
		asked   int
		codes   string
	}{
		{"alike", with, p.PDF, true, nil, nil, 1, ""},
		{"different", with, p.PDF, true, differs, nil, 1, "rendering"},
		{"not asked for", with, p.PDF, false, differs, nil, 0, ""},
		{"flagged", with, flagged.PDF, true, differs, nil, 0, ""},
		{
			"added to", with, update(p.PDF, world.Objects{4: world.Stream("", otherText)}), true,
			differs, nil, 0, "",
		},
		{"fails", with, p.PDF, true, nil, errors.New("broken"), 1, "not_compared"},
		{"nothing to compare with", without, p.PDF, true, nil, nil, 0, "not_compared"},
		{"two stamps", with, outer.PDF, true, differs, nil, 1, "rendering"},
	} {
		asked, answer, fault = 0, tt.answer, tt.fault
		findings, err := tt.dev.Verify(t.Context(), "a.pdf", tt.file, device.VerifyOptions{Compare: tt.compare})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if got := codes(f); got != tt.codes {
				t.Errorf("%s: caveats %q, want %q", tt.name, got, tt.codes)
			}
		}
		if asked != tt.asked {
			t.Errorf("%s: compared %d times, want %d", tt.name, asked, tt.asked)
		}
	}
}

// TestComparedByProgram: the program itself compares, and finds nothing in an
// ordinary document whose issuer did not sign that it is plain.
func TestComparedByProgram(t *testing.T) {
	w := world.New(t, 1)
	p := w.Stamp(w.Issuers[0], "letter", world.Document(t, "letter.pdf"))
	if p.Payload.Plain {
		keys := signers(w)
		p = resealed(t, p, p.PDF, keys[0], func(p *payload.Payload) { p.Plain = false })
	}
	got := w.ScanFiles("compares")("letter.pdf", p.PDF, "--require-plain")
	if got.Exit != 0 || !strings.Contains(got.Out, "✓ VALID  ") {
		t.Errorf("exit %d\n%s%s", got.Exit, got.Out, got.Errs)
	}
}
