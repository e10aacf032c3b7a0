package attack_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/answer"
	"tcode/scanner/restamp"
)

// A revised is the parts of a stamp's revision, for an issuer with its own
// program to join them differently.
type revised struct {
	before  []byte
	numbers []int // of the objects, in order
	objects world.Objects
	image   int // the number of the symbol's image
	page    int // and of the page
	drawing int // and of the stream that draws the stamp
	between string
	table   func(string) string // changes the cross-reference and the bytes after it; nil: no change
}

var wholes = regexp.MustCompile(`(?s)(\d+) 0 obj\n(.*?)\nendobj\n`)

// takeApart splits the last revision of file, which begins at from.
func takeApart(t *testing.T, file []byte, from int64) *revised {
	t.Helper()
	r := &revised{before: file[:from], objects: world.Objects{}}
	for _, m := range wholes.FindAllSubmatch(file[from:], -1) {
		n, err := strconv.Atoi(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		r.numbers = append(r.numbers, n)
		r.objects[n] = string(m[2])
		switch {
		case strings.Contains(r.objects[n], "/TCode<<"):
			r.image = n
		case strings.Contains(r.objects[n], "/Type /Page\n"):
			r.page = n
		}
	}
	if m := regexp.MustCompile(`/Contents \[.*?(\d+) 0 R\]`).FindStringSubmatch(r.objects[r.page]); m != nil {
		r.drawing, _ = strconv.Atoi(m[1])
	}
	if r.image == 0 || r.objects[r.drawing] == "" || r.page == 0 || len(r.numbers) != 4 {
		t.Fatalf("objects %v, image %d, page %d: the stamper writes another revision", r.numbers, r.image, r.page)
	}
	return r
}

// add adds an object after the others.
func (r *revised) add(n int, body string) {
	if r.objects[n] == "" {
		r.numbers = append(r.numbers, n)
	}
	r.objects[n] = body
}

// replace replaces a part of the page, which must be present.
func (r *revised) replace(t *testing.T, n int, from, to string) {
	t.Helper()
	if !strings.Contains(r.objects[n], from) {
		t.Fatalf("no %q in %s", from, r.objects[n])
	}
	r.objects[n] = strings.Replace(r.objects[n], from, to, 1)
}

// file returns the file with the revision, with correct mark and offsets.
func (r *revised) file(t *testing.T) []byte {
	t.Helper()
	out := bytes.Clone(r.before)
	offsets := map[int]int{}
	for _, n := range r.numbers {
		offsets[n] = len(out)
		out = fmt.Appendf(out, "%d 0 obj\n%s\nendobj\n%s", n, r.objects[n], r.between)
	}
	at := len(out)
	sorted := slices.Sorted(slices.Values(r.numbers))
	table := "xref\n"
	for i := 0; i < len(sorted); {
		j := i + 1
		for j < len(sorted) && sorted[j] == sorted[j-1]+1 {
			j++
		}
		table += fmt.Sprintf("%d %d\n", sorted[i], j-i)
		for _, n := range sorted[i:j] {
			table += fmt.Sprintf("%010d 00000 n \n", offsets[n])
		}
		i = j
	}
	tail := table + fmt.Sprintf("trailer\n<</Root 1 0 R\n/Prev %s\n/Size %d\n>>\nstartxref\n%d\n%%%%EOF\n", startxref(r.before), max(200, sorted[len(sorted)-1]+1), at)
	if r.table != nil {
		tail = r.table(tail)
	}
	out = append(out, tail...)
	// The mark's numbers have a fixed length.
	mark := offsets[r.image] + bytes.Index(out[offsets[r.image]:], []byte("/TCode<<"))
	k := binding.Marks(out[mark:])[0]
	k.Start, k.End = int64(mark+binding.MarkLen+len(">>\nstream\n")), int64(len(out))
	copy(out[mark:], k.Append(nil))
	return out
}

// ends returns the ends of the stamps of a file, in order.
func ends(file []byte) (all []int64) {
	for _, m := range binding.Marks(file) {
		all = append(all, m.End)
	}
	return all
}

// TestRestamp: the revision that the stamper appends to a stamped file is
// recognised; with anything else in it, it is not.
func TestRestamp(t *testing.T) {
	w := world.New(t, 2)
	more := world.Objects{
		20: "<</Type/Catalog/Pages 2 0 R>>", 21: world.Stream("", otherText),
		22: world.Stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F 5 0 R>>>>", otherText), 23: "<</Type/Font/Subtype/Type1/BaseFont/Symbol>>",
	}
	inner, _ := w.StampAt(world.Sheet{More: more}.PDF(),
		map[string]any{"name": "corner", "anchor": "bottom-left"})
	outer := w.Stamp(w.Issuers[1], "again", inner.PDF)
	at := ends(outer.PDF)
	if pages, err := restamp.Prove(outer.PDF, at[0], at[1]); err != nil ||
		!slices.Equal(pages, []int{1}) {
		t.Fatalf("pages %v (%v), want 1", pages, err)
	}
	last := takeApart(t, outer.PDF, at[0]).drawing
	page := func(from, to string) func(*testing.T, *revised) {
		return func(t *testing.T, r *revised) { r.replace(t, r.page, from, to) }
	}
	tail := func(from, to string) func(*testing.T, *revised) {
		return func(t *testing.T, r *revised) {
			r.table = func(s string) string {
				if !strings.Contains(s, from) {
					t.Fatalf("no %q in %s", from, s)
				}
				return strings.Replace(s, from, to, 1)
			}
		}
	}
	add := func(n int, body string) func(*testing.T, *revised) {
		return func(_ *testing.T, r *revised) { r.add(n, body) }
	}
	drawn := func(change func(string) string) func(*testing.T, *revised) {
		return func(_ *testing.T, r *revised) {
			r.objects[last] = rawStream(change("\nQ \n/Artifact BMC\nq 1 0 0 1 400 40 cm 1 g 0 0 50 50 re f 0 g 42 0 0 42 4 4 cm /" + nameOf(r) + " Do Q\nEMC\n"))
		}
	}
	as := func(s string) string { return s }
	for _, tt := range []struct {
		name   string
		change func(*testing.T, *revised)
		ok     bool
	}{
		{"as it is", func(*testing.T, *revised) {}, true},
		{"the same drawing, not compressed", drawn(as), true},
		{"contents replaced", add(4, world.Stream("", otherText)), false},
		{"font replaced", add(5, more[23]), false},
		{"catalog replaced", add(1, "<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(x)>>>>"), false},
		{"object without a reference", add(300, "<</Type/Catalog>>"), false},
		{"stream without a reference", add(300, rawStream("q ")), false},
		{"object after the end of the compressed data", hiddenObject(last), false},
		{"form without a reference", add(300,
			world.Stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "q")), false},
		{"another page size", page("/MediaBox [0 0 595 842]", "/MediaBox [0 0 595 500]"), false},
		{"turned", page("/Type /Page\n", "/Type /Page\n/Rotate 90\n"), false},
		{"annotation", page("/Type /Page\n", "/Type /Page\n/Annots [21 0 R]\n"), false},
		{"cropped", page("/Type /Page\n", "/Type /Page\n/CropBox [0 0 300 300]\n"), false},
		{"other parent", page("/Parent 2 0 R", "/Parent 1 0 R"), false},
		{"no parent", page("/Parent 2 0 R\n", ""), false},
		{"parent of another generation", page("/Parent 2 0 R", "/Parent 2 1 R"), false},
		{"generation behind a comment", page("/Parent 2 0 R", "/Parent 2 %\n1 R"), false},
		{"a key twice", page("/Parent 2 0 R", "/Parent 2 0 R\n/Parent 3 0 R"), false},
		{"contents dropped", page(" 4 0 R", ""), false},
		{"contents exchanged", page(" 4 0 R", " 21 0 R"), false},
		{"contents twice", page(" 4 0 R", " 4 0 R 4 0 R"), false},
		{"contents of another generation", page(" 4 0 R", " 4 1 R"), false},
		{"more contents", page(" 4 0 R", " 4 0 R 21 0 R"), false},
		{"contents behind the stamp", func(t *testing.T, r *revised) {
			r.replace(t, r.page, fmt.Sprintf("%d 0 R]", last), fmt.Sprintf("%d 0 R 21 0 R]", last))
		}, false},
		{"font exchanged", page("/F 5 0 R", "/F 23 0 R"), false},
		{"font removed", page("/F 5 0 R", ""), false},
		{"font added", page("/F 5 0 R", "/F 5 0 R\n/G 23 0 R"), false},
		{"form under a stamp's name", page("/XObject <<", "/XObject <</TCode0 22 0 R\n"), false},
		{"resources of a new kind", page("/XObject <<", "/Pattern <</P 22 0 R>>\n/XObject <<"), false},
		{"first stamp exchanged", func(t *testing.T, r *revised) {
			first := regexp.MustCompile(`/TCode[0-9A-Z]* (\d+) 0 R`).FindAllStringSubmatch(r.objects[r.page], -1)
			for _, m := range first {
				if m[1] != strconv.Itoa(r.image) {
					r.replace(t, r.page, m[0], strings.Replace(m[0], m[1], strconv.Itoa(r.image), 1))
				}
			}
		}, false},
		{"draws text", drawn(func(s string) string { return strings.Replace(s, "0 g 42", "BT /F 24 Tf (900) Tj ET 0 g 42", 1) }), false},
		{"draws a second box", drawn(func(s string) string { return strings.Replace(s, "re f ", "re f 0 0 500 500 re f ", 1) }), false},
		{"draws in black", drawn(func(s string) string { return strings.Replace(s, "1 g", "0 g", 1) }), false},
		{"draws another image", drawn(func(s string) string { return strings.Replace(s, " Do", "x Do", 1) }), false},
		{"draws more behind", drawn(func(s string) string { return s + "0 0 500 500 re f" }), false},
		{"draws before", drawn(func(s string) string { return "0 0 500 500 re f" + s }), false},
		{"draws in a comment", drawn(func(s string) string { return strings.Replace(s, "\nQ", "%\nQ", 1) }), false},
		{"opening that draws", func(_ *testing.T, r *revised) {
			for _, n := range r.numbers {
				if n != last && n != r.image && n != r.page {
					r.objects[n] = rawStream("q 0 0 500 500 re f ")
				}
			}
		}, false},
		{"image with a mask", func(t *testing.T, r *revised) {
			r.replace(t, r.image, "/ImageMask true", "/Decode [1 0] /ImageMask true")
		}, false},
		{"image stretched", func(t *testing.T, r *revised) { r.replace(t, r.image, "/Width 160", "/Width 161") }, false},
		{"symbol changed", func(_ *testing.T, r *revised) {
			b := []byte(r.objects[r.image])
			b[len(b)-len("\nendstream")-1000] ^= 0x10
			r.objects[r.image] = string(b)
		}, false},
		{"text between", func(_ *testing.T, r *revised) { r.between = "% nothing\n" }, false},
		{"line end between", func(_ *testing.T, r *revised) { r.between = "\n" }, false},
		{"another root", tail("/Root 1 0 R", "/Root 20 0 R"), false},
		{"root of another generation", tail("/Root 1 0 R", "/Root 1 1 R"), false},
		{"encryption", tail("/Prev", "/Encrypt 20 0 R\n/Prev"), false},
		{"identifier", tail("/Prev", "/ID [<00> <00112233445566778899AABBCCDDEEFF>]\n/Prev"), false},
		{"another section", tail("/Prev", "/XRefStm 9\n/Prev"), false},
		{"the section before the first stamp", func(t *testing.T, r *revised) {
			tail("/Prev "+startxref(inner.PDF), "/Prev "+startxref(inner.Original))(t, r)
		}, false},
		{"a small size", tail("/Size 2", "/Size 1"), false},
		{"entry for the contents", tail("xref\n", "xref\n4 1\n0000000009 00000 n \n"), false},
		{"contents freed", tail("xref\n", "xref\n4 1\n0000000000 00001 f \n"), false},
		{"comment in the trailer", tail("/Size", "%\n/Size"), false},
		{"bytes behind", tail("%%EOF\n", "%%EOF\n\n"), false},
		{"two ends", tail("%%EOF\n", "%%EOF\n%%EOF\n"), false},
	} {
		r := takeApart(t, outer.PDF, at[0])
		tt.change(t, r)
		file := r.file(t)
		_, err := restamp.Prove(file, at[0], int64(len(file)))
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, restamp.ErrOther) {
			t.Errorf("%s: %v, want proven %v", tt.name, err, tt.ok)
		}
	}
	for _, bad := range [][2]int64{
		{0, at[1]},
		{at[0], at[0]},
		{at[1], at[0]},
		{at[0], at[1] + 1},
		{at[0] - 1, at[1]},
		{at[0] + 1, at[1]},
		{int64(len(inner.Original)), at[1]},
		{-1, -1},
	} {
		if _, err := restamp.Prove(outer.PDF, bad[0], bad[1]); err == nil {
			t.Errorf("%v is a stamp alone", bad)
		}
	}
	t.Run("bytes changed", func(t *testing.T) {
		for i := at[0]; i < at[1]; i++ {
			file := bytes.Clone(outer.PDF)
			file[i] ^= 1
			// Its reference and its layout are the stamp's own.
			own := in(int(i), outer.PDF, outer.Reference, " ") ||
				in(int(i), outer.PDF, "/Artifact BMC\nq ", " Do Q") &&
					bytes.IndexByte([]byte("0123456789"), outer.PDF[i]) >= 0
			if _, err := restamp.Prove(file, at[0], at[1]); err == nil && !own {
				t.Errorf("byte %d of %d changed: proven: %q", i-at[0], at[1]-at[0], file[max(at[0], i-12):min(at[1], i+12)])
			}
		}
	})
}

// hiddenObject changes the stream n: after the end of its compressed data
// there is an object for programs that repair files.
func hiddenObject(n int) func(*testing.T, *revised) {
	return func(t *testing.T, r *revised) {
		text := "\nQ \n/Artifact BMC\nq 1 0 0 1 400 40 cm 1 g 0 0 50 50 re f 0 g 42 0 0 42 4 4 cm /" + nameOf(r) + " Do Q\nEMC\n"
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		b.WriteString("\n4 0 obj\n" + world.Stream("", otherText))
		r.objects[n] = fmt.Sprintf("<</Filter /FlateDecode\n/Length %d\n>>\nstream\n%s\nendstream", b.Len(), b.String())
	}
}

// in reports whether byte i of file is in the last part of it that begins
// with from, up to the next to.
func in(i int, file []byte, from, to string) bool {
	at := bytes.LastIndex(file, []byte(from))
	return at >= 0 && i >= at && i < at+len(from)+bytes.Index(file[at+len(from):], []byte(to))
}

// rawStream returns a stream as the stamper writes one.
func rawStream(data string) string {
	return fmt.Sprintf("<</Length %d\n>>\nstream\n%s\nendstream", len(data), data)
}

// nameOf returns the name of the image in the page's resources.
func nameOf(r *revised) string {
	m := regexp.MustCompile(fmt.Sprintf(`/(TCode[0-9A-Z]*) %d 0 R`, r.image)).FindStringSubmatch(r.objects[r.page])
	return m[1]
}

// TestRestamped: a stamp on a stamp counts if it adds only a stamp and covers
// nothing, for any number of stamps; an issuer with its own program that hides
// a change in its own revision launders nothing.
func TestRestamped(t *testing.T) {
	w := world.New(t, 2)
	inner, outer := restamped(w, nil)
	third, _ := w.StampAt(outer.PDF, map[string]any{"name": "top", "anchor": "top-left"})
	keys := signers(w)
	s, scans := w.Scanner("restamped"), w.ScanFiles("restamps")
	at := ends(outer.PDF)
	forge := func(change func(*revised)) world.Paper {
		r := takeApart(t, outer.PDF, at[0])
		change(r)
		return resealed(t, outer, r.file(t), keys[1], func(*payload.Payload) {})
	}
	white := func(r *revised) {
		r.objects[r.drawing] = rawStream("\nQ \n/Artifact BMC\nq 1 0 0 1 70 700 cm 1 g 0 0 200 60 re f 0 g 42 0 0 42 240 0 cm /" + nameOf(r) + " Do Q\nEMC\n")
	}
	beside := func(r *revised) {
		r.objects[r.drawing] = rawStream("\nQ \n/Artifact BMC\nq 1 0 0 1 300 400 cm 1 g 0 0 60 60 re f 0 g 42 0 0 42 9 9 cm /" + nameOf(r) + " Do Q\nEMC\n")
	}
	for _, tt := range []struct {
		name string
		p    world.Paper
		ok   bool
	}{
		{"stamped again", outer, true},
		{"three stamps", third, true},
		{"by a program of its own", forge(func(*revised) {}), true},
		{"elsewhere", forge(beside), true},
		{"white over the amount", forge(white), false},
		{
			"contents changed in its own revision",
			forge(func(r *revised) { r.add(4, world.Stream("", otherText)) }), false,
		},
		{"font changed in its own revision", forge(func(r *revised) { r.add(5, "<</Type/Font/Subtype/Type1/BaseFont/Symbol>>") }), false},
	} {
		findings := w.Verify(s, tt.p.PDF)
		under, over := about(t, findings, inner), about(t, findings, tt.p)
		if over.Result.Verdict != offline.Valid || over.Result.Binding != binding.Match || over.Settled() != tt.ok {
			t.Errorf("%s: %s, %s, %v", tt.name, over.Result.Verdict, over.Result.Binding, over.Caveats)
		}
		if under.Result.Binding != binding.Appended || under.Restamped != tt.ok || asValid(findings, answer.Requirements{Fresh: true, Settled: true}) != tt.ok {
			t.Errorf("%s: %s, restamped %v, want %v", tt.name, under.Result.Binding, under.Restamped, tt.ok)
		}
		got := scans("a.pdf", tt.p.PDF)
		if (got.Exit == 0) != tt.ok || strings.Contains(got.Out, "STAMPED AGAIN") != tt.ok ||
			strings.Contains(got.Out, "ADDED TO") == tt.ok {
			t.Errorf("%s: exit %d\n%s", tt.name, got.Exit, got.Out)
		}
	}
}
