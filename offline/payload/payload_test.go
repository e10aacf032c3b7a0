package payload_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/makiuchi-d/gozxing/datamatrix/decoder"

	"tcode/offline/payload"
)

// newSigners returns a fresh signer of each algorithm.
func newSigners(tb testing.TB) []crypto.Signer {
	tb.Helper()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	es, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return []crypto.Signer{ed, es}
}

// sample returns a payload with nothing optional, not yet sealed.
func sample(tb testing.TB) payload.Payload {
	tb.Helper()
	ref, err := payload.NewReference(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return payload.Payload{
		Issuer: "ACME01", KeySeq: 3, Reference: ref, DocumentType: "DIP",
		IssuedAt:    time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC),
		Status:      payload.NewStatusIndex(7, 12345),
		Fingerprint: [16]byte{1, 2, 3},
	}
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 256)
	tests := []struct {
		name   string
		edit   func(p *payload.Payload)
		want   error
		field  string
		offset int
	}{
		{"zero algorithm", func(p *payload.Payload) { p.Algorithm = 0 }, payload.ErrAlgorithm, "algorithm", 1},
		{"algorithm 3", func(p *payload.Payload) { p.Algorithm = 3 }, payload.ErrAlgorithm, "algorithm", 1},
		{"algorithm 17 is not 1", func(p *payload.Payload) { p.Algorithm = 17 }, payload.ErrAlgorithm, "algorithm", 1},
		{"no issuer", func(p *payload.Payload) { p.Issuer = "" }, payload.ErrIssuer, "issuer", 3},
		{"short issuer", func(p *payload.Payload) { p.Issuer = "ACME1" }, payload.ErrIssuer, "issuer", 3},
		{"long issuer", func(p *payload.Payload) { p.Issuer = "ACME001" }, payload.ErrIssuer, "issuer", 3},
		{"lower-case issuer", func(p *payload.Payload) { p.Issuer = "acme01" }, payload.ErrIssuer, "issuer", 3},
		{"issuer of 6 bytes", func(p *payload.Payload) { p.Issuer = "ACME\u00e9" }, payload.ErrIssuer, "issuer", 3},
		{"no type", func(p *payload.Payload) { p.DocumentType = "" }, payload.ErrDocumentType, "document type", 18},
		{"lower-case type", func(p *payload.Payload) { p.DocumentType = "dip" }, payload.ErrDocumentType, "document type", 18},
		{"no issue time", func(p *payload.Payload) { p.IssuedAt = time.Time{} }, payload.ErrTime, "issued at", 20},
		{"before 2020", func(p *payload.Payload) { p.IssuedAt = time.Unix(payload.Epoch-1, 0) }, payload.ErrTime, "issued at", 20},
		{"after 2156", func(p *payload.Payload) { p.IssuedAt = time.Unix(payload.Epoch+1<<32, 0) }, payload.ErrTime, "issued at", 20},
		{"part of a second", func(p *payload.Payload) { p.IssuedAt = p.IssuedAt.Add(1) }, payload.ErrTime, "issued at", 20},
		{"expiry with part of a second", func(p *payload.Payload) { p.ExpiresAt = p.IssuedAt.Add(time.Second + 1) }, payload.ErrTime, "expiry", 28},
		{"expiry equal", func(p *payload.Payload) { p.ExpiresAt = p.IssuedAt }, payload.ErrExpiry, "expiry", 28},
		{"expiry earlier", func(p *payload.Payload) { p.ExpiresAt = p.IssuedAt.Add(-time.Second) }, payload.ErrExpiry, "expiry", 28},
		{"17 fields", func(p *payload.Payload) { p.Fields = make([]payload.Field, 17) }, payload.ErrFieldCount, "field count", 28},
		{"empty key", func(p *payload.Payload) { p.Fields = []payload.Field{{Value: "v"}} }, payload.ErrFieldKey, "field key", 29},
		{"long key", func(p *payload.Payload) { p.Fields = []payload.Field{{Key: "abcdefghijklmnopq"}} }, payload.ErrFieldKey, "field key", 29},
		{"key alphabet", func(p *payload.Payload) { p.Fields = []payload.Field{{Key: "a.b"}} }, payload.ErrFieldKey, "field key", 29},
		{"key twice", func(p *payload.Payload) { p.Fields = []payload.Field{{Key: "a"}, {Key: "a"}} }, payload.ErrFieldOrder, "field key", 32},
		{"descending", func(p *payload.Payload) { p.Fields = []payload.Field{{Key: "b"}, {Key: "a"}} }, payload.ErrFieldOrder, "field key", 32},
		{"long value", func(p *payload.Payload) { p.Fields = []payload.Field{{Key: "a", Value: long}} }, payload.ErrFieldValue, "field value", 31},
		{"not UTF-8", func(p *payload.Payload) { p.Fields = []payload.Field{{Key: "a", Value: "\xff"}} }, payload.ErrFieldValue, "field value", 31},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := sample(t)
			p.Algorithm = payload.Ed25519
			tt.edit(&p)
			before := []byte("before")
			got, err := p.Append(before)
			want := &payload.SyntaxError{Offset: tt.offset, Field: tt.field, Err: tt.want}
			var syntax *payload.SyntaxError
			if !errors.As(err, &syntax) || *syntax != *want {
				t.Errorf("Append: %v, want %v", err, want)
			}
			if !bytes.Equal(got, before) {
				t.Errorf("Append returns %q with its error, want %q", got, before)
			}
			if _, err := payload.AppendCOSE(nil, p); !errors.Is(err, tt.want) {
				t.Errorf("AppendCOSE: %v, want %v", err, tt.want)
			}
			sealed := p
			if err := sealed.Seal(newSigners(t)[0]); tt.want != payload.ErrAlgorithm && !errors.Is(err, tt.want) {
				t.Errorf("Seal: %v, want %v", err, tt.want)
			} else if err != nil && !cmp.Equal(sealed, p) {
				t.Error("Seal changed a payload that it refused")
			}
		})
	}
}

// TestSizes checks the promises about length: with nothing optional always 108
// bytes, 168 characters and 40x40 modules, and the documented limits.
func TestSizes(t *testing.T) {
	t.Parallel()
	if payload.MinLen != 108 || payload.MaxLen != 4481 || payload.MaxTextLen != 6971 {
		t.Errorf("MinLen %d, MaxLen %d, MaxTextLen %d, want 108, 4481, 6971", payload.MinLen, payload.MaxLen, payload.MaxTextLen)
	}
	rnd := mathrand.NewChaCha8([32]byte{1})
	for range 10_000 {
		raw := make([]byte, payload.MinLen)
		if _, err := rnd.Read(raw); err != nil {
			t.Fatal(err)
		}
		text := payload.EncodeText(raw)
		data, side, err := payload.Codewords(text)
		if err != nil || side != 40 || len(data) != 114 || len(text) != 168 {
			t.Fatalf("%x: %d characters, %d codewords, %d modules, %v, want 168, 114, 40", raw, len(text), len(data), side, err)
		}
	}
	for n, wantFit := range map[int]bool{payload.MaxSymbolLen: true, payload.MaxSymbolLen + 1: false} {
		_, side, err := payload.Codewords(payload.EncodeText(make([]byte, n)))
		if fits := err == nil; fits != wantFit || fits && side != 132 {
			t.Errorf("%d bytes: %d modules, %v", n, side, err)
		}
	}
}

// TestCodewordsLengths reads back every length that fits a symbol, with our
// strict oracle and with gozxing's parser, and checks that no smaller symbol is
// enough.
func TestCodewordsLengths(t *testing.T) {
	t.Parallel()
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	rnd := mathrand.New(mathrand.NewPCG(2, 3))
	capacity := []int{3, 5, 8, 12, 18, 22, 30, 36, 44, 62, 86, 114, 144, 174, 204, 280, 368, 456, 576, 696, 816, 1050, 1304}
	for n := 1; n <= 1954; n++ {
		raw := make([]byte, n)
		for i := range raw {
			raw[i] = alphabet[rnd.IntN(len(alphabet))]
		}
		data, _, err := payload.Codewords(string(raw))
		if err != nil {
			t.Fatalf("%d characters: %v", n, err)
		}
		if got, err := readCodewords(data); err != nil || got != string(raw) {
			t.Fatalf("%d characters read back as %q, %v, want %q", n, got, err, raw)
		}
		if got, err := decoder.DecodedBitStreamParser_decode(data); err != nil || got.GetText() != string(raw) {
			t.Fatalf("%d characters: gozxing reads %v, %v, want %q", n, got, err, raw)
		}
		for _, c := range capacity {
			// n characters need n/3 pairs of codewords, one or two more for the
			// rest, and the latch.
			if c >= 1+n/3*2+n%3 {
				if len(data) != c {
					t.Fatalf("%d characters: %d codewords, want %d", n, len(data), c)
				}
				break
			}
		}
	}
}

func TestReferenceRoundTrip(t *testing.T) {
	t.Parallel()
	seen := map[payload.Reference]bool{}
	for range 1000 {
		r, err := payload.NewReference(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := payload.ParseReference(r.String()); err != nil || back != r {
			t.Fatalf("ParseReference(%s) = %v, %v", r, back, err)
		}
		seen[r] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d different references of 1000", len(seen))
	}
	broken := errors.New("no randomness")
	if _, err := payload.NewReference(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("NewReference: %v, want %v", err, broken)
	}
	if _, err := payload.NewReference(strings.NewReader("123456789")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("NewReference of 9 bytes: %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

func TestStatusIndex(t *testing.T) {
	t.Parallel()
	i := payload.NewStatusIndex(0xABCD, 0x1234)
	if i != 0xABCD1234 || i.Shard() != 0xABCD || i.Entry() != 0x1234 {
		t.Errorf("%x: shard %x, entry %x", uint32(i), i.Shard(), i.Entry())
	}
}

func TestAlgorithmNames(t *testing.T) {
	t.Parallel()
	for _, a := range []payload.Algorithm{payload.Ed25519, payload.ES256} {
		if back, err := payload.ParseAlgorithm(a.String()); err != nil || back != a {
			t.Errorf("ParseAlgorithm(%s) = %v, %v", a, back, err)
		}
	}
	for _, s := range []string{"", "ed25519", "EdDSA", "ES384", "unknown"} {
		if _, err := payload.ParseAlgorithm(s); !errors.Is(err, payload.ErrAlgorithm) {
			t.Errorf("ParseAlgorithm(%q): %v, want %v", s, err, payload.ErrAlgorithm)
		}
	}
}

// TestParseCopies: the parsed payload does not change when the caller reuses
// the bytes.
func TestParseCopies(t *testing.T) {
	t.Parallel()
	raw := body(t, readVectors(t, "ed25519-everything")[0])
	p, err := payload.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	again, err := payload.Parse(bytes.Clone(raw))
	if err != nil {
		t.Fatal(err)
	}
	clear(raw)
	if diff := cmp.Diff(again, p); diff != "" {
		t.Errorf("changed with its bytes:\n%s", diff)
	}
}
