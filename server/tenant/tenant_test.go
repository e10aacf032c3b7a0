package tenant_test

import (
	"context"
	"crypto"
	"errors"
	"strings"
	"testing"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/platform/keyring"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

func TestCreateTenant(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	tests := []struct {
		name, reference string
		want            fault.Kind
		field           string
	}{
		{"Acme", "acme01", 0, ""},
		{"Acme again", "ACME01", fault.Conflict, ""},
		{"Drawn", "", 0, ""},
		{"", "ACME02", fault.Invalid, "name"},
		{strings.Repeat("é", 201), "ACME02", fault.Invalid, "name"},
		{"line\nbreak", "ACME02", fault.Invalid, "name"},
		{"short", "ACME", fault.Invalid, "reference"},
		{"sign", "ACME-2", fault.Invalid, "reference"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tn, err := b.Tenants.CreateTenant(t.Context(), tt.name, tt.reference)
			if tt.want == 0 {
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := tenant.ParseReference(tn.Reference); !ok {
					t.Errorf("reference %q", tn.Reference)
				}
				return
			}
			f := fault.As(err)
			if f == nil || f.Kind != tt.want {
				t.Fatalf("err = %v, want %v", err, tt.want)
			}
			if _, ok := f.Fields[tt.field]; tt.field != "" && !ok {
				t.Errorf("fields = %v, want %s", f.Fields, tt.field)
			}
		})
	}
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ctx := t.Context()
	tn, err := b.Tenants.CreateTenant(ctx, "Acme", "ACME01")
	if err != nil {
		t.Fatal(err)
	}
	key := func(opt tenant.KeyOptions) tenant.NewKey {
		t.Helper()
		opt.Name = "k"
		k, err := b.Tenants.CreateKey(ctx, tn.Reference, opt)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	live, second := key(tenant.KeyOptions{}), key(tenant.KeyOptions{})
	test := key(tenant.KeyOptions{Test: true})
	revoked := key(tenant.KeyOptions{})
	expiring := key(tenant.KeyOptions{ExpiresAt: b.Clock.Now().Add(time.Hour)})
	if err := b.Tenants.RevokeKey(ctx, "", revoked.Prefix); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(live.Secret, "tck_live_"+live.Prefix+"_") || len(live.Secret) != 9+8+1+32 {
		t.Errorf("secret %q", live.Secret)
	}
	flipped := live.Secret[:len(live.Secret)-1] + string(live.Secret[len(live.Secret)-1]^1)
	tests := []struct {
		name, secret string
		ok           bool
	}{
		{"live", live.Secret, true},
		{"a second one", second.Secret, true},
		{"test", test.Secret, true},
		{"expiring", expiring.Secret, true},
		{"revoked", revoked.Secret, false},
		{"none", "", false},
		{"wrong last character", flipped, false},
		{"live key called test", strings.Replace(live.Secret, "_live_", "_test_", 1), false},
		{"one key's secret under another's prefix", "tck_live_" + live.Prefix + second.Secret[17:], false},
		{"cut short", live.Secret[:20], false},
		{"unknown prefix", "tck_live_AAAAAAAA_" + strings.Repeat("A", 32), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id, err := b.Tenants.Authenticate(ctx, tt.secret)
			if tt.ok != (err == nil) {
				t.Fatalf("err = %v, want ok %v", err, tt.ok)
			}
			if tt.ok && id.Tenant.Reference != "ACME01" {
				t.Errorf("tenant %q", id.Tenant.Reference)
			}
			if !tt.ok {
				if f := fault.As(err); f.Kind != fault.Unauthorized || f.Code != fault.CodeUnauthorized || f.Err != nil {
					t.Errorf("fault %+v", f)
				}
			}
		})
	}
	b.Clock.Add(time.Hour)
	if _, err := b.Tenants.Authenticate(ctx, expiring.Secret); !fault.Is(err, fault.Unauthorized) {
		t.Errorf("expired key: %v", err)
	}
	if err := b.Tenants.Suspend(ctx, "ACME01"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Tenants.Authenticate(ctx, live.Secret); fault.As(err).Reason != fault.ReasonTenantSuspended || fault.As(err).Kind != fault.Forbidden {
		t.Errorf("suspended tenant: %v", err)
	}
	if err := b.Tenants.Activate(ctx, "ACME01"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Tenants.Authenticate(ctx, live.Secret); err != nil {
		t.Errorf("active again: %v", err)
	}
	if err := b.Tenants.FlushUses(ctx); err != nil {
		t.Fatal(err)
	}
	ks, err := b.Tenants.Keys(ctx, "ACME01")
	if err != nil || len(ks) != 5 {
		t.Fatalf("Keys = %d, %v; want 5", len(ks), err)
	}
	for _, k := range ks {
		if k.Prefix == live.Prefix && !k.LastUsedAt.Equal(b.Clock.Now()) {
			t.Errorf("last used %v, want %v", k.LastUsedAt, b.Clock.Now())
		}
	}
}

// TestRevokeOtherTenantsKey: a tenant cannot revoke another tenant's key under its own name.
func TestRevokeOtherTenantsKey(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	a, c := b.Tenant(t, "A", "AAAAAA"), b.Tenant(t, "C", "CCCCCC")
	err := b.Tenants.RevokeKey(t.Context(), a.Tenant.Reference, c.KeyPrefix)
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("err = %v, want NotFound", err)
	}
}

// sign signs a payload by the tenant's key and checks it against the public
// records.
func sign(t *testing.T, b *storetest.Bundle, ref string) uint8 {
	t.Helper()
	ctx := context.Background()
	signer, seq, err := b.Tenants.Signer(ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := b.Tenants.SigningKeys(ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	core := []byte{0xD7, 1<<4 | byte(keys[seq].Public.Algorithm())}
	var s crypto.Signer = signer
	sig, err := payload.Sign(core, s)
	if err != nil {
		t.Fatal(err)
	}
	if !keys[seq].Public.Verify(core, sig) {
		t.Errorf("key %d does not verify what it signed", seq)
	}
	return seq
}

func TestRotate(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ctx := t.Context()
	b.Tenant(t, "A", "AAAAAA")
	states := func() (out []tenant.KeyState) {
		t.Helper()
		ks, err := b.Tenants.SigningKeys(ctx, "AAAAAA")
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range ks {
			out = append(out, k.State)
		}
		return out
	}
	want := func(words ...tenant.KeyState) {
		t.Helper()
		got := states()
		if len(got) != len(words) {
			t.Fatalf("states %v, want %v", got, words)
		}
		for i := range got {
			if got[i] != words[i] {
				t.Fatalf("states %v, want %v", got, words)
			}
		}
	}
	want(tenant.KeySigning)
	if seq := sign(t, b, "AAAAAA"); seq != 0 {
		t.Errorf("seq %d", seq)
	}
	if _, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", tenant.RotateOptions{Algorithm: payload.ES256}); err != nil {
		t.Fatal(err)
	}
	want(tenant.KeySigning, tenant.KeyAnnounced)
	if _, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", tenant.RotateOptions{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("second announcement: %v, want Conflict", err)
	}
	b.Clock.Add(tenant.DefaultAnnounce - time.Second)
	if seq := sign(t, b, "AAAAAA"); seq != 0 {
		t.Errorf("seq %d before its time", seq)
	}
	b.Clock.Add(time.Second)
	if seq := sign(t, b, "AAAAAA"); seq != 1 {
		t.Errorf("seq %d, want the announced key", seq)
	}
	if err := b.Tenants.Advance(ctx); err != nil {
		t.Fatal(err)
	}
	want(tenant.KeyVerifying, tenant.KeySigning)
	if _, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", tenant.RotateOptions{Announce: -1}); err != nil {
		t.Fatal(err)
	}
	want(tenant.KeyVerifying, tenant.KeyVerifying, tenant.KeySigning)
	if seq := sign(t, b, "AAAAAA"); seq != 2 {
		t.Errorf("seq %d, want 2", seq)
	}
	keys, err := b.Tenants.SigningKeys(ctx, "AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range keys[:2] { // stamps begun under a key are still issued under it
		if over := k.ValidUntil.Sub(keys[i+1].ValidFrom); over != time.Minute {
			t.Errorf("key %d may sign for %v after its successor begins, want a minute", k.Seq, over)
		}
	}
}

// TestKeysRunOut: the payload's header has one byte for the key, so the 257th is refused.
// That must not prevent the compromise of the last one.
func TestKeysRunOut(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ctx := t.Context()
	b.Tenant(t, "A", "AAAAAA")
	now := tenant.RotateOptions{Announce: -1}
	if _, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", now); err != nil {
		t.Fatal(err)
	}
	// The test adds 253 more, all like the first.
	_, err := storetest.Raw(t, b.Dir).Exec(`
		INSERT INTO signing_keys (tenant, seq, algorithm, public, state, valid_from, valid_until, created_at, sealed)
		WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 254)
		SELECT tenant, n.i, algorithm, public, state, valid_from, valid_until, created_at, sealed
		FROM signing_keys, n WHERE tenant = 'AAAAAA' AND seq = 0`)
	if err != nil {
		t.Fatal(err)
	}
	if k, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", now); err != nil || k.Seq != 255 {
		t.Fatalf("key 256: seq %d, %v", k.Seq, err)
	}
	if _, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", now); !fault.Is(err, fault.Rejected) {
		t.Errorf("key 257: %v, want Rejected", err)
	}
	if seq := sign(t, b, "AAAAAA"); seq != 255 {
		t.Errorf("seq %d, want 255", seq)
	}
	out, err := b.Tenants.CompromiseSigningKey(ctx, "AAAAAA", 255, b.Clock.Now())
	if err != nil || out.Next != nil {
		t.Errorf("%+v, %v; want no next key", out, err)
	}
	if _, _, err := b.Tenants.Signer(ctx, "AAAAAA"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("signer: %v, want none", err)
	}
}

// TestSwappedRows: a row whose sealed key was replaced by another tenant's signs nothing.
func TestSwappedRows(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		id := b.Tenant(t, "A", "AAAAAA")
		b.Tenant(t, "B", "BBBBBB")
		_, err := storetest.Raw(t, b.Dir).Exec(`UPDATE signing_keys SET
			sealed = (SELECT sealed FROM signing_keys WHERE tenant = 'BBBBBB'),
			public = (SELECT public FROM signing_keys WHERE tenant = 'BBBBBB') WHERE tenant = 'AAAAAA'`)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Tenants.Signer(t.Context(), "AAAAAA"); !errors.Is(err, keyring.ErrSealed) {
			t.Errorf("signer: %v, want ErrSealed", err)
		}
		if _, err := b.Stamps.Create(t.Context(), id, storetest.Request("n")); !errors.Is(err, keyring.ErrSealed) {
			t.Errorf("stamp: %v, want ErrSealed", err)
		}
	})
}

// TestSwappedPublicKey: a changed public key on record is noticed before it causes a
// signature that no device could verify.
func TestSwappedPublicKey(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	b.Tenant(t, "A", "AAAAAA")
	b.Tenant(t, "B", "BBBBBB")
	if _, _, err := b.Tenants.Signer(t.Context(), "AAAAAA"); err != nil {
		t.Fatal(err)
	}
	_, err := storetest.Raw(t, b.Dir).Exec(`UPDATE signing_keys SET
		public = (SELECT public FROM signing_keys WHERE tenant = 'BBBBBB') WHERE tenant = 'AAAAAA'`)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Tenants.Signer(t.Context(), "AAAAAA"); err == nil {
		t.Error("signs by a key that is not on record")
	}
}

// TestSealedKeysAreBound: a private key that is copied to another tenant's row does not open there.
func TestSealedKeysAreBound(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	b.Tenant(t, "A", "AAAAAA")
	ks, err := b.Tenants.SigningKeys(t.Context(), "AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Ring.Open(ks[0].Sealed, "AAAAAA", ks[0].ID()); err != nil {
		t.Fatal(err)
	}
	for _, id := range [][2]string{{"BBBBBB", ks[0].ID()}, {"AAAAAA", "AAAAAA-1"}, {"AAAAA", "A" + ks[0].ID()}} {
		if _, err := b.Ring.Open(ks[0].Sealed, id[0], id[1]); err == nil {
			t.Errorf("opens as %v", id)
		}
	}
}

// TestRotateTwice: a key that has a successor is not rotated again, which would give the second
// one the life of the overlap. The fault names the successor.
func TestRotateTwice(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ctx := t.Context()
	if _, err := b.Tenants.CreateTenant(ctx, "Acme", "ACME01"); err != nil {
		t.Fatal(err)
	}
	old, err := b.Tenants.CreateKey(ctx, "ACME01", tenant.KeyOptions{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	next, err := b.Tenants.RotateKey(ctx, "ACME01", old.Prefix, tenant.RenewOptions{})
	if err != nil || !next.ExpiresAt.IsZero() {
		t.Fatalf("%+v, %v", next.APIKey, err)
	}
	_, err = b.Tenants.RotateKey(ctx, "ACME01", old.Prefix, tenant.RenewOptions{})
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), next.Prefix) {
		t.Errorf("again: %v", err)
	}
	last, err := b.Tenants.RotateKey(ctx, "ACME01", next.Prefix, tenant.RenewOptions{})
	if err != nil || !last.ExpiresAt.IsZero() {
		t.Errorf("the successor: %+v, %v", last.APIKey, err)
	}
}
