package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/server/issue"
	"tcode/server/issue/stamp"
)

// A list of stamps or documents is read from the end of an index in its order. Each filter
// has an index in which its rows are a run, or a few runs (branches) whose newest rows are
// merged:
//
//	none      rows by (tenant, created_at, id)
//	status    rows by (tenant, status, created_at, id), a branch a status
//	tests     rows by (tenant, created_at, id), those that are test documents
//	both      test documents by (tenant, status, created_at, id), a branch a status
//	type      rows by (tenant, document_type, created_at, id)
//	template  rows by (tenant, ..._template_id, created_at, id), a branch a kind
//	field     fields by (tenant, key, [value,] created_at, owner)
//	search    words by (tenant, word, created_at, owner), and by external id and reference
//
// If there are several filters, the one with the fewest rows drives, and the
// others are checked for each row. To find it, up to probeMost rows of each are
// counted.
const probeMost = 300

// listed is a kind of things in lists, with its tables.
type listed struct {
	rows, fields, words string
	owner               string   // column with the row's id, in the tables of fields and words
	templates           []string // the columns that name templates
	statuses            int      // number of statuses: a list of things in any of them is a list of all
}

// listFilter is the filter of a list of stamps or documents.
type listFilter struct {
	search, templateID    string
	references            [2][]byte // the first and the last one that search may be, nil if it is none
	statuses              []string
	from, to              time.Time
	fieldName, fieldValue string
	page, pageSize        int
	testOnly, liveOnly    bool
	oldestFirst           bool
	documentType          string
	after                 issue.Place // in the order of the list; zero: from its beginning
	uncounted             bool
}

// filter is one of the filters of a list.
type filter struct {
	// branches returns the runs that it reads when it drives.
	branches func(q *args) []branch
	// holds returns the condition on row s when another filter drives.
	holds func(q *args, s string) string
}

// branch is a run of rows, named k, in an index that continues with created_at and the
// id.
type branch struct {
	table, id string // id is the column with the id
	holds     string
}

// args are a statement's arguments.
type args []any

// p adds an argument and returns its placeholder.
func (q *args) p(v any) string {
	*q = append(*q, v)
	return "$" + strconv.Itoa(len(*q))
}

// all returns the run of all rows.
func (l listed) all() branch { return branch{table: l.rows, id: "id"} }

func (l listed) every() filter {
	return filter{branches: func(*args) []branch { return []branch{l.all()} }}
}

func (l listed) byStatus(statuses []string) filter {
	return filter{
		func(q *args) (out []branch) {
			for _, s := range statuses {
				b := l.all()
				b.holds = "k.status = " + q.p(s)
				out = append(out, b)
			}
			return out
		},
		func(q *args, s string) string {
			in := make([]string, len(statuses))
			for i, status := range statuses {
				in[i] = q.p(status)
			}
			return s + ".status || '' IN (" + strings.Join(in, ", ") + ")" // by no index
		},
	}
}

// tests selects the test documents, only those in a status if any is named. They may be
// few among many, and none of them new, so they have an index of their own for each
// status.
func (l listed) tests(statuses []string) filter {
	const isTest = ".test = 1" // as in the indexes
	if len(statuses) == 0 {
		return filter{
			func(*args) []branch {
				b := l.all()
				b.holds = "k" + isTest
				return []branch{b}
			},
			func(_ *args, s string) string { return s + isTest },
		}
	}
	in := l.byStatus(statuses)
	return filter{
		func(q *args) []branch {
			runs := in.branches(q)
			for i := range runs {
				runs[i].holds += " AND k" + isTest
			}
			return runs
		},
		func(q *args, s string) string { return in.holds(q, s) + " AND " + s + isTest },
	}
}

func (l listed) byTemplate(id string) filter {
	return filter{
		func(q *args) (out []branch) {
			for _, c := range l.templates {
				b := l.all()
				b.holds = "k." + c + " = " + q.p(id) + " AND k." + c + " <> ''"
				out = append(out, b)
			}
			return out
		},
		func(q *args, s string) string {
			var any []string
			for _, c := range l.templates {
				any = append(any, s+"."+c+" = "+q.p(id))
			}
			return "(" + strings.Join(any, " OR ") + ")"
		},
	}
}

func (l listed) byType(code string) filter {
	return filter{
		func(q *args) []branch {
			b := l.all()
			b.holds = "k.document_type = " + q.p(code)
			return []branch{b}
		},
		func(q *args, s string) string { return s + ".document_type || '' = " + q.p(code) }, // by no index
	}
}

// byField matches rows with a field of any of some keys, with a value if that is not "".
func (l listed) byField(keys []string, value string) filter {
	holds := func(q *args, f string, keys ...string) string {
		c := oneOf(q, f+".key", keys)
		if value != "" {
			c += " AND " + f + ".value = " + q.p(value)
		}
		return c
	}
	return filter{
		func(q *args) (out []branch) {
			for _, key := range keys {
				out = append(out, branch{l.fields, l.owner, holds(q, "k", key)})
			}
			return out
		},
		func(q *args, s string) string {
			return hasOne(l.fields + " f WHERE f.tenant = $1 AND f." + l.owner + " = " + s + ".id AND " + holds(q, "f", keys...))
		},
	}
}

// oneOf is the condition that a column has one of some values.
func oneOf(q *args, column string, values []string) string {
	if len(values) == 1 {
		return column + " = " + q.p(values[0])
	}
	in := make([]string, len(values))
	for i, v := range values {
		in[i] = q.p(v)
	}
	return column + " IN (" + strings.Join(in, ", ") + ")"
}

// hasOne is EXISTS for a look-up by primary key. Both engines may turn EXISTS
// into a join and begin it at the other end; they evaluate this form row by
// row.
func hasOne(from string) string { return "(SELECT 1 FROM " + from + " LIMIT 1) = 1" }

// list is one list of a tenant's things.
type list struct {
	of     listed
	tenant string
	f      listFilter
	driver filter
	others []filter
}

// runs writes the driver's branches, each a SELECT of the id and created_at in
// which "k" is the row. It appends end to each, with the id's column in place of
// "id".
func (l list) runs(q *args, end string) []string {
	var out []string
	for _, b := range l.driver.branches(q) {
		out = append(out, "SELECT k."+b.id+" AS id, k.created_at FROM "+b.table+" k WHERE "+l.holds(q, b)+
			strings.ReplaceAll(end, "k.id", "k."+b.id))
	}
	return out
}

// holds returns the conditions on a row of a branch; the tenant is the first.
func (l list) holds(q *args, b branch) string {
	c := []string{"k.tenant = $1"}
	if b.holds != "" {
		c = append(c, b.holds)
	}
	if !l.f.from.IsZero() {
		c = append(c, "k.created_at >= "+q.p(ms(l.f.from)))
	}
	if !l.f.to.IsZero() {
		c = append(c, "k.created_at < "+q.p(ms(l.f.to)))
	}
	if l.f.after != (issue.Place{}) {
		way := "<"
		if l.f.oldestFirst {
			way = ">"
		}
		c = append(c, "(k.created_at, k."+b.id+") "+way+" ("+q.p(ms(l.f.after.At))+", "+q.p(l.f.after.ID)+")")
	}
	row := "k"
	if b.table != l.of.rows {
		row = "s"
	}
	var others []string
	for _, o := range l.others {
		others = append(others, o.holds(q, row))
	}
	switch {
	case len(others) == 0:
	case row == "k":
		c = append(c, others...)
	default:
		c = append(c, hasOne(l.of.rows+" s WHERE s.tenant = $1 AND s.id = k."+b.id+" AND "+strings.Join(others, " AND ")))
	}
	return strings.Join(c, " AND ")
}

// counting writes the query of the rows to count: each id once, and no more than limit of
// each run.
func (l list) counting(limit int) (rows string, q args) {
	q = args{l.tenant}
	runs := l.runs(&q, fmt.Sprintf(" LIMIT %d", limit))
	return union(runs), q
}

// page writes the query of a page with columns of a row s.
func (l list) page(columns string) (query string, q args) {
	q = args{l.tenant}
	size, offset := q.p(l.f.pageSize), q.p((l.f.page-1)*l.f.pageSize)
	way := " DESC"
	if l.f.oldestFirst {
		way = ""
	}
	newest := " ORDER BY k.created_at" + way + ", k.id" + way + " LIMIT "
	branches := l.driver.branches(new(args))
	if len(branches) == 1 && branches[0].table == l.of.rows {
		b := l.driver.branches(&q)[0]
		return "SELECT " + strings.ReplaceAll(columns, "s.", "k.") + " FROM " + l.of.rows + " k WHERE " + l.holds(&q, b) + newest + size + " OFFSET " + offset, q
	}
	keys := ""
	if len(branches) == 1 {
		keys = l.runs(&q, newest+size+" OFFSET "+offset)[0]
	} else {
		top := q.p(l.f.page * l.f.pageSize)
		keys = "SELECT id, created_at FROM (" + union(l.runs(&q, newest+top)) + ") AS u ORDER BY created_at" + way + ", id" + way + " LIMIT " + size + " OFFSET " + offset
	}
	// CROSS JOIN makes SQLite keep the order: first the keys.
	return "SELECT " + columns + " FROM (" + keys + ") AS p CROSS JOIN " + l.of.rows + " s WHERE s.tenant = $1 AND s.id = p.id ORDER BY p.created_at" + way + ", p.id" + way, q
}

// union merges runs, and removes duplicates.
func union(runs []string) string {
	if len(runs) == 1 {
		return runs[0]
	}
	for i, r := range runs {
		runs[i] = "SELECT id, created_at FROM (" + r + ") AS b" + strconv.Itoa(i)
	}
	return strings.Join(runs, " UNION ")
}

// planList chooses the filter that drives a list.
func planList(ctx context.Context, q queryer, of listed, tenantRef string, f listFilter) (list, error) {
	l := list{of: of, tenant: tenantRef, f: f}
	var filters []filter
	statuses := slices.Compact(slices.Sorted(slices.Values(f.statuses)))
	if len(statuses) == of.statuses {
		statuses = nil
	}
	switch {
	case f.testOnly: // first: if all have many rows, these are the fewest
		filters = append(filters, of.tests(statuses))
	case len(statuses) > 0:
		filters = append(filters, of.byStatus(statuses))
	}
	if f.documentType != "" {
		filters = append(filters, of.byType(f.documentType))
	}
	if f.templateID != "" {
		filters = append(filters, of.byTemplate(strings.ToLower(f.templateID)))
	}
	if f.fieldName != "" {
		keys, err := keysOf(ctx, q, of, tenantRef, f.fieldName)
		if err != nil {
			return l, err
		}
		filters = append(filters, of.byField(keys, f.fieldValue))
	}
	if search := strings.TrimSpace(f.search); search != "" {
		searched, err := searchOf(ctx, q, l, search)
		if err != nil {
			return l, err
		}
		filters = append(filters, searched)
	}
	if len(filters) == 0 {
		l.driver = of.every()
		return l.live(), nil
	}
	drives, least := 0, probeMost+1
	for i, c := range filters {
		if len(filters) == 1 {
			break
		}
		n, err := probe(ctx, q, list{of: of, tenant: tenantRef, f: f, driver: c})
		if err != nil {
			return l, err
		}
		if n < least {
			drives, least = i, n
		}
	}
	l.driver = filters[drives]
	l.others = append(append(l.others, filters[:drives]...), filters[drives+1:]...)
	return l.live(), nil
}

// listPage reads and counts one page of a list. version is the parameter of
// [DB.countRows].
func listPage[T any](ctx context.Context, d *DB, q queryer, l list, columns string, scan func(scanner) (T, error), version func() (int64, error)) (items []T, total int, lowerBound bool, err error) {
	if l.f.uncounted {
		query, a := l.page(columns)
		items, err = all(ctx, q, scan, query, a...)
		return items, 0, false, err
	}
	rows, a := l.counting(stamp.MaxCount + 1)
	least := keepFrom
	if len(l.others) > 0 {
		least = 0 // a few rows may remain of many
	}
	if total, lowerBound, err = d.countRows(ctx, q, rows, a, least, version); err != nil {
		return nil, 0, false, fmt.Errorf("count: %w", err)
	}
	if !lowerBound && (l.f.page-1)*l.f.pageSize >= total {
		return nil, total, lowerBound, nil // the list is empty
	}
	query, a := l.page(columns)
	items, err = all(ctx, q, scan, query, a...)
	return items, total, lowerBound, err
}

// matching reads columns of a row s for each row of a list, at most limit and in no
// order, with nothing counted.
func matching[T any](ctx context.Context, q queryer, l list, columns string, limit int, scan func(scanner) (T, error)) ([]T, error) {
	rows, a := l.counting(limit)
	// CROSS JOIN makes SQLite keep the order: first the keys.
	return all(ctx, q, scan, fmt.Sprintf(`SELECT %s FROM (%s) AS p CROSS JOIN %s s WHERE s.tenant = $1 AND s.id = p.id LIMIT %d`, columns, rows, l.of.rows, limit), a...)
}

// probe counts the rows that a filter alone would read, up to probeMost of each run.
func probe(ctx context.Context, q queryer, l list) (n int, err error) {
	rows, a := l.counting(probeMost)
	err = q.QueryRowContext(ctx, "SELECT count(*) FROM ("+rows+") AS t", a...).Scan(&n)
	return n, wrap(err, "probe list")
}
