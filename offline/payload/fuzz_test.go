package payload_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tcode/offline/payload"
)

// FuzzParse: a payload that parses appends back to the very same bytes, and
// survives text form and COSE export.
func FuzzParse(f *testing.F) {
	for _, v := range readVectors(f, "ed25519-", "es256-", "bad-") {
		f.Add(body(f, v))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := payload.Parse(raw)
		if err != nil {
			var syntax *payload.SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(raw) || syntax.Err == nil || syntax.Field == "" {
				t.Fatalf("Parse: %#v, want a *SyntaxError with a place and a reason", err)
			}
			return
		}
		if len(raw) < payload.MinLen || len(raw) > payload.MaxLen {
			t.Fatalf("parsed %d bytes", len(raw))
		}
		back, err := p.Append(nil)
		if err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("Append = %x, %v, want %x", back, err, raw)
		}
		core, err := p.AppendCore(nil)
		if err != nil || !bytes.Equal(core, payload.Core(raw)) {
			t.Fatalf("AppendCore = %x, %v", core, err)
		}
		if fromText, err := payload.DecodeText(payload.EncodeText(raw)); err != nil || !bytes.Equal(fromText, raw) {
			t.Fatalf("text form gives %x, %v, want %x", fromText, err, raw)
		}
		if cose, err := payload.AppendCOSE(nil, p); err != nil || !bytes.Contains(cose, core) {
			t.Fatalf("AppendCOSE = %x, %v", cose, err)
		}
	})
}

// FuzzDecodeText: a text that decodes encodes back to the very same text.
func FuzzDecodeText(f *testing.F) {
	for _, v := range readVectors(f, "text-", "ed25519-minimal") {
		f.Add(v.Get("text"))
		f.Add(string(unhex(f, v.Get("text-hex"))))
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := payload.DecodeText(text)
		if err != nil {
			var syntax *payload.SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text) {
				t.Fatalf("DecodeText: %#v, want a *SyntaxError with a place", err)
			}
			return
		}
		if back := payload.EncodeText(raw); back != text {
			t.Fatalf("EncodeText = %q, want %q", back, text)
		}
	})
}

// FuzzEncodeText: every byte string comes back from its text.
func FuzzEncodeText(f *testing.F) {
	f.Add([]byte("TCode"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > payload.MaxLen {
			return
		}
		if back, err := payload.DecodeText(payload.EncodeText(raw)); err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("DecodeText(EncodeText(%x)) = %x, %v", raw, back, err)
		}
	})
}

// FuzzParseReference: an accepted reference is shown in one form, and that form
// is read as the same reference.
func FuzzParseReference(f *testing.F) {
	for _, v := range readVectors(f, "reference-") {
		f.Add(v.Get("input"))
	}
	f.Fuzz(func(t *testing.T, input string) {
		r, err := payload.ParseReference(input)
		if err != nil {
			if !errors.Is(err, payload.ErrReference) {
				t.Fatalf("ParseReference: %v, want %v", err, payload.ErrReference)
			}
			return
		}
		if again, err := payload.ParseReference(r.String()); err != nil || again != r {
			t.Fatalf("%q is %s, which is %s, %v", input, r, again, err)
		}
		for _, around := range []string{"(%s).", "https://a.example/d/%s?lang=de", "\ufeff%s\u2069"} {
			typed := fmt.Sprintf(around, r)
			if again, err := payload.ParseReference(typed); err != nil || again != r {
				t.Fatalf("%q is read as %s, %v, want %s", typed, again, err, r)
			}
		}
		if strings.ContainsFunc(input, func(c rune) bool {
			return c > 'z' || c != '-' && c != ' ' && c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a'
		}) {
			return
		}
		plain := strings.NewReplacer("-", "", " ", "", "I", "1", "L", "1", "O", "0").Replace(strings.ToUpper(input))
		if want := strings.ReplaceAll(r.String(), "-", ""); plain != want {
			t.Fatalf("%q is shown as %s, want %s", input, want, plain)
		}
	})
}

// FuzzCodewords: a reader decodes the same text from a full symbol.
func FuzzCodewords(f *testing.F) {
	for _, v := range readVectors(f, "codewords-") {
		f.Add(v.Get("text"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		data, side, err := payload.Codewords(text)
		plain := text != "" && len(text) <= 1954 && !strings.ContainsFunc(text, func(r rune) bool {
			return (r < '0' || r > '9') && (r < 'A' || r > 'Z')
		})
		if plain != (err == nil) {
			t.Fatalf("Codewords(%q): %v", text, err)
		}
		if err != nil {
			return
		}
		if got, err := readCodewords(data); err != nil || got != text {
			t.Fatalf("reads back as %q, %v, want %q", got, err, text)
		}
		if side < 10 || side > 132 {
			t.Fatalf("side %d", side)
		}
	})
}
