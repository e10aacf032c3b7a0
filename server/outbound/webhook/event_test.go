package webhook_test

import (
	"crypto/ed25519"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"tcode/offline/dates"
	"tcode/offline/payload"
	"tcode/server/issue/bulk"
	"tcode/server/issue/field"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/webhook"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// private is part of all data about people: no event may have it.
const private = "Zaphod"

// TestEvents causes every kind of event. Each is sent as often as it happens, in the form
// of FORMAT.md and of openapi.yaml.
func TestEvents(t *testing.T) {
	t.Parallel()
	shapes, contract := documented(t), contracted(t)
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		r := newReceiver(t, http.StatusOK)
		e, _ := w.create(t, r.URL)
		w.liveStamps(t)
		w.liveDocuments(t)
		w.liveBulks(t)
		w.liveConflict(t)
		if _, err := w.Tenants.RotateSigningKey(t.Context(), acme, tenant.RotateOptions{Announce: -1}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Add(time.Minute)
		w.run(t, e)
		got := map[string]int{}
		for _, x := range r.all() {
			got[x.event.Type]++
			if strings.Contains(string(x.body), private) {
				t.Errorf("%s names people: %s", x.event.Type, x.body)
			}
			if x.event.Type == "stamp.suspended" && x.event.Data["documentReference"] == nil && !strings.Contains(string(x.body), `"reason":"Q&A <again>"`) {
				t.Errorf("%s has escapes for HTML: %s", x.event.Type, x.body)
			}
			end, ok := x.event.Data["expiresAt"].(string)
			if at, err := time.Parse(time.RFC3339, end); ok && (err != nil || x.event.Data["expiresOn"] != dates.LastOn(at)) {
				t.Errorf("%s expires at %s, on %v", x.event.Type, end, x.event.Data["expiresOn"])
			}
			family, _, _ := strings.Cut(x.event.Type, ".")
			if rehearsed := strings.Contains(string(x.body), `"test":true`); rehearsed != (family == "bulk") {
				t.Errorf("%s of test documents: %v", x.event.Type, rehearsed)
			}
			contract.check(t, x.event.Type, x.body)
			if diff := cmp.Diff(shapes[family], shape(t, x.body)); diff != "" {
				t.Errorf("%s is not as FORMAT.md shows it (-want +got):\n%s\n%s", x.event.Type, diff, x.body)
			}
		}
		want := map[string]int{
			// Three stamps alone, and one of each of three documents, which changes with its document.
			"stamp.created": 6, "stamp.suspended": 2, "stamp.reactivated": 2, "stamp.revoked": 3, "stamp.replaced": 2,
			"document.issued": 3, "document.suspended": 1, "document.reactivated": 1, "document.revoked": 1, "document.replaced": 1, "document.expired": 1,
			"bulk.completed": 2, "bulk.failed": 1, "bulk.cancelled": 1, "scan.conflict": 1, "scan.finding": 2, "device.flagged": 1, "key.rotated": 1,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		for _, typ := range webhook.EventTypes() {
			if got[string(typ)] == 0 {
				t.Errorf("%s never came", typ)
			}
		}
	})
}

// must fails the test for an error that only a mistake of the test can cause.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) liveStamps(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	one, two := w.Stamp(t, w.id, private), w.Stamp(t, w.id, private+" again")
	must(t, w.Stamps.Act(ctx, w.id, one.ID, stamp.ActionSuspend, "Q&A <again>"))
	must(t, w.Stamps.Act(ctx, w.id, one.ID, stamp.ActionReactivate, ""))
	must(t, w.Stamps.Act(ctx, w.id, one.ID, stamp.ActionRevoke, ""))
	_, err := w.Stamps.Replace(ctx, w.id, two.ID, stamp.Replacement{PDF: spool.Bytes([]byte("%PDF-1.7\n% new\n%%EOF\n"))})
	must(t, err)
}

func (w *world) liveDocuments(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	tpl, err := w.Trust.CreateTemplate(ctx, w.id, trustdoc.Spec{Name: "t", DocumentTypeCode: "DIP", Fields: []field.Definition{{Key: "grade"}}}, nil, nil)
	must(t, err)
	issue := func(title string, path trustdoc.Path) trustdoc.Document {
		t.Helper()
		d, err := w.Trust.Issue(ctx, w.id, trustdoc.Issuance{
			TemplateID: tpl.ID, RecipientName: private, Title: title, Fields: []payload.Field{{Key: "grade", Value: private + title}},
			PDF: spool.Bytes([]byte("%PDF-1.7\n% " + title + "\n")), Path: path, ExpiresAt: w.Clock.Now().AddDate(1, 0, 0),
		})
		must(t, err)
		return d
	}
	one, two := issue("one", trustdoc.PathBoth), issue("two", trustdoc.PathBoth)
	must(t, w.Trust.Act(ctx, w.id, one.ID, trustdoc.ActionSuspend, ""))
	must(t, w.Trust.Act(ctx, w.id, one.ID, trustdoc.ActionReinstate, ""))
	must(t, w.Trust.Act(ctx, w.id, one.ID, trustdoc.ActionExpire, ""))
	three, err := w.Trust.Replace(ctx, w.id, two.ID, trustdoc.Replacement{Title: "three", PDF: spool.Bytes([]byte("%PDF-1.7\n% three\n"))})
	must(t, err)
	must(t, w.Trust.Act(ctx, w.id, three.ID, trustdoc.ActionRevoke, ""))
}

// liveBulks has a job of test documents end in each way.
func (w *world) liveBulks(t *testing.T) {
	t.Helper()
	ctx, now := t.Context(), w.Clock.Now()
	file, err := w.Blobs.Put(ctx, []byte("x"))
	must(t, err)
	begin := func() bulk.Job {
		t.Helper()
		j := bulk.Job{
			ID: uuid.Must(uuid.NewV7()).String(), Tenant: acme, Order: bulk.Order{Product: bulk.TCode, Test: true}, Status: bulk.Pending,
			CSV: bulk.File{SHA256: file, Bytes: 1}, ZIP: bulk.File{SHA256: file, Bytes: 1}, By: "k", CreatedAt: now, UpdatedAt: now,
		}
		must(t, w.DB.InsertBulk(ctx, j, nil, tenant.NewEntry(ctx, acme, "bulk.create", j.ID, now)))
		return j
	}
	take := func(j bulk.Job) bulk.Job {
		t.Helper()
		j, taken, err := w.DB.TakeBulk(ctx, j.ID, "me", now, now.Add(time.Hour))
		if err != nil || !taken {
			t.Fatal(taken, err)
		}
		return j
	}
	bad := take(begin())
	must(t, w.DB.AcceptBulk(ctx, bad, "me", bulk.Reject, nil, now))
	must(t, w.DB.AcceptBulk(ctx, take(begin()), "me", bulk.Pass, nil, now)) // a dry run
	good := take(begin())
	good.Counts.Total = 1
	must(t, w.DB.AcceptBulk(ctx, good, "me", bulk.Accept, slices.Values([]bulk.Row{{Number: 1, Line: 2, State: bulk.RowPending, File: private}}), now))
	must(t, w.DB.FailRow(ctx, acme, good.ID, bulk.Row{Number: 1, Code: "X", Message: private, UpdatedAt: now}))
	must(t, w.DB.EndBulk(ctx, good, "me", bulk.Falter, now))
	_, err = w.DB.ChangeBulk(ctx, acme, begin().ID, bulk.Cancel, "", now, tenant.NewEntry(ctx, acme, "bulk.cancel", "x", now))
	must(t, err)
}

// liveConflict has a device send other scans under ids that it had used before: twice the
// same, and once without a signature, which any sender can do.
func (w *world) liveConflict(t *testing.T) {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(nil)
	must(t, err)
	st, err := w.Stamps.List(t.Context(), acme, stamp.Filter{Page: 1, PageSize: 1})
	must(t, err)
	item := wire.Item{ScanID: uuid.Must(uuid.NewV7()).String(), Seq: 1, Reference: st.Items[0].Reference.String(), ScannedAt: wire.TruncateMillis(w.Clock.Now())}
	other := item
	other.Context.Note = private
	for _, it := range []wire.Item{item, other, other} {
		b := wire.Batch{ID: uuid.NewString(), ScannerID: wire.ScannerID(pub), SentAt: wire.TruncateMillis(w.Clock.Now()), Items: []wire.Item{it}}
		device, signature, err := wire.SignBatch(b, key)
		must(t, err)
		_, err = w.Verify.Sync(t.Context(), b, verify.Proof{DeviceKey: device, Signature: signature})
		must(t, err)
	}
	// A second device with the same key uses the number for another scan, of another file.
	clone := item
	clone.ScanID, clone.OfflineVerdict, clone.Binding = uuid.Must(uuid.NewV7()).String(), "not_found", "mismatch"
	b := wire.Batch{ID: uuid.NewString(), ScannerID: wire.ScannerID(pub), SentAt: wire.TruncateMillis(w.Clock.Now()), Items: []wire.Item{clone}}
	device, signature, err := wire.SignBatch(b, key)
	must(t, err)
	for range 2 { // the second time causes no event
		_, err = w.Verify.Sync(t.Context(), b, verify.Proof{DeviceKey: device, Signature: signature})
		must(t, err)
	}
	for _, note := range []string{"a", "b"} {
		item.Context.Note = note
		b := wire.Batch{ID: uuid.NewString(), ScannerID: "anyone", SentAt: wire.TruncateMillis(w.Clock.Now()), Items: []wire.Item{item}}
		_, err := w.Verify.Sync(t.Context(), b, verify.Proof{})
		must(t, err)
	}
}

var jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")

// documented returns the members of each family of events, from FORMAT.md.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("FORMAT.md")
	must(t, err)
	out := map[string][]string{}
	for _, m := range jsonBlock.FindAllSubmatch(text, -1) {
		var e struct{ Type webhook.EventType }
		must(t, json.Unmarshal(m[1], &e))
		if !slices.Contains(webhook.EventTypes(), e.Type) {
			t.Errorf("FORMAT.md has an event %q", e.Type)
		}
		family, _, _ := strings.Cut(string(e.Type), ".")
		out[family] = shape(t, m[1])
	}
	if len(out) != 6 {
		t.Fatalf("FORMAT.md shows %d families of events, want 6", len(out))
	}
	for _, typ := range webhook.EventTypes() {
		if !strings.Contains(string(text), "`"+string(typ)+"`") {
			t.Errorf("FORMAT.md does not name %s", typ)
		}
	}
	return out
}

// shape returns the names of all members of a JSON text.
func shape(t *testing.T, text []byte) []string {
	t.Helper()
	var v any
	must(t, json.Unmarshal(text, &v))
	names := map[string]bool{}
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				names[prefix+k] = true
				walk(prefix+k+".", x)
			}
		case []any:
			for _, x := range v {
				walk(prefix, x)
			}
		}
	}
	walk("", v)
	return slices.Sorted(maps.Keys(names))
}
