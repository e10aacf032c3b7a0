package store

import (
	"context"
	"fmt"
	"strings"

	"tcode/offline/payload"
	"tcode/server/stamp"
)

// OpenShard returns the shard that new stamps get their entries in.
func (d *DB) OpenShard(ctx context.Context) (number uint16, err error) {
	err = d.hot.QueryRowContext(ctx, `SELECT number FROM shards WHERE state = 'open'`).Scan(&number)
	return number, wrap(err, "read open shard")
}

// EntryFree reports whether no stamp has the entry yet.
func (d *DB) EntryFree(ctx context.Context, shard, entry uint16) (bool, error) {
	var n int
	err := d.hot.QueryRowContext(ctx, `SELECT count(*) FROM status_entries WHERE shard = $1 AND entry = $2`, shard, entry).Scan(&n)
	return n == 0, wrap(err, "read status entry")
}

// StampByExternalID returns the stamp that stands for an external id.
func (d *DB) StampByExternalID(ctx context.Context, tenantRef, externalID string) (st stamp.Stamp, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		st, err = stampByExternalID(ctx, q, tenantRef, externalID)
		return err
	})
	return st, err
}

func stampByExternalID(ctx context.Context, q queryer, tenantRef, externalID string) (stamp.Stamp, error) {
	st, err := scanStamp(q.QueryRowContext(ctx, `
		SELECT `+stampColumns+` FROM stamps
		WHERE tenant = $1 AND external_id = $2 AND external_id <> '' AND replaced_by = ''`, tenantRef, externalID))
	return st, noStamp(err)
}

// Stamp returns one stamp with its field values and files.
func (d *DB) Stamp(ctx context.Context, tenantRef, id string) (st stamp.Stamp, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		st, err = scanStamp(q.QueryRowContext(ctx,
			`SELECT `+stampColumns+` FROM stamps WHERE tenant = $1 AND id = $2`, tenantRef, id))
		if err != nil {
			return noStamp(err)
		}
		if st.Values, err = values(ctx, q, tenantRef, id); err != nil {
			return err
		}
		st.Files, err = all(ctx, q, func(r scanner) (f stamp.File, err error) {
			err = r.Scan(&f.Kind, &f.SHA256, &f.SizeBytes, &f.ContentType, &f.FileName)
			return f, err
		}, `SELECT kind, sha256, size_bytes, content_type, file_name FROM stamp_files WHERE tenant = $1 AND stamp_id = $2 ORDER BY kind`, tenantRef, id)
		return wrap(err, "read files of stamp %s", id)
	})
	if err != nil {
		return stamp.Stamp{}, err
	}
	return st, nil
}

// values returns a stamp's field values in the order they were sent in.
func values(ctx context.Context, q queryer, tenantRef, id string) ([]payload.Field, error) {
	fs, err := all(ctx, q, func(r scanner) (f payload.Field, err error) {
		err = r.Scan(&f.Key, &f.Value)
		return f, err
	}, `SELECT key, value FROM stamp_fields WHERE tenant = $1 AND stamp_id = $2 ORDER BY position`, tenantRef, id)
	return fs, wrap(err, "read fields of stamp %s", id)
}

// Events returns a stamp's history, oldest first.
func (d *DB) Events(ctx context.Context, tenantRef, id string) (es []stamp.Event, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		es, err = events(ctx, q, tenantRef, id)
		return err
	})
	return es, err
}

func events(ctx context.Context, q queryer, tenantRef, id string) ([]stamp.Event, error) {
	es, err := all(ctx, q, func(r scanner) (e stamp.Event, err error) {
		var at int64
		err = r.Scan(&e.Action, &e.From, &e.To, &e.Reason, &e.By, &at)
		e.At = fromMS(at)
		return e, err
	}, `SELECT action, from_status, to_status, reason, by_key, at FROM stamp_events
		WHERE tenant = $1 AND stamp_id = $2 ORDER BY seq`, tenantRef, id)
	return es, wrap(err, "read events of stamp %s", id)
}

// where gathers conditions and their arguments; the text of a condition is
// always our own, values go through placeholders.
type where struct {
	conditions []string
	args       []any
}

// and adds a condition in which each ? stands for the next of args.
func (w *where) and(condition string, args ...any) {
	for _, a := range args {
		w.args = append(w.args, a)
		condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(w.args)), 1)
	}
	w.conditions = append(w.conditions, condition)
}

func (w *where) String() string { return strings.Join(w.conditions, " AND ") }

// stampWhere writes a filter; tenant is the first condition of every query.
func stampWhere(tenantRef string, f stamp.Filter) *where {
	w := new(where)
	w.and("s.tenant = ?", tenantRef)
	if len(f.Statuses) > 0 {
		in := make([]any, len(f.Statuses))
		for i, s := range f.Statuses {
			in[i] = string(s)
		}
		w.and("s.status IN (?"+strings.Repeat(", ?", len(in)-1)+")", in...)
	}
	if !f.From.IsZero() {
		w.and("s.created_at >= ?", ms(f.From))
	}
	if !f.To.IsZero() {
		w.and("s.created_at < ?", ms(f.To))
	}
	if f.TemplateID != "" {
		id := strings.ToLower(f.TemplateID)
		w.and("(s.placement_template_id = ? OR s.tdoc_template_id = ?)", id, id)
	}
	if f.FieldName != "" {
		condition, args := "EXISTS (SELECT 1 FROM stamp_fields f WHERE f.tenant = s.tenant AND f.stamp_id = s.id AND f.key = ?", []any{f.FieldName}
		if f.FieldValue != "" {
			condition, args = condition+" AND f.value = ?", append(args, f.FieldValue)
		}
		w.and(condition+")", args...)
	}
	searchWhere(w, f.Search)
	return w
}

// searchWhere matches a reference, an external id, or every word in the name.
func searchWhere(w *where, search string) {
	words := strings.Fields(strings.ToLower(search))
	if len(words) == 0 {
		return
	}
	var parts []string
	var args []any
	for _, word := range words {
		parts = append(parts, `s.search_name LIKE ? ESCAPE '\'`)
		args = append(args, "%"+likeEscaper.Replace(word)+"%")
	}
	condition := "((" + strings.Join(parts, " AND ") + ") OR s.external_id = ?"
	args = append(args, strings.TrimSpace(search))
	if ref, err := payload.ParseReference(search); err == nil {
		condition, args = condition+" OR s.reference = ?", append(args, ref[:])
	}
	w.and(condition+")", args...)
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Stamps returns one page of a tenant's stamps.
func (d *DB) Stamps(ctx context.Context, tenantRef string, f stamp.Filter) (stamp.Page, error) {
	p := stamp.Page{Page: f.Page, PageSize: f.PageSize}
	w := stampWhere(tenantRef, f)
	err := d.read(ctx, tenantRef, func(q queryer) (err error) {
		p.TotalCount, p.TotalIsLowerBound, err = count(ctx, q, "stamps s", w)
		if err != nil {
			return fmt.Errorf("count stamps: %w", err)
		}
		limit, offset := len(w.args)+1, len(w.args)+2
		p.Items, err = all(ctx, q, scanSummary, fmt.Sprintf(`
			SELECT s.id, s.reference, s.status, s.name, s.document_type, s.created_at
			FROM stamps s WHERE %s ORDER BY s.created_at DESC, s.id DESC LIMIT $%d OFFSET $%d`, w, limit, offset),
			append(w.args, f.PageSize, (f.Page-1)*f.PageSize)...)
		return err
	})
	return p, wrap(err, "list stamps")
}

func scanSummary(r scanner) (s stamp.Summary, err error) {
	var reference []byte
	var created int64
	err = r.Scan(&s.ID, &reference, &s.Status, &s.Name, &s.DocumentType, &created)
	copy(s.Reference[:], reference)
	s.CreatedAt = fromMS(created)
	return s, err
}

// count counts rows, up to stamp.MaxCount exactly.
func count(ctx context.Context, q queryer, from string, w *where) (n int, lowerBound bool, err error) {
	err = q.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM %s WHERE %s LIMIT %d) AS t`,
		from, w, stamp.MaxCount+1), w.args...).Scan(&n)
	if n > stamp.MaxCount {
		return stamp.MaxCount, true, err
	}
	return n, false, err
}
