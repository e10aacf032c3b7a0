package restamp_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/restamp"
)

// modules returns an arbitrary symbol.
func modules() binding.Modules {
	m := binding.Modules{Side: 40, Dark: make([]bool, 1600)}
	for i := range m.Dark {
		m.Dark[i] = i%3 == 0
	}
	return m
}

// A part is an object with its number.
type part struct {
	num  int
	body string
}

// section returns objects with the table and trailer that a stamper writes.
func section(file []byte, parts []part, trailer string) []byte {
	offsets := map[int]int{}
	for _, p := range parts {
		offsets[p.num] = len(file)
		file = fmt.Appendf(file, "%d 0 obj\n%s\nendobj\n", p.num, p.body)
	}
	slices.SortFunc(parts, func(a, b part) int { return a.num - b.num })
	at := len(file)
	file = append(file, "xref\n"...)
	for i := 0; i < len(parts); {
		j := i + 1
		for j < len(parts) && parts[j].num == parts[j-1].num+1 {
			j++
		}
		file = fmt.Appendf(file, "%d %d\n", parts[i].num, j-i)
		for ; i < j; i++ {
			file = fmt.Appendf(file, "%010d 00000 n \n", offsets[parts[i].num])
		}
	}
	return fmt.Appendf(file, "trailer\n<</Root 1 0 R\n%s/Size %d\n>>\nstartxref\n%d\n%%%%EOF\n", trailer, parts[len(parts)-1].num+1, at)
}

func stream(data string) string {
	return fmt.Sprintf("<</Length %d\n>>\nstream\n%s\nendstream", len(data), data)
}

// document returns a file of two pages that ends as a stamped one does.
func document() []byte {
	page := "<</Type /Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Resources<</Font<</F 6 0 R>>>>>>"
	first := section([]byte("%PDF-1.4\n"), []part{
		{0, "null"},
		{1, "<</Type/Catalog/Pages 2 0 R>>"},
		{2, "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>"},
		{3, page},
		{4, page},
		{5, "<</Length 2>>stream\nq \nendstream"},
		{6, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"},
	}, "")
	return section(first, []part{{7, "null"}}, "/Prev "+startxref(first)+"\n")
}

func startxref(file []byte) string {
	all := regexp.MustCompile(`startxref\n(\d+)`).FindAllSubmatch(file, -1)
	return string(all[len(all)-1][1])
}

// stamped returns file with a stamp on its second page.
func stamped(file []byte) []byte {
	k := binding.Mark{Reference: payload.Reference{1}, Length: int64(binding.StreamLen(40))}
	build := func() []byte {
		image := "<</Type/XObject/Subtype/Image/Width 160/Height 160/ImageMask true/BitsPerComponent 1/Length 3200\n" +
			string(k.Append(nil)) + ">>\nstream\n" + string(binding.SymbolStream(modules())) + "\nendstream"
		return section(bytes.Clone(file), []part{
			{8, image},
			{9, stream("q q ")},
			{10, stream("\nET Q Q \n/Artifact BMC\nq 2.83 0 0 2.83 400 40 cm 1 g 0 0 16.5 16.5 re f 0 g 15 0 0 15 0.75 0.75 cm /TCode7Z Do Q\nEMC\n")},
			{4, "<</Type /Page\n/Parent 2 0 R\n/MediaBox [0 0 595 842]\n/Contents [9 0 R 5 0 R 10 0 R]\n/Resources <</Font <</F 6 0 R\n>>\n/XObject <</TCode7Z 8 0 R\n>>\n>>\n>>"},
		}, "/Prev "+startxref(file)+"\n")
	}
	out := build() // finds the numbers, whose length is fixed
	k.Start = int64(bytes.LastIndex(out, []byte("/TCode<<")) + binding.MarkLen + len(">>\nstream\n"))
	k.End = int64(len(out))
	return build()
}

func TestProve(t *testing.T) {
	t.Parallel()
	before := document()
	file := stamped(before)
	from, to := int64(len(before)), int64(len(file))
	if pages, err := restamp.Prove(file, from, to); err != nil || !slices.Equal(pages, []int{2}) {
		t.Fatalf("pages %v, %v; want 2", pages, err)
	}
	if pages, err := restamp.Prove(append(bytes.Clone(file), "more"...), from, to); err != nil || len(pages) != 1 {
		t.Errorf("with bytes behind it: %v, %v", pages, err)
	}
	for _, tt := range []struct{ name, from, to string }{
		{"text drawn", "1 g 0 0", "1 g (0)"},
		{"opening that moves", "q q ", "q cm"},
		{"other box", "[0 0 595 842]\n", "[0 0 595 500]\n"},
		{"other contents", " 5 0 R 10", " 6 0 R 10"},
		{"other image", "/TCode7Z 8 0 R", "/TCode7Z 7 0 R"},
		{"other name", "/TCode7Z Do", "/TCode8Z Do"},
		{"other root", "<</Root 1 0 R\n/Prev", "<</Root 2 0 R\n/Prev"},
	} {
		changed := bytes.Clone(file)
		at := bytes.LastIndex(changed, []byte(tt.from))
		if at < len(before) || len(tt.from) != len(tt.to) {
			t.Fatalf("%s: %q is not in the revision", tt.name, tt.from)
		}
		copy(changed[at:], tt.to)
		if _, err := restamp.Prove(changed, from, to); !errors.Is(err, restamp.ErrOther) {
			t.Errorf("%s: %v, want %v", tt.name, err, restamp.ErrOther)
		}
	}
	for at := from; at < to; at += 7 {
		if _, err := restamp.Prove(file[:at], from, at); err == nil {
			t.Errorf("cut off after %d bytes: proven", at-from)
		}
	}
}

// FuzzProve replaces any part of a revision by any bytes: a proven revision has only the
// stamp's objects, its page and nothing between them.
func FuzzProve(f *testing.F) {
	before := document()
	file := stamped(before)
	tail := file[len(before):]
	add := func(old, with string) {
		at := strings.Index(string(tail), old)
		f.Add(uint(max(at, 0)), uint(len(old)), []byte(with))
	}
	add("q q ", "q q q ")
	add("16.5 16.5", "99 99")
	add("endobj\n", "endobj\n5 0 obj\nnull\nendobj\n")
	add("/MediaBox [0 0 595 842]\n", "")
	add("xref\n", "xref\n5 1\n0000000009 00000 n \n")
	add("/TCode7Z 8 0 R", "/TCode7Z 5 0 R")
	head := regexp.MustCompile(`(?m)^(\d+) (\d+) obj$`)
	f.Fuzz(func(t *testing.T, at, cut uint, put []byte) {
		at %= uint(len(tail) + 1)
		cut %= uint(len(tail)) - at + 1
		changed := slices.Concat(before, tail[:at], put, tail[at+cut:])
		pages, err := restamp.Prove(changed, int64(len(before)), int64(len(changed)))
		if err != nil {
			if !errors.Is(err, restamp.ErrOther) || pages != nil {
				t.Fatalf("%v, %v", pages, err)
			}
			return
		}
		all := head.FindAllString(string(changed[len(before):]), -1)
		slices.Sort(all)
		if want := []string{"10 0 obj", "4 0 obj", "8 0 obj", "9 0 obj"}; !slices.Equal(all, want) || !slices.Equal(pages, []int{2}) {
			t.Fatalf("objects %q on pages %v", all, pages)
		}
		if !bytes.HasSuffix(changed, []byte("%%EOF\n")) || bytes.Count(changed[len(before):], []byte("%%EOF")) != 1 {
			t.Fatal("something lies behind the end")
		}
	})
}
