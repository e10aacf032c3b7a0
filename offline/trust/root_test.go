package trust_test

import (
	"errors"
	"strings"
	"testing"

	"tcode/offline/trust"
)

// TestRootRefuses checks what a root must not contain: on writing, and on
// reading from a gateway that writes it nevertheless.
func TestRootRefuses(t *testing.T) {
	t.Parallel()
	again := func(t *testing.T, name, key string) *trust.Signer {
		t.Helper()
		s, err := trust.NewSigner(name, testKey(key))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	tests := []struct {
		name   string
		change func(t *testing.T, r *repository)
	}{
		{"no keys", func(_ *testing.T, r *repository) { r.setRootKeys() }},
		{"threshold 0", func(_ *testing.T, r *repository) { r.root.Threshold = 0 }},
		{"threshold above the keys", func(_ *testing.T, r *repository) { r.root.Threshold = 4 }},
		{"one key under two names", func(t *testing.T, r *repository) {
			r.setRootKeys(r.rootKeys[0], again(t, "gateway.example/root-again", "root-a"))
		}},
		{"online key is a root key", func(t *testing.T, r *repository) {
			r.root.Online = again(t, "gateway.example/online", "root-a").Key()
		}},
		{"no online key", func(_ *testing.T, r *repository) { r.root.Online = trust.VerifierKey{} }},
		{"too many keys", func(t *testing.T, r *repository) {
			var keys []*trust.Signer
			for i := range trust.MaxRootKeys + 1 {
				keys = append(keys, signer(t, strings.Repeat("x", i+1)))
			}
			r.setRootKeys(keys...)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			tt.change(t, r)
			if text, err := r.root.Text(r.fp); !errors.Is(err, trust.ErrSyntax) {
				t.Fatalf("Text: %v, want ErrSyntax; %s", err, text)
			}
			// The same without Text: a device must not depend on the writer's checks.
			r.root.Version = 2
			if _, err := trust.ParseRoot(r.fp, handwritten(t, r)); !errors.Is(err, trust.ErrSyntax) {
				t.Errorf("ParseRoot: %v, want ErrSyntax", err)
			}
		})
	}
}

// TestRootKeyOrder: the order of keys is fixed.
func TestRootKeyOrder(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.root.Version = 2
	text, err := r.root.Text(r.fp)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines[4], lines[5] = lines[5], lines[4]
	raw, err := trust.SignNote([]byte(strings.Join(lines, "")), r.rootKeys...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trust.ParseRoot(r.fp, raw); !errors.Is(err, trust.ErrSyntax) {
		t.Errorf("keys out of order: %v, want ErrSyntax", err)
	}
}

// handwritten writes and signs r's root without its rules.
func handwritten(t *testing.T, r *repository) []byte {
	t.Helper()
	good := newRepository(t)
	good.root.Version = 2
	text, err := good.root.Text(r.fp)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "threshold")
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("threshold " + string(rune('0'+r.root.Threshold)) + "\n")
	var keys []string
	for _, k := range r.root.Keys {
		keys = append(keys, "key "+k.String()+"\n")
	}
	for _, k := range sorted(keys) {
		b.WriteString(k)
	}
	b.WriteString("online " + r.root.Online.String() + "\n")
	raw, err := trust.SignNote([]byte(b.String()), append(r.rootKeys, r.online)...)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestSyntaxErrorLine: a refusal names the line.
func TestSyntaxErrorLine(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	text, err := r.bundle.Text(r.fp)
	if err != nil {
		t.Fatal(err)
	}
	for old, line := range map[string]int{"Acme Ltd": 5, "Université": 8, "Diploma": 11} {
		changed := strings.Replace(string(text), old, `\u{41}`, 1)
		raw, err := trust.SignNote([]byte(changed), r.online)
		if err != nil {
			t.Fatal(err)
		}
		_, err = trust.ParseBundle(r.fp, r.online.Key(), raw)
		var place *trust.SyntaxError
		if !errors.As(err, &place) || place.Line != line {
			t.Errorf("%s: %v, want line %d", old, err, line)
		}
	}
}
