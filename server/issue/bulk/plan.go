package bulk

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/bulk/intake"
	"tcode/server/issue/field"
	"tcode/server/issue/stamp"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// A Maker makes the documents of one product.
type Maker interface {
	// Plan looks up the templates of o. Faults: NOT_FOUND for one of them,
	// TEMPLATE_ARCHIVED, CONFIGURATION_MISMATCH, VALIDATION_FAILED.
	Plan(ctx context.Context, tenantRef string, o Order) (Plan, error)
	// File returns the PDF of a document that was made; ok is false if it has
	// none.
	File(ctx context.Context, tenantRef string, m Made) (file stamp.File, ok bool, err error)
}

// A Plan is an order with its templates.
type Plan interface {
	// Layout says which columns a CSV file may have.
	Layout() Layout
	// Check returns the fault that [Plan.Make] would return for all it can
	// tell beforehand.
	Check(ctx context.Context, id tenant.Identity, e Entry) error
	// Make makes the document and marks its row, by once, as succeeded in the
	// same transaction.
	Make(ctx context.Context, id tenant.Identity, e Entry, once *tenant.IdempotencyRecord) (Made, error)
}

// An Entry is the request of a row.
type Entry struct {
	Cells map[string]string // of the document's own columns
	Given []payload.Field   // values of the template's fields that are not empty
	PDF   *spool.Upload     // nil: none
}

// FileColumn is the column that names a row's PDF in the archive.
const FileColumn = "fileName"

// A Layout is the columns of a product's CSV files: those of the document
// itself, then one for each field of its template.
type Layout struct {
	Own    []field.Column
	Schema []field.Definition
	// Paths name, for a column of Own, the member of the API's requests that it
	// becomes, where that has another name.
	Paths map[string]string
}

// Columns returns all columns in order.
func (l Layout) Columns() []field.Column { return field.Columns(l.Own, l.Schema) }

// find returns the position of the column that a header calls name, in any
// case, or else in another form of Unicode, such as with other spaces.
func (l Layout) find(name string) (int, bool) {
	columns := l.Columns()
	i := slices.IndexFunc(columns, func(c field.Column) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		i = slices.IndexFunc(columns, func(c field.Column) bool { return intake.Alike(c.Name, name) })
	}
	return i, i >= 0
}

// valueOf returns the value of a cell, which may have the form of a spreadsheet. why is the
// reason if it may be several.
func valueOf(c field.Column, cell string) (value string, why *intake.Refusal) {
	switch {
	case c.Type == field.Date, c.Name == expiryColumn:
		return intake.Date(cell)
	case c.Type == field.Number:
		return intake.Number(cell)
	}
	return cell, nil
}

// unclear returns the cells that may have several values, by column.
func (l Layout) unclear(cells map[string]string) map[string]*intake.Refusal {
	out := map[string]*intake.Refusal{}
	for _, c := range l.Columns() {
		if _, why := valueOf(c, cells[c.Name]); why != nil {
			out[c.Name] = why
		}
	}
	return out
}

// entry makes an entry of a row's cells by column.
func (l Layout) entry(cells map[string]string, pdf *spool.Upload) Entry {
	e := Entry{Cells: map[string]string{}, PDF: pdf}
	for i, c := range l.Columns() {
		switch v, _ := valueOf(c, cells[c.Name]); {
		case i < len(l.Own):
			e.Cells[c.Name] = v
		case v != "":
			e.Given = append(e.Given, payload.Field{Key: l.Schema[i-len(l.Own)].Key, Value: v})
		}
	}
	return e
}

// blame returns the columns that f blames, with its message on each. A message that
// names no column is about the row as a whole, under "".
func (l Layout) blame(f *fault.Fault, e Entry) map[string][]fault.Text {
	out := map[string][]fault.Text{}
	for path, said := range f.Fields {
		if path == "fields" && l.blameMissing(out, e) {
			continue
		}
		name := l.columnOf(path, e)
		out[name] = append(out[name], said...)
	}
	if len(out) == 0 {
		out[""] = []fault.Text{f.Said()}
	}
	return out
}

// blameMissing names the fields that must have a value and have none.
func (l Layout) blameMissing(out map[string][]fault.Text, e Entry) (any bool) {
	columns := l.Columns()
	for i, d := range l.Schema {
		given := slices.ContainsFunc(e.Given, func(v payload.Field) bool { return v.Key == d.Key })
		if d.Required && !given {
			name := columns[len(l.Own)+i].Name
			out[name] = append(out[name], fault.Say("must not be empty"))
			any = true
		}
	}
	return any
}

// columnOf returns the column that a path of the API comes from, or "".
func (l Layout) columnOf(path string, e Entry) string {
	for _, c := range l.Own {
		if path == c.Name || path == l.Paths[c.Name] {
			return c.Name
		}
	}
	for i, v := range e.Given {
		if !strings.HasPrefix(path, fieldPath(i)) {
			continue
		}
		at := slices.IndexFunc(l.Schema, func(d field.Definition) bool { return d.Key == v.Key })
		return l.Columns()[len(l.Own)+at].Name
	}
	return ""
}

// fieldPath is the beginning of a fault's path to the i-th given field.
func fieldPath(i int) string { return "fields[" + strconv.Itoa(i) + "]" }
