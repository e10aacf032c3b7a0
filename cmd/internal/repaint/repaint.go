// Package repaint changes the ground of a stamp in a stamped file, as a forger would: the file
// stays well formed, and only the binding of the stamp notices. It is for the demo and for tests.
package repaint

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// whiteBox is the operator that paints the white ground of a stamp.
var whiteBox = regexp.MustCompile(`(\d)(\d*\.?\d*) re\b`)

// whiteFill is that operator with all its operands, and the one that fills.
var whiteFill = regexp.MustCompile(`(?:[\d.]+ ){4}re f `)

// streamStart is the line before the data of a stream.
var streamStart = []byte("stream\n")

// Ground returns file with another white ground, or none, in the drawing of its stamp. The stamp's revision follows
// original bytes. The change is in place, so that the file stays well formed. The error says that there is no such drawing.
func Ground(file []byte, original int) ([]byte, error) {
	out := bytes.Clone(file)
	revision := out[original:]
	if at := whiteBox.FindSubmatchIndex(revision); at != nil {
		revision[at[2]] = nextDigit(revision[at[2]])
		return out, nil
	}
	for rest := revision; ; {
		at := bytes.Index(rest, streamStart)
		if at < 0 {
			return nil, errors.New("no rectangle in the revision")
		}
		rest = rest[at+len(streamStart):]
		if repacked(rest) {
			return out, nil
		}
	}
}

// repacked changes the rectangle in the compressed drawing at the start of b, and reports whether there is one whose
// new form is no longer than the old one. Readers ignore bytes behind it.
func repacked(b []byte) bool {
	r := bytes.NewReader(b)
	z, err := zlib.NewReader(r)
	if err != nil {
		return false
	}
	drawing, err := io.ReadAll(io.LimitReader(z, 1<<20))
	if err != nil {
		return false
	}
	room := len(b) - r.Len()
	at := whiteBox.FindSubmatchIndex(drawing)
	if at == nil {
		return false
	}
	start, number := drawing[:at[2]], string(drawing[at[2]:at[5]])
	var changed [][]byte
	for _, other := range others(number) {
		changed = append(changed, slices.Concat(start, []byte(other), drawing[at[5]:]))
		if square, ok := bytes.CutSuffix(start, []byte(" "+number+" ")); ok { // equal sides are packed as one
			changed = append(changed, fmt.Appendf(slices.Clone(square), " %s %s%s", other, other, drawing[at[5]:]))
		}
	}
	changed = append(changed, whiteFill.ReplaceAll(drawing, nil))
	for _, c := range changed {
		if form := dense(c); !bytes.Equal(c, drawing) && form != nil && len(form) <= room {
			copy(b, form)
			return true
		}
	}
	return false
}

// others returns numbers to replace a number by: those with another digit, then those that are shorter, because a
// drawing with another digit may be longer when it is compressed.
func others(number string) (list []string) {
	for i := range number {
		if number[i] != '.' {
			for d := '1'; d <= '9'; d++ {
				list = append(list, number[:i]+string(d)+number[i+1:])
			}
		}
	}
	for n := len(number) - 1; n > 0; n-- {
		for d := '1'; d <= '9'; d++ {
			list = append(list, strings.TrimSuffix(number[:n-1]+string(d), "."))
		}
	}
	return slices.DeleteFunc(list, func(other string) bool { return other == number })
}

// dense returns the compressed form of a drawing; nil: there is none.
func dense(drawing []byte) []byte {
	var buf bytes.Buffer
	w, err := zlib.NewWriterLevel(&buf, zlib.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := w.Write(drawing); err != nil || w.Close() != nil {
		return nil
	}
	return buf.Bytes()
}

func nextDigit(d byte) byte { return '1' + (d-'0')%9 }
