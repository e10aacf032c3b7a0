package intake

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// MaxColumns is the limit on the cells of a line, checked while it is split: a
// megabyte of commas would be a million cells.
const MaxColumns = 256

// Errors of a line, of the cell behind those that could be read.
var (
	errQuote  = errors.New("a quote")
	errWide   = errors.New("too many cells")
	errReturn = errors.New("a carriage return")
)

// records splits the text of a CSV file (RFC 4180) as spreadsheets do. Lines end in LF
// or CR LF, or in CR alone if the first line does. A quote inside a cell that does not
// begin with one is a character like others.
type records struct {
	rest    []byte
	comma   byte
	line    int  // where rest begins, from 1
	ended   bool // a line end was read
	returns bool // CR alone ends a line
	cells   []string
}

// next returns the cells of the next record, until the next call, and the line where it
// begins. The error is io.EOF, or that of the cell behind those returned; nothing can be read behind it.
func (r *records) next() (line int, cells []string, err error) {
	if len(r.rest) == 0 {
		return r.line, nil, io.EOF
	}
	line, cells = r.line, r.cells[:0]
	for last := false; !last; {
		if len(cells) == MaxColumns {
			return line, cells, errWide
		}
		var cell string
		if cell, last, err = r.cell(); err != nil {
			return line, cells, err
		}
		cells = append(cells, cell)
	}
	r.cells = cells
	return line, cells, nil
}

// cell takes the next cell. last reports whether its line ends behind it.
func (r *records) cell() (text string, last bool, err error) {
	start := len(r.rest) - len(bytes.TrimLeft(r.rest, " "))
	if bytes.HasPrefix(r.rest[start:], []byte{'"'}) {
		return r.quoted(start + 1)
	}
	at := bytes.IndexFunc(r.rest, func(c rune) bool { return c == rune(r.comma) || c == '\n' || c == '\r' })
	if at < 0 {
		at = len(r.rest)
	}
	text = string(r.rest[:at])
	last, err = r.end(at)
	return text, last, err
}

// breaks makes all line ends in a cell the same.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// quoted takes a cell behind its first quote.
func (r *records) quoted(at int) (text string, last bool, err error) {
	var b []byte
	for {
		length := bytes.IndexByte(r.rest[at:], '"')
		if length < 0 {
			return "", false, errQuote
		}
		b = append(b, r.rest[at:at+length]...)
		at += length + 1
		if !bytes.HasPrefix(r.rest[at:], []byte{'"'}) {
			break
		}
		b = append(b, '"')
		at++
	}
	text = breaks.Replace(string(b))
	r.line += strings.Count(text, "\n")
	last, err = r.end(at + len(r.rest[at:]) - len(bytes.TrimLeft(r.rest[at:], " ")))
	return text, last, err
}

// end takes the delimiter, the line end or the end of the text behind a cell that ends
// before a position.
func (r *records) end(at int) (last bool, err error) {
	rest := r.rest[at:]
	switch {
	case len(rest) == 0:
		r.rest = nil
		return true, nil
	case rest[0] == r.comma:
		r.rest = rest[1:]
		return false, nil
	case rest[0] != '\n' && rest[0] != '\r':
		return false, errQuote
	}
	length := 1
	if rest[0] == '\r' && !r.returns {
		length = len(rest) - len(bytes.TrimLeft(rest, "\r")) // CR CR LF, of two conversions
	}
	switch behind := rest[length:]; {
	case rest[0] == '\n' || len(behind) == 0:
	case behind[0] == '\n':
		length++
	case r.ended && !r.returns:
		return false, errReturn
	default:
		r.returns, length = true, 1
	}
	r.rest, r.ended = rest[length:], true
	r.line++
	return true, nil
}
