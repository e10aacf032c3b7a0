package attack_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/server"
)

// TestForgery: none is accepted of genuine payloads with every single bit
// flipped, and of the same payloads signed by every other issuer's key. All
// untouched ones are accepted; otherwise the test proves nothing.
func TestForgery(t *testing.T) {
	issuers, each := 10, world.Count(t, "TCODE_FORGED_EACH", 1)
	w := world.New(t, issuers)
	var papers []world.Paper
	for i, by := range w.Issuers {
		for j := range each {
			papers = append(papers, w.Stamp(by, fmt.Sprintf("paper %d of %d", j, i),
				world.SmallPDF(i*each+j)))
		}
	}
	verdict := newVerifier(w)

	for _, p := range papers {
		if got := verdict(p.Raw); got != offline.Valid {
			t.Errorf("%s untouched: %s, want valid", p.Reference, got)
		}
	}
	t.Run("flipped bits", func(t *testing.T) {
		for _, p := range papers {
			raw := bytes.Clone(p.Raw)
			for bit := range len(raw) * 8 {
				raw[bit/8] ^= 1 << (bit % 8)
				if got := verdict(raw); got == offline.Valid {
					t.Errorf("%s with bit %d flipped is valid", p.Reference, bit)
				}
				raw[bit/8] ^= 1 << (bit % 8)
			}
		}
	})
	t.Run("signed by others", func(t *testing.T) {
		w.Down() // the test opens its data folder for the issuers' keys
		g, err := server.Open(t.Context(), server.Config{Init: true, Data: w.Data})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		for _, p := range papers {
			for _, other := range w.Issuers {
				if other.Reference == p.Payload.Issuer {
					continue
				}
				key, _, err := g.Tenants.Signer(t.Context(), other.Reference)
				if err != nil {
					t.Fatal(err)
				}
				forged := p.Payload
				if err := forged.Seal(key); err != nil {
					t.Fatal(err)
				}
				raw, err := forged.Append(nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := verdict(raw); got == offline.Valid {
					t.Errorf("%s signed by %s is valid", p.Reference, other.Reference)
				}
			}
		}
	})
}

// newVerifier returns an enrolled scanner's judgement on payloads that are bound
// to their file.
func newVerifier(w *world.World) func(raw []byte) offline.Verdict {
	w.T.Helper()
	snapshot, err := w.Scanner("verifier").Cache.Snapshot(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	v := offline.New(snapshot, offline.Policy{})
	now := time.Now()
	return func(raw []byte) offline.Verdict {
		return v.Verify(offline.Clock{Now: now},
			offline.Request{Payload: raw, Binding: binding.Match}).Verdict
	}
}
