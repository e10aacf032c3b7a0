package httpapi

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"strings"
)

// A csvTable is an answer in text/csv (RFC 4180): a header line and rows.
type csvTable struct {
	fileName string // for saving it
	header   []string
	rows     [][]string
}

// write writes the answer.
func (t csvTable) write(w http.ResponseWriter) error {
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	out.UseCRLF = true
	for _, row := range append([][]string{t.header}, t.rows...) {
		safe := make([]string, len(row))
		for i, cell := range row {
			safe[i] = inertCell(cell)
		}
		out.Write(safe) // a buffer does not fail
	}
	if out.Flush(); out.Error() != nil {
		return out.Error()
	}
	w.Header().Set("Content-Type", typeCSV+"; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", `attachment; filename="`+t.fileName+`"`)
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(b.Bytes())
	return err
}

// inertCell puts an apostrophe before what a spreadsheet would compute, also
// behind the white space that it skips. Tabs and line ends are skipped by some
// and split cells in others.
func inertCell(s string) string {
	trimmed := strings.TrimLeft(s, " \t\r\n\v\f\u00a0\ufeff")
	if trimmed != "" && strings.ContainsRune("=+-@\uff1d\uff0b\uff0d\uff20", []rune(trimmed)[0]) || s != "" && strings.ContainsRune("\t\r\n", rune(s[0])) {
		return "'" + s
	}
	return s
}
