package ceremony_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"tcode/offline/trust"
	"tcode/server/ceremony"
)

const pass = "correct horse battery"

var expires = time.Date(2027, 11, 20, 12, 0, 0, 0, time.UTC)

func generate(t testing.TB, name string) (*trust.Signer, []byte) {
	t.Helper()
	file, key, err := ceremony.Generate(name, pass, ceremony.MinWork)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ceremony.Open(file, pass)
	if err != nil || s.Key() != key {
		t.Fatalf("Open = %v, %v; want %v", s, err, key)
	}
	return s, file
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	_, file := generate(t, "tcode/root-1")
	if bytes.Contains(file, []byte("PRIVATE")) {
		t.Error("the file shows its key")
	}
	if _, err := ceremony.Open(file, pass+" "); !errors.Is(err, ceremony.ErrPassphrase) {
		t.Errorf("another passphrase: %v", err)
	}
	if _, _, err := ceremony.Generate("tcode/root-1", "short", ceremony.MinWork); !errors.Is(err, ceremony.ErrPassphrase) {
		t.Errorf("a short passphrase: %v", err)
	}
	if _, _, err := ceremony.Generate("no name", pass, ceremony.MinWork); !errors.Is(err, trust.ErrKey) {
		t.Errorf("a wrong name: %v", err)
	}
	for i := range file {
		changed := bytes.Clone(file)
		changed[i] ^= 1
		if s, err := ceremony.Open(changed, pass); err == nil {
			t.Errorf("byte %d changed: opens as %v", i, s.Key())
		} else if !errors.Is(err, ceremony.ErrKeyFile) && !errors.Is(err, ceremony.ErrPassphrase) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
	for _, raw := range []string{"", "x", string(file[:len(file)/2]), strings.Repeat("x", 1<<20)} {
		if _, err := ceremony.Open([]byte(raw), pass); !errors.Is(err, ceremony.ErrKeyFile) {
			t.Errorf("%.20q: %v", raw, err)
		}
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	a, _ := generate(t, "tcode/root-1")
	b, _ := generate(t, "tcode/root-2")
	c, _ := generate(t, "tcode/root-3")
	online, _ := generate(t, "tcode/online")
	other, _ := generate(t, "tcode/root-1") // the name of another
	root := trust.Root{Version: 1, Expires: expires, Threshold: 1, Keys: []trust.VerifierKey{a.Key()}, Online: online.Key()}
	fp, err := root.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change ceremony.Change
		want   string // of threshold and key names; empty: refused
	}{
		{"renewal", ceremony.Change{}, "1 tcode/root-1"},
		{"all keys", ceremony.Change{Keys: []trust.VerifierKey{b.Key(), c.Key()}, Threshold: 2}, "2 tcode/root-2 tcode/root-3"},
		{"one more", ceremony.Change{Add: []trust.VerifierKey{b.Key()}}, "1 tcode/root-1 tcode/root-2"},
		{"one for another", ceremony.Change{Add: []trust.VerifierKey{b.Key()}, Remove: []string{"tcode/root-1"}}, "1 tcode/root-2"},
		{"by the whole key", ceremony.Change{Add: []trust.VerifierKey{b.Key()}, Remove: []string{a.Key().String()}}, "1 tcode/root-2"},
		{"no key left", ceremony.Change{Remove: []string{"tcode/root-1"}}, ""},
		{"a key that is not there", ceremony.Change{Remove: []string{"tcode/root-2"}}, ""},
		{"threshold above the keys", ceremony.Change{Threshold: 2}, ""},
		{"a key twice", ceremony.Change{Add: []trust.VerifierKey{a.Key()}}, ""},
		{"a name twice", ceremony.Change{Add: []trust.VerifierKey{other.Key()}}, ""},
		{"the online key as a root key", ceremony.Change{Add: []trust.VerifierKey{online.Key()}}, ""},
		{"a root key as the online key", ceremony.Change{Online: a.Key()}, ""},
		{"another online key", ceremony.Change{Online: c.Key()}, "1 tcode/root-1"},
	} {
		tt.change.Expires = expires.AddDate(1, 0, 0)
		text, err := ceremony.Next(fp, root, tt.change)
		if (err == nil) != (tt.want != "") {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if err != nil {
			continue
		}
		gotFP, next, err := trust.ReadRoot(text)
		if err != nil || gotFP != fp || next.Version != 2 {
			t.Errorf("%s: root %+v, %v", tt.name, next, err)
		}
		got := string('0' + rune(next.Threshold))
		for _, k := range next.Keys {
			got += " " + k.Name
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestProgress: each signature counts once, for the root and for the one before it.
func TestProgress(t *testing.T) {
	t.Parallel()
	old, _ := generate(t, "tcode/root")
	a, _ := generate(t, "tcode/root-1")
	b, _ := generate(t, "tcode/root-2")
	online, _ := generate(t, "tcode/online")
	root := trust.Root{Version: 1, Expires: expires, Threshold: 1, Keys: []trust.VerifierKey{old.Key()}, Online: online.Key()}
	fp, err := root.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := ceremony.Next(fp, root, ceremony.Change{Keys: []trust.VerifierKey{a.Key(), b.Key()}, Threshold: 2, Expires: expires})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		by              *trust.Signer
		missing, before int
	}{{nil, 2, 1}, {a, 1, 1}, {a, 1, 1}, {online, 1, 1}, {old, 1, 0}, {b, 0, 0}} {
		if step.by != nil {
			if raw, err = trust.SignNote(raw, step.by); err != nil {
				t.Fatal(err)
			}
		}
		p, err := ceremony.ProgressOf(raw, &root)
		if err != nil || p.Missing != step.missing || p.MissingBefore != step.before || p.Complete() != (step.missing+step.before == 0) {
			t.Errorf("%+v, %v; want %d and %d missing", p, err, step.missing, step.before)
		}
	}
	broken := bytes.Replace(raw, []byte("threshold 2"), []byte("threshold 1"), 1)
	if _, err := ceremony.ProgressOf(broken, &root); !errors.Is(err, trust.ErrSignature) {
		t.Errorf("a changed text: %v, want ErrSignature", err)
	}
}

func FuzzKeyList(f *testing.F) {
	a, _ := generate(f, "tcode/root-1")
	f.Add(ceremony.KeyList{Threshold: 1, Keys: []trust.VerifierKey{a.Key()}}.String())
	f.Add("threshold 2\nkey x\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ceremony.ParseKeyList([]byte(text))
		if err != nil {
			if !errors.Is(err, ceremony.ErrKeyList) {
				t.Errorf("error %v", err)
			}
			return
		}
		if l.String() != text {
			t.Errorf("%q is written as %q", text, l)
		}
	})
}
