package cmd_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/server"
)

// TestForgery: none is accepted of genuine payloads with every single bit
// flipped, and of the same payloads signed by every other issuer's key. All
// untouched ones are accepted; otherwise the test proves nothing.
func TestForgery(t *testing.T) {
	issuers, each := 10, count(t, "TCODE_FORGED_EACH", 2)
	w := newWorld(t, issuers)
	var papers []paper
	for i, by := range w.issuers {
		for j := range each {
			papers = append(papers, w.stamp(by, fmt.Sprintf("paper %d of %d", j, i), smallPDF(i*each+j)))
		}
	}
	verdict := w.verifier()

	for _, p := range papers {
		if got := verdict(p.raw); got != offline.Valid {
			t.Errorf("%s untouched: %s, want valid", p.reference, got)
		}
	}
	t.Run("flipped bits", func(t *testing.T) {
		for _, p := range papers {
			raw := bytes.Clone(p.raw)
			for bit := range len(raw) * 8 {
				raw[bit/8] ^= 1 << (bit % 8)
				if got := verdict(raw); got == offline.Valid {
					t.Errorf("%s with bit %d flipped is valid", p.reference, bit)
				}
				raw[bit/8] ^= 1 << (bit % 8)
			}
		}
	})
	t.Run("signed by others", func(t *testing.T) {
		w.down() // the test opens its data folder for the issuers' keys
		g, err := server.Open(t.Context(), server.Config{Init: true, Data: w.data})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		for _, p := range papers {
			for _, other := range w.issuers {
				if other.reference == p.payload.Issuer {
					continue
				}
				key, _, err := g.Tenants.Signer(t.Context(), other.reference)
				if err != nil {
					t.Fatal(err)
				}
				forged := p.payload
				if err := forged.Seal(key); err != nil {
					t.Fatal(err)
				}
				raw, err := forged.Append(nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := verdict(raw); got == offline.Valid {
					t.Errorf("%s signed by %s is valid", p.reference, other.reference)
				}
			}
		}
	})
}

// verifier returns an enrolled scanner's judgement on payloads that are bound
// to their file.
func (w *world) verifier() func(raw []byte) offline.Verdict {
	w.t.Helper()
	snapshot, err := w.scanner("verifier").Cache.Snapshot(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	v := offline.New(snapshot, offline.Policy{})
	now := time.Now()
	return func(raw []byte) offline.Verdict {
		return v.Verify(offline.Clock{Now: now}, offline.Request{Payload: raw, Binding: binding.Match}).Verdict
	}
}

// smallPDF returns a different page for every n.
func smallPDF(n int) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>")
	content := fmt.Sprintf("BT /F 24 Tf 72 720 Td (Paper number %d) Tj ET", n)
	object(fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content))
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return b.Bytes()
}
