package verify_test

import (
	"bytes"
	"crypto/ed25519"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// forge returns a payload like st's, changed and signed again by key.
func forge(t *testing.T, st stamp.Stamp, key ed25519.PrivateKey, change func(p *payload.Payload)) string {
	t.Helper()
	p, err := payload.Parse(st.Payload)
	if err != nil {
		t.Fatal(err)
	}
	change(&p)
	if key != nil {
		if err := p.Seal(key); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := p.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b64(raw)
}

// TestForgeries: a forged payload is not_found, with the failed check and no data of the
// stamp that it imitates.
func TestForgeries(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	b.Tenant(t, "Other", "OTHER1")
	signer := func(ref string) ed25519.PrivateKey {
		s, _, err := b.Tenants.Signer(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		return s.(ed25519.PrivateKey)
	}
	_, stranger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name        string
		key         ed25519.PrivateKey // nil: the old signature stays
		change      func(p *payload.Payload)
		check, code string
	}{
		{"byte of the signature", nil, func(p *payload.Payload) { p.Signature[9] ^= 1 }, offline.CheckSignature, offline.CodeSignatureInvalid},
		{"other fingerprint", nil, func(p *payload.Payload) { p.Fingerprint[0] ^= 1 }, offline.CheckSignature, offline.CodeSignatureInvalid},
		{"other entry", nil, func(p *payload.Payload) { p.Status++ }, offline.CheckSignature, offline.CodeSignatureInvalid},
		{"a stranger's key", stranger, func(*payload.Payload) {}, offline.CheckSignature, offline.CodeSignatureInvalid},
		{"another tenant's key", signer("OTHER1"), func(*payload.Payload) {}, offline.CheckSignature, offline.CodeSignatureInvalid},
		{"another tenant's name", signer("OTHER1"), func(p *payload.Payload) { p.Issuer = "OTHER1" }, offline.CheckRecord, offline.CodeRecordDiffers},
		{"an unknown issuer", stranger, func(p *payload.Payload) { p.Issuer = "NOBODY" }, offline.CheckIssuerKnown, offline.CodeIssuerUnknown},
		{"no such key", stranger, func(p *payload.Payload) { p.KeySeq = 9 }, offline.CheckKeyKnown, offline.CodeKeyUnknown},
		{"stolen key, same reference", signer("ACME01"), func(p *payload.Payload) { p.DocumentType = "INV" }, offline.CheckRecord, offline.CodeRecordDiffers},
		{"stolen key, new reference", signer("ACME01"), func(p *payload.Payload) { p.Reference[0] ^= 1 }, offline.CheckRecord, offline.CodeRecordUnknown},
		{"before the key", signer("ACME01"), func(p *payload.Payload) { p.IssuedAt = p.IssuedAt.AddDate(-1, 0, 0) }, offline.CheckKeyWindow, offline.CodeIssuedBeforeKey},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := b.Verify.ByPayload(t.Context(), anyone, forge(t, st, tt.key, tt.change))
			if err != nil {
				t.Fatal(err)
			}
			c, _ := offline.FindCheck(r.Checks, tt.check)
			if r.Verdict != verify.NotFound || c.Status != offline.Fail || c.Code != tt.code {
				t.Errorf("%s, %+v; want not_found by %s", r.Verdict, c, tt.code)
			}
			r.Checks = nil
			if diff := cmp.Diff(verify.Result{Verdict: verify.NotFound, Assurance: offline.AssuranceNone}, r); diff != "" {
				t.Errorf("more than checks is told (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEachBit: every bit of a payload matters.
func TestEachBit(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	for i := range len(st.Payload) * 8 {
		raw := bytes.Clone(st.Payload)
		raw[i/8] ^= 1 << (i % 8)
		text := b64(raw)
		r, err := b.Verify.ByPayload(t.Context(), anyone, text)
		if err == nil && r.Verdict != verify.NotFound {
			t.Fatalf("bit %d flipped: %s", i, r.Verdict)
		}
		if err != nil && fault.As(err).Code != fault.CodeInvalidPayload {
			t.Fatalf("bit %d flipped: %v", i, err)
		}
	}
}

// TestOldKeys: a verifying key, and a compromised one, still prove the stamps in the
// gateway's rows.
func TestOldKeys(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "n")
	ctx := t.Context()
	b.Clock.Add(1e12)
	if _, err := b.Tenants.RotateSigningKey(ctx, "ACME01", tenant.RotateOptions{Announce: -1, Algorithm: payload.ES256}); err != nil {
		t.Fatal(err)
	}
	second := b.Stamp(t, id, "m")
	for _, s := range []stamp.Stamp{st, second} {
		if r, err := b.Verify.ByPayload(ctx, anyone, b64(s.Payload)); err != nil || r.Verdict != verify.Valid {
			t.Errorf("key %d: %s, %v", s.KeySeq, r.Verdict, err)
		}
	}
	if _, err := b.Tenants.CompromiseSigningKey(ctx, "ACME01", 0, b.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	r, err := b.Verify.ByPayload(ctx, anyone, b64(st.Payload))
	c, _ := offline.FindCheck(r.Checks, offline.CheckKeyNotCompromised)
	if err != nil || r.Verdict != verify.Valid || c.Code != offline.CodeSurvivor {
		t.Errorf("compromised key: %s, %+v, %v", r.Verdict, c, err)
	}
}
