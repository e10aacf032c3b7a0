package lettering_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/harfbuzz"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tcode/server/lettering"
)

func shape(t testing.TB, text string) lettering.Line {
	t.Helper()
	line, err := lettering.Shape(text)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// shown returns the texts of the glyphs, from left to right.
func shown(l lettering.Line) []string {
	out := []string{}
	for _, g := range l.Glyphs {
		out = append(out, lettering.TextForTest(g))
	}
	return out
}

func ids(l lettering.Line) []uint16 {
	out := []uint16{}
	for _, g := range l.Glyphs {
		out = append(out, lettering.IDForTest(g))
	}
	return out
}

func TestShape(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []string // glyphs from left to right
	}{
		{"empty", "", []string{}},
		{"latin", "Éa", []string{"É", "a"}},
		{"greek and cyrillic", "Ωж", []string{"Ω", "ж"}},
		{"ligature", "ofﬁce", []string{"o", "f", "ﬁ", "c", "e"}},
		{"composed", "e\u0301", []string{"e\u0301"}},
		{"mark that is placed", "q\u0307", []string{"q", "\u0307"}},
		{"joiner without ink", "a\u200db", []string{"a\u200d", "b"}},
		{"hebrew runs to the left", "אבג", []string{"ג", "ב", "א"}},
		{"lam and alef are one", "لا", []string{"لا"}},
		{"numbers in arabic", "د 12", []string{"1", "2", " ", "د"}},
		{"arabic in latin", "a בג b", []string{"a", " ", "ג", "ב", " ", "b"}},
		{"latin in hebrew", "א ab 1", []string{"a", "b", " ", "1", " ", "א"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, shown(shape(t, tt.text))); diff != "" {
				t.Errorf("glyphs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestJoining: a letter has another shape at each position in a word.
func TestJoining(t *testing.T) {
	t.Parallel()
	alone := ids(shape(t, "ه"))
	word := ids(shape(t, "ههه"))
	if len(word) != 3 || slices.Contains(word, alone[0]) || word[0] == word[1] || word[1] == word[2] {
		t.Errorf("glyphs of the word %v, of the letter alone %v", word, alone)
	}
}

// TestPlaces checks glyphs and their places against known features of the font.
func TestPlaces(t *testing.T) {
	t.Parallel()
	if one, two := shape(t, "H").Width, shape(t, "HH").Width; two != 2*one || one <= 0.5 || one >= 1 {
		t.Errorf("H is %v em, HH %v", one, two)
	}
	if kerned := shape(t, "AV").Width; kerned >= shape(t, "A").Width+shape(t, "V").Width {
		t.Errorf("AV is not kerned: %v em", kerned)
	}
	below := shape(t, "q\u0323").Glyphs[1] // a dot that belongs under the q
	if above := shape(t, "q\u0307").Glyphs[1]; above.Y == below.Y && above.X == below.X {
		t.Errorf("marks above and below are both at %v, %v", above.X, above.Y)
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rune{
		"ก ข":       'ก',
		"Vertrag 中": '中',
		"a\nb":      '\n',
		"a\x00":     0,
		"\xff":      utf8.RuneError,
		"a\u2028":   '\u2028',
		"अ":         'अ',
	} {
		_, err := lettering.Shape(text)
		missing, ok := errors.AsType[*lettering.MissingError](err)
		if !ok || missing.Rune != want {
			t.Errorf("%q: %v, want %q named", text, err, want)
		}
	}
	for text, want := range map[string]rune{"中": '中', "a\u200d中": '中', "\u200f\u200e中": '中', "e\u1abe": '\u1abe'} {
		_, err := lettering.Wrap(text, 10)
		if missing, ok := errors.AsType[*lettering.MissingError](err); !ok || missing.Rune != want {
			t.Errorf("%q on lines: %v, want %q named", text, err, want)
		}
	}
	_, err := lettering.Shape("中")
	if got, want := err.Error(), `the font has no character "中" (U+4E2D)`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWrap: lines break between words, and a reference stays whole on its line.
func TestWrap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"one two three":                   {"one two", "three"},
		"replaces TRF-ZKQ2":               {"replaces", "TRF-ZKQ2"},
		"https://a.example/d/TCR-ZKQ2":    {"https://", "a.example/", "d/TCR-ZKQ2"},
		"well-known self-addressed":       {"well-known", "self-", "addressed"},
		"a\nb":                            {"a", "b"},
		"TRF-WWWWWWWWWWWWWWWW, too large": {"TRF-WWWW", "WWWWWW", "WWWWWW,", "too large"},
	} {
		p, err := lettering.Wrap(text, 6.3)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, l := range p.Lines {
			lines = append(lines, l.Text)
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestSubset compares each glyph of a subset with the whole font's.
func TestSubset(t *testing.T) {
	t.Parallel()
	var s lettering.Subset
	line := shape(t, "Échéance µμ Код ΕΛ لاه שָׁ ½ q\u0307 ẍ")
	whole := parse(t, dejavusans.TTF, nil)
	cmap := table(t, dejavusans.TTF, "cmap")
	codes := map[uint16]lettering.Glyph{}
	for _, g := range line.Glyphs {
		codes[s.Code(g)] = g
	}
	file := s.Font()
	part := parse(t, file, cmap)
	widths := s.Widths()
	for code, g := range codes {
		id := font.GID(lettering.IDForTest(g))
		if diff := cmp.Diff(whole.GlyphData(id), part.GlyphData(font.GID(code)), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-whole +part):\n%s", lettering.TextForTest(g), diff)
		}
		if got, want := float64(part.HorizontalAdvance(font.GID(code))), float64(whole.HorizontalAdvance(id)); got != want || widths[code]*2048 != want {
			t.Errorf("%q is %v wide, listed as %v, want %v", lettering.TextForTest(g), got, widths[code]*2048, want)
		}
		if got := s.Texts()[code-1]; got != lettering.TextForTest(g) {
			t.Errorf("code %d stands for %q, want %q", code, got, lettering.TextForTest(g))
		}
	}
	if len(codes) < 24 {
		t.Errorf("%d codes only", len(codes))
	}
	if len(file) > 12<<10 {
		t.Errorf("%d bytes for %d glyphs", len(file), len(widths))
	}
	var sum uint32
	for i := 0; i < len(file); i += 4 {
		sum += binary.BigEndian.Uint32(file[i:])
	}
	if sum != 0xB1B0AFBA { // OpenType specification, "Calculating checksums"
		t.Errorf("checksum %#x", sum)
	}
}

// parse reads a font. A font for a PDF has no cmap, so parse adds another's.
func parse(t *testing.T, file, cmap []byte) *font.Face {
	t.Helper()
	if cmap != nil {
		l, err := opentype.NewLoader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		tables := []opentype.Table{{Tag: opentype.MustNewTag("cmap"), Content: cmap}}
		for _, tag := range l.Tables() {
			tables = append(tables, opentype.Table{Tag: tag, Content: table(t, file, tag.String())})
		}
		file = opentype.WriteTTF(tables)
	}
	face, err := font.ParseTTF(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return face
}

func table(t *testing.T, file []byte, tag string) []byte {
	t.Helper()
	l, err := opentype.NewLoader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.RawTable(opentype.MustNewTag(tag))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSameBytes: the subset and its name depend only on the text.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	build := func(text string) (string, []byte) {
		var s lettering.Subset
		for _, g := range shape(t, text).Glyphs {
			s.Code(g)
		}
		return s.Name(), s.Font()
	}
	name, file := build("Diploma TCR-123")
	again, same := build("Diploma TCR-123")
	if name != again || !bytes.Equal(file, same) {
		t.Error("the same text gives another font")
	}
	if other, _ := build("Diploma TCR-124"); other == name || !strings.HasSuffix(name, "+DejaVuSans") || len(name) != 17 {
		t.Errorf("names %s, %s", name, other)
	}
}

// FuzzShape: a text is refused with the missing character named, or set completely.
func FuzzShape(f *testing.F) {
	for _, s := range []string{"Échéance", "وثيقة (2026) لا TCode", "שָׁ 12 abc", "q\u0307\u0323", "a\u202eb\u2066c", "ກຳ", "\u0301", "🙂", "中"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		line, err := lettering.Shape(text)
		if err != nil {
			if missing, ok := errors.AsType[*lettering.MissingError](err); !ok || !strings.ContainsRune(text, missing.Rune) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		var s lettering.Subset
		got := []rune{}
		for _, g := range line.Glyphs {
			s.Code(g)
			got = append(got, []rune(lettering.TextForTest(g))...)
		}
		want := []rune(text)
		want = slices.DeleteFunc(want, harfbuzz.IsDefaultIgnorable)
		got = slices.DeleteFunc(got, harfbuzz.IsDefaultIgnorable)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: the glyphs stand for %q", text, string(got))
		}
		if len(s.Font())%4 != 0 {
			t.Fatal("the font is not padded")
		}
	})
}
