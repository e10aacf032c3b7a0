package refdata_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/refdata"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

func codes(t *testing.T, b *storetest.Bundle) (out []string) {
	t.Helper()
	ts, err := b.Ref.DocumentTypes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ts {
		out = append(out, d.Code)
	}
	return out
}

func TestDocumentTypes(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ctx := t.Context()
	starter := codes(t, b)
	if len(starter) == 0 {
		t.Fatal("no starter set")
	}
	ts, err := b.Ref.DocumentTypes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ts { // the starter set must be valid for an operator too
		if err := b.Ref.AddDocumentType(ctx, d); err != nil {
			t.Errorf("%s: %v", d.Code, err)
		}
	}
	if err := b.Ref.RetireDocumentType(ctx, "DIP"); err != nil {
		t.Fatal(err)
	}
	if known, err := b.Ref.KnownDocumentType(ctx, "DIP"); known || err != nil {
		t.Errorf("retired type known: %v, %v", known, err)
	}
	if d, err := b.DB.DocumentType(ctx, "DIP"); err != nil || d.Name("de") != "Diplom" || d.Name("xx") != "Diploma" {
		t.Errorf("a retired type keeps its names: %+v, %v", d, err)
	}
	if err := b.Ref.Seed(ctx); err != nil {
		t.Fatal(err)
	}
	if got := codes(t, b); len(got) != len(starter)-1 {
		t.Errorf("seeding again brought back %v", got)
	}
	if err := b.Ref.AddDocumentType(ctx, refdata.DocumentType{Code: "DIP", Names: map[string]string{"en": "Degree"}}); err != nil {
		t.Fatal(err)
	}
	if known, err := b.Ref.KnownDocumentType(ctx, "DIP"); !known || err != nil {
		t.Errorf("added again: %v, %v", known, err)
	}
	if err := b.Ref.RetireDocumentType(ctx, "XXX"); !fault.Is(err, fault.NotFound) {
		t.Errorf("retire unknown: %v", err)
	}
}

func TestAddDocumentTypeRefuses(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	en := map[string]string{"en": "Name"}
	tests := []struct {
		name  string
		d     refdata.DocumentType
		field string
	}{
		{"short code", refdata.DocumentType{Code: "AB", Names: en}, "code"},
		{"lower-case code", refdata.DocumentType{Code: "abc", Names: en}, "code"},
		{"letter beyond ASCII", refdata.DocumentType{Code: "AÄ", Names: en}, "code"},
		{"no English", refdata.DocumentType{Code: "ABC", Names: map[string]string{"de": "Name"}}, "names"},
		{"language", refdata.DocumentType{Code: "ABC", Names: map[string]string{"en": "Name", "english": "x"}}, "names"},
		{"empty name", refdata.DocumentType{Code: "ABC", Names: map[string]string{"en": "Name", "de": ""}}, "names.de"},
		{"control character", refdata.DocumentType{Code: "ABC", Names: map[string]string{"en": "Na\nme"}}, "names.en"},
		{"long name", refdata.DocumentType{Code: "ABC", Names: map[string]string{"en": strings.Repeat("x", 201)}}, "names.en"},
		{"field key", refdata.DocumentType{Code: "ABC", Names: en, FieldLabels: map[string]map[string]string{"A B": en}}, "fieldLabels"},
		{"no label", refdata.DocumentType{Code: "ABC", Names: en, FieldLabels: map[string]map[string]string{"a": {}}}, "fieldLabels.a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := fault.As(b.Ref.AddDocumentType(t.Context(), tt.d))
			if f == nil || f.Code != fault.CodeValidationFailed || len(f.Fields[tt.field]) == 0 {
				t.Errorf("err = %v, want one on %s", f, tt.field)
			}
		})
	}
	long := refdata.DocumentType{Code: "ABC", Names: map[string]string{"en": "Name", "ar": strings.Repeat("ش", fault.MaxName)}}
	if err := b.Ref.AddDocumentType(t.Context(), long); err != nil {
		t.Errorf("a name of %d characters in more bytes: %v", fault.MaxName, err)
	}
}

func TestTenants(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	b.Tenant(t, "B", "BBBBBB")
	b.Tenant(t, "A", "AAAAAA")
	if err := b.Tenants.Suspend(t.Context(), "BBBBBB"); err != nil {
		t.Fatal(err)
	}
	got, err := b.Ref.Tenants(t.Context())
	if diff := cmp.Diff([]refdata.TenantInfo{{Reference: "AAAAAA", Name: "A"}}, got); diff != "" || err != nil {
		t.Errorf("active tenants: %v (-want +got):\n%s", err, diff)
	}
}

func TestPublicKeys(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ctx := t.Context()
	b.Tenant(t, "A", "AAAAAA")
	b.Tenant(t, "B", "BBBBBB")
	if _, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", tenant.RotateOptions{Algorithm: payload.ES256, Announce: -1}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", tenant.RotateOptions{}); err != nil {
		t.Fatal(err)
	}
	all, err := b.Ref.PublicKeys(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, k := range all {
		ids = append(ids, k.KeyID+" "+k.Status+" "+k.Algorithm+" "+k.Curve)
	}
	want := []string{"AAAAAA-1 signing ES256 P-256", "AAAAAA-0 verifying EdDSA Ed25519", "BBBBBB-0 signing EdDSA Ed25519"}
	if diff := cmp.Diff(want, ids); diff != "" { // an announced key may not verify yet
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	one, err := b.Ref.PublicKey(ctx, "aaaaaa")
	if err != nil || one.Signing.KeyID != "AAAAAA-1" || len(one.Others) != 1 || one.Others[0].KeyID != "AAAAAA-0" {
		t.Errorf("keys of one tenant: %+v, %v", one, err)
	}
	if k, err := b.Ref.Key(ctx, "AAAAAA", "AAAAAA-0"); err != nil || k.Seq != 0 {
		t.Errorf("one key: %+v, %v", k, err)
	}
	if err := b.Tenants.Suspend(ctx, "BBBBBB"); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"BBBBBB", "CCCCCC", "x", ""} {
		if _, err := b.Ref.PublicKey(ctx, ref); !fault.Is(err, fault.NotFound) {
			t.Errorf("keys of %q: %v, want NotFound", ref, err)
		}
	}
	if _, err := b.Ref.Key(ctx, "AAAAAA", "BBBBBB-0"); !fault.Is(err, fault.NotFound) {
		t.Errorf("another tenant's key: %v", err)
	}
}

// TestKeyForms: JWK and PEM are the same key as the one that signs.
func TestKeyForms(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	b.Tenant(t, "A", "AAAAAA")
	signer, _, err := b.Tenants.Signer(t.Context(), "AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	want := signer.Public().(ed25519.PublicKey)
	k, err := b.Ref.Key(t.Context(), "AAAAAA", "")
	if err != nil {
		t.Fatal(err)
	}
	if x, err := base64.RawURLEncoding.DecodeString(k.X); err != nil || !want.Equal(ed25519.PublicKey(x)) || k.KeyType != "OKP" || k.Y != "" {
		t.Errorf("JWK %+v, %v", k, err)
	}
	block, _ := pem.Decode([]byte(k.PEM))
	if block == nil {
		t.Fatal("no PEM")
	}
	if pub, err := x509.ParsePKIXPublicKey(block.Bytes); err != nil || !want.Equal(pub.(ed25519.PublicKey)) {
		t.Errorf("PEM: %v, %v", pub, err)
	}
}
