package trust_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
	"tcode/offline/trust"
)

// comparePublicKeys makes cmp compare keys by their own equality.
var comparePublicKeys = cmp.Comparer(func(a, b payload.PublicKey) bool { return a == b })

// TestFormatExample makes the worked example of FORMAT.md again and searches
// for it there, so that the description always matches the code.
func TestFormatExample(t *testing.T) {
	t.Parallel()
	format, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	r := example(t)
	for _, raw := range [][]byte{r.roots[0], r.rawBundle, r.rawStatus, r.rawTimestamp, r.tell(day0)} {
		if !bytes.Contains(format, append([]byte("```\n"), append(raw, "```\n"...)...)) {
			t.Errorf("FORMAT.md does not have\n%s", raw)
		}
	}
	if _, err := trust.Pin(r.roots, &r.fp); err != nil {
		t.Error(err)
	}
	if !bytes.Contains(format, []byte(r.fp.String())) {
		t.Errorf("FORMAT.md does not have the fingerprint %s", r.fp)
	}
}

// example returns the set in FORMAT.md: one root key, like a new gateway.
func example(t testing.TB) *repository {
	t.Helper()
	r := newRepository(t)
	r.root.Threshold = 1
	r.setRootKeys(signer(t, "root"))
	var err error
	if r.fp, err = r.root.Fingerprint(); err != nil {
		t.Fatal(err)
	}
	r.roots = [][]byte{r.signRoot(r.rootKeys...)}
	r.bundle.Version, r.status.Version, r.timestamp.Version = 1768032000, 1768032000, 1768032000
	r.status.Delta.Since = 1768028400
	r.publish()
	return r
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	online := r.online.Key()
	bundle, err := trust.ParseBundle(r.fp, online, r.rawBundle)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&r.bundle, bundle, comparePublicKeys); diff != "" {
		t.Errorf("bundle (-written +read):\n%s", diff)
	}
	status, err := trust.ParseStatus(r.fp, online, r.rawStatus)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&r.status, status); diff != "" {
		t.Errorf("status (-written +read):\n%s", diff)
	}
	timestamp, err := trust.ParseTimestamp(r.fp, online, r.rawTimestamp)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&r.timestamp, timestamp); diff != "" {
		t.Errorf("timestamp (-written +read):\n%s", diff)
	}
	root, err := trust.ParseRoot(r.fp, r.roots[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(len(root.Keys), root.Threshold, root.Online), fmt.Sprint(3, 2, online); got != want {
		t.Errorf("root = %s, want %s", got, want)
	}
}

// TestTexts writes names that try to leave their line.
func TestTexts(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"plain", "Université de Genève", "Université de Genève"},
		{"emoji", "Schule 🏫", "Schule 🏫"},
		{"backslash", `a\b`, `a\\b`},
		{"like an escape", `\u{a}`, `\\u{a}`},
		{"line feed", "a\nb", `a\u{a}b`},
		{"a whole line", "x\ntenant EVIL01 active y", `x\u{a}tenant EVIL01 active y`},
		{"carriage return, escape, delete", "\r\x1b\x7f", `\u{d}\u{1b}\u{7f}`},
		{"null", "\x00", `\u{0}`},
		{"next line", "\u0085", `\u{85}`},
		{"line separator", "\u2028", `\u{2028}`},
		{"right to left override", "a\u202eb", `a\u{202e}b`},
		{"joiners", "دانش\u200cنامه", "دانش\\u{200c}نامه"},
		{"tags", "\U000E0041", `\u{e0041}`},
		{"spaces outside", " a b ", `\u{20}a b\u{20}`},
		{"one space", " ", `\u{20}`},
		{"replacement character", "\ufffd", "\ufffd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := trust.Escape(tt.text); got != tt.want {
				t.Errorf("Escape = %q, want %q", got, tt.want)
			}
			r := newRepository(t)
			r.bundle.Tenants[0].Name = tt.text
			r.bundle.DocumentTypes[0].Names["en"] = tt.text
			r.bundle.DocumentTypes[0].FieldLabels["holder"]["en"] = tt.text
			r.publish()
			b, err := trust.ParseBundle(r.fp, r.online.Key(), r.rawBundle)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&r.bundle, b, comparePublicKeys); diff != "" {
				t.Errorf("bundle (-written +read):\n%s", diff)
			}
		})
	}
}

// TestCanonical changes the texts of documents, signs them correctly, and
// checks that no second spelling is accepted.
func TestCanonical(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", trust.MaxTextLen+1)
	tests := []struct{ name, document, old, new string }{
		{"version with a zero", "timestamp", "version 10\n", "version 010\n"},
		{"version 0", "timestamp", "version 10\n", "version 0\n"},
		{"version too high", "timestamp", "version 10\n", "version 9007199254740992\n"},
		{"version with a sign", "timestamp", "version 10\n", "version +10\n"},
		{"double space", "timestamp", "version 10\n", "version  10\n"},
		{"space at the end", "timestamp", "version 10\n", "version 10 \n"},
		{"line missing", "timestamp", "version 10\n", ""},
		{"line twice", "timestamp", "version 10\n", "version 10\nversion 10\n"},
		{"unknown line", "timestamp", "version 10\n", "version 10\ncolour blue\n"},
		{"line at the end", "timestamp", "status 10", "colour blue\nstatus 10"},
		{"time zone", "timestamp", "issued 2026-01-10T08:00:00Z", "issued 2026-01-10T09:00:00+01:00"},
		{"fraction", "timestamp", "issued 2026-01-10T08:00:00Z", "issued 2026-01-10T08:00:00.0Z"},
		{"leap second", "timestamp", "issued 2026-01-10T08:00:00Z", "issued 2026-01-10T08:00:60Z"},
		{"year 1", "timestamp", "issued 2026-01-10T08:00:00Z", "issued 0001-01-01T00:00:00Z"},
		{"expired when issued", "timestamp", "expires 2026-01-11T08:00:00Z", "expires 2026-01-10T08:00:00Z"},
		{"no hash", "timestamp", "bundle 10 ", "bundle 10 -"},
		{"shards beyond the last", "status", "shards 2", "shards 65537"},
		{"shards with a zero", "status", "shards 2", "shards 02"},
		{"more shards than packs", "status", "shards 2", "shards 129"},
		{"packs without shards", "status", "shards 2", "shards 0"},
		{"no number of shards", "status", "shards 2\n", ""},
		{"pack of another number", "status", "pack 0", "pack 1"},
		{"pack without number", "status", "pack 0 ", "pack "},
		{"a pack more", "status", "delta", "pack 1 " + strings.Repeat("0", 64) + "\ndelta"},
		{"pack in upper case", "status", "pack 0 ", "pack 0 A"},
		{"no delta", "status", "delta 9", "Delta 9"},
		{"delta since a later status", "status", "delta 9", "delta 11"},
		{"delta without version", "status", "delta 9 ", "delta "},
		{"tenant state", "bundle", "ACME01 active", "ACME01 Active"},
		{"tenant code", "bundle", "tenant ACME01", "tenant acme01"},
		{"tenant code too short", "bundle", "tenant ACME01", "tenant ACME1"},
		{"tenants out of order", "bundle", "tenant ACME01", "tenant ZACME1"},
		{"tenant twice", "bundle", "tenant UNIGE1", "tenant ACME01"},
		{"tenant without name", "bundle", "active Acme Ltd", "active "},
		{"name too long", "bundle", "Acme Ltd", long},
		{"name with a needless escape", "bundle", "Acme Ltd", `\u{41}cme Ltd`},
		{"escape in upper case", "bundle", `\u{200c}`, `\u{200C}`},
		{"escape with a zero", "bundle", `\u{200c}`, `\u{0200c}`},
		{"escape of a surrogate", "bundle", `\u{200c}`, `\u{d800}`},
		{"escape beyond unicode", "bundle", `\u{200c}`, `\u{110000}`},
		{"escape not closed", "bundle", `\u{200c}`, `\u{200c`},
		{"unknown escape", "bundle", `\u{200c}`, `\n`},
		{"control as it is", "bundle", `\u{200c}`, "\u200c"},
		{"delete as it is", "bundle", `\u{200c}`, "\u007f"},
		{"keys out of order", "bundle", "key 0 verifying", "key 2 verifying"},
		{"key twice", "bundle", "key 1 signing", "key 0 signing"},
		{"key out of range", "bundle", "key 1 signing", "key 256 signing"},
		{"key state", "bundle", "key 1 signing", "key 1 retired"},
		{"announced without beginning", "bundle", "key 0 verifying -", "key 0 announced -"},
		{"compromised without time", "bundle", "key 0 verifying", "key 0 compromised"},
		{"time of compromise of a good key", "bundle", "key 1 signing 2026-01-10T08:00:00Z - -", "key 1 signing 2026-01-10T08:00:00Z - 2026-01-10T08:00:00Z"},
		{"ends before it begins", "bundle", "key 1 signing 2026-01-10T08:00:00Z -", "key 1 signing 2026-01-10T08:00:00Z 2026-01-10T08:00:00Z"},
		{"survivors of a good key", "bundle", "key 0 verifying - 2026-01-10T08:00:00Z - -", "key 0 verifying - 2026-01-10T08:00:00Z - " + strings.Repeat("0", 64)},
		{"survivors in upper case", "bundle", "e3b0c442", "E3B0C442"},
		{"algorithm", "bundle", "Ed25519", "ed25519"},
		{"algorithm of another length", "bundle", "Ed25519", "ES256"},
		{"key before tenant", "bundle", "tenant ACME01 active Acme Ltd\n", ""},
		{"type code", "bundle", "type DIP", "type DI"},
		{"type twice", "bundle", "type DIP", "type DIP\nname en X\ntype DIP"},
		{"type without name", "bundle", "name en Diploma\nname fa دانش\\u{200c}نامه\n", ""},
		{"names out of order", "bundle", "name en Diploma\nname fa", "name fa Diploma\nname en"},
		{"language twice", "bundle", "name fa", "name en"},
		{"language", "bundle", "name en", "name EN"},
		{"label of no field", "bundle", "label holder", "label Holder"},
		{"labels out of order", "bundle", "label holder en", "label aaa en"},
		{"threshold 0", "root", "threshold 2", "threshold 0"},
		{"threshold too high", "root", "threshold 2", "threshold 4"},
		{"online key is a root key", "root", "online ", "online swap "},
		{"no keys", "root", "threshold", "Threshold"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			raw := map[string][]byte{"root": r.roots[0], "bundle": r.rawBundle, "status": r.rawStatus, "timestamp": r.rawTimestamp}[tt.document]
			text, _, _ := bytes.Cut(raw, []byte("\n\n"))
			changed := strings.Replace(string(text)+"\n", tt.old, tt.new, 1)
			if changed == string(text)+"\n" {
				t.Fatalf("%q is not in\n%s", tt.old, text)
			}
			signed, err := trust.SignNote([]byte(changed), append(r.rootKeys, r.online)...)
			if err != nil {
				t.Fatal(err)
			}
			switch tt.document {
			case "root":
				_, err = trust.ParseRoot(r.fp, signed)
			case "bundle":
				_, err = trust.ParseBundle(r.fp, r.online.Key(), signed)
			case "status":
				_, err = trust.ParseStatus(r.fp, r.online.Key(), signed)
			case "timestamp":
				_, err = trust.ParseTimestamp(r.fp, r.online.Key(), signed)
			}
			var place *trust.SyntaxError
			if !errors.Is(err, trust.ErrSyntax) || !errors.As(err, &place) {
				t.Errorf("err = %v, want a SyntaxError", err)
			}
		})
	}
}

// TestTextRefuses: Text writes nothing that parsing would refuse.
func TestTextRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(r *repository)
	}{
		{"no version", func(r *repository) { r.bundle.Version = 0 }},
		{"no time", func(r *repository) { r.bundle.Issued = time.Time{} }},
		{"nanoseconds", func(r *repository) { r.bundle.Expires = r.bundle.Expires.Add(1) }},
		{"year 10000", func(r *repository) { r.bundle.Expires = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"bad UTF-8", func(r *repository) { r.bundle.Tenants[0].Name = "\xff" }},
		{"no name", func(r *repository) { r.bundle.Tenants[0].Name = "" }},
		{"state", func(r *repository) { r.bundle.Tenants[0].State = "" }},
		{"reference with a line feed", func(r *repository) { r.bundle.Tenants[0].Reference = "ACME0\n" }},
		{"key without tenant", func(r *repository) { r.bundle.Keys[0].Tenant = "NOBODY" }},
		{"key without public key", func(r *repository) { r.bundle.Keys[0].Public = payload.PublicKey{} }},
		{"key twice", func(r *repository) { r.bundle.Keys[0].Seq = 1 }},
		{"survivor list", func(r *repository) { r.bundle.Keys[2].SurvivorList = "x\ny" }},
		{"too many languages", func(r *repository) {
			for i := range trust.MaxTexts + 1 {
				r.bundle.DocumentTypes[0].Names[fmt.Sprintf("en-%d", i)] = "x"
			}
		}},
		{"too many labels", func(r *repository) {
			for i := range trust.MaxLabels + 1 {
				r.bundle.DocumentTypes[0].FieldLabels[fmt.Sprintf("f%d", i)] = map[string]string{"en": "x"}
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			tt.change(r)
			if text, err := r.bundle.Text(r.fp); !errors.Is(err, trust.ErrSyntax) {
				t.Errorf("Text: %v, want ErrSyntax; text %q", err, text)
			}
		})
	}
}
