package main

//race:off ./... whole gateways

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/server/pdfstamp"
	"tcode/server/store/storetest"
)

func TestMain(m *testing.M) {
	sandbox.Main(pdfstamp.Role())
	playRole()
	os.Exit(m.Run())
}

// TestSmoke runs every case on a few stamps and counts; it measures no times. The
// program itself checks that each look-up is in the history, and each scan is
// stored.
func TestSmoke(t *testing.T) {
	for _, tt := range []struct {
		engine       storetest.Engine
		stamps, rows []string
	}{
		{storetest.SQLite, []string{"200", "300"}, []string{"2", "3"}},
		{storetest.Postgres, []string{"200"}, []string{"2"}},
	} {
		e := tt.engine
		t.Run(string(e), func(t *testing.T) {
			if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); e == storetest.Postgres && found == nil && os.Getenv("CI") != "true" {
				t.Skip("PostgreSQL is not installed (apt-get install postgresql)")
			}
			var out, progress bytes.Buffer
			err := run(t.Context(), []string{
				"--stamps", strings.Join(tt.stamps, ","), "--engine", string(e), "--seconds", "0.01", "--rounds", "1", "--scans", "150",
				"--pocketbase", t.TempDir(), "--json", "--rows", strings.Join(tt.rows, ","), "--pdf", "../../testdata/documents/letter.pdf",
			}, &out, &progress)
			if err != nil {
				t.Fatalf("%v\n%s", err, progress.Bytes())
			}
			var got report
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if want := len(tt.stamps) * (3 + 3 + len(lists) + 1 + 1); len(got.Rows) != want {
				t.Errorf("%d rows, want %d", len(got.Rows), want)
			}
			for _, r := range got.Rows {
				if r.Requests < 4 || r.PerSecond <= 0 || r.P99 < r.P50 || r.RSS <= 1 {
					t.Errorf("row %+v", r)
				}
				if r.Case == syncing && r.Requests != 150 {
					t.Errorf("%d scans synced, want 150", r.Requests)
				}
			}
			if len(got.Bulk) != len(tt.rows) {
				t.Errorf("bulk jobs %+v, want of %s rows", got.Bulk, tt.rows)
			}
			for i, r := range got.Bulk {
				if strconv.Itoa(r.Rows) != tt.rows[i] {
					t.Errorf("bulk job of %d rows, want %s", r.Rows, tt.rows[i])
				}
				if r.PerSecond <= 0 || r.CPU <= 0 || r.Gateway <= 1 || r.All <= r.Gateway {
					t.Errorf("bulk job %+v", r)
				}
			}
			if !strings.HasPrefix(got.PocketBase, "does not build: ") {
				t.Errorf("PocketBase %q, want why there is none", got.PocketBase)
			}
			if err := got.print(io.Discard); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	rows := []row{
		{Engine: "sqlite", Stamps: 1000, Case: byReference, Server: roleGateway, CPU: 50, Turns: []float64{50, 90, 40, 50, 50}},
		{Engine: "sqlite", Stamps: 1000, Case: byReference, Server: roleBare, CPU: 40, Turns: []float64{40, 75, 20, 40, 50}},
		{Engine: "sqlite", Stamps: 1000, Case: byReference, Server: pocketBase, CPU: 190},
		{Engine: "sqlite", Stamps: 9000, Case: byReference, Server: roleGateway, CPU: 76, Turns: []float64{76, 1, 99, 76, 76}},
		{Engine: "postgres", Stamps: 1000, Case: byReference, Server: roleGateway, CPU: 10},
		{Engine: "sqlite", Stamps: 1000, Case: syncing, Server: roleGateway, PerSecond: 3000},
		{Engine: "sqlite", Stamps: 9000, Case: syncing, Server: roleGateway, PerSecond: 2999},
	}
	want := []bar{
		{"sqlite, 1000 stamps: reference, gateway to bare", 1.25, 1.2, 1.25, 1.3, true, true},
		{"sqlite, 1000 stamps: reference, PocketBase with a record to gateway", 3.8, 0, 0, 4, false, false},
		{"sqlite, 9000 stamps: reference, to 1000 stamps", 1.52, 1.52, 1.52, 1.5, true, false},
		{"sqlite, 1000 stamps: scans a second", 3000, 0, 0, 3000, false, true},
		{"sqlite, 9000 stamps: scans a second", 2999, 0, 0, 3000, false, false},
	}
	got := bars(rows)
	if len(got) != len(want) {
		t.Fatalf("%d bars, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("bar %+v, want %+v", got[i], want[i])
		}
	}
}

func TestBulkBars(t *testing.T) {
	t.Parallel()
	got := bulkBars([]bulkRow{
		{Engine: "sqlite", Rows: 100, PerSecond: 20, Gateway: 100, All: 300},
		{Engine: "sqlite", Rows: 5000, PerSecond: 14, Gateway: 131, All: 390},
		{Engine: "postgres", Rows: 100, PerSecond: 15, Gateway: 50, All: 200},
	})
	want := []bar{
		{"sqlite, bulk job of 100 rows: rows a second", 20, 0, 0, 15, false, true},
		{"sqlite, bulk job of 5000 rows: rows a second", 14, 0, 0, 15, false, false},
		{"sqlite, bulk job of 5000 rows: memory of the gateway, to 100 rows", 1.31, 0, 0, 1.3, true, false},
		{"sqlite, bulk job of 5000 rows: with its children, to 100 rows", 1.3, 0, 0, 1.3, true, true},
		{"postgres, bulk job of 100 rows: rows a second", 15, 0, 0, 15, false, true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("bars %+v, want %+v", got, want)
	}
}

func TestInsert(t *testing.T) {
	t.Parallel()
	const into = `INSERT INTO verifications (tenant, kind, reference, verdict, method, viewer_key, verified_at) VALUES `
	for _, tt := range []struct {
		b    *bare
		n    int
		want string
	}{
		{&bare{}, 7, "(?, ?, ?, ?, ?, ?, ?)"},
		{&bare{numbered: true}, 14, "($1, $2, $3, $4, $5, $6, $7), ($8, $9, $10, $11, $12, $13, $14)"},
	} {
		if got := tt.b.insert(tt.n); got != into+tt.want {
			t.Errorf("insert(%d) = %q, want %q", tt.n, got, into+tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args string
		ok   bool
	}{
		{"", true},
		{"--stamps 1000 --engine sqlite --seconds 0.5 --json", true},
		{"--stamps 1000,199", false},
		{"--stamps many", false},
		{"--engine mysql", false},
		{"--seconds 0", false},
		{"--only look-ups,sync --profile x", true},
		{"--only look-up", false},
		{"--only bulk --rows 100,5000", true},
		{"--only bulk --rows 0", false},
		{"sqlite", false},
	} {
		if _, err := parse(strings.Fields(tt.args), io.Discard); (err == nil) != tt.ok {
			t.Errorf("%q: err = %v, want ok %v", tt.args, err, tt.ok)
		}
	}
}

// TestDay plays a short day: whatever is killed, nothing acknowledged is lost or doubled.
func TestDay(t *testing.T) {
	var out, progress bytes.Buffer
	err := run(t.Context(), []string{
		"--only", "day", "--gateways", "2", "--faults", "1", "--rate", "30", "--day", "4s", "--files", "folder", "--json", "--pdf", "../../testdata/documents/letter.pdf",
	}, &out, &progress)
	if err != nil {
		t.Fatalf("%v\n%s", err, progress.Bytes())
	}
	var got report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	d := got.Day
	if d.Lost != 0 || d.Doubled != 0 || d.Refused != 0 || !strings.HasSuffix(d.Problems, " 0 problems") {
		t.Errorf("%+v", d)
	}
	if d.Kills != 1 || d.Stamps < 1 || d.P50[kindStamp] <= 0 {
		t.Errorf("little was done: %+v", d)
	}
}
