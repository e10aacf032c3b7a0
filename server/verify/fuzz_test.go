package verify_test

import (
	"bytes"
	"context"
	"testing"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/store/storetest"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// FuzzByPayload: for any input, only exactly the issued payload is valid, and all others
// are INVALID_PAYLOAD or not_found.
func FuzzByPayload(f *testing.F) {
	b := storetest.New(f)
	st := b.Stamp(f, b.Tenant(f, "Acme", "ACME01"), "n")
	text := payload.EncodeText(st.Payload)
	for _, seed := range []string{b64(st.Payload), text, b64([]byte(text)), "", "N", "1", "T", b64(st.Payload[:107])} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := b.Verify.ByPayload(context.Background(), anyone, s)
		if err != nil {
			if fault.As(err).Code != fault.CodeInvalidPayload {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		raw, err := wire.PayloadBytes(s)
		issued := err == nil && bytes.Equal(raw, st.Payload)
		if issued != (r.Verdict == verify.Valid) || !issued && r.Verdict != verify.NotFound {
			t.Fatalf("%q: %s, issued %v", s, r.Verdict, issued)
		}
	})
}

// FuzzLookUp: no text is an error, and only the stamp's own references find it.
func FuzzLookUp(f *testing.F) {
	b := storetest.New(f)
	st := b.Stamp(f, b.Tenant(f, "Acme", "ACME01"), "n")
	for _, seed := range []string{st.Reference.String(), sloppy(st.Reference), st.StampedSHA256, "", "TCR-", "'", "\x00", "TCR-00000000000000ÿ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := b.Verify.ByReference(context.Background(), anyone, s)
		if err != nil {
			t.Fatalf("reference %q: %v", s, err)
		}
		ref, err := payload.ParseReference(s)
		if own := err == nil && ref == st.Reference; own != (r.Verdict == verify.Valid) {
			t.Fatalf("reference %q: %s, own %v", s, r.Verdict, own)
		}
		if _, err := b.Verify.ByHash(context.Background(), anyone, s); err != nil {
			t.Fatalf("hash %q: %v", s, err)
		}
	})
}
