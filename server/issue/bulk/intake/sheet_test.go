package intake_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tcode/offline/cell"
	"tcode/server/issue/bulk/intake"
)

// utf16le is s as a spreadsheet saves "Unicode text".
func utf16le(s string) string { return "\xff\xfe" + unmarked(s, binary.LittleEndian) }

// unmarked is s in UTF-16 without a byte order mark.
func unmarked(s string, order binary.AppendByteOrder) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

func TestReadSheet(t *testing.T) {
	t.Parallel()
	row := func(line int, cells ...string) intake.Row { return intake.Row{Line: line, Cells: cells} }
	tests := []struct {
		name, in string
		want     intake.Sheet
	}{
		{"commas", "fileName,name\na.pdf,Ada\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"fileName", "name"}, Rows: []intake.Row{row(2, "a.pdf", "Ada")}}},
		{"no line end at the end", "a,b\n1,2", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"CR LF", "a,b\r\n1,2\r\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"semicolons", "a;b\n1,5;2\n", intake.Sheet{Delimiter: ';', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1,5", "2")}}},
		{"tabs", "a\tb\n1\t2\n", intake.Sheet{Delimiter: '\t', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"commas in a quoted column name", "\"a,b,c\";d\n1;2\n", intake.Sheet{Delimiter: ';', Line: 1, Columns: []string{"a,b,c", "d"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"sep=", "sep=;\na;b\n1;2\n", intake.Sheet{Delimiter: ';', Line: 2, Columns: []string{"a", "b"}, Rows: []intake.Row{row(3, "1", "2")}}},
		{"byte order mark", "\ufeffa,b\n1,2\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"UTF-16", utf16le("a\tb\nÅngström\t😀\n"), intake.Sheet{Delimiter: '\t', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "Ångström", "😀")}}},
		{"quoted line ends", "a,b\n\"1\nand more\",2\n3,4\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1\nand more", "2"), row(4, "3", "4")}}},
		{"empty lines, and lines of delimiters", "\n\na,b\n\n,\n1,2\n", intake.Sheet{Delimiter: ',', Line: 3, Columns: []string{"a", "b"}, Rows: []intake.Row{row(6, "1", "2")}}},
		{"white space around", " a , b \n 1 ,\t2 \n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"short rows are filled up", "a,b,c\n1\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b", "c"}, Rows: []intake.Row{row(2, "1", "", "")}}},
		{"empty cells beyond the header", "a,b,,\n1,2,,,,\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"one column", "fileName\na.pdf\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"fileName"}, Rows: []intake.Row{row(2, "a.pdf")}}},
		{"vertical bars", "a|b\n1,5|2\n", intake.Sheet{Delimiter: '|', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1,5", "2")}}},
		{"CR alone", "a,b\r1,2\r\r3,4", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2"), row(4, "3", "4")}}},
		{"CR alone, and LF in a cell", "a,b\r\"1\n2\",3\r4,5\r", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1\n2", "3"), row(4, "4", "5")}}},
		{"CR in a cell", "a,b\n\"1\r2\r\n3\",4\n5,6\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1\n2\n3", "4"), row(5, "5", "6")}}},
		{"CR CR LF", "a,b\r\r\n1,2\r\r\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"CR at the end", "a,b\n1,2\r", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"sep= in quotes", "\"sep=;\"\r\na;b\r\n1;2\r\n", intake.Sheet{Delimiter: ';', Line: 2, Columns: []string{"a", "b"}, Rows: []intake.Row{row(3, "1", "2")}}},
		{"sep= filled up to the last column", "\ufeffSEP=;;;\na;b\n1;2\n", intake.Sheet{Delimiter: ';', Line: 2, Columns: []string{"a", "b"}, Rows: []intake.Row{row(3, "1", "2")}}},
		{"sep= before CR alone", "sep=|\ra|b\r1|2", intake.Sheet{Delimiter: '|', Line: 2, Columns: []string{"a", "b"}, Rows: []intake.Row{row(3, "1", "2")}}},
		{"two byte order marks", "\ufeff\ufeffa,b\n1,2\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"two byte order marks, the second one in quotes", "\ufeff\"\ufeffa\",b\n1,2\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"UTF-16, two byte order marks", utf16le("\ufeffa;b\n1;2\n"), intake.Sheet{Delimiter: ';', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"UTF-16 without byte order mark", unmarked("a;b\nÅ;日本語\n", binary.LittleEndian), intake.Sheet{Delimiter: ';', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "Å", "日本語")}}},
		{"UTF-16 without byte order mark, big end first", unmarked("a;b\nÅ;日本語\n", binary.BigEndian), intake.Sheet{Delimiter: ';', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "Å", "日本語")}}},
		{"quotes in the middle", "a,b\nAnna \"Nan\" Berg,5\"\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "Anna \"Nan\" Berg", "5\"")}}},
		{"white space around quotes", "a, \"b\"\n \"1,2\" , \"3\"\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1,2", "3")}}},
		{"no-break spaces around", "\u00a0a\u00a0,b\n\u00a01,\u202f2\n,\u00a0\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "1", "2")}}},
		{"apostrophes before formulas", "a,b\n'=1+1,'tis\n", intake.Sheet{Delimiter: ',', Line: 1, Columns: []string{"a", "b"}, Rows: []intake.Row{row(2, "=1+1", "'tis")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p intake.Problems
			got := intake.ReadSheet([]byte(tt.in), 10, &p)
			if diff := cmp.Diff(tt.want, got); diff != "" || !p.None() {
				t.Errorf("-want +got:\n%sproblems: %v", diff, p.List)
			}
		})
	}
}

func TestReadSheetProblems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     []intake.Problem
	}{
		{"empty", "", []intake.Problem{{Line: 0, Column: "", Message: "the CSV file is empty"}}},
		{"only a header", "a,b\n", []intake.Problem{{Line: 0, Column: "", Message: "the CSV file has no rows below its header"}}},
		{"only empty lines", "\n\n,,\n", []intake.Problem{{Line: 0, Column: "", Message: "the CSV file has no header line"}}},
		{"Windows-1252", "name\nJos\xe9\n", []intake.Problem{{Line: 2, Column: "name", Value: "Jos\ufffd", Message: `byte 0xE9 is not UTF-8; save the file as "CSV UTF-8" (it looks like Windows-1252 or another single-byte encoding)`}}},
		{"Windows-1252 in several cells", "name;Gr\xf6\xdfe\nJos\xe9;1\n", []intake.Problem{
			{Line: 1, Column: "", Value: "Gr\ufffde", Message: `byte 0xF6 is not UTF-8; save the file as "CSV UTF-8" (it looks like Windows-1252 or another single-byte encoding)`},
			{Line: 2, Column: "name", Value: "Jos\ufffd", Message: `byte 0xE9 is not UTF-8; save the file as "CSV UTF-8" (it looks like Windows-1252 or another single-byte encoding)`},
		}},
		{"null character", "name\nJo\x00s\n", []intake.Problem{{Line: 2, Column: "name", Message: "the file has a null character; it is no CSV text"}}},
		{"two columns of a name", "Name,name\n1,2\n", []intake.Problem{{Line: 1, Column: "name", Message: "there are two columns of this name"}}},
		{"a column without a name", "a,,b\n1,2,3\n", []intake.Problem{{Line: 1, Column: "", Message: "column 2 has no name; give it one, or remove it"}}},
		{"too many cells, twice", "a,b\n1,2,3\n1,2\n4,5,6\n", []intake.Problem{
			{Line: 2, Column: "", Message: `has 3 cells where the header has 2; quote cells that contain ','`},
			{Line: 4, Column: "", Message: `has 3 cells where the header has 2; quote cells that contain ','`},
		}},
		{"quote never closed", "a,b\n1,2\n3,\"4\n5,6\n", []intake.Problem{{Line: 3, Column: "b", Message: `a quoted cell is not closed, or a quote inside it is not doubled (""); what follows was not read`}}},
		{"quote that is not doubled", "a,b\n1,2\n\"3\"x\",4\n", []intake.Problem{{Line: 3, Column: "a", Message: `a quoted cell is not closed, or a quote inside it is not doubled (""); what follows was not read`}}},
		{"CR in the middle of a line", "a,b\n1,2\n3,4\r5\n", []intake.Problem{{Line: 3, Column: "b", Message: "a line break (CR) stands alone, unlike those of other lines; put the cell in quotes, or remove the line break; what follows was not read"}}},
		{"an old workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", []intake.Problem{{Message: `the CSV file is an Excel workbook; save it in Excel as "CSV UTF-8", and send that file`}}},
		{"a workbook", string(packed(t, "[Content_Types].xml", "xl/workbook.xml")), []intake.Problem{{Message: `the CSV file is an Excel workbook; save it in Excel as "CSV UTF-8", and send that file`}}},
		{"OpenDocument", string(packed(t, "mimetype", "content.xml")), []intake.Problem{{Message: "the CSV file is an OpenDocument file; save it as CSV with the character set UTF-8, and send that file"}}},
		{"a ZIP archive", string(packed(t, "a.pdf")), []intake.Problem{{Message: "the CSV file is a ZIP archive; send the table of the rows as CSV, and the PDFs as ZIP"}}},
		{"a web page", "\ufeff\r\n<HTML><table>", []intake.Problem{{Message: `the CSV file is a web page or XML; open it in a spreadsheet program, save it as "CSV UTF-8", and send that file`}}},
		{"a PDF", "%PDF-1.7\n", []intake.Problem{{Message: `the CSV file is a PDF or packed; save the table of the rows as "CSV UTF-8", and send that file`}}},
		{"gzip", "\x1f\x8b\x08", []intake.Problem{{Message: `the CSV file is a PDF or packed; save the table of the rows as "CSV UTF-8", and send that file`}}},
		{"line numbers behind sep=", "sep=,\na,b\n1,2,3\n1,2\n", []intake.Problem{{Line: 3, Column: "", Message: `has 3 cells where the header has 2; quote cells that contain ','`}}},
		{"too many rows", "a\n1\n2\n3\n4\n", []intake.Problem{{Line: 5, Column: "", Message: "the file has more than 3 rows; split it"}}},
		{"a long cell", "a,b\n1," + strings.Repeat("x", intake.MaxCell+1) + "\n", []intake.Problem{{Line: 2, Column: "b", Message: "is longer than 65536 bytes", Value: strings.Repeat("x", intake.MaxValue-1) + "…"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p intake.Problems
			intake.ReadSheet([]byte(tt.in), 3, &p)
			if diff := cmp.Diff(tt.want, p.List, cmpopts.IgnoreFields(intake.Problem{}, "Said")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestValueFound: a problem has the beginning of its cell.
func TestValueFound(t *testing.T) {
	t.Parallel()
	most := strings.Repeat("ﷺ", intake.MaxValue)
	for in, want := range map[string]string{"": "", "=1+1": "=1+1", "<b>\u202e": "<b>\u202e", most: most, most + "x": strings.Repeat("ﷺ", intake.MaxValue-1) + "…"} {
		var p intake.Problems
		p.AddCell(2, "name", in, "is wrong")
		if got := p.List[0].Value; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	var p intake.Problems
	intake.ReadSheet([]byte("a\n"+strings.Repeat("1,2\n", intake.MaxProblems+7)), 1<<20, &p)
	if len(p.List) != intake.MaxProblems || p.More != 7 {
		t.Errorf("%d problems and %d more, want %d and 7", len(p.List), p.More, intake.MaxProblems)
	}
}

// FuzzReadSheet: a sheet without problems says the same when it is written and
// read again, and every row has a cell for each column.
func FuzzReadSheet(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "sep=;\na;b\n\"1\n\";2", "\xff\xfea\x00", "a\n\"", "\ufeffa\tb\n\t\n1", "a,b,\n1,2,,", "a|b\r\"1\r\n\"|2", "a\x00,\x00b\x00\n\x001\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var p intake.Problems
		s := intake.ReadSheet(in, 50, &p)
		line := 0
		for _, r := range s.Rows {
			if len(r.Cells) != len(s.Columns) {
				t.Fatalf("row of line %d has %d cells, the header %d", r.Line, len(r.Cells), len(s.Columns))
			}
			if r.Line <= line {
				t.Fatalf("line %d behind line %d", r.Line, line)
			}
			line = r.Line
		}
		if !p.None() {
			return
		}
		var q intake.Problems
		again := intake.ReadSheet(write(t, s), 50, &q)
		if diff := cmp.Diff(cells(s), cells(again)); diff != "" || !q.None() {
			t.Errorf("-first +again:\n%s%v", diff, q.List)
		}
	})
}

func write(t *testing.T, s intake.Sheet) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "sep=%c\n", s.Delimiter)
	w := csv.NewWriter(&b)
	w.Comma = s.Delimiter
	for _, record := range cells(s) {
		safe := make([]string, len(record))
		for i, c := range record {
			safe[i] = cell.Inert(c)
		}
		if err := w.Write(safe); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	return b.Bytes()
}

func cells(s intake.Sheet) [][]string {
	out := [][]string{s.Columns}
	for _, r := range s.Rows {
		out = append(out, r.Cells)
	}
	return out
}
