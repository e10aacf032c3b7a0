package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"tcode/offline/jsontext"
)

// An exported table has rows of tenants. key are the columns that order a tenant's rows, in
// the order of an index, each with a value below all others.
type exported struct {
	name, columns string
	key           []from
}

// from is a column of a key, and a value below all of the column's.
type from struct {
	column string
	least  any
}

func texts(columns ...string) (key []from) {
	for _, c := range columns {
		key = append(key, from{c, ""})
	}
	return key
}

func numbers(columns ...string) (key []from) {
	for _, c := range columns {
		key = append(key, from{c, int64(-1)})
	}
	return key
}

// exports are the tables of an archive of a tenant's data, without secrets, and without
// what is computed from other rows.
var exports = []exported{
	{"tenant_states", "seq, state, at", numbers("seq")},
	{"plan_quotas", "kind, per_month", texts("kind")},
	{"usage_months", "month, kind, part, used", append(append(numbers("month"), texts("kind")...), numbers("part")...)},
	{"usage_days", "day, kind, part, used", append(append(numbers("day"), texts("kind")...), numbers("part")...)},
	{"finding_days", "day, finding, seen, last_at, reference, scanner_id", append(numbers("day"), texts("finding")...)},
	{"retention", "kind, days", texts("kind")},
	{"brands", "colour, web, email, phone, names, logo, logo_sha256, logo_type, logo_width, logo_height, updated_at", numbers("updated_at")},
	{"api_keys", "prefix, name, test, scopes, created_at, expires_at, last_used_at, last_from, uses_day, uses, revoked_at", append(numbers("created_at"), texts("prefix")...)},
	{"signing_keys", "seq, algorithm, public, state, valid_from, valid_until, compromised_since, survivor_list, created_at", numbers("seq")},
	{"users", "id, email, name, role, state, created_at, updated_at, signed_in_at", texts("id")},
	{"user_passkeys", "user_id, id, name, cloned, created_at, used_at", texts("user_id", "id")},
	{"user_identities", "user_id, issuer, subject, linked_at", texts("user_id")},
	{"signin_providers", "issuer, client_id, updated_at", texts("issuer")},
	{"placement_templates", "id, version, name, description, spec, hidden, created_at, updated_at", texts("id")},
	{"tdoc_templates", "id, version, status, name, description, spec, hidden, created_at, updated_at, archived_at", texts("id")},
	{"trust_templates", "id, version, status, name, description, document_type, fields, placement_template_id, archive_reason, hidden, created_at, updated_at, archived_at", texts("id")},
	{"stamps", stampRead[len("tenant, "):], texts("id")},
	{"stamp_fields", "stamp_id, key, value, position", texts("stamp_id", "key")},
	{"stamp_files", "stamp_id, kind, sha256, size_bytes, content_type, file_name", texts("stamp_id", "kind")},
	{"stamp_events", "stamp_id, seq, action, from_status, to_status, reason, by_key, at", append(texts("stamp_id"), numbers("seq")...)},
	{"documents", documentRead[len("tenant, "):], texts("id")},
	{"document_fields", "document_id, key, value, position", texts("document_id", "key")},
	{"document_files", "document_id, kind, sha256, size_bytes, content_type, file_name", texts("document_id", "kind")},
	{"document_events", "document_id, seq, action, from_status, to_status, reason, by_key, at", append(texts("document_id"), numbers("seq")...)},
	{"mails", "id, document_id, stamp_id, field, state, reason, round, tries, code, next_at, give_up_at, sent_at, created_at, updated_at", texts("id")},
	{"batches", "id, subject, action, reason, author, state, stop, ids, total, done, changed, problems, created_at, updated_at", texts("id")},
	{"bulk_jobs", bulkColumns[len("tenant, "):] + ", test", texts("id")},
	{"bulk_rows", "job, number, line, state, file, cells, made, reference, code, message, updated_at", append(texts("job"), numbers("number")...)},
	{"webhooks", "id, url, events, state, reason, created_at, updated_at", texts("id")},
	{"webhook_deliveries", "id, endpoint, type, body, state, tries, status, reason, due_at, created_at, finished_at", texts("id")},
	{"webhook_tries", "delivery, number, at, took_ms, status, reason", append(texts("delivery"), numbers("number")...)},
	{"tenant_devices", "scanner_id, first_at, last_at, last_scan, scans, findings, trust_version, skew_ms, name, refused, refused_at", texts("scanner_id")},
	{"verifications", "id, kind, reference, verdict, method, viewer_key, verified_at, test, scanner_id, location", append(texts("kind"), numbers("verified_at", "id")...)},
	{"scans", `id, scanner_id, signed, scan_id, digest, batch_id, seq, payload, typed_reference, reference, verdict, verdict_at_scan, offline_verdict, assurance, binding,
		trust_version, location, latitude_e6, longitude_e6, note, scanned_at, sent_at, received_at, finding`, append([]from{{"reference", []byte{}}}, numbers("received_at", "id")...)},
	{"scan_conflicts", "id, scanner_id, signed, scan_id, digest, batch_id, canonical, received_at", numbers("id")},
	{"once", "route, key, status, body, created_at", texts("route", "key")},
	{"erasures", "id, subject, step, requested_at, done_at", texts("id")},
	{"audit", "id, at, actor, by_name, action, subject, detail, trace_id", numbers("id")},
}

// exportAtOnce is the number of rows that an export reads in one step.
const exportAtOnce = 200

// ExportTables returns the names of the tables of an export.
func (d *DB) ExportTables() []string {
	names := []string{"tenants"}
	for _, t := range exports {
		names = append(names, t.name)
	}
	return names
}

// ExportRows calls each for the rows of a table.
func (d *DB) ExportRows(ctx context.Context, tenantRef, table string, each func(row []byte) error) error {
	if table == "tenants" {
		return d.exportPage(ctx, tenantRef, `SELECT * FROM tenants WHERE reference = $1`, []any{tenantRef}, func(row []any, names []string) error {
			return eachJSON(row, names, each)
		})
	}
	for _, t := range exports {
		if t.name == table {
			return d.exportTable(ctx, tenantRef, t, each)
		}
	}
	return fmt.Errorf("no table %q in an export", table)
}

func (d *DB) exportTable(ctx context.Context, tenantRef string, t exported, each func(row []byte) error) error {
	columns, marks, args := make([]string, len(t.key)), make([]string, len(t.key)), []any{tenantRef}
	for i, k := range t.key {
		columns[i], marks[i] = k.column, fmt.Sprintf("$%d", i+2)
		args = append(args, k.least)
	}
	key := strings.Join(columns, ", ")
	query := fmt.Sprintf(`SELECT %s, %s FROM %s WHERE tenant = $1 AND (%s) > (%s) ORDER BY %s LIMIT %d`,
		key, t.columns, t.name, key, strings.Join(marks, ", "), key, exportAtOnce)
	for {
		n := 0
		err := d.exportPage(ctx, tenantRef, query, args, func(row []any, names []string) error {
			n++
			copy(args[1:], row[:len(t.key)])
			return eachJSON(row[len(t.key):], names[len(t.key):], each)
		})
		if err != nil || n < exportAtOnce {
			return err
		}
	}
}

// exportPage reads one page into memory and calls each after that, so that a slow reader of
// the export holds no transaction.
func (d *DB) exportPage(ctx context.Context, tenantRef, query string, args []any, each func(row []any, names []string) error) error {
	var page [][]any
	var names []string
	err := d.read(ctx, tenantRef, func(q queryer) error {
		page = nil
		rows, err := q.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		if names, err = rows.Columns(); err != nil {
			return err
		}
		for rows.Next() {
			row, into := make([]any, len(names)), make([]any, len(names))
			for i := range row {
				into[i] = &row[i]
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			page = append(page, row)
		}
		return rows.Err()
	})
	for _, row := range page {
		if err == nil {
			err = each(row, names)
		}
	}
	return err
}

func eachJSON(row []any, names []string, each func([]byte) error) error {
	object := make(map[string]any, len(row))
	for i, v := range row {
		switch v := v.(type) {
		case []byte:
			object[names[i]] = hex.EncodeToString(v)
		case time.Time: // the driver of SQLite reads some columns so
			object[names[i]] = v.UnixMilli()
		default:
			object[names[i]] = v
		}
	}
	out, err := jsontext.Marshal(object)
	if err != nil {
		return err
	}
	return each(out)
}

// ExportFiles calls each forevery file that a tenant's rows name.
func (d *DB) ExportFiles(ctx context.Context, tenantRef string, each func(path, sha256 string) error) error {
	lists := []struct {
		table  exported
		folder string
	}{
		{exported{"stamp_files", "sha256, size_bytes", texts("stamp_id", "kind")}, "stamp"},
		{exported{"document_files", "sha256, size_bytes", texts("document_id", "kind")}, "document"},
		{exported{"bulk_jobs", "csv_sha256, csv_bytes, zip_sha256, zip_bytes", texts("id")}, "bulk_job"},
	}
	for _, l := range lists {
		err := d.exportTable(ctx, tenantRef, exported{l.table.name, l.table.columns + ", " + keyColumns(l.table.key), l.table.key}, func(raw []byte) error {
			var row struct {
				StampID    string `json:"stamp_id"`
				DocumentID string `json:"document_id"`
				ID         string `json:"id"`
				Kind       string `json:"kind"`
				SHA256     string `json:"sha256"`
				Bytes      int64  `json:"size_bytes"`
				CSV        string `json:"csv_sha256"`
				CSVBytes   int64  `json:"csv_bytes"`
				ZIP        string `json:"zip_sha256"`
				ZIPBytes   int64  `json:"zip_bytes"`
			}
			if err := json.Unmarshal(raw, &row); err != nil {
				return err
			}
			path := l.folder + "/" + row.StampID + row.DocumentID + row.ID + "/"
			for _, f := range []struct {
				name, sha256 string
				size         int64
			}{{row.Kind, row.SHA256, row.Bytes}, {"csv", row.CSV, row.CSVBytes}, {"zip", row.ZIP, row.ZIPBytes}} {
				if f.sha256 == "" || f.size < 0 {
					continue
				}
				if err := each(path+f.name, f.sha256); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("list files of %s: %w", l.table.name, err)
		}
	}
	return nil
}

func keyColumns(key []from) string {
	var names []string
	for _, k := range key {
		names = append(names, k.column)
	}
	return strings.Join(names, ", ")
}
