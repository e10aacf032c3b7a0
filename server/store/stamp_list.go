package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tcode/offline/payload"
	"tcode/server/stamp"
)

// A list of stamps is read off the end of an index that is in its order. Each
// filter has one, in which its rows are a run, or a few runs (branches) whose
// newest rows are merged:
//
//	none      stamps by (tenant, created_at, id)
//	status    stamps by (tenant, status, created_at, id), a branch a status
//	template  stamps by (tenant, ..._template_id, created_at, id), a branch a kind
//	field     stamp_fields by (tenant, key, [value,] created_at, stamp_id)
//	search    stamp_words by (tenant, word, created_at, stamp_id), and by external id and reference
//
// With several filters the one with the fewest rows drives, and the others are
// asked about each row. Which that is is found by counting up to probeMost rows
// of each.
const probeMost = 300

// statuses is how many a stamp can be in: a list of those in any is of all.
const statuses = 3

// filter is one of the filters of a list.
type filter struct {
	// branches are what it reads when it drives.
	branches func(q *args) []branch
	// holds is the condition on row s of stamps when another drives.
	holds func(q *args, s string) string
}

// branch is a run of rows, named k, in an index that goes on with created_at and
// the stamp's id.
type branch struct {
	table, id string // id is the column with the stamp's id
	holds     string
}

// args are a statement's arguments.
type args []any

// p adds an argument and returns its placeholder.
func (q *args) p(v any) string {
	*q = append(*q, v)
	return "$" + strconv.Itoa(len(*q))
}

var ofStamps = branch{table: "stamps", id: "id"}

func everyStamp() filter {
	return filter{branches: func(*args) []branch { return []branch{ofStamps} }}
}

func byStatus(statuses []stamp.Status) filter {
	return filter{
		func(q *args) (out []branch) {
			for _, s := range statuses {
				b := ofStamps
				b.holds = "k.status = " + q.p(string(s))
				out = append(out, b)
			}
			return out
		},
		func(q *args, s string) string {
			in := make([]string, len(statuses))
			for i, status := range statuses {
				in[i] = q.p(string(status))
			}
			return s + ".status IN (" + strings.Join(in, ", ") + ")"
		},
	}
}

func byTemplate(id string) filter {
	columns := []string{"placement_template_id", "tdoc_template_id"}
	return filter{
		func(q *args) (out []branch) {
			for _, c := range columns {
				b := ofStamps
				b.holds = "k." + c + " = " + q.p(id) + " AND k." + c + " <> ''"
				out = append(out, b)
			}
			return out
		},
		func(q *args, s string) string {
			return "(" + s + "." + columns[0] + " = " + q.p(id) + " OR " + s + "." + columns[1] + " = " + q.p(id) + ")"
		},
	}
}

func byField(key, value string) filter {
	holds := func(q *args, f string) string {
		c := f + ".key = " + q.p(key)
		if value != "" {
			c += " AND " + f + ".value = " + q.p(value)
		}
		return c
	}
	return filter{
		func(q *args) []branch { return []branch{{"stamp_fields", "stamp_id", holds(q, "k")}} },
		func(q *args, s string) string {
			return hasOne("stamp_fields f WHERE f.tenant = $1 AND f.stamp_id = " + s + ".id AND " + holds(q, "f"))
		},
	}
}

// hasOne is EXISTS for what a primary key finds. Both engines make a join of
// EXISTS where they like, and may begin it at the other end; this they ask row
// by row.
func hasOne(from string) string { return "(SELECT 1 FROM " + from + ") = 1" }

// bySearch matches stamps with all words in their name, the rarest first, with
// the very external id, or with the reference.
func bySearch(words []string, externalID string, ref *payload.Reference) filter {
	others := func(q *args, words []string, created, id string) (c []string) {
		for _, w := range words {
			c = append(c, hasOne("stamp_words w WHERE w.tenant = $1 AND w.word = "+q.p(w)+
				" AND w.created_at = "+created+" AND w.stamp_id = "+id))
		}
		return c
	}
	return filter{
		func(q *args) (out []branch) {
			if len(words) > 0 {
				b := branch{table: "stamp_words", id: "stamp_id", holds: "k.word = " + q.p(words[0])}
				b.holds = strings.Join(append([]string{b.holds}, others(q, words[1:], "k.created_at", "k.stamp_id")...), " AND ")
				out = append(out, b)
			}
			b := ofStamps
			b.holds = "k.external_id = " + q.p(externalID) + " AND k.external_id <> ''"
			out = append(out, b)
			if ref != nil {
				b.holds = "k.reference = " + q.p(ref[:])
				out = append(out, b)
			}
			return out
		},
		func(q *args, s string) string {
			any := []string{s + ".external_id = " + q.p(externalID)}
			if len(words) > 0 {
				any = append(any, "("+strings.Join(others(q, words, s+".created_at", s+".id"), " AND ")+")")
			}
			if ref != nil {
				any = append(any, s+".reference = "+q.p(ref[:]))
			}
			return "(" + strings.Join(any, " OR ") + ")"
		},
	}
}

// stampList is one list of a tenant's stamps.
type stampList struct {
	tenant string
	f      stamp.Filter
	driver filter
	others []filter
}

// runs writes the driver's branches, each a SELECT of the stamp's id and
// created_at in which "k" is the row. end is appended to each, with the id's
// column in place of "id".
func (l stampList) runs(q *args, end string) []string {
	var out []string
	for _, b := range l.driver.branches(q) {
		out = append(out, "SELECT k."+b.id+" AS id, k.created_at FROM "+b.table+" k WHERE "+l.holds(q, b)+
			strings.ReplaceAll(end, "k.id", "k."+b.id))
	}
	return out
}

// holds are the conditions on a row of a branch; the tenant is the first.
func (l stampList) holds(q *args, b branch) string {
	c := []string{"k.tenant = $1"}
	if b.holds != "" {
		c = append(c, b.holds)
	}
	if !l.f.From.IsZero() {
		c = append(c, "k.created_at >= "+q.p(ms(l.f.From)))
	}
	if !l.f.To.IsZero() {
		c = append(c, "k.created_at < "+q.p(ms(l.f.To)))
	}
	row := "k"
	if b.table != "stamps" {
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
		c = append(c, hasOne("stamps s WHERE s.tenant = $1 AND s.id = k."+b.id+" AND "+strings.Join(others, " AND ")))
	}
	return strings.Join(c, " AND ")
}

// counting writes the rows to count: each stamp once, and no more than most of
// each run.
func (l stampList) counting(most int) (rows string, q args) {
	q = args{l.tenant}
	runs := l.runs(&q, fmt.Sprintf(" LIMIT %d", most))
	return union(runs), q
}

// page writes the query of a page.
func (l stampList) page() (query string, q args) {
	q = args{l.tenant}
	size, offset := q.p(l.f.PageSize), q.p((l.f.Page-1)*l.f.PageSize)
	const columns = "s.id, s.reference, s.status, s.name, s.document_type, s.created_at"
	newest := " ORDER BY k.created_at DESC, k.id DESC LIMIT "
	branches := l.driver.branches(new(args))
	if len(branches) == 1 && branches[0].table == "stamps" {
		b := l.driver.branches(&q)[0]
		return "SELECT " + strings.ReplaceAll(columns, "s.", "k.") + " FROM stamps k WHERE " + l.holds(&q, b) + newest + size + " OFFSET " + offset, q
	}
	keys := ""
	if len(branches) == 1 {
		keys = l.runs(&q, newest+size+" OFFSET "+offset)[0]
	} else {
		top := q.p(l.f.Page * l.f.PageSize)
		keys = "SELECT id, created_at FROM (" + union(l.runs(&q, newest+top)) + ") AS u ORDER BY created_at DESC, id DESC LIMIT " + size + " OFFSET " + offset
	}
	// CROSS JOIN, because SQLite keeps its order: first the keys.
	return "SELECT " + columns + " FROM (" + keys + ") AS p CROSS JOIN stamps s WHERE s.tenant = $1 AND s.id = p.id ORDER BY p.created_at DESC, p.id DESC", q
}

// union merges runs, and drops what is in several.
func union(runs []string) string {
	if len(runs) == 1 {
		return runs[0]
	}
	for i, r := range runs {
		runs[i] = "SELECT id, created_at FROM (" + r + ") AS b" + strconv.Itoa(i)
	}
	return strings.Join(runs, " UNION ")
}

// Stamps returns one page of a tenant's stamps.
func (d *DB) Stamps(ctx context.Context, tenantRef string, f stamp.Filter) (stamp.Page, error) {
	p := stamp.Page{Page: f.Page, PageSize: f.PageSize}
	err := d.read(ctx, tenantRef, func(q queryer) error {
		l, err := planList(ctx, q, tenantRef, f)
		if err != nil {
			return err
		}
		rows, a := l.counting(stamp.MaxCount + 1)
		least := keepFrom
		if len(l.others) > 0 {
			least = 0 // few may be the rest of many
		}
		if p.TotalCount, p.TotalIsLowerBound, err = d.countRows(ctx, q, rows, a, least, stampsVersion(ctx, q, tenantRef)); err != nil {
			return fmt.Errorf("count: %w", err)
		}
		if !p.TotalIsLowerBound && (f.Page-1)*f.PageSize >= p.TotalCount {
			return nil // nothing is there
		}
		query, a := l.page()
		p.Items, err = all(ctx, q, scanSummary, query, a...)
		return err
	})
	return p, wrap(err, "list stamps")
}

// planList chooses what drives a list.
func planList(ctx context.Context, q queryer, tenantRef string, f stamp.Filter) (stampList, error) {
	l := stampList{tenant: tenantRef, f: f}
	var filters []filter
	if s := slices.Compact(slices.Sorted(slices.Values(f.Statuses))); len(s) > 0 && len(s) < statuses {
		filters = append(filters, byStatus(s))
	}
	if f.TemplateID != "" {
		filters = append(filters, byTemplate(strings.ToLower(f.TemplateID)))
	}
	if f.FieldName != "" {
		filters = append(filters, byField(f.FieldName, f.FieldValue))
	}
	if search := strings.TrimSpace(f.Search); search != "" {
		words, err := rarestFirst(ctx, q, l, wordsOf(search))
		if err != nil {
			return l, err
		}
		var reference *payload.Reference
		if ref, err := payload.ParseReference(search); err == nil {
			reference = &ref
		}
		filters = append(filters, bySearch(words, search, reference))
	}
	if len(filters) == 0 {
		l.driver = everyStamp()
		return l, nil
	}
	drives, least := 0, probeMost+1
	for i, c := range filters {
		if len(filters) == 1 {
			break
		}
		n, err := probe(ctx, q, stampList{tenant: tenantRef, f: f, driver: c})
		if err != nil {
			return l, err
		}
		if n < least {
			drives, least = i, n
		}
	}
	l.driver = filters[drives]
	l.others = append(append(l.others, filters[:drives]...), filters[drives+1:]...)
	return l, nil
}

// rarestFirst moves the rarest of several words to the front.
func rarestFirst(ctx context.Context, q queryer, l stampList, words []string) ([]string, error) {
	if len(words) < 2 {
		return words, nil
	}
	least := probeMost + 1
	for i, w := range words {
		l.driver = bySearch([]string{w}, "", nil)
		n, err := probe(ctx, q, l)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, nil // no name has all of them
		}
		if n < least {
			words[0], words[i], least = words[i], words[0], n
		}
	}
	return words, nil
}

// probe counts what a filter alone would read, up to probeMost of each run.
func probe(ctx context.Context, q queryer, l stampList) (n int, err error) {
	rows, a := l.counting(probeMost)
	err = q.QueryRowContext(ctx, "SELECT count(*) FROM ("+rows+") AS t", a...).Scan(&n)
	return n, wrap(err, "probe list")
}

func scanSummary(r scanner) (s stamp.Summary, err error) {
	var reference []byte
	var created int64
	err = r.Scan(&s.ID, &reference, &s.Status, &s.Name, &s.DocumentType, &created)
	copy(s.Reference[:], reference)
	s.CreatedAt = fromMS(created)
	return s, err
}
