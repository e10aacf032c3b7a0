package bulk

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"tcode/offline/cell"
	"tcode/server/fault"
	"tcode/server/issue/bulk/intake"
)

// WriteErrors writes the rows of a job that are to be corrected, as they were
// uploaded, with a last column that says why. Corrected, the file is good for
// another job.
//
//	rows were made      ─▶ the failed ones
//	files were refused  ─▶ all rows, for none was made; the good ones without a reason
//	file was unreadable ─▶ its problems, line by line
func (s *Service) WriteErrors(ctx context.Context, j Job, w io.Writer) error {
	if j.Accepted || len(j.Problems) == 0 {
		return s.writeFailed(ctx, j, w)
	}
	if j.CSV.Gone() {
		return UploadsGone()
	}
	csv, err := s.csv(ctx, j)
	if err != nil {
		return err
	}
	defer giveBack(j.CSV)
	var again intake.Problems
	sheet := intake.ReadSheet(csv, MaxRows, &again)
	out := cell.NewWriter(w, sheet.Delimiter)
	if sheet.Cut || len(sheet.Columns) == 0 {
		return writeProblems(out, j.Problems)
	}
	return writeRefused(out, sheet, j.Problems)
}

// writeFailed writes the rows that failed.
func (s *Service) writeFailed(ctx context.Context, j Job, w io.Writer) error {
	delimiter, err := s.delimiter(ctx, j)
	if err != nil {
		return err
	}
	out := cell.NewWriter(w, delimiter)
	columns := slices.DeleteFunc(slices.Clone(j.Columns), isErrorColumn)
	if err := out.Write(append(slices.Clone(columns), ErrorColumn)); err != nil {
		return err
	}
	err = s.eachRow(ctx, j, RowFailed, func(row Row) error {
		cells := make([]string, 0, len(columns)+1)
		for _, name := range columns {
			cells = append(cells, cellOf(row.Cells, name))
		}
		return out.Write(append(cells, row.Message))
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func isErrorColumn(name string) bool { return strings.EqualFold(name, ErrorColumn) }

// cellOf returns the cell of a column that the file called name, in its case.
func cellOf(cells map[string]string, name string) string {
	if v, ok := cells[name]; ok {
		return v
	}
	for known, v := range cells {
		if strings.EqualFold(known, name) {
			return v
		}
	}
	return ""
}

// delimiter returns that of the uploaded file.
func (s *Service) delimiter(ctx context.Context, j Job) (rune, error) {
	if j.CSV.Gone() {
		return ',', nil
	}
	var start prefix
	if err := s.c.Blobs.CopyTo(ctx, &start, j.CSV.SHA256); err != nil {
		return 0, err
	}
	return intake.DelimiterOf(start.b), nil
}

// UploadsGone is the fault of work that needs files of a job that were deleted.
func UploadsGone() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "the files of this bulk job were deleted")
}

// A prefix keeps the first bytes that are written to it.
type prefix struct{ b []byte }

func (p *prefix) Write(b []byte) (int, error) {
	p.b = append(p.b, b[:min(len(b), intake.MaxCell-len(p.b))]...)
	return len(b), nil
}

// writeRefused writes all rows, each with its problems. The first row also has the
// problems of the header and of the archive.
func writeRefused(out *cell.Writer, sheet intake.Sheet, problems []intake.Problem) error {
	rows := slices.Concat(sheet.Rows, sheet.Odd)
	slices.SortStableFunc(rows, func(a, b intake.Row) int { return a.Line - b.Line })
	said, first := map[int][]string{}, sheet.Line
	for _, r := range rows {
		said[r.Line] = nil
	}
	if len(rows) > 0 {
		first = rows[0].Line
	}
	for _, p := range problems {
		line := p.Line
		if _, ok := said[line]; !ok {
			line = first
		}
		said[line] = append(said[line], sentence(p))
	}
	keep := func(cells []string) (kept []string) {
		for i, name := range sheet.Columns {
			if !isErrorColumn(name) {
				kept = append(kept, cells[i])
			}
		}
		return kept
	}
	if err := out.Write(append(keep(sheet.Columns), ErrorColumn)); err != nil {
		return err
	}
	for _, r := range rows {
		// Cells that no column is for stand behind, where they are seen.
		cells := append(keep(r.Cells), strings.Join(said[r.Line], "; "))
		if err := out.Write(append(cells, r.Cells[len(sheet.Columns):]...)); err != nil {
			return err
		}
	}
	return out.Flush()
}

func sentence(p intake.Problem) string {
	if p.Column == "" {
		return p.Message
	}
	return p.Column + " " + p.Message
}

// writeProblems writes the problems where there are no rows to attach them to.
func writeProblems(out *cell.Writer, problems []intake.Problem) error {
	errs := []error{out.Write([]string{"line", "column", "value", ErrorColumn})}
	for _, p := range problems {
		line := ""
		if p.Line > 0 {
			line = strconv.Itoa(p.Line)
		}
		errs = append(errs, out.Write([]string{line, p.Column, p.Value, p.Message}))
	}
	return errors.Join(append(errs, out.Flush())...)
}
