package stamp_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/platform/spool"
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
	if !keys[st.KeySeq].Public.Verify(st.CoreBytes, p.Signature) {
		t.Error("the signature does not verify")
	}
	if st.Barcode.Modules != 40 { // offline/payload/FORMAT.md
		t.Errorf("symbol of %d modules, want 40", st.Barcode.Modules)
	}
	for _, kind := range []string{"", "stamped", "original", "barcode", "payload", "PAYLOAD"} {
		f, err := b.Stamps.File(t.Context(), "ACME01", st.ID, kind)
		if err != nil {
			t.Fatal(err)
		}
		data, err := fileBytes(b, "ACME01", f)
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
		{"big pdf", func(r *stamp.Request) { r.PDF = spool.Bytes(make([]byte, 101)) }, fault.CodePayloadTooLarge, fault.TooLarge, "pdf"},
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

func count(t *testing.T, b *storetest.Bundle, table string) (n int) {
	t.Helper()
	if err := storetest.Raw(t, b.Dir).QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func change(t *testing.T, b *storetest.Bundle, query string, args ...any) {
	t.Helper()
	if _, err := storetest.Raw(t, b.Dir).Exec(query, args...); err != nil {
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
			repair := storetest.Break(t, b.Dir, failing, "")
			r := storetest.Request("n")
			r.Idempotency = &tenant.IdempotencyRecord{Route: "POST /v1/tcode/stamps", Key: "k"}
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
			if err := storetest.Raw(t, b.Dir).QueryRow(`SELECT sum(used) FROM shards`).Scan(&used); err != nil || used != 0 {
				t.Errorf("%d entries counted, %v", used, err)
			}
			repair()
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
	o := tenant.IdempotencyRecord{Tenant: "ACME01", Route: "POST /v1/tcode/stamps", Key: "k", Digest: digest.SHA256{1}}
	if _, ok, err := tenant.Answered(t.Context(), b.DB, o, b.Clock.Now()); ok || err != nil {
		t.Fatalf("before: %v, %v", ok, err)
	}
	r := storetest.Request("n")
	r.Idempotency = &o
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
	other.Digest = digest.SHA256{2}
	if _, _, err := tenant.Answered(t.Context(), b.DB, other, b.Clock.Now()); fault.As(err).Code != fault.CodeIdempotencyKeyReused {
		t.Errorf("other body: %v", err)
	}
	b.Clock.Add(tenant.IdempotencyLifetime)
	if _, ok, err := tenant.Answered(t.Context(), b.DB, o, b.Clock.Now()); ok || err != nil {
		t.Errorf("a day later: %v, %v", ok, err)
	}
}

// fileBytes returns the bytes of a file, stored or derived.
func fileBytes(b *storetest.Bundle, tenantRef string, f stamp.File) ([]byte, error) {
	if f.Of == "" {
		return b.Blobs.Get(context.Background(), f.SHA256)
	}
	_, data, err := b.Stamps.Derived(context.Background(), tenantRef, f.Of, string(f.Kind))
	return data, err
}
