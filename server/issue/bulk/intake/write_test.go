package intake_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/cell"
	"tcode/server/issue/bulk/intake"
)

func written(t testing.TB, delimiter rune, lines ...[]string) string {
	t.Helper()
	var b bytes.Buffer
	w := cell.NewWriter(&b, delimiter)
	for _, line := range lines {
		if err := w.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDelimiterOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]rune{
		"a,b\n1;2;3;4\n": ',', "a;b\n": ';', "\ufeffa\tb\n": '\t', "sep=;\na,b,c\n": ';', "": ',', "a": ',', utf16le("a;b\n"): ';',
		"sep=|\na,b,c": '|', "a|b\r1,2,3": '|', "a;b\nM\xc3": ';', "M\xc3": ',', "a;b\nM\xfcller\n": ';',
	} {
		if got := intake.DelimiterOf([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestBounded: a line with more cells than any has is told, and nothing behind it is read.
func TestBounded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		line     int // of the problem; 0: none
		column   string
	}{
		{"as many columns as may be", strings.Repeat("a,", 255) + "b", 0, ""},
		{"one more", "x\n" + strings.Repeat("a,", 256) + "b", 2, ""},
		{"delimiters in quotes", "x,y\n1,\"" + strings.Repeat(",", 1000) + "\"", 0, ""},
		{"below sep=", "sep=;\nx;y\n\n" + strings.Repeat(";", 300), 4, ""},
		{"a megabyte of commas", "x\n" + strings.Repeat(",", 1<<20), 2, ""},
		{"a quote that is not closed", "x,y\n1,\"" + strings.Repeat("z\n", 1<<19+2), 2, "y"},
		{"carriage returns", "x\n1" + strings.Repeat("\r", 1<<20) + "2", 2, "x"},
		{"many lines", "x\n" + strings.Repeat("z\n", 1<<19+2), 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p intake.Problems
			s := intake.ReadSheet([]byte(tt.in), 1<<20, &p)
			bounded := slices.IndexFunc(p.List, func(p intake.Problem) bool {
				return strings.Contains(strings.ToLower(p.Message), " follows was not read")
			})
			if (bounded >= 0) != (tt.line > 0) || bounded >= 0 && (p.List[bounded].Line != tt.line || p.List[bounded].Column != tt.column || !s.Cut || len(s.Rows) > 0) {
				t.Errorf("%+v, cut %v, %d rows", p.List[:min(2, len(p.List))], s.Cut, len(s.Rows))
			}
		})
	}
}

// TestOddRows: rows with too many cells are there to be shown, some of them.
func TestOddRows(t *testing.T) {
	t.Parallel()
	var p intake.Problems
	s := intake.ReadSheet([]byte("a,b\n1,2,'=3\n4,5,,\n"), 10, &p)
	want := intake.Sheet{
		Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{{Line: 3, Cells: []string{"4", "5"}}},
		Odd: []intake.Row{{Line: 2, Cells: []string{"1", "2", "=3"}}},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s = intake.ReadSheet([]byte("a,b\n"+strings.Repeat("1,2,3\n", 101)), 1000, &p)
	if len(s.Odd) != 100 || !s.Cut {
		t.Errorf("%d odd rows, cut %v", len(s.Odd), s.Cut)
	}
}

// FuzzWriter: the reader returns the written cells.
func FuzzWriter(f *testing.F) {
	f.Add("a", "b", ";")
	f.Add("=1", "'=1", ",")
	f.Add("x\ny", "\"", "\t")
	f.Fuzz(func(t *testing.T, one, two, delimiter string) {
		if !slices.Contains([]string{",", ";", "\t", "|"}, delimiter) {
			return
		}
		clean := func(s string) string { // as the reader leaves it
			s = strings.ReplaceAll(strings.ReplaceAll(s, "\x00", ""), "\r", "")
			return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
		}
		one, two = clean(one), clean(two)
		if !utf8.ValidString(one) || !utf8.ValidString(two) || one+two == "" || len(one+two) > intake.MaxCell {
			return
		}
		text := written(t, []rune(delimiter)[0], []string{"first", "second"}, []string{one, two})
		var p intake.Problems
		s := intake.ReadSheet([]byte(text), 10, &p)
		if !p.None() || len(s.Rows) != 1 || s.Rows[0].Cells[0] != one || s.Rows[0].Cells[1] != two {
			t.Fatalf("%q, %q came back as %+v, %+v: %q", one, two, s.Rows, p.List, text)
		}
	})
}
