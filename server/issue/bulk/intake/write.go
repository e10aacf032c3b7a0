package intake

import (
	"bytes"
	"encoding/csv"
	"io"

	"tcode/offline/cell"
)

// A Writer writes a CSV file (RFC 4180) that spreadsheets open as it is meant:
// UTF-8 with a byte order mark, CR LF, no cell computed. [ReadSheet] reads it
// back.
type Writer struct{ out *csv.Writer }

// NewWriter returns a writer with a delimiter; 0 is a comma. Call
// [Writer.Flush] at the end.
func NewWriter(w io.Writer, delimiter rune) *Writer {
	out := csv.NewWriter(&marked{w: w})
	out.UseCRLF = true
	if delimiter != 0 {
		out.Comma = delimiter
	}
	return &Writer{out}
}

// Write adds a line.
func (w *Writer) Write(cells []string) error {
	return w.out.Write(cell.Row(cells))
}

// Flush writes the buffered rest.
func (w *Writer) Flush() error {
	w.out.Flush()
	return w.out.Error()
}

// marked puts the byte order mark before the first byte.
type marked struct {
	w     io.Writer
	begun bool
}

func (m *marked) Write(p []byte) (int, error) {
	if !m.begun {
		if _, err := m.w.Write([]byte{0xEF, 0xBB, 0xBF}); err != nil {
			return 0, err
		}
		m.begun = true
	}
	return m.w.Write(p)
}

// DelimiterOf returns the delimiter of a CSV file that begins with b, as
// [ReadSheet] finds it.
func DelimiterOf(b []byte) rune {
	for len(b) > 0 { // b may end inside a character
		var p Problems
		if text, ok := decode(b, &p); ok {
			if d, length := declaredDelimiter(text); length > 0 {
				return d
			}
			return guessDelimiter(text)
		}
		line := bytes.LastIndexByte(b, '\n')
		if line < 0 {
			break
		}
		b = b[:line]
	}
	return ','
}
