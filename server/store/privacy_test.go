package store_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tcode/server/platform/blob"
	"tcode/server/privacy"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// privacyOf returns the service over a bundle, with files that may be removed immediately.
func privacyOf(b *storetest.Bundle, st privacy.Store) *privacy.Service {
	return privacy.New(privacy.Config{Store: st, Files: blob.Sweeper{Store: b.Blobs, Register: b.DB}, Tenants: b.Tenants, Now: b.Clock.Now, Grace: -time.Hour})
}

// counted counts the rows of a query.
func counted(t *testing.T, b *storetest.Bundle, query string) (n int) {
	t.Helper()
	if err := storetest.Raw(t, b.Dir).QueryRow(`SELECT count(*) FROM ` + query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSweep: everything that is older than its time is deleted, and nothing else, of the
// tenant alone that set the time.
func TestSweep(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		acme := furnish(t, b, "ACME01", "acme")
		furnish(t, b, "OTHER1", "other")
		for _, end := range []string{`UPDATE bulk_jobs SET status = 'Cancelled', owner = '', finished_at = created_at, problems = '[{"Line":2,"Column":"name","Message":"m","Value":"Ada"}]'`, `UPDATE mails SET state = 'Failed', owner = ''`} {
			if _, err := storetest.Raw(t, b.Dir).Exec(end); err != nil {
				t.Fatal(err)
			}
		}
		s, ctx := privacyOf(b, b.DB), t.Context()
		set := func(of privacy.Settings) {
			t.Helper()
			if err := s.SetRetention(ctx, "ACME01", tenant.By{Actor: tenant.ActorOperator}, of); err != nil {
				t.Fatal(err)
			}
		}
		rows := map[string]string{ // by the kind of the data, in the tenant ACME01
			"answers": `once WHERE tenant = 'ACME01'`, "history": `verifications WHERE tenant = 'ACME01'`, "scans": `scans WHERE tenant = 'ACME01'`,
			"locations": `scans WHERE tenant = 'ACME01' AND location <> ''`, "mails": `mails WHERE tenant = 'ACME01'`,
			"addresses": `documents WHERE tenant = 'ACME01' AND recipient_email <> ''`, "uploads": `bulk_jobs WHERE tenant = 'ACME01' AND (csv_bytes >= 0 OR problems <> '[]')`,
			"cells":     `bulk_rows WHERE tenant = 'ACME01' AND cells <> '{}'`,
			"originals": `stamp_files WHERE tenant = 'ACME01' AND kind = 'original' AND size_bytes >= 0`,
			"pdfs":      `document_files WHERE tenant = 'ACME01' AND kind = 'original' AND size_bytes >= 0`,
			"stamped":   `stamp_files WHERE tenant = 'ACME01' AND kind <> 'original' AND size_bytes >= 0`,
		}
		furnished := map[privacy.Kind]int{
			privacy.Answers: counted(t, b, rows["answers"]), privacy.History: counted(t, b, rows["history"]), privacy.Scans: counted(t, b, rows["scans"]),
			privacy.Mails: counted(t, b, rows["mails"]), privacy.Uploads: counted(t, b, rows["uploads"]),
			privacy.Originals: counted(t, b, rows["originals"]) + counted(t, b, rows["pdfs"]),
		}
		left := func() (kinds string) {
			t.Helper()
			if err := s.Sweep(ctx); err != nil {
				t.Fatal(err)
			}
			for _, k := range []string{"answers", "history", "scans", "locations", "mails", "addresses", "uploads", "cells", "originals", "pdfs", "stamped"} {
				if counted(t, b, rows[k]) > 0 {
					kinds += k + " "
				}
			}
			return kinds
		}
		for _, step := range []struct {
			days int
			set  privacy.Settings
			want string
		}{
			{0, privacy.Settings{privacy.Uploads: 0}, "answers history scans locations mails addresses uploads cells originals pdfs stamped "},
			{2, privacy.Settings{privacy.Uploads: 0}, "history scans locations mails addresses uploads cells originals pdfs stamped "},
			{100, privacy.Settings{privacy.Uploads: 0}, "history scans mails addresses uploads cells originals pdfs stamped "},
			{0, privacy.Settings{privacy.Mails: 30}, "history scans originals pdfs stamped "},
			{800, privacy.Settings{privacy.History: 0}, "history originals pdfs stamped "},
			{0, privacy.Settings{privacy.Originals: 1}, "stamped "},
			{0, privacy.Settings{privacy.Stamped: 30}, ""},
		} {
			b.Clock.Add(time.Duration(step.days) * 24 * time.Hour)
			set(step.set)
			if got := left(); got != step.want {
				t.Errorf("after %d days more, with %v, %q is left, want %q", step.days, step.set, got, step.want)
			}
		}
		swept, err := s.Swept(ctx, "ACME01")
		if err != nil || !swept.At.Equal(b.Clock.Now().UTC().Truncate(time.Millisecond)) {
			t.Errorf("the last sweep was at %s, want %s: %v", swept.At, b.Clock.Now(), err)
		}
		for kind, rows := range furnished {
			if got := swept.Last[kind]; got.N != rows || rows == 0 || got.At.IsZero() || got.At.After(swept.At) {
				t.Errorf("%d %s were removed at %s, want %d", got.N, kind, got.At, rows)
			}
		}
		if other, err := s.Swept(ctx, "OTHER1"); err != nil || other.At.IsZero() || other.Last[privacy.Originals].N != 0 {
			t.Errorf("the sweeps of another tenant are %+v: %v", other, err)
		}
		if there, err := b.Blobs.Has(ctx, acme.original); there || err != nil {
			t.Errorf("the original is left: %v %v", there, err)
		}
		if n := counted(t, b, `stamp_files WHERE tenant = 'OTHER1' AND size_bytes >= 0`); n == 0 {
			t.Error("files of another tenant were deleted")
		}
		if n := counted(t, b, `leaving_files`); n != 0 {
			t.Errorf("%d files wait to be removed", n)
		}
	})
}

// errCrash ends the work of a store that crashes.
var errCrash = errors.New("the gateway was killed")

// crashing is a store that fails from a call on.
type crashing struct {
	privacy.Store
	calls int // left
}

func (c *crashing) dies() error {
	if c.calls--; c.calls < 0 {
		return errCrash
	}
	return nil
}

func (c *crashing) EraseSome(ctx context.Context, e privacy.Erasure) (string, bool, error) {
	if err := c.dies(); err != nil {
		return "", false, err
	}
	place, finished, err := c.Store.EraseSome(ctx, e)
	return place, finished, errors.Join(err, c.dies())
}

func (c *crashing) MoveErasure(ctx context.Context, e privacy.Erasure) error {
	if err := c.dies(); err != nil {
		return err
	}
	return c.Store.MoveErasure(ctx, e)
}

func (c *crashing) ForgetFile(ctx context.Context, f privacy.LeavingFile) error {
	if err := c.dies(); err != nil {
		return err
	}
	return c.Store.ForgetFile(ctx, f)
}

func (c *crashing) Compact(ctx context.Context) error {
	if err := c.dies(); err != nil {
		return err
	}
	return c.Store.Compact(ctx)
}

// TestEraseContinues: work that ends at any call is continued, and does everything.
func TestEraseContinues(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		acme := furnish(t, b, "ACME01", "acme")
		ctx, by := t.Context(), tenant.By{Actor: tenant.ActorKey, Name: "12345678"}
		if _, err := privacyOf(b, b.DB).Erase(ctx, "ACME01", by, privacy.Order{Of: privacy.Document, ID: acme.document}); err == nil || !strings.Contains(err.Error(), "is being sent") {
			t.Fatalf("erased while its e-mail is sent: %v", err)
		}
		if _, err := storetest.Raw(t, b.Dir).Exec(`UPDATE mails SET state = 'Failed', owner = ''`); err != nil {
			t.Fatal(err)
		}
		for _, r := range []struct {
			of privacy.Subject
			id string
		}{{privacy.Document, acme.document}, {privacy.Stamp, acme.stamp}} {
			first, err := privacyOf(b, b.DB).Erase(ctx, "ACME01", by, privacy.Order{Of: r.of, ID: r.id, Why: privacy.Asked})
			if err != nil {
				t.Fatal(err)
			}
			crashes := 0
			for calls := 0; ; calls++ {
				b.Clock.Add(time.Hour) // it is due again
				_, err := privacyOf(b, &crashing{b.DB, calls}).Work(ctx)
				if err == nil {
					break
				}
				if crashes++; !errors.Is(err, errCrash) || crashes > 50 {
					t.Fatal(err)
				}
			}
			last, err := privacyOf(b, b.DB).Erasure(ctx, "ACME01", r.id)
			if err != nil || last.Step != privacy.StepDone || last.Done.IsZero() || crashes < 5 {
				t.Errorf("after %d crashes: %+v, %v", crashes, last, err)
			}
			b.Clock.Add(time.Minute)
			again, err := privacyOf(b, b.DB).Erase(ctx, "ACME01", by, privacy.Order{Of: r.of, ID: r.id, Why: privacy.Asked})
			if err != nil || again.Step != privacy.First || !again.Requested.After(first.Requested) {
				t.Errorf("again: %+v, %v", again, err)
			}
			// A worker that read the first erasure does not end the second one.
			if err := b.DB.MoveErasure(ctx, last); err != nil {
				t.Error(err)
			}
			if now, err := b.DB.Erasure(ctx, "ACME01", r.id); err != nil || now.Step != privacy.First {
				t.Errorf("moved by an old worker: %+v, %v", now, err)
			}
			if _, err := privacyOf(b, b.DB).Work(ctx); err != nil {
				t.Error(err)
			}
			if now, err := b.DB.Erasure(ctx, "ACME01", r.id); err != nil || now.Step != privacy.StepDone {
				t.Errorf("erased again: %+v, %v", now, err)
			}
		}
		if _, err := privacyOf(b, b.DB).Erase(ctx, "ACME01", by, privacy.Order{Of: privacy.Stamp, ID: acme.stamp, Why: "Ada Lovelace wants it"}); err == nil || !strings.Contains(err.Error(), "no such reason") {
			t.Errorf("a reason of one's own: %v", err)
		}
		for _, rows := range []string{
			`stamp_files WHERE tenant = 'ACME01' AND size_bytes >= 0 AND stamp_id IN (SELECT id FROM stamps WHERE erased_at <> 0)`,
			`leaving_files`, `scans WHERE tenant = 'ACME01' AND note <> ''`, `audit WHERE action LIKE '%.erase' AND (by_name <> '12345678' OR detail <> '{"reason":"asked"}')`,
		} {
			if n := counted(t, b, rows); n != 0 {
				t.Errorf("%d rows are left: %s", n, rows)
			}
		}
		if n := counted(t, b, `audit WHERE action LIKE '%.erase'`); n != 4 {
			t.Errorf("%d audit rows", n)
		}
		if there, err := b.Blobs.Has(ctx, acme.original); there || err != nil {
			t.Errorf("the original is left: %v %v", there, err)
		}
		checkRows(t, b)
	})
}

// checkRows fails the test if rows contradict each other.
func checkRows(t *testing.T, b *storetest.Bundle) {
	t.Helper()
	if err := b.DB.CheckRows(t.Context(), func(p store.Problem) { t.Errorf("%+v", p) }); err != nil {
		t.Fatal(err)
	}
}

// TestExport: an archive has all rows and files of one tenant, and no secret and nothing of
// another.
func TestExport(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		furnish(t, b, "ACME01", "acme")
		furnish(t, b, "OTHER1", "another")
		var out bytes.Buffer
		if err := privacyOf(b, b.DB).Export(t.Context(), "ACME01", tenant.By{Actor: tenant.ActorOperator}, &out); err != nil {
			t.Fatal(err)
		}
		z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		var m privacy.Manifest
		seen, files := map[string]int64{}, int64(0)
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			var raw bytes.Buffer
			if _, err := raw.ReadFrom(r); err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{"another", "OTHER1", "secret", "sealed", "password"} {
				if strings.HasSuffix(f.Name, ".jsonl") && strings.Contains(raw.String(), secret) {
					t.Errorf("%s has %q", f.Name, secret)
				}
			}
			table, isTable := strings.CutPrefix(f.Name, "tables/")
			switch {
			case f.Name == "manifest.json":
				err = json.Unmarshal(raw.Bytes(), &m)
			case isTable:
				for line := range bytes.Lines(raw.Bytes()) {
					if !json.Valid(line) {
						t.Errorf("%s has the line %s", f.Name, line)
					}
					seen[strings.TrimSuffix(table, ".jsonl")]++
				}
			case strings.HasPrefix(f.Name, "files/"):
				files++
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if m.Tenant != "ACME01" || fmt.Sprint(m.Rows) != fmt.Sprint(seen) || m.Files != files || files < 8 || len(m.Missing) > 0 {
			t.Errorf("%d files, rows %v, manifest %+v", files, seen, m)
		}
		for _, table := range []string{"stamps", "stamp_fields", "documents", "scans", "verifications", "mails", "bulk_rows", "audit", "once", "users", "webhooks", "brands", "batches", "tenant_devices"} {
			of := table + ` WHERE tenant = 'ACME01'`
			if n := counted(t, b, of); int64(n) != seen[table] || n == 0 {
				t.Errorf("%d rows of %s, the database has %d", seen[table], table, n)
			}
		}
	})
}

// unexported are the tables of tenants that are in no archive, with the reason.
var unexported = map[string]string{
	"status_entries": "computed", "stamp_words": "computed", "document_words": "computed", "retention_sweeps": "how far a sweep has come", "leaving_files": "files that are deleted",
	"user_recovery": "secrets", "user_links": "secrets", "user_sessions": "secrets",
}

// TestExportedTables: each table of tenants is in the archive, or is named with the reason
// why it is not.
func TestExportedTables(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.SQLite)
	in := map[string]bool{}
	for _, table := range b.DB.ExportTables() {
		in[table] = true
	}
	rows, err := storetest.Raw(t, b.Dir).Query(`SELECT m.name FROM sqlite_schema m WHERE m.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'tenant')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		if n++; in[table] == (unexported[table] != "") {
			t.Errorf("%s must be exported, or stand in unexported", table)
		}
	}
	if err := rows.Err(); err != nil || n < 30 {
		t.Errorf("%d tables, %v", n, err)
	}
}
