package stamp_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/litedb"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/stamp"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	r := storetest.Request("Diploma of Ada")
	r.ExternalID = "ext-1"
	st, err := b.Stamps.Create(t.Context(), id, r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Stamps.Get(t.Context(), "ACME01", st.ID)
	if err != nil {
		t.Fatal(err)
	}
	byKind := cmp.Transformer("byKind", func(fs []stamp.File) map[stamp.FileKind]stamp.File {
		m := make(map[stamp.FileKind]stamp.File)
		for _, f := range fs {
			m[f.Kind] = f
		}
		return m
	})
	if diff := cmp.Diff(st, got, byKind); diff != "" {
		t.Errorf("stored stamp differs (-created +got):\n%s", diff)
	}
	p, err := payload.Parse(st.Payload)
	if err != nil {
		t.Fatal(err)
	}
	if p.Issuer != "ACME01" || p.Reference != st.Reference || p.DocumentType != "DIP" || p.Test ||
		p.Status != st.StatusIndex || !p.IssuedAt.Equal(st.IssuedAt) {
		t.Errorf("payload %+v of stamp %+v", p, st)
	}
	keys, err := b.Tenants.SigningKeys(t.Context(), "ACME01")
	if err != nil {
		t.Fatal(err)
	}
	if !keys[st.KeySeq].Public.Verify(st.Core, p.Signature) {
		t.Error("the signature does not verify")
	}
	if st.Barcode.Modules != 40 { // DESIGN section 3
		t.Errorf("symbol of %d modules, want 40", st.Barcode.Modules)
	}
	for _, kind := range []string{"", "stamped", "original", "barcode", "payload", "PAYLOAD"} {
		f, err := b.Stamps.File(t.Context(), "ACME01", st.ID, kind)
		if err != nil {
			t.Fatal(err)
		}
		data, err := b.Blobs.Get(t.Context(), f.SHA256)
		if err != nil || int64(len(data)) != f.SizeBytes {
			t.Errorf("%s: %d bytes, %v; want %d", kind, len(data), err, f.SizeBytes)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 {
			t.Errorf("%s: hash", kind)
		}
	}
	if _, err := b.Stamps.File(t.Context(), "ACME01", st.ID, "secret"); !fault.Is(err, fault.Invalid) {
		t.Errorf("unknown type: %v", err)
	}
	_, err = b.Stamps.Create(t.Context(), id, r)
	if f := fault.As(err); f == nil || f.Code != fault.CodeDuplicate || f.Reference != st.Reference.String() {
		t.Errorf("same externalId: %v, want DUPLICATE of %s", err, st.Reference)
	}
	other := b.Tenant(t, "Other", "OTHER1")
	if _, err := b.Stamps.Create(t.Context(), other, r); err != nil {
		t.Errorf("another tenant's externalId: %v", err)
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	c.MaxPDF = 100
	svc := stamp.New(c)
	tests := []struct {
		name   string
		change func(r *stamp.Request)
		code   string
		kind   fault.Kind
		field  string
	}{
		{"no name", func(r *stamp.Request) { r.Name = " " }, fault.CodeValidationFailed, fault.Invalid, "name"},
		{"long name", func(r *stamp.Request) { r.Name = strings.Repeat("ж", 201) }, fault.CodeValidationFailed, fault.Invalid, "name"},
		{"name not UTF-8", func(r *stamp.Request) { r.Name = "\xff" }, fault.CodeValidationFailed, fault.Invalid, "name"},
		{"no type", func(r *stamp.Request) { r.DocumentTypeCode = "" }, fault.CodeValidationFailed, fault.Invalid, "documentTypeCode"},
		{"unknown type", func(r *stamp.Request) { r.DocumentTypeCode = "XXX" }, fault.CodeValidationFailed, fault.Invalid, "documentTypeCode"},
		{"no pdf", func(r *stamp.Request) { r.PDF = nil }, fault.CodeValidationFailed, fault.Invalid, "pdf"},
		{"big pdf", func(r *stamp.Request) { r.PDF = make([]byte, 101) }, fault.CodePayloadTooLarge, fault.TooLarge, "pdf"},
		{"mode", func(r *stamp.Request) { r.ModeType = "demo" }, fault.CodeValidationFailed, fault.Invalid, "modeType"},
		{"long externalId", func(r *stamp.Request) { r.ExternalID = strings.Repeat("x", 201) }, fault.CodeValidationFailed, fault.Invalid, "externalId"},
		{"placement", func(r *stamp.Request) { r.PlacementTemplateID = "x" }, fault.CodeNotFound, fault.NotFound, "placementTemplateId"},
		{"tdoc", func(r *stamp.Request) { r.TdocTemplateID = "x" }, fault.CodeNotFound, fault.NotFound, "tdocTemplateId"},
		{"fields", func(r *stamp.Request) { r.Fields = []payload.Field{{Key: "a", Value: "b"}} }, fault.CodeFieldSchemaMismatch, fault.Rejected, "fields"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := storetest.Request("n")
			tt.change(&r)
			_, err := svc.Create(t.Context(), id, r)
			f := fault.As(err)
			if f == nil || f.Code != tt.code || f.Kind != tt.kind || len(f.Fields[tt.field]) == 0 {
				t.Errorf("err = %v, want %s on %s", err, tt.code, tt.field)
			}
		})
	}
	if err := b.Ref.RetireDocumentType(t.Context(), "DIP"); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Create(t.Context(), id, storetest.Request("n")); !fault.Is(err, fault.Invalid) {
		t.Errorf("retired type: %v", err)
	}
	c.Stamper = storetest.Stamper{Fault: fault.New(fault.Invalid, fault.CodeInvalidPDF, "no pages")}
	r := storetest.Request("n")
	r.DocumentTypeCode = "INV"
	if _, err := stamp.New(c).Create(t.Context(), id, r); fault.As(err).Code != fault.CodeInvalidPDF {
		t.Errorf("refused PDF: %v", err)
	}
	if n := count(t, b, "stamps"); n != 0 {
		t.Errorf("%d stamps stored", n)
	}
}

// A test key, or modeType test, makes test documents.
func TestCreateTest(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	testID := id
	testID.Test = true
	for _, tt := range []struct {
		id   tenant.Identity
		mode string
		want bool
	}{{id, "", false}, {id, stamp.ModeStandard, false}, {id, stamp.ModeTest, true}, {testID, stamp.ModeStandard, true}} {
		r := storetest.Request("n")
		r.ModeType = tt.mode
		st, err := b.Stamps.Create(t.Context(), tt.id, r)
		if err != nil {
			t.Fatal(err)
		}
		if p, _ := payload.Parse(st.Payload); st.Test != tt.want || p.Test != tt.want {
			t.Errorf("key test %v, mode %q: %v signed as %v, want %v", tt.id.Test, tt.mode, st.Test, p.Test, tt.want)
		}
	}
}

// raw opens the database beside the store, as an operator with a shell would.
func raw(t *testing.T, b *storetest.Bundle) *litedb.DB {
	t.Helper()
	db, err := litedb.Open(context.Background(), filepath.Join(b.Dir, store.FileName), litedb.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func count(t *testing.T, b *storetest.Bundle, table string) (n int) {
	t.Helper()
	if err := raw(t, b).Reader().QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func change(t *testing.T, b *storetest.Bundle, query string, args ...any) {
	t.Helper()
	err := raw(t, b).Write(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whichever INSERT of a creation fails, nothing of it is left.
func TestCreateIsAllOrNothing(t *testing.T) {
	t.Parallel()
	tables := []string{"stamps", "stamp_files", "stamp_events", "status_entries", "once"}
	for _, failing := range tables {
		t.Run(failing, func(t *testing.T) {
			t.Parallel()
			b := storetest.New(t)
			id := b.Tenant(t, "Acme", "ACME01")
			change(t, b, fmt.Sprintf(`CREATE TRIGGER broken BEFORE INSERT ON %s BEGIN SELECT raise(ABORT, 'broken'); END`, failing))
			r := storetest.Request("n")
			r.Once = &tenant.Once{Route: "POST /v1/tcode/stamps", Key: "k"}
			r.Answer = func(st stamp.Stamp) (int, []byte, error) { return 201, []byte(st.ID), nil }
			if _, err := b.Stamps.Create(t.Context(), id, r); !fault.Is(err, fault.Internal) {
				t.Fatalf("err = %v, want Internal", err)
			}
			for _, table := range tables {
				if n := count(t, b, table); n != 0 {
					t.Errorf("%d rows left in %s", n, table)
				}
			}
			var used int
			if err := raw(t, b).Reader().QueryRow(`SELECT sum(used) FROM shards`).Scan(&used); err != nil || used != 0 {
				t.Errorf("%d entries counted, %v", used, err)
			}
			change(t, b, `DROP TRIGGER broken`)
			if _, err := b.Stamps.Create(t.Context(), id, r); err != nil {
				t.Errorf("after the repair: %v", err)
			}
		})
	}
}

func TestOnce(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	o := tenant.Once{Tenant: "ACME01", Route: "POST /v1/tcode/stamps", Key: "k", Digest: [32]byte{1}}
	if _, ok, err := tenant.Answered(t.Context(), b.DB, o, b.Clock.Now()); ok || err != nil {
		t.Fatalf("before: %v, %v", ok, err)
	}
	r := storetest.Request("n")
	r.Once = &o
	r.Answer = func(st stamp.Stamp) (int, []byte, error) { return 201, []byte(st.ID), nil }
	st, err := b.Stamps.Create(t.Context(), id, r)
	if err != nil {
		t.Fatal(err)
	}
	kept, ok, err := tenant.Answered(t.Context(), b.DB, o, b.Clock.Now())
	if err != nil || !ok || kept.Status != 201 || string(kept.Body) != st.ID {
		t.Errorf("kept %+v, %v, %v", kept, ok, err)
	}
	if _, err := b.Stamps.Create(t.Context(), id, r); !errors.Is(err, tenant.ErrAnswered) {
		t.Errorf("second effect: %v, want ErrAnswered", err)
	}
	if n := count(t, b, "stamps"); n != 1 {
		t.Errorf("%d stamps, want 1", n)
	}
	other := o
	other.Digest = [32]byte{2}
	if _, _, err := tenant.Answered(t.Context(), b.DB, other, b.Clock.Now()); fault.As(err).Code != fault.CodeIdempotencyKeyReused {
		t.Errorf("other body: %v", err)
	}
	b.Clock.Add(tenant.OnceLifetime)
	if _, ok, err := tenant.Answered(t.Context(), b.DB, o, b.Clock.Now()); ok || err != nil {
		t.Errorf("a day later: %v, %v", ok, err)
	}
}

// Another tenant's stamp answers exactly as one that does not exist.
func TestIsolation(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	a, c := b.Tenant(t, "A", "AAAAAA"), b.Tenant(t, "C", "CCCCCC")
	st := b.Stamp(t, a, "secret diploma")
	const unknown = "00000000-0000-7000-8000-000000000000"
	ctx := t.Context()
	calls := map[string]func(id string) error{
		"Get":    func(id string) error { _, err := b.Stamps.Get(ctx, "CCCCCC", id); return err },
		"File":   func(id string) error { _, err := b.Stamps.File(ctx, "CCCCCC", id, "original"); return err },
		"Events": func(id string) error { _, err := b.Stamps.Events(ctx, "CCCCCC", id); return err },
		"Act":    func(id string) error { return b.Stamps.Act(ctx, c, id, stamp.ActionRevoke, "") },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			want := fault.As(call(unknown))
			for _, id := range []string{st.ID, strings.ToUpper(st.ID), "x", ""} {
				got := fault.As(call(id))
				if diff := cmp.Diff(want.Message, got.Message); diff != "" || got.Code != want.Code || got.Kind != fault.NotFound {
					t.Errorf("%q: %v, want %v", id, got, want)
				}
			}
		})
	}
	page, err := b.Stamps.List(ctx, "CCCCCC", stamp.Filter{Search: st.Reference.String()})
	if err != nil || len(page.Items) != 0 || page.TotalCount != 0 {
		t.Errorf("list of another tenant: %+v, %v", page, err)
	}
	if got, err := b.Stamps.Get(ctx, "AAAAAA", st.ID); err != nil || got.Status != stamp.Active {
		t.Errorf("the stamp changed: %v, %v", got.Status, err)
	}
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "n")
	steps := []struct {
		action stamp.Action
		want   stamp.Status
		code   string
	}{
		{stamp.ActionReactivate, stamp.Active, ""},
		{stamp.ActionSuspend, stamp.Suspended, ""},
		{stamp.ActionSuspend, stamp.Suspended, ""},
		{stamp.ActionReactivate, stamp.Active, ""},
		{stamp.ActionRevoke, stamp.Revoked, ""},
		{stamp.ActionRevoke, stamp.Revoked, ""},
		{stamp.ActionSuspend, stamp.Revoked, fault.CodeInvalidTransition},
		{stamp.ActionReactivate, stamp.Revoked, fault.CodeInvalidTransition},
		{stamp.ActionReplace, stamp.Revoked, fault.CodeValidationFailed},
	}
	for i, step := range steps {
		b.Clock.Add(time.Second)
		err := b.Stamps.Act(t.Context(), id, st.ID, step.action, fmt.Sprintf("reason %d", i))
		if (err == nil) != (step.code == "") || err != nil && fault.As(err).Code != step.code {
			t.Errorf("step %d: %v, want %q", i, err, step.code)
		}
		got, err := b.Stamps.Get(t.Context(), "ACME01", st.ID)
		if err != nil || got.Status != step.want {
			t.Errorf("step %d: %v, %v; want %v", i, got.Status, err, step.want)
		}
	}
	evs, err := b.Stamps.Events(t.Context(), "ACME01", st.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range evs {
		got = append(got, fmt.Sprintf("%s>%s %s %s", e.From, e.To, e.Action, e.Reason))
	}
	want := []string{
		">Active create ", "Active>Suspended suspend reason 1", "Suspended>Active reactivate reason 3", "Active>Revoked revoke reason 4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if err := b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionRevoke, strings.Repeat("x", 501)); !fault.Is(err, fault.Invalid) {
		t.Errorf("long reason: %v", err)
	}
}

// Many operators at once: the history is a path through the state machine,
// whatever the order, and nobody leaves Revoked.
func TestConcurrentLifecycle(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "n")
	actions := []stamp.Action{stamp.ActionSuspend, stamp.ActionReactivate, stamp.ActionSuspend, stamp.ActionReactivate, stamp.ActionRevoke}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			err := b.Stamps.Act(context.Background(), id, st.ID, actions[i%len(actions)], "")
			if err != nil && fault.As(err).Code != fault.CodeInvalidTransition {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	evs, err := b.Stamps.Events(t.Context(), "ACME01", st.ID)
	if err != nil {
		t.Fatal(err)
	}
	at := stamp.Status("")
	for i, e := range evs {
		if e.From != at {
			t.Fatalf("event %d goes from %q, the stamp was %q", i, e.From, at)
		}
		if i > 0 {
			if to, err := e.From.Next(e.Action); err != nil || to != e.To || to == e.From {
				t.Fatalf("event %d: %+v", i, e)
			}
		}
		at = e.To
	}
	if at != stamp.Revoked {
		t.Errorf("ends %s, want Revoked", at)
	}
}

// Of two creations with one externalId exactly one wins, however close.
func TestConcurrentDuplicate(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	var mu sync.Mutex
	created, refused := map[string]bool{}, map[string]int{}
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			r := storetest.Request("n")
			r.ExternalID = "same"
			st, err := b.Stamps.Create(context.Background(), id, r)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				created[st.Reference.String()] = true
			} else if f := fault.As(err); f.Code == fault.CodeDuplicate {
				refused[f.Reference]++
			} else {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(created) != 1 || len(refused) != 1 {
		t.Fatalf("created %v, refused %v", created, refused)
	}
	for ref, n := range refused {
		if !created[ref] || n != 11 {
			t.Errorf("refused %d times for %s, created %v", n, ref, created)
		}
	}
}

// randoms hands out prepared bytes for the draws of two bytes (entries) and
// real ones for all else.
type randoms struct {
	mu      sync.Mutex
	entries [][2]byte
	other   io.Reader
}

func (r *randoms) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(p) == 2 && len(r.entries) > 0 {
		n := copy(p, r.entries[0][:])
		r.entries = r.entries[1:]
		return n, nil
	}
	return r.other.Read(p)
}

// An entry that is taken is drawn again, before the work and at the commit.
func TestEntryConflicts(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	c.Rand = &randoms{entries: [][2]byte{{0, 7}, {0, 7}, {0, 7}, {0, 8}}, other: bytes.NewReader(bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 100))}
	svc := stamp.New(c)
	first, err := svc.Create(t.Context(), id, storetest.Request("1"))
	if err != nil || first.StatusIndex.Entry() != 7 {
		t.Fatalf("first: entry %d, %v", first.StatusIndex.Entry(), err)
	}
	second, err := svc.Create(t.Context(), id, storetest.Request("2"))
	if err != nil || second.StatusIndex.Entry() != 8 {
		t.Fatalf("second: entry %d, %v; want 8 after 7 twice", second.StatusIndex.Entry(), err)
	}
	// Now the entry is taken between the draw and the commit.
	c.Rand = &randoms{entries: [][2]byte{{0, 9}, {0, 10}}, other: c.Rand.(*randoms).other}
	c.Stamper = meanwhile{func() {
		change(t, b, `INSERT INTO status_entries VALUES (0, 9, 'ACME01', x'00000000000000000000', 0) ON CONFLICT DO NOTHING`)
	}}
	third, err := stamp.New(c).Create(t.Context(), id, storetest.Request("3"))
	if err != nil || third.StatusIndex.Entry() != 10 {
		t.Fatalf("third: entry %d, %v; want 10 after losing 9", third.StatusIndex.Entry(), err)
	}
	if p, err := payload.Parse(third.Payload); err != nil || p.Status != third.StatusIndex {
		t.Errorf("signed entry %v, %v; want %v", p.Status, err, third.StatusIndex)
	}
}

// A shard that closes between the draw and the commit is left for the next.
func TestShardClosesMeanwhile(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	c.Stamper = meanwhile{func() {
		change(t, b, `UPDATE shards SET state = 'closed' WHERE number = 0`)
		change(t, b, `UPDATE shards SET state = 'open' WHERE number = 1`)
	}}
	st, err := stamp.New(c).Create(t.Context(), id, storetest.Request("n"))
	if err != nil || st.StatusIndex.Shard() != 1 {
		t.Errorf("shard %d, %v; want 1", st.StatusIndex.Shard(), err)
	}
}

// meanwhile does something while the PDF is stamped.
type meanwhile struct{ do func() }

func (m meanwhile) Stamp(ctx context.Context, job stamp.Job) (stamp.Drawn, error) {
	m.do()
	return storetest.Stamper{}.Stamp(ctx, job)
}

func (meanwhile) BarcodePNG(text string) ([]byte, error) {
	return storetest.Stamper{}.BarcodePNG(text)
}

// A tenant suspended, or a type taken out of use, while the PDF is stamped.
func TestSuspendedMeanwhile(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	c.Stamper = meanwhile{func() {
		if err := b.Tenants.Suspend(context.Background(), "ACME01"); err != nil {
			t.Error(err)
		}
	}}
	if _, err := stamp.New(c).Create(t.Context(), id, storetest.Request("n")); fault.As(err).Reason != fault.ReasonTenantSuspended {
		t.Errorf("err = %v, want tenant_suspended", err)
	}
}

// A shard closes at its capacity, and the next one takes over at once.
func TestShardRolls(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	change(t, b, `UPDATE shards SET used = $1 WHERE state = 'open'`, stamp.ShardCapacity-2)
	var got []uint16
	for range 4 {
		got = append(got, b.Stamp(t, id, "n").StatusIndex.Shard())
	}
	if diff := cmp.Diff([]uint16{0, 0, 1, 1}, got); diff != "" {
		t.Errorf("shards (-want +got):\n%s", diff)
	}
	rows, err := raw(t, b).Reader().Query(`SELECT number, state, used FROM shards ORDER BY number`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var states []string
	for rows.Next() {
		var number, used int
		var state string
		if err := rows.Scan(&number, &state, &used); err != nil {
			t.Fatal(err)
		}
		states = append(states, fmt.Sprintf("%d %s %d", number, state, used))
	}
	want := []string{fmt.Sprintf("0 closed %d", stamp.ShardCapacity), "1 open 2", "2 next 0"}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Errorf("shards (-want +got):\n%s", diff)
	}
}
