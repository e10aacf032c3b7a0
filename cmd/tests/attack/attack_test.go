package attack_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner"
	"tcode/scanner/answer"
	"tcode/scanner/binder"
	"tcode/scanner/raster"
)

// An attack makes a file that should pass for the stamped one. The scanner must
// never answer plain green: no changed file is valid with match, and an
// unchanged one whose bytes do not settle its display has a caveat.
type attack struct {
	name string
	// original is the document to stamp; the zero sheet is an ordinary one.
	original world.Sheet
	// make changes the stamped file; nil does not change it.
	make func(t *testing.T, v victim) []byte
	// want is the binding of the victim's stamp, or of its symbol without the
	// stamp; or noSymbol, or unreadable.
	want string
	// says is in the binding's detail.
	says string
	// caveats are the codes, in their order.
	caveats string
}

// A victim is a stamped document, with another document by another issuer.
type victim struct {
	world.Paper
	w     *world.World
	other world.Paper
}

// Outcomes in addition to the states of binding.
const (
	noSymbol   = "no symbol"
	unreadable = "unreadable"
	otherStamp = "another stamp"
)

// TestAttacks runs every attack through the whole path: a gateway stamps the document,
// the attack changes it, and an enrolled scanner renders, reads, judges and binds it.
func TestAttacks(t *testing.T) {
	w := world.New(t, 2)
	other := w.Stamp(w.Issuers[1], "another paper", world.SmallPDF(1))
	list := slices.Concat(appendedAttacks, switchedAttacks, changedAttacks, pastedAttacks, savedAttacks, preparedAttacks, ambiguousAttacks)
	if len(list) < 40 {
		t.Fatalf("%d attacks, want 40", len(list))
	}
	stamped := map[string]world.Paper{}
	var papers []world.Paper
	for _, a := range list {
		original := string(a.original.PDF())
		if _, ok := stamped[original]; !ok {
			stamped[original] = w.Stamp(w.Issuers[0], a.name, []byte(original))
			papers = append(papers, stamped[original])
		}
	}
	dev := w.Scanner("attacked")
	plain := w.Stamp(w.Issuers[0], "plain", world.Sheet{}.PDF())
	findings, err := dev.Verify(t.Context(), "plain.pdf", plain.PDF, device.VerifyOptions{})
	if err != nil || !asValid(findings, answer.Requirements{Fresh: true, Settled: true}) {
		t.Fatalf("an ordinary stamped document is not accepted (%v), so the rest of the test proves nothing", err)
	}
	counts := map[string]int{}
	for _, a := range list {
		t.Run(a.name, func(t *testing.T) {
			v := victim{stamped[string(a.original.PDF())], w, other}
			file := v.PDF
			if a.make != nil {
				file = a.make(t, v)
			}
			got := a.run(t, dev, v, file)
			counts[got]++
		})
	}
	t.Logf("%d attacks on %d documents: %v", len(list), len(papers), counts)
}

// run verifies file as a person would, once with defaults and once with all pages.
func (a attack) run(t *testing.T, dev *device.Device, v victim, file []byte) string {
	changed := !bytes.Equal(file, v.PDF)
	if changed != (a.make != nil) {
		t.Fatalf("changed %v, want %v", changed, a.make != nil)
	}
	var outcome string
	for _, all := range []bool{false, true} {
		findings, err := dev.Verify(t.Context(), "attack.pdf", file, device.VerifyOptions{AllPages: all})
		for _, f := range findings {
			if f.Result.Verdict == offline.Valid && f.Result.Binding == binding.Match && (changed || f.Settled()) {
				t.Errorf("valid and bound, with caveats %v", f.Caveats)
			}
			t.Logf("%s: %s, %s: %s %v", f.Result.Reference, f.Result.Verdict, f.Result.Binding, f.Result.Reason, f.Caveats)
		}
		if changed && asValid(findings, answer.Requirements{}) || asValid(findings, answer.Requirements{Settled: true}) {
			t.Error("accepted")
		}
		got, f := a.outcome(t, v, findings, err)
		if got != a.want {
			t.Errorf("all pages %v: %s, want %s (%v)", all, got, a.want, err)
		}
		if c, _ := offline.FindCheck(f.Result.Checks, offline.CheckBinding); !strings.Contains(c.Detail, a.says) {
			t.Errorf("%q does not say %q", c.Detail, a.says)
		}
		var codes []string
		for _, c := range f.Caveats {
			codes = append(codes, c.Code)
			if told := strings.Join(v.Warnings, "\n"); !changed && !strings.Contains(told, c.Text) {
				t.Errorf("the issuer was told %q, and not %q", told, c.Text)
			}
		}
		if got := strings.Join(codes, " "); got != a.caveats {
			t.Errorf("caveats %q, want %q", got, a.caveats)
		}
		outcome = got
	}
	return outcome
}

// outcome returns the word for the result, with its finding.
func (a attack) outcome(t *testing.T, v victim, findings []answer.Finding, err error) (string, answer.Finding) {
	var doc *scanner.DocumentError
	switch {
	case errors.As(err, &doc):
		return unreadable, answer.Finding{}
	case err != nil:
		t.Fatal(err)
	case !findings[0].Found():
		return noSymbol, findings[0]
	}
	for _, f := range findings {
		if f.Result.Reference == v.Reference {
			return string(f.Result.Binding), f
		}
	}
	return otherStamp, findings[0]
}

// TestMutations changes, cuts, doubles and inserts bytes in every region of a
// stamped file. The symbol counts as read, so only the binding can detect the
// change.
func TestMutations(t *testing.T) {
	c := newCopies(t, 1)
	p := c.papers[0]
	mark := binding.Marks(p.PDF)[0]
	at := func(text string) int { return bytes.LastIndex(p.PDF, []byte(text)) }
	regions := map[string][2]int{
		"header":            {0, 9},
		"original":          {9, len(p.Original)},
		"image dictionary":  {len(p.Original), int(mark.Start)},
		"mark":              {at("/TCode<<"), at("/TCode<<") + binding.MarkLen},
		"hole":              {int(mark.Start), int(mark.Start + mark.Length)},
		"behind the hole":   {int(mark.Start + mark.Length), at("xref\n0") + 1},
		"cross-reference":   {at("\nxref"), at("trailer")},
		"trailer":           {at("trailer"), at("startxref")},
		"startxref and end": {at("startxref"), len(p.PDF)},
	}
	tried := 0
	for _, name := range slices.Sorted(maps.Keys(regions)) {
		from, to := regions[name][0], regions[name][1]
		if from < 0 || to <= from || to > len(p.PDF) {
			from, to = len(p.Original), len(p.PDF)
		}
		step := max(1, (to-from)/150)
		for i := from; i < to; i += step {
			for how, file := range mutants(p.PDF, i, to) {
				tried++
				if bytes.Equal(file, p.PDF) {
					continue
				}
				got := binder.Bind(file, p.Payload, c.symbols[0])
				if got.State == binding.Match || got.State == binding.Appended &&
					!bytes.HasPrefix(file, p.PDF) {
					t.Errorf("%s, %s at %d: %s", name, how, i, got.State)
				}
			}
		}
	}
	t.Logf("%d mutants", tried)
	if tried < 3000 {
		t.Errorf("%d mutants, want 3,000", tried)
	}
}

// mutants returns files that differ from file at byte i of a region that ends at to.
func mutants(file []byte, i, to int) map[string][]byte {
	run := min(i+16, to)
	flipped, zeroed := bytes.Clone(file), bytes.Clone(file)
	flipped[i] ^= 1 << (i % 8)
	clear(zeroed[i:run])
	return map[string][]byte{
		"bit flipped":  flipped,
		"zeroed":       zeroed,
		"byte cut":     slices.Concat(file[:i], file[i+1:]),
		"run cut":      slices.Concat(file[:i], file[run:]),
		"run doubled":  slices.Concat(file[:run], file[i:]),
		"space put in": slices.Concat(file[:i], []byte(" "), file[i:]),
		"cut off":      file[:i],
	}
}

// pictureOf returns a picture of the stamped page.
func pictureOf(t *testing.T, v victim) []byte {
	path := v.w.File(fmt.Sprintf("%s.pdf", v.ID), v.PDF)
	out := world.ReadFile(t, world.Render(t, world.Need(t, "pdftoppm"), path, "200"))
	if raster.Sniff(out) != raster.PNG {
		t.Fatal("no PNG")
	}
	return out
}

// asValid reports whether a program may take the document for valid.
func asValid(findings []answer.Finding, want answer.Requirements) bool {
	return answer.OutcomeOf(findings, want) == answer.Valid
}
