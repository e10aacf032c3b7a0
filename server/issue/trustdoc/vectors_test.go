package trustdoc_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"tcode/offline/payload"
	"tcode/server/issue/trustdoc"
	"tcode/testdata"
)

// wantVectors guards against a moved folder: no files must not read as a pass.
const wantVectors = 70

type vector struct {
	testdata.Vector
	alg  payload.Algorithm
	key  payload.PublicKey
	raw  []byte // of key
	sign [payload.SignatureLen]byte
}

func vectors(tb testing.TB) (out []vector) {
	tb.Helper()
	vs, err := testdata.Read("document", "algorithm", "key", "signature")
	if err != nil {
		tb.Fatal(err)
	}
	if len(vs) != wantVectors {
		tb.Fatalf("found %d vectors, want %d", len(vs), wantVectors)
	}
	for _, v := range vs {
		w := vector{Vector: v}
		var err, err2, err3, err4 error
		w.alg, err = payload.ParseAlgorithm(v.Get("algorithm"))
		w.raw, err2 = hex.DecodeString(v.Get("key"))
		w.key, err3 = payload.ParsePublicKey(w.alg, w.raw)
		sign, err4 := hex.DecodeString(v.Get("signature"))
		if err := errors.Join(err, err2, err3, err4); err != nil || copy(w.sign[:], sign) != payload.SignatureLen {
			tb.Fatalf("%s: %v", v.Name, err)
		}
		out = append(out, w)
	}
	return out
}

func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		want := map[string]error{"ok": nil, "text": trustdoc.ErrText, "signature": trustdoc.ErrSignature}[v.Get("expect")]
		s, err := trustdoc.VerifyText(v.Body, v.alg, v.key, v.sign)
		if !errors.Is(err, want) {
			t.Errorf("%s (%s): %v, want %v", v.Name, v.Get("comment"), err, want)
		}
		if err == nil && s.Text() != v.Body {
			t.Errorf("%s: written again it is %s", v.Name, s.Text())
		}
		// A check that follows FORMAT.md without our code gives the same answer.
		text, sign := stranger(v)
		if expect := v.Get("expect"); expect == "ok" && !(text && sign) || expect == "signature" && sign {
			t.Errorf("%s: a stranger finds text %v and signature %v", v.Name, text, sign)
		}
		if _, err := trustdoc.VerifyText(v.Body, 3-v.alg, v.key, v.sign); err == nil {
			t.Errorf("%s passes under another algorithm", v.Name)
		}
	}
}

// stranger checks a vector by the standard library alone: whether the text is in
// the form of RFC 8785, and whether the signature holds.
func stranger(v vector) (text, sign bool) {
	var m map[string]any
	if json.Unmarshal([]byte(v.Body), &m) != nil {
		return false, false
	}
	message := []byte("TCode-Trust/1\n" + v.Body)
	if v.Get("algorithm") == "Ed25519" {
		return jcs(m) == v.Body, ed25519.Verify(v.raw, message, v.sign[:])
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), v.raw)
	if err != nil {
		return false, false
	}
	sum := sha256.Sum256(message)
	return jcs(m) == v.Body, ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(v.sign[:32]), new(big.Int).SetBytes(v.sign[32:]))
}

// jcs writes values without numbers in the form of RFC 8785.
func jcs(v any) string {
	if m, ok := v.(map[string]any); ok {
		var keys []string
		for k := range m {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		for i, k := range keys {
			keys[i] = jcs(k) + ":" + jcs(m[k])
		}
		return "{" + strings.Join(keys, ",") + "}"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(b.String(), "\n"))
}

// A text that parses is the only text of its statement.
func FuzzParseText(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.Body)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := trustdoc.ParseText(text)
		if err != nil {
			if !errors.Is(err, trustdoc.ErrText) {
				t.Errorf("error %v", err)
			}
			return
		}
		if got := s.Text(); got != text {
			t.Errorf("%q parses, and is written %q", text, got)
		}
	})
}
