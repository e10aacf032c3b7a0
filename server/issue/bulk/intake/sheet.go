package intake

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"tcode/offline/cell"
	"tcode/server/fault"
)

// MaxCell is the longest cell in bytes. No value of a document is as long.
const MaxCell = 64 << 10

// A Sheet is a CSV file: a header and rows of as many cells.
type Sheet struct {
	Delimiter rune // ',', ';', tab or '|'
	Line      int  // where the header begins in the file, from 1
	Columns   []string
	Rows      []Row
	Odd       []Row // those with more cells than there are columns, some of them if it is Cut
	Cut       bool  // not all rows are here
	Garbled   bool  // a cell is no UTF-8, so that no row is here
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
// commas, semicolons, tabs or vertical bars, whichever the header has most of; a first
// line "sep=;" says it outright. Empty lines are skipped, white space around column
// names and cells is dropped, and so is the apostrophe that keeps a spreadsheet
// from computing a cell (see [cell.Inert]).
//
// Everything that is wrong is added to p; the sheet then holds the rows that
// could be read, and none of a file that is no UTF-8.
func ReadSheet(b []byte, maxRows int, p *Problems) Sheet {
	if what := foreign(b); what != nil {
		p.Add(0, "", "%s", what.Text)
		return Sheet{}
	}
	text := decode(b)
	if len(text) == 0 {
		p.Add(0, "", "the CSV file is empty")
		return Sheet{}
	}
	delimiter, length := delimiterOf(text)
	s := Sheet{Delimiter: rune(delimiter)}
	r := &records{rest: text[length:], comma: delimiter, line: 1}
	if length > 0 {
		r.line++
	}
	s.read(r, maxRows, p)
	if s.Garbled {
		s.Rows, s.Odd, s.Cut = nil, nil, true
	}
	return s
}

// read takes the header and the rows from r.
func (s *Sheet) read(r *records, maxRows int, p *Problems) {
	for {
		line, cells, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.Cut = true
			p.Add(line, s.column(len(cells)), "%s", said(err))
			return
		}
		if blank(cells) {
			continue
		}
		if !s.readable(line, cells, p) {
			return
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

// column returns the name of the column at a position, "" if it has none.
func (s *Sheet) column(at int) string {
	if at < len(s.Columns) {
		return s.Columns[at]
	}
	return ""
}

// readable notes the cells that are no text. It reports whether the file may be read on.
func (s *Sheet) readable(line int, cells []string, p *Problems) bool {
	for at, c := range cells {
		if i := invalidUTF8(c); i >= 0 {
			s.Garbled = true
			cells[at] = strings.ToValidUTF8(c, "\ufffd")
			p.AddCell(line, s.column(at), trim(cells[at]), "byte 0x%02X is not UTF-8; save the file as \"CSV UTF-8\" (it looks like Windows-1252 or another single-byte encoding)", c[i])
		}
		if strings.IndexByte(c, 0) >= 0 {
			s.Garbled = true
			p.AddCell(line, s.column(at), "", "the file has a null character; it is no CSV text")
			return false
		}
	}
	return true
}

// said puts an error of [records] in words for who made the file.
func said(err error) fault.Text {
	switch {
	case errors.Is(err, errWide):
		return fault.Say("has more than %d cells; what follows was not read", MaxColumns)
	case errors.Is(err, errReturn):
		return fault.Say("a line break (CR) stands alone, unlike those of other lines; put the cell in quotes, or remove the line break; what follows was not read")
	}
	return fault.Say(`a quoted cell is not closed, or a quote inside it is not doubled (""); what follows was not read`)
}

// header takes the names of the columns. It reports whether they can be told
// apart.
func (s *Sheet) header(line int, cells []string, p *Problems) bool {
	seen := map[string]bool{}
	good := true
	s.Line = line
	for at, c := range trimEmptyEnd(cells) {
		name := plainCell(c)
		switch key := strings.ToLower(name); {
		case name == "":
			p.Add(line, "", "column %d has no name; give it one, or remove it", at+1)
			good = false
		case len(name) > MaxCell:
			p.Add(line, "", "a column's name is longer than %d bytes", MaxCell)
			name, good = Beginning(name, MaxValue), false
		case seen[key]:
			p.Add(line, name, "there are two columns of this name")
			good = false
		default:
			seen[key] = true
		}
		s.Columns = append(s.Columns, name)
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
			p.AddCell(line, s.Columns[i], plainCell(c), "is longer than %d bytes", MaxCell)
			continue
		}
		row.Cells[i] = plainCell(c)
	}
	s.Rows = append(s.Rows, row)
}

// plainCell returns the text of a cell.
func plainCell(c string) string { return cell.Plain(trim(c)) }

func plainCells(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = plainCell(c)
	}
	return out
}

// delimiters are those of CSV files, the usual ones first.
const delimiters = ",;\t|"

// delimiterOf returns the delimiter of a CSV file, and the length of the first line if
// that declares it.
func delimiterOf(text []byte) (delimiter byte, length int) {
	if d, length := declaredDelimiter(text); length > 0 {
		return d, length
	}
	return guessDelimiter(text), 0
}

// DelimiterOf returns the delimiter of a CSV file that begins with b, as
// [ReadSheet] finds it.
func DelimiterOf(b []byte) rune {
	d, _ := delimiterOf(decode(b))
	return rune(d)
}

// declaredDelimiter reads the first line sep=; or "sep=;" that spreadsheets know, also
// with delimiters behind it, and returns how long it is, 0 if there is none.
func declaredDelimiter(text []byte) (byte, int) {
	end := bytes.IndexAny(text, "\r\n")
	if end < 0 {
		end = len(text)
	}
	line, quoted := bytes.CutPrefix(bytes.ToLower(text[:end]), []byte{'"'})
	said, ok := bytes.CutPrefix(line, []byte("sep="))
	if !ok || len(said) == 0 || strings.IndexByte(delimiters, said[0]) < 0 {
		return 0, 0
	}
	rest := said[1:]
	if quoted {
		if rest, ok = bytes.CutPrefix(rest, []byte{'"'}); !ok {
			return 0, 0
		}
	}
	if len(bytes.Trim(rest, delimiters+" ")) > 0 {
		return 0, 0
	}
	if bytes.HasPrefix(text[end:], []byte("\r\n")) {
		end++
	}
	return said[0], min(end+1, len(text))
}

// guessDelimiter returns the delimiter of which the header line has most
// outside quotes; a comma when it has none.
func guessDelimiter(text []byte) byte {
	count := map[rune]int{}
	quoted := false
	for _, r := range strings.TrimLeft(string(text[:min(len(text), MaxCell)]), "\r\n") {
		if r == '"' {
			quoted = !quoted
		}
		if (r == '\n' || r == '\r') && !quoted {
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
	return byte(best)
}

func blank(cells []string) bool {
	for _, c := range cells {
		if trim(c) != "" {
			return false
		}
	}
	return true
}

func trimEmptyEnd(cells []string) []string {
	for len(cells) > 0 && trim(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}
