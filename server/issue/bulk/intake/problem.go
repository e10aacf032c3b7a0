package intake

import (
	"strings"
	"unicode/utf8"

	"tcode/server/fault"
)

// A Problem is one thing that is wrong with an uploaded file.
type Problem struct {
	Line    int    // of the CSV file, from 1; 0: the file as a whole, or the archive
	Column  string // name of the column; empty: the line as a whole
	Message string // the problem and its correction, without the offending value
	// Said is Message with its parts; zero in one that was stored before there were such.
	Said fault.Text `json:",omitzero"`
	// Value is the beginning of the offending cell, at most [MaxValue] characters; "" if the
	// cell is empty or the problem is not that of one cell. It may be personal data: it is
	// kept only as long as the file itself.
	Value string `json:",omitempty"`
}

// Text returns the message with its parts.
func (p Problem) Text() fault.Text {
	if p.Said.Key == "" {
		return fault.Say("%s", p.Message)
	}
	return p.Said
}

// MaxValue is the limit on [Problem.Value] in characters, with the ellipsis that stands for
// the rest.
const MaxValue = 60

// MaxProblems is the limit on reported problems of one upload. A file with more of
// them is wrong in one way many times.
const MaxProblems = 1000

// Problems collects up to [MaxProblems].
type Problems struct {
	List []Problem
	More int // problems beyond those in List
}

// Add notes a problem that is not that of one cell.
func (p *Problems) Add(line int, column, format string, args ...any) {
	p.AddCell(line, column, "", format, args...)
}

// AddCell notes a problem of a cell with its value.
func (p *Problems) AddCell(line int, column, value, format string, args ...any) {
	if len(p.List) == MaxProblems {
		p.More++
		return
	}
	said := fault.Say(format, args...)
	p.List = append(p.List, Problem{Line: line, Column: column, Message: said.String(), Said: said, Value: Beginning(value, MaxValue)})
}

// Suggest names a file in the problem at a position, that of a file that is missing.
func (p *Problems) Suggest(at int, nearest string) {
	if at < len(p.List) {
		said := errNear.of(nearest).Text
		p.List[at].Message, p.List[at].Said = said.String(), said
	}
}

// Beginning returns a value of at most that many characters, with an ellipsis for the rest.
// It does not share the memory of the sheet.
func Beginning(value string, limit int) string {
	end, left := 0, limit-1
	for ; left > 0 && end < len(value); left-- {
		_, n := utf8.DecodeRuneInString(value[end:])
		end += n
	}
	if _, last := utf8.DecodeRuneInString(value[end:]); end+last < len(value) {
		return value[:end] + "…"
	}
	return strings.Clone(value)
}

// None reports whether there is no problem.
func (p *Problems) None() bool { return len(p.List) == 0 }
