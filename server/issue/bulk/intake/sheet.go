package intake

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"tcode/offline/cell"
)

// MaxCell is the longest cell in bytes. No value of a document is as long.
const MaxCell = 64 << 10

// A Sheet is a CSV file: a header and rows of as many cells.
type Sheet struct {
	Delimiter rune // ',', ';' or tab
	Line      int  // where the header begins in the file, from 1
	Columns   []string
	Rows      []Row
	Odd       []Row // those with more cells than there are columns, some of them if it is Cut
	Cut       bool  // not all rows are here
}

// maxOdd is the limit on rows with too many cells in a file with mistakes. A file
// with more is another kind of file.
const maxOdd = 100

// A Row is one record of a [Sheet].
type Row struct {
	Line  int // where it begins in the file, from 1
	Cells []string
}

// ReadSheet reads a CSV file (RFC 4180) of at most maxRows rows. Delimiters are
// commas, semicolons or tabs, whichever the header has most of; a first line
// "sep=;" says it outright. Empty lines are skipped, white space around column
// names and cells is dropped, and so is the apostrophe that keeps a spreadsheet
// from computing a cell (see [cell.Inert]).
//
// Everything that is wrong is added to p; the sheet then holds the rows that
// could be read.
func ReadSheet(b []byte, maxRows int, p *Problems) Sheet {
	text, ok := decode(b, p)
	if !ok {
		return Sheet{}
	}
	if len(text) == 0 {
		p.Add(0, "", "the CSV file is empty")
		return Sheet{}
	}
	s := Sheet{Delimiter: guessDelimiter(text)}
	linesBefore := 0
	if d, length := declaredDelimiter(text); length > 0 {
		s.Delimiter, text, linesBefore = d, text[length:], 1
	}
	if !s.bounded(text, linesBefore, p) {
		return s
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = s.Delimiter, -1, true
	s.read(r, linesBefore, maxRows, p)
	return s
}

// read takes the header and the rows from r, whose lines are offset by before.
func (s *Sheet) read(r *csv.Reader, before, maxRows int, p *Problems) {
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
			s.Cut = true
			p.Add(syntax.StartLine+before, "", "%s", said(syntax.Err))
			return
		}
		line, _ := r.FieldPos(0)
		line += before
		if blank(cells) {
			continue
		}
		if s.Columns == nil {
			if !s.header(line, cells, p) {
				s.Cut = true
				return
			}
			continue
		}
		if len(s.Rows) == maxRows {
			s.Cut = true
			p.Add(line, "", "the file has more than %d rows; split it", maxRows)
			return
		}
		s.row(line, cells, p)
	}
	switch {
	case s.Columns == nil:
		p.Add(0, "", "the CSV file has no header line")
	case len(s.Rows) == 0 && p.None():
		p.Add(0, "", "the CSV file has no rows below its header")
	}
}

// said puts an error of encoding/csv in words for who made the file.
func said(err error) string {
	switch {
	case errors.Is(err, csv.ErrQuote):
		return `a quoted cell is not closed, or a quote inside it is not doubled (""); what follows was not read`
	case errors.Is(err, csv.ErrBareQuote):
		return `a quote stands inside a cell that does not begin with one; put the cell in quotes and double the quote (""); what follows was not read`
	}
	return err.Error() + "; what follows was not read"
}

// header takes the names of the columns. It reports whether they can be told
// apart.
func (s *Sheet) header(line int, cells []string, p *Problems) bool {
	seen := map[string]bool{}
	good := true
	s.Line = line
	for _, c := range trimEmptyEnd(cells) {
		name := cell.Plain(strings.TrimSpace(c))
		switch key := strings.ToLower(name); {
		case name == "":
			p.Add(line, "", "a column has no name")
			good = false
		case len(name) > MaxCell:
			p.Add(line, "", "a column's name is longer than %d bytes", MaxCell)
			good = false
		case seen[key]:
			p.Add(line, name, "there are two columns of this name")
			good = false
		default:
			seen[key] = true
		}
		s.Columns = append(s.Columns, strings.Clone(name))
	}
	return good
}

// row takes a row that has as many cells as there are columns.
func (s *Sheet) row(line int, cells []string, p *Problems) {
	if len(cells) > len(s.Columns) {
		cells = trimEmptyEnd(cells) // spreadsheets pad all rows to the longest
	}
	for len(cells) < len(s.Columns) && len(cells) > 0 {
		cells = append(cells, "")
	}
	if len(cells) > len(s.Columns) {
		p.Add(line, "", "has %d cells where the header has %d; quote cells that contain %q", len(cells), len(s.Columns), s.Delimiter)
		if len(s.Odd) == maxOdd {
			s.Cut = true // a file like this is wrong in another way
		} else {
			s.Odd = append(s.Odd, Row{Line: line, Cells: plainCells(cells)})
		}
		return
	}
	row := Row{Line: line, Cells: make([]string, len(cells))}
	for i, c := range cells {
		if len(c) > MaxCell {
			p.AddCell(line, s.Columns[i], cell.Plain(strings.TrimSpace(c)), "is longer than %d bytes", MaxCell)
			continue
		}
		row.Cells[i] = plainCell(c)
	}
	s.Rows = append(s.Rows, row)
}

// plainCell returns the text of a cell. It does not share the line's memory.
func plainCell(c string) string { return strings.Clone(cell.Plain(strings.TrimSpace(c))) }

func plainCells(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = plainCell(c)
	}
	return out
}

// declaredDelimiter reads the first line "sep=;" that spreadsheets know, and
// returns how long it is, 0 if there is none.
func declaredDelimiter(text []byte) (rune, int) {
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	said, ok := bytes.CutPrefix(bytes.ToLower(bytes.TrimRight(line, "\r")), []byte("sep="))
	if !ok || len(said) != 1 || !strings.ContainsRune(delimiters, rune(said[0])) {
		return 0, 0
	}
	return rune(said[0]), min(len(line)+1, len(text))
}

const delimiters = ",;\t"

// guessDelimiter returns the delimiter of which the header line has most
// outside quotes; a comma when it has none.
func guessDelimiter(text []byte) rune {
	count := map[rune]int{}
	quoted := false
	for _, r := range strings.TrimLeft(string(text[:min(len(text), MaxCell)]), "\r\n") {
		if r == '"' {
			quoted = !quoted
		}
		if r == '\n' && !quoted {
			break
		}
		if !quoted {
			count[r]++
		}
	}
	best := ','
	for _, d := range delimiters {
		if count[d] > count[best] {
			best = d
		}
	}
	return best
}

func blank(cells []string) bool {
	for _, c := range cells {
		if strings.TrimSpace(c) != "" {
			return false
		}
	}
	return true
}

func trimEmptyEnd(cells []string) []string {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}
