// Package pdflzw undoes the filter LZWDecode of PDF (ISO 32000-2, 7.4.4), whose
// codes grow one code early unless the entry EarlyChange is 0.
//
// The two libraries at hand undo one form each: compress/lzw the late one,
// golang.org/x/image/tiff/lzw the early one. Both give bytes for codes that are
// not in the table yet, where programs that show the file disagree. [Decode] is
// exact: it names the broken rule.
package pdflzw

import (
	"errors"
	"io"
)

// Errors of [Decode], in addition to [io.ErrUnexpectedEOF].
var (
	ErrCode  = errors.New("the code is not in the table")
	ErrLimit = errors.New("more bytes than allowed")
)

const (
	clearTable = 256
	endOfData  = 257
	first      = 258  // code of the table
	tableSize  = 4096 // codes, with those of single bytes
)

// Decode returns the decoded data, or all bytes before an error: [ErrCode],
// [ErrLimit] soon after limit bytes, [io.ErrUnexpectedEOF] for data without an end.
// early says that codes grow early.
func Decode(data []byte, early bool, limit int) ([]byte, error) {
	type entry struct {
		from, n int // in out
	}
	var table []entry
	var out []byte
	bits, width, have := 0, 9, 0
	last := entry{}
	ahead := 0
	if early {
		ahead = 1
	}
	for _, c := range data {
		bits, have = bits<<8|int(c), have+8
		if have < width {
			continue
		}
		have -= width
		code := bits >> have
		bits &= 1<<have - 1
		switch {
		case code == endOfData:
			return out, nil
		case code == clearTable:
			table, width, last = table[:0], 9, entry{}
			continue
		}
		at := len(out)
		switch {
		case code < clearTable:
			out = append(out, byte(code))
		case code-first < len(table):
			e := table[code-first]
			out = append(out, out[e.from:e.from+e.n]...)
		case code-first == len(table) && last.n > 0:
			out = append(out, out[last.from:last.from+last.n]...)
			out = append(out, out[last.from])
		default:
			return out, ErrCode
		}
		if last.n > 0 && len(table) < tableSize-first {
			table = append(table, entry{last.from, last.n + 1}) // the byte behind it is the first of this one
		}
		last = entry{at, len(out) - at}
		if width < 12 && len(table)+first+ahead >= 1<<width {
			width++
		}
		if len(out) > limit {
			return out, ErrLimit
		}
	}
	return out, io.ErrUnexpectedEOF
}
