package store_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"
)

// statusOf is the status of stamp n of a family, and of the document that owns it.
var (
	statusOf         = [family]string{"Active", "Suspended", "Revoked", "Revoked"}
	documentStatusOf = [family]string{"Active", "Suspended", "Expired", "Revoked"}
)

// fits are the values that conditions over several columns, and the checks of the store,
// want of rows. A fit that removes the cells removes the row.
var fits = map[string]func(*oldRow){
	"tenants": func(r *oldRow) { r.cells.set("reference", tenantOf(r.age, r.n), "language", "pt-BR") },
	"signing_keys": func(r *oldRow) {
		since := int64(0)
		if r.n == 3 {
			since = timeOf(r.age, 0)
		}
		r.cells.set("state", [family]string{"signing", []string{"announced", "verifying"}[r.age%2], "signing", "compromised"}[r.n], "compromised_since", since)
	},
	"document_types": func(r *oldRow) {
		r.cells.set("code", fmt.Sprintf("T%02X", r.age*family+int64(r.n)), "names", `{"en":"Diploma","de":"Zeugnis \"ä\""}`, "field_labels", `{}`)
	},
	"trust_head": func(r *oldRow) { // one row, which the first schema has
		if r.cells.set("id", int64(1)); r.age != 1 || r.n != 0 {
			r.cells = nil
		}
		r.update = true
	},
	"trust_objects": func(r *oldRow) {
		r.cells.set("content_type", []string{"application/zlib", "application/octet-stream"}[r.n%2])
	},
	"shards": func(r *oldRow) {
		r.cells.set("number", r.age*family+int64(r.n)+2, "state", "closed", "used", int64(1)) // 0 and 1 are in the first schema
	},
	"status_entries": func(r *oldRow) {
		r.cells.set("reference", bytesOf("stamp", r.age, r.n, 10), "value", int64([family]int{0, 2, 1, 3}[r.n]))
	},
	"lost_entries": func(r *oldRow) { r.cells.set("value", int64(1+r.n%3)) },
	"stamps": func(r *oldRow) {
		r.cells.set("reference", bytesOf("stamp", r.age, r.n, 10), "status", statusOf[r.n], "replaced_by", "", "name", nameOf(r.age, r.n), "warnings", `["ä"]`,
			"test", int64([family]int{0, 1, 0, 0}[r.n]), "pages", "[1,2]", "document", "")
		if r.n == 3 {
			r.cells.set("replaced_by", uuidOf("stamps", r.age, 0))
		}
		if r.n > 0 {
			r.cells.set("document", fmt.Sprintf("TRF-%d-%d", r.age, r.n))
		}
	},
	"stamp_fields": func(r *oldRow) { r.cells.set("created_at", createdAt(r.age, r.n)) },
	"stamp_words":  fitWord("stamps"),
	"stamp_files": func(r *oldRow) {
		r.cells.set("kind", []string{"stamped", "original", "barcode", "payload"}[r.n/family])
	},
	"stamp_events":  fitEvent("create", statusOf),
	"verifications": func(r *oldRow) { r.cells.set("reference", bytesOf("stamp", r.age, r.n%family, 10)) },
	"scan_batches":  func(r *oldRow) { r.cells.set("item_digests", bytesOf("items", r.age, r.n, 64)) },
	"scans": func(r *oldRow) {
		signed, finding := int64(1), ""
		if r.n > 5 {
			signed = 0
		}
		if r.n != 2 {
			finding = fmt.Sprint("finding", r.age%2)
		}
		r.cells.set("scanner_id", scannerOf(r.age, r.n%2), "signed", signed, "reference", bytesOf("stamp", r.age, r.n%family, 10), "finding", finding, "received_at", timeOf(r.age, r.n))
	},
	"devices": func(r *oldRow) { r.cells.set("scanner_id", scannerOf(r.age, r.n)) },
	"audit":   func(r *oldRow) { r.cells.set("action", "stamp.create", "detail", `{"a":"ä"}`) },
	"tdoc_templates": func(r *oldRow) {
		fitArchived(r)
		r.cells.set("spec", "{}")
	},
	"placement_templates": func(r *oldRow) { r.cells.set("spec", "{}") },
	"trust_templates": func(r *oldRow) {
		fitArchived(r)
		r.cells.set("fields", "[]")
	},
	"documents": func(r *oldRow) {
		r.cells.set("reference", bytesOf("document", r.age, r.n, 10), "status", documentStatusOf[r.n], "recipient_name", nameOf(r.age, r.n), "title", "common",
			"replaced_by", "", "warnings", "[]", "test", int64([family]int{0, 1, 0, 0}[r.n]), "signature", bytesOf("signature", r.age, r.n, 64),
			"issuance_path", "both", "stamp_id", uuidOf("stamps", r.age, r.n), "stamp_reference", bytesOf("stamp", r.age, r.n, 10),
			"original_sha256", bytesOf("original", r.age, r.n, 32), "stamped_sha256", bytesOf("stamped", r.age, r.n, 32))
		switch r.n {
		case 0:
			r.cells.set("issuance_path", "digital", "stamp_id", "", "stamp_reference", nil, "original_sha256", nil, "stamped_sha256", nil)
		case 1:
			r.cells.set("issuance_path", "tcode")
		case 3:
			r.cells.set("replaced_by", uuidOf("documents", r.age, 0))
		}
	},
	"document_fields": func(r *oldRow) { r.cells.set("created_at", createdAt(r.age, r.n)) },
	"document_words":  fitWord("documents"),
	"document_files": func(r *oldRow) {
		if r.cells.set("kind", []string{"stamped", "original"}[r.n/family]); r.n%family == 0 {
			r.cells = nil
		}
	},
	"document_events": fitEvent("issue", documentStatusOf),
	"bulk_jobs": func(r *oldRow) {
		r.cells.set("settings", fmt.Sprintf(`{"Product":"tcode","DryRun":false,"Test":%v}`, r.n%2 == 1), "test", int64(r.n%2), "columns", `["a"]`, "problems", "[]", "warnings", "[]",
			"total", int64(9), "succeeded", int64(3), "failed", int64(2), "skipped", int64(1))
	},
	"bulk_rows": func(r *oldRow) {
		r.cells.set("state", []string{"Pending", "Succeeded", "Failed", "Skipped"}[r.n], "made", "", "cells", `{"a":"b"}`)
		if r.n == 1 {
			r.cells.set("made", uuidOf("stamps", r.age, 0))
		}
	},
	"webhooks": func(r *oldRow) { r.cells.set("events", `["stamp.*"]`) },
	"mails": func(r *oldRow) {
		r.cells.set("document_id", uuidOf("documents", r.age, r.n), "stamp_id", nil, "owner", "", "sent_at", int64(0))
		if r.n%2 == 1 && r.cells.has("stamp_id") {
			r.cells.set("document_id", nil, "stamp_id", uuidOf("stamps", r.age, r.n))
		}
		switch r.cells["state"] {
		case "Sent":
			r.cells.set("sent_at", timeOf(r.age, r.n))
		case "Sending":
			r.cells.set("owner", "gateway")
		}
	},
	"users": func(r *oldRow) {
		r.cells.set("role", []string{"owner", "issuer", "viewer", "operator"}[r.n], "state", []string{"active", "invited", "disabled", "active"}[r.n],
			"password", []string{"-", "", "", "$argon2id$"}[r.n], "blind", int64([family]int{0, 1, 0, 0}[r.n]))
		if r.n == 3 {
			r.cells.set("tenant", "")
		}
	},
	"user_sessions": func(r *oldRow) {
		if r.cells["stage"] != "enrol" {
			r.cells.set("factor", []byte{})
		}
	},
	"erasures": func(r *oldRow) {
		if r.cells["step"] != "done" {
			r.cells.set("done_at", int64(0))
		}
	},
	"batches": func(r *oldRow) {
		r.cells.set("total", int64(3), "done", int64(2), "changed", int64(1), "problems", "[]")
	},
	"usage_days": func(r *oldRow) { r.cells.set("part", int64(0)) },
}

func createdAt(age int64, n int) int64 { return timeOf(age, n) + int64(len("created_at")) }

func scannerOf(age int64, n int) string { return fmt.Sprintf("dev_%d_%d", age, n) }

func fitArchived(r *oldRow) {
	if r.cells["status"] != "Archived" {
		r.cells.set("archived_at", int64(0), "archive_reason", "")
	}
}

// fitWord makes one word of the name of a stamp or a document.
func fitWord(of string) func(*oldRow) {
	return func(r *oldRow) {
		owner := uuidOf(of, r.age, r.n%family)
		r.cells.set("word", wordsOfName(r.age, r.n%family)[r.n/family], "created_at", createdAt(r.age, r.n%family), "stamp_id", owner, "document_id", owner)
	}
}

// fitEvent makes the one event that led to the status of a stamp or a document.
func fitEvent(first string, statuses [family]string) func(*oldRow) {
	return func(r *oldRow) {
		action, from := first, ""
		if r.n > 0 {
			action, from = "revoke", "Active"
		}
		r.cells.set("seq", int64(0), "action", action, "from_status", from, "to_status", statuses[r.n])
	}
}

// isCount reports whether a table holds counts of the rows of others.
func isCount(table string) bool {
	return table == "usage_days" || table == "tenant_devices" || table == "finding_days"
}

// dayOf returns the UTC day of a time as usage_days has it.
func dayOf(ms int64) int64 {
	d := time.UnixMilli(ms).UTC()
	return int64(d.Year()*10000 + int(d.Month())*100 + d.Day())
}

// countsOf returns the rows of a table of counts, as they follow from other rows. A row
// has only columns that follow.
func countsOf(table string, rows []oldRow) (counts []cells) {
	if !isCount(table) {
		return nil
	}
	by := map[string]cells{}
	count := func(counter string, adds int64, key cells) cells {
		k := fmt.Sprint(key)
		if by[k] == nil {
			key[counter] = int64(0)
			by[k] = key
			counts = append(counts, key)
		}
		by[k][counter] = by[k][counter].(int64) + adds
		return by[k]
	}
	tests := map[string]bool{} // by reference of the stamp
	for _, r := range rows {
		if r.table == "stamps" {
			tests[string(r.cells["reference"].([]byte))] = r.cells["test"] == int64(1)
		}
	}
	for _, r := range rows {
		c := r.cells
		ofTest := r.table == "scans" && tests[string(c["reference"].([]byte))]
		switch {
		case table == "usage_days" && (r.table == "stamps" || r.table == "documents" || r.table == "verifications"):
			kind, at := r.table, "created_at"
			if kind == "verifications" {
				at = "verified_at"
			}
			if c["test"] == int64(1) {
				kind = "test_" + kind
			}
			count("used", 1, cells{"tenant": c["tenant"], "day": dayOf(c[at].(int64)), "kind": kind})
		case table == "usage_days" && r.table == "scans" && !ofTest:
			count("used", 1, cells{"tenant": c["tenant"], "day": dayOf(c["received_at"].(int64)), "kind": "scans"})
		case table == "tenant_devices" && r.table == "scans" && c["signed"] == int64(1):
			d := count("scans", 1, cells{"tenant": c["tenant"], "scanner_id": c["scanner_id"]})
			for name, of := range map[string]string{"first_at": "received_at", "last_at": "received_at", "last_scan": "scanned_at", "trust_version": "trust_version"} {
				v := c[of].(int64)
				was, ok := d[name].(int64)
				if name == "first_at" && ok && was < v || name != "first_at" && ok && was > v {
					v = was
				}
				d[name] = v
			}
			findings, _ := d["findings"].(int64)
			if c["finding"] != "" {
				findings++
			}
			d["findings"] = findings
		case table == "finding_days" && r.table == "scans" && c["signed"] == int64(1) && c["finding"] != "" && !ofTest:
			d := count("seen", 1, cells{"tenant": c["tenant"], "day": dayOf(c["received_at"].(int64)), "finding": c["finding"]})
			if last, ok := d["last_at"].(int64); !ok || last <= c["received_at"].(int64) {
				d["last_at"], d["reference"], d["scanner_id"] = c["received_at"], c["reference"], c["scanner_id"]
			}
		}
	}
	return counts
}

// standardOf returns the value of a column's default.
func standardOf(c oldColumn) any {
	text := c.standard.String
	switch {
	case !c.standard.Valid || text == "NULL":
		return nil
	case text == "x''":
		return []byte{}
	case c.kind == "INTEGER":
		var n int64
		fmt.Sscan(text, &n)
		return n
	}
	return strings.ReplaceAll(strings.Trim(text, "'"), "''", "'")
}

// postgresSchema returns the parts of a PostgreSQL schema, as text.
func postgresSchema(t *testing.T, db *sql.DB) (lines []string) {
	t.Helper()
	each(t, db, func(scan func(...any)) {
		var line string
		if scan(&line); repaired.MatchString(line) {
			line = standard.ReplaceAllString(line, "")
		}
		lines = append(lines, line)
	}, `
		SELECT concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), c.collname, CASE WHEN a.attnotnull THEN 'NOT NULL' END, a.attidentity,
			'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), 'of', a.attrelid::regclass, r.relrowsecurity, r.relforcerowsecurity)
		FROM pg_attribute a JOIN pg_class r ON r.oid = a.attrelid AND r.relkind = 'r' AND r.relnamespace = current_schema()::regnamespace
		LEFT JOIN pg_collation c ON c.oid = a.attcollation LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attnum > 0 AND NOT a.attisdropped
		UNION ALL SELECT concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid), convalidated) FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
		UNION ALL SELECT concat_ws(' ', tablename, policyname, qual, with_check) FROM pg_policies WHERE schemaname = current_schema()
		UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal`)
	return lines
}
