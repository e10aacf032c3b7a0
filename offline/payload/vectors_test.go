package payload_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
	"tcode/testdata"
)

// wantVectors detects a moved folder: no files must not count as a pass.
const wantVectors = 309

// classes maps `expect` to the reason. "ok" and "signature" are not errors.
func classes() map[string]error {
	return map[string]error{
		"truncated": payload.ErrTruncated, "trailing": payload.ErrTrailing, "too-long": payload.ErrTooLong,
		"magic": payload.ErrMagic, "version": payload.ErrVersion, "algorithm": payload.ErrAlgorithm, "flags": payload.ErrFlags,
		"issuer": payload.ErrIssuer, "document-type": payload.ErrDocumentType, "expiry": payload.ErrExpiry,
		"field-count": payload.ErrFieldCount, "field-key": payload.ErrFieldKey, "field-order": payload.ErrFieldOrder, "field-value": payload.ErrFieldValue,
		"text-length": payload.ErrTextLength, "text-char": payload.ErrTextChar, "text-value": payload.ErrTextValue,
		"public-key": payload.ErrPublicKey, "reference": payload.ErrReference,
	}
}

// readVectors returns the vectors whose names start with one of the prefixes,
// or all of them if there are none.
func readVectors(tb testing.TB, prefixes ...string) []testdata.Vector {
	tb.Helper()
	all, err := testdata.Read("payload", "key", "offset", "algorithm", "test", "plain", "issuer", "key-sequence", "reference", "document-type",
		"issued-at", "status-index", "expires-at", "field", "field-hex", "fingerprint", "side", "text", "text-hex", "input", "shown", "payload")
	if err != nil {
		tb.Fatal(err)
	}
	if len(all) != wantVectors {
		tb.Fatalf("found %d vectors, want %d", len(all), wantVectors)
	}
	var some []testdata.Vector
	for _, v := range all {
		for _, p := range prefixes {
			if strings.HasPrefix(v.Name, p) {
				some = append(some, v)
			}
		}
	}
	if len(prefixes) > 0 && len(some) == 0 {
		tb.Fatalf("no vector is called %q", prefixes)
	}
	if len(prefixes) == 0 {
		return all
	}
	return some
}

func TestVectors(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(t *testing.T, v testdata.Vector){
		"ed25519": checkGood, "es256": checkGood, "bad": checkBad, "signature": checkSignature, "key": checkKey,
		"cose": checkCOSE, "text": checkText, "codewords": checkCodewords, "reference": checkReference,
	}
	for _, v := range readVectors(t) {
		kind, _, _ := strings.Cut(v.Name, "-")
		check, ok := kinds[kind]
		if !ok {
			t.Errorf("%s: unknown kind", v.Name)
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			check(t, v)
		})
	}
}

// checkGood: the payload parses, has the values of the headers, verifies, and
// appends back.
func checkGood(t *testing.T, v testdata.Vector) {
	raw := body(t, v)
	p, err := payload.Parse(raw)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	if diff := cmp.Diff(described(t, v, raw), p); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
	if back, err := p.Append(nil); err != nil || !bytes.Equal(back, raw) {
		t.Errorf("Append = %x, %v, want the parsed bytes", back, err)
	}
	core := payload.Core(raw)
	if !key(t, v).Verify(core, p.Signature) {
		t.Error("Verify = false, want true")
	}
	if got, want := payload.EncodeText(raw), v.Get("text"); got != want {
		t.Errorf("EncodeText = %s, want %s", got, want)
	}
	if back, err := payload.DecodeText(v.Get("text")); err != nil || !bytes.Equal(back, raw) {
		t.Errorf("DecodeText = %x, %v, want the payload", back, err)
	}
	_, side, err := payload.Codewords(v.Get("text"))
	if v.Get("side") == "none" {
		if !errors.Is(err, payload.ErrTooLong) {
			t.Errorf("Codewords: %v, want %v", err, payload.ErrTooLong)
		}
	} else if err != nil || strconv.Itoa(side) != v.Get("side") {
		t.Errorf("Codewords: side %d, %v, want %s", side, err, v.Get("side"))
	}
}

// described builds the payload that the headers of v describe.
func described(t *testing.T, v testdata.Vector, raw []byte) payload.Payload {
	t.Helper()
	alg, err := payload.ParseAlgorithm(v.Get("algorithm"))
	if err != nil {
		t.Fatal(err)
	}
	p := payload.Payload{
		Algorithm: alg, Test: v.Get("test") == "true", Plain: v.Get("plain") == "true", Issuer: v.Get("issuer"), DocumentType: v.Get("document-type"),
		IssuedAt: instant(t, v.Get("issued-at")), KeySeq: uint8(number(t, v.Get("key-sequence"))),
	}
	if p.Reference, err = payload.ParseReference(v.Get("reference")); err != nil {
		t.Fatal(err)
	}
	shard, entry, _ := strings.Cut(v.Get("status-index"), " ")
	p.Status = payload.NewStatusIndex(uint16(number(t, shard)), uint16(number(t, entry)))
	if v.Get("expires-at") != "" {
		p.ExpiresAt = instant(t, v.Get("expires-at"))
	}
	for _, h := range v.Header {
		if h.Key != "field" && h.Key != "field-hex" {
			continue
		}
		k, value, _ := strings.Cut(h.Value, "=")
		if h.Key == "field-hex" {
			value = string(unhex(t, value))
		}
		p.Fields = append(p.Fields, payload.Field{Key: k, Value: value})
	}
	copy(p.Fingerprint[:], unhex(t, v.Get("fingerprint")))
	copy(p.Signature[:], raw[len(raw)-payload.SignatureLen:])
	return p
}

func checkBad(t *testing.T, v testdata.Vector) {
	p, err := payload.Parse(body(t, v))
	wantReason(t, v, err)
	var syntax *payload.SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("Parse: %T, want a *SyntaxError", err)
	}
	if got := strconv.Itoa(syntax.Offset); got != v.Get("offset") {
		t.Errorf("offset %s, want %s", got, v.Get("offset"))
	}
	if diff := cmp.Diff(payload.Payload{}, p); diff != "" {
		t.Errorf("Parse gave something with its error:\n%s", diff)
	}
}

func checkSignature(t *testing.T, v testdata.Vector) {
	if v.Get("expect") != "signature" {
		t.Fatalf("expect is %q", v.Get("expect"))
	}
	raw := body(t, v)
	p, err := payload.Parse(raw)
	if err != nil {
		t.Fatalf("Parse: %v, want a payload whose only fault is its signature", err)
	}
	if key(t, v).Verify(payload.Core(raw), p.Signature) {
		t.Error("Verify = true, want false")
	}
}

func checkKey(t *testing.T, v testdata.Vector) {
	alg, err := payload.ParseAlgorithm(v.Get("algorithm"))
	if err != nil {
		t.Fatal(err)
	}
	raw := body(t, v)
	k, err := payload.ParsePublicKey(alg, raw)
	wantReason(t, v, err)
	if err != nil {
		if k != (payload.PublicKey{}) {
			t.Error("a key with the error")
		}
		return
	}
	if !bytes.Equal(k.Bytes(), raw) || k.Algorithm() != alg {
		t.Errorf("key is %v %x, want %v %x", k.Algorithm(), k.Bytes(), alg, raw)
	}
	if again, err := payload.KeyOf(k.Crypto()); err != nil || !again.Equal(k) {
		t.Errorf("KeyOf(Crypto()) = %v, %v, want the same key", again, err)
	}
}

func checkCOSE(t *testing.T, v testdata.Vector) {
	p, err := payload.Parse(unhex(t, v.Get("payload")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := payload.AppendCOSE([]byte("before"), p)
	if want := append([]byte("before"), body(t, v)...); err != nil || !bytes.Equal(got, want) {
		t.Errorf("AppendCOSE = %x, %v, want %x", got, err, want)
	}
}

func checkText(t *testing.T, v testdata.Vector) {
	if v.Get("expect") != "ok" {
		_, err := payload.DecodeText(string(unhex(t, v.Get("text-hex"))))
		wantReason(t, v, err)
		var syntax *payload.SyntaxError
		if !errors.As(err, &syntax) || syntax.Field != "text" {
			t.Errorf("error is %#v, want a *SyntaxError of the text", err)
		}
		return
	}
	raw := body(t, v)
	if got := payload.EncodeText(raw); got != v.Get("text") {
		t.Errorf("EncodeText = %q, want %q", got, v.Get("text"))
	}
	if got, err := payload.DecodeText(v.Get("text")); err != nil || !bytes.Equal(got, raw) {
		t.Errorf("DecodeText = %x, %v, want %x", got, err, raw)
	}
}

func checkCodewords(t *testing.T, v testdata.Vector) {
	data, side, err := payload.Codewords(v.Get("text"))
	wantReason(t, v, err)
	if err != nil {
		return
	}
	if want := body(t, v); !bytes.Equal(data, want) || strconv.Itoa(side) != v.Get("side") {
		t.Errorf("Codewords = %x, %d, want %x, %s", data, side, want, v.Get("side"))
	}
	if got, err := readCodewords(data); err != nil || got != v.Get("text") {
		t.Errorf("reading back = %q, %v, want %q", got, err, v.Get("text"))
	}
}

func checkReference(t *testing.T, v testdata.Vector) {
	r, err := payload.ParseReference(v.Get("input"))
	wantReason(t, v, err)
	if err != nil {
		return
	}
	if !bytes.Equal(r[:], body(t, v)) || r.String() != v.Get("shown") {
		t.Errorf("ParseReference = %x shown as %s, want %x shown as %s", r[:], r, body(t, v), v.Get("shown"))
	}
}

// wantReason compares err with the class that v expects.
func wantReason(t *testing.T, v testdata.Vector, err error) {
	t.Helper()
	if v.Get("expect") == "ok" {
		if err != nil {
			t.Fatalf("error %v, want none", err)
		}
		return
	}
	want, known := classes()[v.Get("expect")]
	if !known {
		t.Fatalf("unknown class %q", v.Get("expect"))
	}
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

func body(tb testing.TB, v testdata.Vector) []byte {
	tb.Helper()
	b, err := v.Hex()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// key reads a header "key: Ed25519 <hex>".
func key(tb testing.TB, v testdata.Vector) payload.PublicKey {
	tb.Helper()
	name, digits, _ := strings.Cut(v.Get("key"), " ")
	alg, err := payload.ParseAlgorithm(name)
	if err != nil {
		tb.Fatal(err)
	}
	k, err := payload.ParsePublicKey(alg, unhex(tb, digits))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func number(t *testing.T, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
