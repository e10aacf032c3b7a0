package bulk

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"tcode/offline/contain"
	"tcode/server/fault"
	"tcode/server/issue/bulk/intake"
	"tcode/server/issue/field"
	"tcode/server/platform/hold"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// ErrorColumn is the additional column of a file of failed rows: the reason of each.
// It is not read when the file is sent again.
const ErrorColumn = "_error"

// externalIDColumn is the column whose values no two rows may share.
const externalIDColumn = "externalId"

// check reads the rows of a sheet and notes all that is wrong with them.
type check struct {
	layout   Layout
	archive  *intake.Archive
	problems *intake.Problems

	columns []string       // by position in the sheet: the template's name of the column; "" is not read
	files   []file         // of the rows, by their position
	missing []missing      // files of rows that the archive does not have
	ids     map[string]int // externalId to line
	twins   map[string]int // values of a row without externalId to line

	unmatched Unmatched
}

// A file is that of a row in the archive.
type file struct {
	at   int    // its position, or noFile
	name string // in the encoding that fits the row
}

// noFile stands for the file of a row that has none.
const noFile = -1

// sheet checks all rows, and finds their files.
func (c *check) sheet(ctx context.Context, id tenant.Identity, p Plan, sheet intake.Sheet) error {
	c.ids, c.twins, c.files = map[string]int{}, map[string]int{}, make([]file, 0, len(sheet.Rows))
	if !c.readHeader(sheet) {
		return nil
	}
	defer hold.Item(ctx, "")
	for _, r := range sheet.Rows {
		hold.Item(ctx, itemLine+strconv.Itoa(r.Line))
		if err := c.row(ctx, id, p, r); err != nil {
			return err
		}
	}
	c.match(!sheet.Cut)
	return nil
}

// rows returns the rows of a sheet that was found good. Each row is built when it is
// read: all of them together take several times the memory of the sheet.
func (c *check) rows(sheet intake.Sheet) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for i, r := range sheet.Rows {
			row := Row{Number: i + 1, Line: r.Line, State: RowPending, Cells: c.cells(r)}
			row.File = c.files[i].name
			if !yield(row) {
				return
			}
		}
	}
}

// cells returns those of a row that are read and not empty, by column.
func (c *check) cells(r intake.Row) map[string]string {
	out := map[string]string{}
	for at, cell := range r.Cells {
		if name := c.columns[at]; name != "" && cell != "" {
			out[name] = cell
		}
	}
	return out
}

// readHeader finds the columns. It reports whether rows make sense with them.
func (c *check) readHeader(sheet intake.Sheet) bool {
	good, seen := true, map[string]bool{}
	known := c.layout.Columns()
	for _, name := range sheet.Columns {
		switch i, ok := c.layout.find(name); {
		case ok:
			c.columns = append(c.columns, known[i].Name)
			seen[known[i].Name] = true
		case strings.EqualFold(name, ErrorColumn):
			c.columns = append(c.columns, "")
		default:
			c.columns = append(c.columns, "")
			c.problems.Add(sheet.Line, name, "is not a column of such a file; those are %s", names(known))
			good = false
		}
	}
	for _, k := range known {
		if k.Required && !seen[k.Name] && !(k.Name == FileColumn && seen[generateColumn]) {
			c.problems.Add(sheet.Line, k.Name, "is missing from the header")
			good = false
		}
	}
	return good
}

// row checks one row and finds its file.
func (c *check) row(ctx context.Context, id tenant.Identity, p Plan, row intake.Row) error {
	cells := c.cells(row)
	found, pdf := c.file(row.Line, cells[FileColumn], generates(cells))
	c.files = append(c.files, found)
	if ext := cells[externalIDColumn]; ext != "" {
		if other, taken := c.ids[ext]; taken {
			c.problems.AddCell(row.Line, externalIDColumn, ext, "is that of line %d too", other)
		} else {
			c.ids[ext] = row.Line
		}
	}
	entry := c.layout.entry(cells, pdf)
	if key := twin(entry); key != "" {
		if other, taken := c.twins[key]; taken {
			c.problems.Add(row.Line, externalIDColumn, "is needed, because line %d has the same values; give each of the two its own", other)
		} else {
			c.twins[key] = row.Line
		}
	}
	said, err := c.blamed(ctx, id, p, entry)
	if err != nil {
		return err
	}
	for column, why := range c.layout.unclear(cells) {
		said[column] = []fault.Text{why.Text}
	}
	for _, column := range c.inOrder(said) {
		if column == FileColumn && pdf == nil && !generates(cells) {
			continue // said already
		}
		for _, what := range said[column] {
			c.problems.AddCell(row.Line, column, cells[column], "%s", what)
		}
	}
	return nil
}

// blamed returns all that is wrong with an entry, by column. Making a document
// ends at the first thing it does not pass: a person who corrects a file is to learn of
// its fields' values as well.
func (c *check) blamed(ctx context.Context, id tenant.Identity, p Plan, e Entry) (map[string][]fault.Text, error) {
	err := contain.Within(ctx, "bulk-check", rowTime, func(ctx context.Context) error { return p.Check(ctx, id, e) })
	switch {
	case err == nil:
		return map[string][]fault.Text{}, nil
	case ctx.Err() == nil && contain.Fault(err):
		return map[string][]fault.Text{"": {rowFault}}, nil
	}
	f := fault.As(err)
	if f.Kind == fault.Internal || f.Kind == fault.Unavailable {
		return nil, err
	}
	said := c.layout.blame(f, e)
	var values fault.Fields
	field.CheckValues(&values, "template", c.layout.Schema, e.Given)
	if err := field.Mismatch(&values, "template"); err != nil {
		for column, what := range c.layout.blame(fault.As(err), e) {
			for _, w := range what {
				if !slices.ContainsFunc(said[column], func(t fault.Text) bool { return t.String() == w.String() }) {
					said[column] = append(said[column], w)
				}
			}
		}
	}
	return said, nil
}

// twin returns a key that two rows share if the gateway makes only the first of them:
// they have no external id, and the same recipient, if any, and values. "" is none.
func twin(e Entry) string {
	if e.Cells[externalIDColumn] != "" || len(e.Given) == 0 {
		return ""
	}
	parts := []string{strconv.Quote(norm.NFC.String(e.Cells["recipientName"]))}
	for _, v := range e.Given { // in the order of the columns
		parts = append(parts, strconv.Quote(v.Key), strconv.Quote(norm.NFC.String(v.Value)))
	}
	return strings.Join(parts, " ")
}

// file returns the file that the row at a line names, and its PDF: noFile and nil if it
// names none that is there. A row whose PDF is generated need not name one.
func (c *check) file(line int, name string, generated bool) (found file, pdf *spool.Upload) {
	none := file{at: noFile}
	if name == "" {
		if !generated && slices.ContainsFunc(c.layout.Own, func(o field.Column) bool { return o.Name == FileColumn && o.Required }) {
			c.problems.Add(line, FileColumn, "must not be empty")
		}
		return none, nil
	}
	at, as, err := c.archive.Find(name)
	if errors.Is(err, intake.ErrNoFile) {
		c.missing = append(c.missing, missing{line, name, len(c.problems.List)})
	}
	if err != nil {
		c.problems.AddCell(line, FileColumn, name, "%s", refused(err))
		return none, nil
	}
	found = file{at, as}
	data, err := c.archive.Read(at)
	if err != nil {
		c.problems.AddCell(line, FileColumn, name, "%s", refused(err))
		return found, nil
	}
	upload := spool.Bytes(data)
	if _, problem := upload.Document(); problem != "" {
		c.problems.AddCell(line, FileColumn, name, "%s", problem)
		return found, nil
	}
	return found, upload
}

// refused returns the words of an error of package intake, without its cause.
func refused(err error) fault.Text {
	r, ok := errors.AsType[*intake.Refusal](err)
	if !ok {
		r = intake.ErrDamaged
	}
	return r.Text
}

// inOrder returns the columns of said in the order of the file, and "" last.
func (c *check) inOrder(said map[string][]fault.Text) []string {
	var out []string
	for _, k := range c.layout.Columns() {
		if len(said[k.Name]) > 0 && !slices.Contains(out, k.Name) {
			out = append(out, k.Name)
		}
	}
	if len(said[""]) > 0 {
		out = append(out, "")
	}
	return out
}

func names(columns []field.Column) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Name
	}
	return strings.Join(out, ", ")
}
