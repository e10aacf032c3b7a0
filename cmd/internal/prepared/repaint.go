package prepared

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"regexp"
)

// whiteBox is the operator that paints the white ground of a stamp.
var whiteBox = regexp.MustCompile(`(\d)(\d*\.?\d*) re\b`)

// streamStart is the line before the data of a stream.
var streamStart = []byte("stream\n")

// Repaint returns file with another white ground in the drawing of its stamp, whose revision follows original
// bytes. The change is in place, so that the file stays well formed. The error says that there is no such drawing.
func Repaint(file []byte, original int) ([]byte, error) {
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
	for i := at[2]; i < at[5]; i++ {
		held := drawing[i]
		if held < '0' || held > '9' {
			continue
		}
		for drawing[i] = nextDigit(held); drawing[i] != held; drawing[i] = nextDigit(drawing[i]) {
			if form := dense(drawing); form != nil && len(form) <= room {
				copy(b, form)
				return true
			}
			if held == '0' && drawing[i] == '9' {
				break // no digit leads back to 0
			}
		}
		drawing[i] = held
	}
	return false
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
