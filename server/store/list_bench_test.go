package store_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"tcode/offline/payload"
	"tcode/server/issue"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
)

// listFilters returns filters for the first page of every kind, and some combinations. now
// is the time of the newest seeded stamp.
func listFilters(now time.Time) map[string]stamp.Filter {
	week := now.Add(-7 * 24 * time.Hour)
	fs := map[string]stamp.Filter{
		"all":                {},
		"status":             {Statuses: []stamp.Status{stamp.Suspended}},
		"two statuses":       {Statuses: []stamp.Status{stamp.Suspended, stamp.Revoked}},
		"template":           {TemplateID: storetest.Template},
		"unknown template":   {TemplateID: "0196fb7e-0000-7000-8000-00000000ffff"},
		"from":               {From: week},
		"to":                 {To: week},
		"range":              {From: week, To: now.Add(-6 * 24 * time.Hour)},
		"field":              {FieldName: "grade"},
		"field value":        {FieldName: "grade", FieldValue: "A"},
		"rare field value":   {FieldName: "grade", FieldValue: "rare"},
		"word":               {Search: "diploma"},
		"two words":          {Search: "number invoice"},
		"rare word":          {Search: "diploma 500"},
		"unknown word":       {Search: "nobody"},
		"external id":        {Search: "seed-500"},
		"reference":          {Search: "TCR-0000-0000-0000-01F4"},
		"word and status":    {Search: "invoice", Statuses: []stamp.Status{stamp.Suspended}},
		"word and range":     {Search: "diploma", From: week},
		"status and field":   {Statuses: []stamp.Status{stamp.Revoked}, FieldName: "grade"},
		"template and field": {TemplateID: storetest.Template, FieldName: "grade", FieldValue: "A"},
		"three": {
			Search: "number", TemplateID: storetest.Template, Statuses: []stamp.Status{stamp.Active, stamp.Suspended}, To: now,
		},
		"type":             {DocumentType: "DIP"},
		"type and status":  {DocumentType: "DIP", Statuses: []stamp.Status{stamp.Suspended}},
		"unknown type":     {DocumentType: "ZZZ"},
		"rare type":        {DocumentType: "ZZZ", Statuses: []stamp.Status{stamp.Suspended}, TemplateID: storetest.Template},
		"behind":           {After: issue.Place{At: week, ID: "0"}, Uncounted: true},
		"behind, oldest":   {After: issue.Place{At: week, ID: "0"}, Uncounted: true, OldestFirst: true},
		"behind a status":  {After: issue.Place{At: week, ID: "0"}, Uncounted: true, Statuses: []stamp.Status{stamp.Suspended}},
		"behind a word":    {After: issue.Place{At: week, ID: "0"}, Uncounted: true, Search: "diploma"},
		"tests":            {TestOnly: true},
		"tests of a day":   {TestOnly: true, From: week, To: now.Add(-6 * 24 * time.Hour)},
		"tests by status":  {TestOnly: true, Statuses: []stamp.Status{stamp.Active, stamp.Revoked}},
		"tests and word":   {TestOnly: true, Search: "number"},
		"tests and status": {TestOnly: true, Statuses: []stamp.Status{stamp.Active}, TemplateID: storetest.Template},
	}
	for name, f := range fs {
		f.Page, f.PageSize = 1, 20
		fs[name] = f
	}
	return fs
}

// seeded returns a tenant's database with n stamps and one more.
func seeded(t testing.TB, e storetest.Engine, n int) *storetest.Bundle {
	t.Helper()
	b := storetest.NewOn(t, e)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "first")
	storetest.Seed(t, b.Dir, st.ID, n)
	return b
}

// benchStamps returns the number of stamps for benchmarks.
func benchStamps(b *testing.B) int {
	b.Helper()
	v := os.Getenv("TCODE_BENCH_STAMPS")
	if v == "" {
		return 1000
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkLists measures the first page of each filter, and the look-up of a reference, including the
// CPU time of the database server. TCODE_BENCH_STAMPS is the number of stamps, default 1,000.
func BenchmarkLists(b *testing.B) {
	n := benchStamps(b)
	for _, e := range []storetest.Engine{storetest.SQLite, storetest.Postgres} {
		d := seeded(b, e, n)
		for name, f := range listFilters(d.Clock.Now()) {
			b.Run(fmt.Sprintf("%s/%d/%s", e, n, name), func(b *testing.B) {
				measure(b, func() error {
					_, err := d.DB.Stamps(b.Context(), "ACME01", f)
					return err
				})
			})
		}
		b.Run(fmt.Sprintf("%s/%d/look-up", e, n), func(b *testing.B) {
			i := uint16(0)
			measure(b, func() error {
				i = i%999 + 1
				_, err := d.DB.RecordByReference(b.Context(), payload.Reference{8: byte(i >> 8), 9: byte(i)})
				return err
			})
		})
	}
}

// measure reports the CPU time of do, in this process and in the server.
func measure(b *testing.B, do func() error) {
	work := func() {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
	for range 20 {
		work()
	}
	runtime.GC()
	own, server := ownCPU(), storetest.ServerCPU(b)
	for b.Loop() {
		work()
	}
	own, server = ownCPU()-own, storetest.ServerCPU(b)-server
	b.ReportMetric(float64(own/time.Microsecond)/float64(b.N), "client-µs/op")
	b.ReportMetric(float64((own+server)/time.Microsecond)/float64(b.N), "cpu-µs/op")
}

func ownCPU() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u) //nolint:errcheck // cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
