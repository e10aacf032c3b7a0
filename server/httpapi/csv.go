package httpapi

import (
	"bytes"
	"net/http"

	"tcode/offline/cell"
	"tcode/server/httpapi/gate"
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
	out := cell.NewWriter(&b, 0)
	for _, row := range append([][]string{t.header}, t.rows...) {
		out.Write(row) // an error of it comes again with Flush
	}
	if err := out.Flush(); err != nil {
		return err
	}
	w.Header().Set("Content-Type", gate.TypeCSV+"; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", `attachment; filename="`+t.fileName+`"`)
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(b.Bytes())
	return err
}
