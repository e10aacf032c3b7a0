package pdfstamp_test

import (
	"bytes"
	"fmt"
	"image"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
	"tcode/testdata/corpus"
)

// digits is a font that shows other glyphs than its bytes are named for: strings
// may hold text that looks like operators. Space, tab and E, I are blank, Q is a one,
// q a nine.
const digits = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/Differences[9/space 32/space 69/space 73/space 81/one 113/nine]>>>>"

// amount is text that ends in an amount, which s shows.
func amount(s string) string {
	return "BT /F1 24 Tf 72 720 Td (Pay) Tj /G 24 Tf " + s + " /F1 24 Tf (00 EUR) Tj ET"
}

// prepared are contents made to be taken for others by a program that guesses.
// Each is drawn by poppler and by MuPDF.
func prepared() map[string][]string {
	one := func(s string) []string { return []string{s} }
	all := map[string][]string{
		"image without space before EI": one("1 w BI /W 4 /H 1 /BPC 8 /CS /G ID abcdEI " + amount("(\tEI\tQ) Tj")),
		"EI in data":                    one("2 w BI /W 4/H 3/BPC 8/CS/G ID \nEI\nQ EI Q a\nEI " + amount("(Q) Tj") + " 9 9 m 300 300 l S"),
		"text after EI in data":         one("9 w 1 0 0 RG BI /W 10/H 2/BPC 8/CS/G ID a\nEI\nQ 1 w q\n1 \nEI\n" + amount("(Q) Tj") + " 9 9 m 300 300 l S"),
		"EI in hex data":                one("BI /W 8/H 1/IM true/F/AHx ID 4\nEI\n5> EI " + amount("(\tEI\tQ) Tj")),
		"EI in base 85":                 one("BI /W 8/H 1/IM true/F/A85 ID 5l\nEI\n~> EI " + amount("(\tEI\tQ) Tj")),
		"EI in runs":                    one("BI /W 32/H 1/IM true/F/RL ID \x03\nEI\n\x80\nEI " + amount("(\tEI\tQ) Tj")),
		"image of deflated data":        one("BI /W 8/H 8/IM true/F/Fl ID " + deflate("\nEI\n Q EI") + "\nEI " + amount("(\tEI\tQ) Tj")),
		"image of an unknown filter":    one("BI /W 8/H 1/IM true/F/Rot ID abc\nEI\n" + amount("(\tEI\tQ) Tj")),
		"image of a named colour space": one("BI /W 4/H 1/BPC 8/CS/X ID abcdEI " + amount("(\tEI\tQ) Tj")),
		"image with a length":           one("BI /W 4/H 1/BPC 8/CS/G/L 4 ID abcdEI " + amount("(\tEI\tQ) Tj")),
		"image with two widths":         one("BI /W 4/W 400/H 1/BPC 8/CS/G ID abcdEI " + amount("(\tEI\tQ) Tj")),
		"image with long names":         one("BI /Width 4/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray ID abcdEI " + amount("(\tEI\tQ) Tj")),
		"image of an indexed space":     one("BI /W 4/H 1/BPC 8/CS[/I/RGB 1<000000FFFFFF>] ID abcdEI " + amount("(\tEI\tQ) Tj")),
		"image that is cut":             one("1 0 0 RG 9 w " + amount("(Q) Tj") + " 9 0 0 9 0 0 cm BI /W 90/H 90/BPC 8/CS/G ID abcd\nEI Q 1 w 0 0 m 30 30 l S"),
		"image without end":             one("1 0 0 RG 9 w " + amount("(Q) Tj") + " q 200 0 0 200 50 50 cm BI /W 90/H 90/BPC 8/CS/G ID abcd"),
		"image without data":            one("1 0 0 RG 9 w " + amount("(Q) Tj") + " BI /W 90 Q q (Q) /Q"),
		"ID without an image":           one("ID Q EI " + amount("(EI Q) Tj")),
		"strings with parentheses":      one("1 0 0 RG 9 w " + amount("((Q) \\) Q \\( q) Tj ( \\\\) Tj") + " 9 9 m 300 300 l S"),
		"string over lines":             one("9 w " + amount("(\nQ\n% Q\n) Tj") + " 9 9 m 300 300 l S"),
		"string without end":            one("9 w 9 9 m 300 300 l S " + amount("(Q) Tj") + " BT (Q Q ("),
		"hex string":                    one("9 w " + amount("<51 20 51 % Q\n> Tj") + " 9 9 m 300 300 l S"),
		"hex string without end":        one("9 w " + amount("(Q) Tj") + " 9 9 m 300 300 l S BT <51"),
		"comment":                       one("9 w % Q ( Q \n" + amount("(Q) Tj") + " % Q\r9 9 m 300 300 l S % ( Q"),
		"comment at the end":            one("9 w " + amount("(Q) Tj") + " 9 9 m 300 300 l S % Q"),
		"names":                         one("9 w /Q gs /q#20Q gs /Q(Q)Tj " + amount("(Q) Tj") + " 9 9 m 300 300 l S"),
		"dictionary":                    one("9 w /A<</Q(Q)/B[/Q(Q)]/C<51>>>BDC " + amount("(Q) Tj") + " 9 9 m 300 300 l S EMC"),
		"dictionary without end":        one("9 w 9 9 m 300 300 l S " + amount("(Q) Tj") + " /A<</Q[/Q"),
		"array without end":             one("9 w 9 9 m 300 300 l S " + amount("(Q) Tj") + " [(Q) 3 [(q)"),
		"array that an operator ends":   one("9 w [(Q) 3 Q q " + amount("(Q) Tj") + " 9 9 m 300 300 l S"),
		"compatibility section":         one("9 w BX Q1 foo (Q) bar EX " + amount("(Q) Tj") + " 9 9 m 300 300 l S"),
		"operators without space":       one("9 w q 1 0 0 1 5 5cm(Q)pop/Q gs Q[]0 d " + amount("(Q)Tj")),
		"operators after numbers":       one("9 w 1q 0 0 1 RG 2 0Q " + amount("(Q) Tj") + " 9 9 m 300 300 l S"),
		"open q":                        one("q 1 0 0 1 9 9 cm q 9 w " + amount("(Q) Tj") + " 9 9 m 300 300 l S"),
		"open clip":                     one(amount("(Q) Tj") + " 9 9 99 99 re W n 9 w 9 9 m 300 300 l S"),
		"open path":                     one(amount("(Q) Tj") + " 9 9 99 99 re"),
		"open text":                     one("BT /F1 24 Tf 72 700 Td (Pay) Tj"),
		"open marked content":           one("/A BMC /B<</MCID 0>>BDC " + amount("(Q) Tj")),
		"closing marked content":        one("EMC EMC " + amount("(Q) Tj")),
		"path over two streams":         {"9 w 9 9 m", "300 300 l S " + amount("(Q) Tj")},
		"token over two streams":        {"9 w 9 9 m 300 30", "0 l S " + amount("(Q) Tj")},
		"string over two streams":       {"9 w BT /F1 24 Tf 72 700 Td (Pa", "y Q) Tj ET 9 9 m 300 300 l S"},
		"comment over two streams":      {"9 w % Q", "Q q " + amount("(Q) Tj") + " 9 9 m 300 300 l S"},
		"q in one stream, Q in another": {"q 9 w 0 1 0 RG", "Q " + amount("(Q) Tj") + " 9 9 m 300 300 l S"},
		"names of the stamp":            one("/TCode Do /TCode1 Do BT /TCode 24 Tf 72 600 Td (x) Tj ET " + amount("(Q) Tj")),
	}
	// A stray Q undoes the change in poppler, and is skipped by MuPDF: there the
	// stamp must not make it count.
	for name, change := range map[string]string{
		"colour": "1 0 0 RG 0 1 0 rg", "width": "9 w", "matrix": "1 0 0 1 60 60 cm", "font": "BT /G 24 Tf ET", "clip": "0 0 200 200 re W n", "dashes": "[9 9] 0 d", "leading": "BT 0 -40 TD ET", "spacing": `BT /G 9 Tf 9 9 () " ET`,
	} {
		all["stray Q after "+name] = one(change + " Q 0 0 300 300 re S BT 72 100 Td (q) Tj T* (q) Tj ET " + amount("(Q) Tj"))
	}
	return all
}

// TestPrepared: no contents, however they are made, are drawn otherwise than
// before outside the stamp's box. The stamp lies over half of them and beneath the others, with
// TCODE_LONG=all over and beneath all.
func TestPrepared(t *testing.T) {
	t.Parallel()
	need(t, "mutool")
	need(t, "pdftoppm")
	s := newStamper(t)
	all := prepared()
	for i, name := range slices.Sorted(maps.Keys(all)) {
		contents := all[name]
		for form, pl := range map[string]pdfstamp.Placement{"": {}, ", beneath": {Beneath: true}} {
			if pl.Beneath != (i%2 == 0) && !corpus.Long() {
				continue
			}
			t.Run(name+form, func(t *testing.T) {
				t.Parallel()
				pdf := pdfSpec{page: a4, contents: contents, fonts: "/G 10 0 R", extra: []string{digits}}.build()
				st, k := stamped(t, s, pdf, pl, payload.Reference{1})
				if err := pdfstamp.EnclosedForTest(pdf, st.PDF); err != nil {
					t.Error(err)
				}
				if pl.Beneath && !st.Places[0].Beneath {
					t.Error("the stamp does not lie beneath")
				}
				after := drawnAlike(t, pdf, st)
				if img := crop(t, after, st); img == nil || readSymbol(img) != k.text {
					t.Error("the symbol does not read")
				}
			})
		}
	}
}

// drawnAlike fails where poppler or MuPDF draws the first page of st otherwise than
// that of pdf, the stamp's box left out. It returns the name of the stamped file.
func drawnAlike(t *testing.T, pdf []byte, st inMemory) string {
	t.Helper()
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before.pdf"), filepath.Join(dir, "after.pdf")
	for file, b := range map[string][]byte{before: pdf, after: st.PDF} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for who := range renderers {
		draw := func(file string) *image.Gray {
			if who == "MuPDF" {
				img, _ := lenientMuPDF(t, file, 1, 72)
				return img
			}
			return render(t, file, 1, 72)
		}
		was, now := draw(before), draw(after)
		if was == nil {
			t.Errorf("%s does not draw it", who)
		} else if now == nil || now.Rect != was.Rect {
			t.Errorf("%s does not draw the stamped file", who)
		} else if n := outside(was, now, st.Places[0]); n > 0 {
			t.Errorf("%s: %d pixels changed", who, n)
		}
	}
	return after
}

// TestStaysRepaired: in a file that viewers repair, they determine a Length by
// themselves. A sound cross-reference would make them believe the written one, and
// draw an object that was not part of the page.
func TestStaysRepaired(t *testing.T) {
	t.Parallel()
	need(t, "mutool")
	need(t, "pdftoppm")
	s := newStamper(t)
	shown, hidden := text("Pay 100 EUR"), "0 0 1 rg 72 600 300 200 re f BT /F1 24 Tf 72 500 Td (Pay 900 EUR) Tj ET"
	for name, length := range map[string]int{"over the next object": len(shown) + 160, "beyond the file": 2500} {
		for damage, end := range map[string]string{"": "startxref\n", ", startxref leads nowhere": "startxref\n9"} {
			t.Run(name+damage, func(t *testing.T) {
				t.Parallel()
				pdf := pdfSpec{page: a4 + "/Contents 10 0 R", extra: []string{
					fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", length, shown), streamOf("", hidden),
				}}.build()
				pdf = bytes.Replace(pdf, []byte("startxref\n"), []byte(end), 1)
				st, k := stamped(t, s, pdf, pdfstamp.Placement{}, payload.Reference{1})
				if got := k.check(st.PDF); got.State != binding.Match {
					t.Errorf("binding %+v", got)
				}
				if err := pdfstamp.EnclosedForTest(pdf, st.PDF); err != nil {
					t.Error(err)
				}
				if img := crop(t, drawnAlike(t, pdf, st), st); img == nil || readSymbol(img) != k.text {
					t.Error("the symbol does not read")
				}
			})
		}
	}
}

// TestEnclosed: the content streams of a page are listed as they were, and no
// object but the page is replaced, in every file of the corpus and every hard one.
func TestEnclosed(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{}
	for _, c := range hardCases() {
		h := newHard()
		c.build(h)
		files[c.name] = h.build()
	}
	real, _ := corpus.PDFs(t)
	for _, file := range real {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[file] = b
	}
	done := 0
	for name, pdf := range files {
		for _, pl := range []pdfstamp.Placement{{}, {Scope: geometry.AllPages}} {
			out, _, err := pdfstamp.PrepareForTest(pdf, pl, payload.Reference{1}, side)
			if err != nil {
				continue
			}
			done++
			if err := pdfstamp.EnclosedForTest(pdf, out); err != nil {
				t.Error(fmt.Sprint(name, ": ", err))
			}
		}
	}
	if done < 3*len(files)/2 {
		t.Errorf("%d files of %d are stamped", done, len(files))
	}
	t.Logf("%d stamped files of %d", done, len(files))
}
