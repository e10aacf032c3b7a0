package cell

import (
	"encoding/csv"
	"io"
)

// A Writer writes a CSV file (RFC 4180) that spreadsheets open as it is meant:
// UTF-8 with a byte order mark, without which Excel takes it for another encoding, CR LF,
// and no cell computed.
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
	return w.out.Write(row(cells))
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
