package store_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/refdata"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// texts are names that engines could order, compare, cut or lose in different ways: cases,
// accents composed and not, scripts, characters of four bytes, quotes, wildcards,
// controls.
var texts = []string{
	"Zebra", "apple", "Apple", "äpfel", "Äpfel", "a\u0308pfel", "éclair", "Ωmega", "ωmega", "ΟΔΟΣ", "οδος", "İstanbul", "istanbul", "straße", "STRASSE",
	"日本語 文書", "हिन्दी दस्तावेज़", "عربى وثيقة", "עברית", "👩‍👩‍👧 🎓", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "a'b\"c`d", `back\slash`, "100% _under_", "a--b; DROP TABLE stamps", "tab\tand\nline",
	"\u202egnp.exe", "\ufeffbom", "e\u0301 é", "ﬁle ①", " lead and trail ", strings.Repeat("𝄞", 200), strings.Repeat("wörter ", 28) + "ende",
}

// transcript notes a database's answers, with ids and references replaced by numbers in
// the order of their appearance.
type transcript struct {
	lines []string
	names map[string]string
}

var random = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|TCR-[0-9A-Z]{16}|[0-9a-f]{64}|By:\w{8}\b`)

func (x *transcript) note(format string, args ...any) {
	if x.names == nil {
		x.names = map[string]string{}
	}
	x.lines = append(x.lines, random.ReplaceAllStringFunc(fmt.Sprintf(format, args...), func(id string) string {
		if x.names[id] == "" {
			x.names[id] = fmt.Sprintf("#%d", len(x.names))
		}
		return x.names[id]
	}))
}

// failed notes an error as a client would see it.
func (x *transcript) failed(what string, err error) {
	var f *fault.Fault
	if errors.As(err, &f) {
		x.note("%s: %s %s %v", what, f.Code, f.Reason, f.Fields)
		return
	}
	x.note("%s: %v", what, err)
}

// TestConformance: both engines give the same answers, in the same order.
func TestConformance(t *testing.T) {
	t.Parallel()
	var lite, pg transcript
	t.Run("sqlite", func(t *testing.T) { story(t, storetest.NewOn(t, storetest.SQLite), &lite) })
	t.Run("postgres", func(t *testing.T) { story(t, storetest.NewOn(t, storetest.Postgres), &pg) })
	if diff := cmp.Diff(lite.lines, pg.lines); diff != "" && !t.Failed() {
		t.Errorf("the engines differ (-SQLite +PostgreSQL):\n%s", diff)
	}
	if len(lite.lines) < 300 {
		t.Errorf("only %d answers compared", len(lite.lines))
	}
}

func story(t *testing.T, b *storetest.Bundle, x *transcript) {
	tellTenants(t, b, x)
	id := b.Tenant(t, "Äcme", "ACME01")
	tellTemplates(t, b, x, id)
	refs := tellStamps(t, b, x, id)
	tellLists(t, b, x, id)
	tellChanges(t, b, x, id, refs)
	tellScans(t, b, x, id, refs)
	tellUsers(t, b, x)
}

func tellTenants(t *testing.T, b *storetest.Bundle, x *transcript) {
	ctx := t.Context()
	for i, name := range texts {
		_, err := b.Tenants.CreateTenant(ctx, name, fmt.Sprintf("T%05d", 99-i))
		x.failed("create tenant "+name, err)
	}
	_, err := b.Tenants.CreateTenant(ctx, "again", "T00099")
	x.failed("create it again", err)
	ts, err := b.DB.Tenants(ctx)
	x.note("tenants %v %v", names(ts, func(v tenant.Tenant) string { return v.Reference + "=" + v.Name }), err)
	for i, code := range []string{"ZZ9", "0AA", "A10", "AB0"} {
		x.failed("type "+code, b.Ref.AddDocumentType(ctx, refdata.DocumentType{Code: code, Names: map[string]string{"en": texts[i], "de": texts[len(texts)-1-i]}}))
	}
	types, err := b.DB.DocumentTypes(ctx)
	x.note("types %+v %v", types, err)
}

func names[T any](list []T, name func(T) string) (out []string) {
	for _, v := range list {
		out = append(out, name(v))
	}
	return out
}

func tellTemplates(t *testing.T, b *storetest.Bundle, x *transcript, id tenant.Identity) {
	for _, name := range texts {
		p, err := b.Placements.Create(t.Context(), id, placement.Spec{Name: name}, nil, nil)
		x.failed("template", err)
		x.note("%q", p.Spec.Name)
	}
	ps, err := b.Placements.List(t.Context(), "ACME01")
	x.note("templates %q %v", names(ps, func(p placement.Template) string { return p.Spec.Name }), err)
}

func tellStamps(t *testing.T, b *storetest.Bundle, x *transcript, id tenant.Identity) (made []stamp.Stamp) {
	for i, name := range texts {
		r := storetest.Request(name)
		r.ExternalID = name // names that look the same to people are still different
		if i%7 == 0 {
			r.ExternalID = ""
		}
		st, err := b.Stamps.Create(t.Context(), id, r)
		x.failed("stamp", err)
		if err != nil {
			continue
		}
		made = append(made, st)
		got, err := b.Stamps.Get(t.Context(), "ACME01", st.ID)
		x.note("%q %q %v %v %v", got.Name, got.ExternalID, got.Status, got.CreatedAt, err)
		_, err = b.Stamps.Create(t.Context(), id, r)
		x.failed("the same external id", err)
		if i%3 == 0 { // others share their time, and only their ids differ
			b.Clock.Add(time.Hour)
		}
	}
	return made
}

func tellLists(t *testing.T, b *storetest.Bundle, x *transcript, id tenant.Identity) {
	list := func(what string, f stamp.Filter) {
		p, err := b.Stamps.List(t.Context(), "ACME01", f)
		x.failed(what, err)
		x.note("%d %t %q", p.TotalCount, p.TotalIsLowerBound, names(p.Items, func(s stamp.Summary) string { return s.Name }))
	}
	for page := range 8 {
		list("page", stamp.Filter{Page: page, PageSize: 5})
	}
	for _, text := range texts {
		list("search "+text, stamp.Filter{Search: text, PageSize: 100})
		for i, word := range strings.Fields(text) {
			if i < 3 {
				list("word "+word, stamp.Filter{Search: strings.ToUpper(word), PageSize: 100})
			}
		}
	}
	now := b.Clock.Now()
	list("range", stamp.Filter{From: now.Add(-5 * time.Hour), To: now.Add(-2 * time.Hour), PageSize: 100})
	list("range and word", stamp.Filter{From: now.Add(-9 * time.Hour), Search: "wörter ende"})
	_ = id
}

func tellChanges(t *testing.T, b *storetest.Bundle, x *transcript, id tenant.Identity, made []stamp.Stamp) {
	ctx := t.Context()
	actions := []stamp.Action{stamp.ActionSuspend, stamp.ActionReactivate, stamp.ActionSuspend, stamp.ActionRevoke, stamp.ActionReactivate}
	for i, st := range made[:12] {
		for _, a := range actions[:i%len(actions)+1] {
			x.failed(string(a), b.Stamps.Act(ctx, id, st.ID, a, texts[i]))
			b.Clock.Add(time.Second)
		}
		evs, err := b.Stamps.Events(ctx, "ACME01", st.ID)
		x.note("%+v %v", evs, err)
	}
	x.failed("unknown", b.Stamps.Act(ctx, id, "0196fb7e-0000-7000-8000-000000000000", stamp.ActionRevoke, ""))
	for _, s := range [][]stamp.Status{{stamp.Active}, {stamp.Suspended}, {stamp.Revoked, stamp.Suspended}, {stamp.Active, stamp.Suspended, stamp.Revoked}} {
		p, err := b.Stamps.List(ctx, "ACME01", stamp.Filter{Statuses: s, PageSize: 100})
		x.note("%v: %d %q %v", s, p.TotalCount, names(p.Items, func(s stamp.Summary) string { return s.Name }), err)
	}
	st := made[len(made)-1]
	next, err := b.Stamps.Replace(ctx, id, st.ID, stamp.Replacement{PDF: storetest.Request("x").PDF})
	x.failed("replace", err)
	x.note("%q %q", next.Name, next.ExternalID)
	_, err = b.Stamps.Replace(ctx, id, st.ID, stamp.Replacement{PDF: storetest.Request("x").PDF})
	x.failed("replace again", err)
	ms, err := b.Stamps.Duplicates(ctx, "ACME01", stamp.DuplicateQuery{ExternalID: st.ExternalID, SHA256: st.OriginalSHA256})
	x.note("%v %v", ms, err)
	us, err := b.DB.Usage(ctx, "ACME01", tenant.MonthOf(b.Clock.Now()))
	x.note("usage %+v %v", us, err)
	es, err := b.DB.Audit(ctx, tenant.AuditFilter{Tenant: "ACME01", Limit: 500})
	x.note("audit %v %v", names(es, func(e tenant.Entry) string { return e.Action }), err)
}

func tellScans(t *testing.T, b *storetest.Bundle, x *transcript, id tenant.Identity, made []stamp.Stamp) {
	ctx := t.Context()
	for i, text := range texts {
		st := made[i%3]
		it := wire.Item{
			ScanID: fmt.Sprintf("scan-%d", i%20), Seq: uint64(i % 20), Reference: st.Reference.String(),
			ScannedAt: wire.TruncateMillis(b.Clock.Now().Add(-time.Hour)), OfflineVerdict: "valid",
			Context: wire.Context{Location: text, Coordinates: i%2 == 0, LatitudeE6: -90_000_000, LongitudeE6: 180_000_000, Note: text},
		}
		r, err := b.Verify.Sync(ctx, wire.Batch{ID: fmt.Sprintf("batch-%d", i), ScannerID: "pda", SentAt: wire.TruncateMillis(b.Clock.Now()), Items: []wire.Item{it, it}}, verify.Proof{})
		x.failed("sync", err)
		for _, one := range r.Results {
			x.note("%s %s %s %s", one.Result, one.Verdict, one.VerdictAtScan, one.Message)
		}
		b.Clock.Add(time.Minute)
	}
	for _, st := range made[:3] {
		for page := range 3 {
			p, err := b.Verify.Scans(ctx, verify.Viewer{Tenant: "ACME01"}, st.Reference.String(), verify.ScanFilter{Page: page, PageSize: 4})
			x.note("%d %+v %v", p.TotalCount, p.Items, err)
		}
	}
	rec, err := b.DB.RecordByReference(ctx, made[0].Reference)
	x.note("%s %s %v", rec.Stamp.Name, rec.Issuer.Name, err)
	_, err = b.DB.RecordByReference(ctx, payload.Reference{})
	x.failed("no record", err)
	once := tenant.IdempotencyRecord{Route: "r", Key: texts[0]}
	for range 2 {
		r := storetest.Request("once")
		r.Idempotency, r.Answer = &once, func(stamp.Stamp) (int, []byte, error) { return 201, []byte(texts[5]), nil }
		_, err := b.Stamps.Create(ctx, id, r)
		x.failed("once", err)
	}
	o, found, err := b.DB.IdempotencyRecord(ctx, "ACME01", "r", texts[0], time.Time{})
	x.note("%q %t %v", o.Body, found, err)
}
