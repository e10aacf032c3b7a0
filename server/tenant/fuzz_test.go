package tenant_test

import (
	"context"
	"strings"
	"testing"

	"tcode/server/fault"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// FuzzAuthenticate: only the key's own text is accepted, and no text is an internal
// error.
func FuzzAuthenticate(f *testing.F) {
	b := storetest.New(f)
	tn, err := b.Tenants.CreateTenant(context.Background(), "Acme", "ACME01")
	if err != nil {
		f.Fatal(err)
	}
	k, err := b.Tenants.CreateKey(context.Background(), tn.Reference, tenant.KeyOptions{Name: "k"})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{k.Secret, strings.ToUpper(k.Secret), k.Secret + " ", k.Secret[:49], "tck_live_", "tck_test_" + k.Secret[9:], ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, err := b.Tenants.Authenticate(context.Background(), s)
		if (err == nil) != (s == k.Secret) {
			t.Fatalf("%q: %v", s, err)
		}
		if err != nil && !fault.Is(err, fault.Unauthorized) {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

// FuzzParseReference: an accepted text is a reference in its canonical spelling.
func FuzzParseReference(f *testing.F) {
	for _, seed := range []string{"ACME01", "acme01", " acme01 ", "ACME0", "ACME-1", "ſſſſſſ", "ſſſ", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ref, ok := tenant.ParseReference(s)
		if !ok {
			return
		}
		again, ok := tenant.ParseReference(ref)
		if !ok || again != ref || len(ref) != 6 || strings.Trim(ref, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			t.Fatalf("%q gives %q", s, ref)
		}
		if len(strings.TrimSpace(s)) != 6 || !strings.EqualFold(strings.TrimSpace(s), ref) {
			t.Fatalf("%q gives %q, another name", s, ref)
		}
	})
}
