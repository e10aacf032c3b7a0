package trust_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// TestRefusals has the refusals that are missing in go-tuf's list.
func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		attack func(r *repository, u *trust.Update)
		want   error
	}{
		{"bundle in the timestamp's place", func(r *repository, u *trust.Update) { u.Timestamp = u.Bundle[:trust.MaxTimestampLen/4] }, trust.ErrTypeLine},
		{"timestamp as bundle", func(r *repository, u *trust.Update) {
			r.timestamp.Bundle = trust.RefTo(r.timestamp.Bundle.Version, u.Timestamp)
			r.publishTimestamp()
			u.Timestamp, u.Bundle = r.rawTimestamp, u.Timestamp
		}, trust.ErrTypeLine},
		{"other format version", func(_ *repository, u *trust.Update) {
			u.Timestamp = []byte(strings.Replace(string(u.Timestamp), "tcode-trust/1", "tcode-trust/2", 1))
		}, trust.ErrTypeLine},
		{"empty timestamp", func(_ *repository, u *trust.Update) { u.Timestamp = []byte{} }, trust.ErrTypeLine},
		{"other trust root", func(r *repository, u *trust.Update) { r.fp[0] ^= 1; r.publish(); *u = r.update(); u.Roots = nil }, trust.ErrForeignRoot},
		{"root of another trust root", func(r *repository, u *trust.Update) {
			r.root.Expires = day0
			r.fp, _ = r.root.Fingerprint()
			u.Roots = [][]byte{r.signRoot(r.rootKeys...)}
		}, trust.ErrForeignRoot},
		{"one bit in the text", func(_ *repository, u *trust.Update) { u.Timestamp[len(u.Timestamp)/2] ^= 1 }, trust.ErrSignature},
		{"no signature lines", func(_ *repository, u *trust.Update) {
			text, _, _ := strings.Cut(string(u.Timestamp), "\n\n")
			u.Timestamp = []byte(text + "\n")
		}, trust.ErrSyntax},
		{"root too large", func(_ *repository, u *trust.Update) { u.Roots = [][]byte{pad(u.Roots[0], trust.MaxRootLen+1)} }, trust.ErrTooLarge},
		{"bundle too large", func(r *repository, u *trust.Update) {
			u.Bundle = pad(u.Bundle, trust.MaxBundleLen+1)
			r.timestamp.Bundle = trust.RefTo(11, u.Bundle)
			r.publishTimestamp()
			u.Timestamp = r.rawTimestamp
		}, trust.ErrTooLarge},
		{"status too large", func(r *repository, u *trust.Update) {
			u.Status = pad(u.Status, trust.MaxStatusLen+1)
			r.timestamp.Status = trust.RefTo(11, u.Status)
			r.publishTimestamp()
			u.Timestamp = r.rawTimestamp
		}, trust.ErrTooLarge},
		{"no timestamp", func(_ *repository, u *trust.Update) { u.Timestamp = nil }, trust.ErrIncomplete},
		{"no bundle", func(_ *repository, u *trust.Update) { u.Bundle = nil }, trust.ErrIncomplete},
		{"no status", func(_ *repository, u *trust.Update) { u.Status = nil }, trust.ErrIncomplete},
		{"changed shard is missing", func(_ *repository, u *trust.Update) { delete(u.Shards, 0) }, trust.ErrIncomplete},
		{"shard that no pack names", func(_ *repository, u *trust.Update) { u.Shards[9] = new(statuslist.Shard).Deflate() }, trust.ErrIncomplete},
		{"shard too short", func(_ *repository, u *trust.Update) { u.Shards[0] = u.Shards[0][1:] }, trust.ErrHash},
		{"packs and nothing else", func(_ *repository, u *trust.Update) { *u = trust.Update{Packs: u.Packs} }, trust.ErrIncomplete},
		{"shards and nothing else", func(_ *repository, u *trust.Update) { *u = trust.Update{Shards: u.Shards} }, trust.ErrIncomplete},
		{"wrong signature of the online key", func(r *repository, u *trust.Update) {
			line, _, _ := strings.Cut(string(u.Timestamp[strings.LastIndex(string(u.Timestamp), "\n\n")+2:]), "\n")
			u.Timestamp = []byte(strings.Replace(string(u.Timestamp), line, line[:len(line)-8]+"AAAAAAA=", 1))
		}, trust.ErrSignature},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			s := r.device()
			r.shards[0].Set(8, statuslist.Revoked)
			r.bump()
			u := r.update()
			tt.attack(r, &u)
			after, _, err := s.Apply(u)
			if !errors.Is(err, tt.want) {
				t.Errorf("Apply: %v, want %v", err, tt.want)
			}
			if after.Timestamp.Version != 10 {
				t.Error("refused, and yet changed")
			}
		})
	}
}

func TestPin(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	other := r.fp
	other[31] ^= 1
	second := r.publishRoot(r.rootKeys...)
	var many [][]byte
	for range trust.MaxRootRun {
		r.publishRoot(r.rootKeys...)
	}
	many = r.roots
	forged := strings.Replace(string(r.roots[0]), "2027-01-10", "2037-01-10", 1)
	tests := []struct {
		name  string
		roots [][]byte
		pin   *trust.Fingerprint
		want  error
	}{
		{"by fingerprint", r.roots[:2], &r.fp, nil},
		{"at first use", r.roots[:1], nil, nil},
		{"other fingerprint", r.roots[:1], &other, trust.ErrFingerprint},
		{"content changed under the fingerprint", [][]byte{[]byte(forged)}, &r.fp, trust.ErrFingerprint},
		{"nothing", nil, nil, trust.ErrNoRoot},
		{"begins with version 2", [][]byte{second}, &r.fp, trust.ErrRootChain},
		{"no root", [][]byte{r.rawTimestamp}, &r.fp, trust.ErrTypeLine},
		{"too many", many, &r.fp, trust.ErrTooManyRoots},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := trust.Pin(tt.roots, tt.pin)
			if !errors.Is(err, tt.want) {
				t.Fatalf("Pin: %v, want %v", err, tt.want)
			}
			if err == nil && (s.Fingerprint != r.fp || len(s.Roots) != len(tt.roots) || s.Complete()) {
				t.Errorf("state = %+v", s)
			}
		})
	}
	if _, _, err := (trust.State{}).Apply(trust.Update{}); !errors.Is(err, trust.ErrNoRoot) {
		t.Errorf("Apply without a root: %v, want ErrNoRoot", err)
	}
	if _, err := (trust.State{}).Wanted(nil); !errors.Is(err, trust.ErrNoRoot) {
		t.Errorf("Wanted without a root: %v, want ErrNoRoot", err)
	}
}

// TestChanges follows a device through updates with omitted parts.
func TestChanges(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	s, err := trust.Pin(r.roots, &r.fp)
	if err != nil {
		t.Fatal(err)
	}
	step := func(name string, u trust.Update, want trust.Changes) {
		t.Helper()
		next, got, err := s.Apply(u)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: changes (-want +got):\n%s", name, diff)
		}
		s = next
	}
	step("first", r.update(), trust.Changes{Timestamp: true, Bundle: true, Status: true, Packs: []uint16{0}, Shards: []uint16{0, 1}})
	step("nothing", trust.Update{}, trust.Changes{})
	r.timestamp.Version, r.timestamp.StatusAsOf = 11, day0.Add(time.Hour)
	r.publishTimestamp()
	step("timestamp alone", trust.Update{Timestamp: r.rawTimestamp}, trust.Changes{Timestamp: true})

	r.shards[1].Set(3, statuslist.Suspended)
	r.status.Version, r.timestamp.Version = 11, 12
	r.publish()
	want, err := s.Wanted(r.rawTimestamp)
	if err != nil {
		t.Fatal(err)
	}
	if want.Bundle != nil || want.Status == nil || *want.Status != r.timestamp.Status {
		t.Errorf("Wanted = %+v", want)
	}
	status, err := s.OpenStatus(r.rawStatus)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint16{0}, s.WantedPacks(status)); diff != "" {
		t.Errorf("WantedPacks:\n%s", diff)
	}
	if diff := cmp.Diff([]uint16{1}, s.WantedShards(0, r.packs()[0])); diff != "" {
		t.Errorf("WantedShards:\n%s", diff)
	}
	u := trust.Update{
		Timestamp: r.rawTimestamp, Status: r.rawStatus,
		Packs: map[uint16][]byte{0: r.packs()[0].Bytes()}, Shards: map[uint16][]byte{1: r.shards[1].Deflate()},
	}
	step("one shard", u, trust.Changes{Timestamp: true, Status: true, Packs: []uint16{0}, Shards: []uint16{1}})
	if s.Floor != day0.Add(time.Hour) {
		t.Errorf("floor = %v", s.Floor)
	}

	// The gateway's clock was an hour fast and was corrected: versions continue.
	r.timestamp.Version, r.timestamp.StatusAsOf = 13, day0.Add(time.Minute)
	r.publishTimestamp()
	step("clock put right", trust.Update{Timestamp: r.rawTimestamp}, trust.Changes{Timestamp: true})
	if s.Floor != day0.Add(time.Hour) {
		t.Errorf("the floor fell to %v", s.Floor)
	}
	loaded, err := trust.Load(s.Save())
	if err != nil || loaded.Floor != s.Floor {
		t.Errorf("loaded floor = %v, %v", loaded.Floor, err)
	}

	r.rotateOnline("online-2")
	step("new online key", trust.Update{Roots: r.roots}, trust.Changes{Roots: 1, Reset: true})
	if s.Complete() || !s.Floor.IsZero() || s.Bundle != nil || s.RawStatus != nil {
		t.Error("something learned under the old online key is left")
	}
	r.publish()
	step("again from the start", r.update(), trust.Changes{Timestamp: true, Bundle: true, Status: true, Packs: []uint16{0}, Shards: []uint16{0, 1}})
	lists, err := s.WantedSurvivors(nil)
	if err != nil || len(lists) != 1 || lists[0] != s.Bundle.Keys[2].SurvivorList {
		t.Errorf("WantedSurvivors = %v, %v", lists, err)
	}
	if got, want := s.Expires(), r.bundle.Expires; got != want {
		t.Errorf("Expires = %v, want %v", got, want)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	good := signer(t, "online").Key()
	k, err := trust.ParseVerifierKey(good.String())
	if err != nil || k != good {
		t.Fatalf("ParseVerifierKey: %v, %v", k, err)
	}
	small, err := trust.NewVerifierKey("small", make([]byte, 32))
	if !errors.Is(err, trust.ErrKey) || !small.IsZero() {
		t.Errorf("small order: %v, want ErrKey", err)
	}
	for _, s := range []string{
		"", "x", good.String() + " ", " " + good.String(), strings.ToUpper(good.String()),
		strings.Replace(good.String(), "gateway", "getaway", 1), // the hash covers the name
		"a b+00000000+AA==", good.Name + "+00000000+AQ==",
	} {
		if _, err := trust.ParseVerifierKey(s); !errors.Is(err, trust.ErrKey) {
			t.Errorf("ParseVerifierKey(%q): %v, want ErrKey", s, err)
		}
	}
	for _, name := range []string{"", "a b", "a+b", "ä", strings.Repeat("x", trust.MaxNameLen+1)} {
		if _, err := trust.NewSigner(name, testKey("x")); !errors.Is(err, trust.ErrKey) {
			t.Errorf("NewSigner(%q): %v, want ErrKey", name, err)
		}
	}
	es256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trust.NewSigner("x", es256); !errors.Is(err, trust.ErrKey) {
		t.Errorf("ES256 signer: %v, want ErrKey", err)
	}
	faulty, err := trust.NewSigner("x", faultySigner{testKey("x")})
	if err != nil {
		t.Fatal(err)
	}
	if note, err := trust.SignNote([]byte("text\n"), faulty); err == nil {
		t.Errorf("a wrong signature was put under %q", note)
	}
}

// faultySigner is a key in a token that returns wrong signatures.
type faultySigner struct{ ed25519.PrivateKey }

func (s faultySigner) Sign(r io.Reader, msg []byte, o crypto.SignerOpts) ([]byte, error) {
	sig, err := s.PrivateKey.Sign(r, msg, o)
	if err == nil {
		sig[0] ^= 1
	}
	return sig, err
}

func TestParseFingerprint(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	typed := strings.ToUpper(r.fp.String())
	got, err := trust.ParseFingerprint(typed[:32] + " " + typed[32:48] + ":" + typed[48:])
	if err != nil || got != r.fp {
		t.Errorf("ParseFingerprint = %v, %v", got, err)
	}
	for _, s := range []string{"", "00", strings.Repeat("g", 64), strings.Repeat("0", 66)} {
		if _, err := trust.ParseFingerprint(s); !errors.Is(err, trust.ErrSyntax) {
			t.Errorf("ParseFingerprint(%q): %v, want ErrSyntax", s, err)
		}
	}
}

// TestCeremony signs a root at two desks, one after the other.
func TestCeremony(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	text, err := r.root.Text(r.fp)
	if err != nil {
		t.Fatal(err)
	}
	one, err := trust.SignNote(text, r.rootKeys[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trust.ParseRoot(r.fp, one); !errors.Is(err, trust.ErrThreshold) {
		t.Errorf("one signature: %v, want ErrThreshold", err)
	}
	two, err := trust.SignNote(one, r.rootKeys[2])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trust.ParseRoot(r.fp, two); err != nil {
		t.Errorf("two signatures: %v", err)
	}
	if _, err := trust.SignNote([]byte("no\n\nnote\n"), r.rootKeys[0]); !errors.Is(err, trust.ErrSyntax) {
		t.Errorf("neither text nor note: %v, want ErrSyntax", err)
	}
}
