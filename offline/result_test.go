package offline_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// TestMembers fixes the JSON members and their order, from verdict to reason,
// without those that the command line adds.
func TestMembers(t *testing.T) {
	t.Parallel()
	want := strings.Fields(`verdict assurance stale clockSuspect basis test plain statusAsOf trustVersion reference replaced
		expiresAt expiresOn issuer documentType issuedAt fields binding checks reason`)
	var got []string
	for f := range reflect.TypeFor[offline.Result]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	p := stamp()
	p.ExpiresAt = noon.Add(day)
	raw, core := seal(t, p)
	r := verify(base(), raw)
	encoded, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, m := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(string(encoded), -1) {
		got = append(got, m[1])
	}
	// With every member present, each one is in its place.
	at := 0
	for _, name := range got {
		if at < len(want) && name == want[at] {
			at++
		}
	}
	if at != len(want) {
		t.Errorf("%q does not follow in %s", want[at], encoded)
	}
	if r.CoreHash != core || r.Payload.Reference != p.Reference || !r.Authentic() {
		t.Errorf("core %s, payload %v", r.CoreHash, r.Payload)
	}
}

// TestForgeryCannotDressUp: without a good signature only codes of a payload
// are shown.
func TestForgeryCannotDressUp(t *testing.T) {
	t.Parallel()
	p := stamp()
	p.ExpiresAt, p.Plain = noon.Add(day), true
	raw, _ := seal(t, p)
	raw[len(raw)-1] ^= 1
	r := verify(base(), raw)
	if r.Authentic() || r.Plain || r.Fields != nil || r.Issuer.Name != "" || r.DocumentType.Name != "" || !r.ExpiresAt.IsZero() {
		t.Errorf("shown: %+v", r)
	}
	if r.Issuer.Code != "ACME01" || r.Reference == "" {
		t.Errorf("not shown: %+v", r)
	}
	if strings.Contains(r.Reason, "Acme") || strings.Contains(r.Reason, "Ann") {
		t.Errorf("reason: %s", r.Reason)
	}
}

func TestExitValid(t *testing.T) {
	t.Parallel()
	result := func(v offline.Verdict, b binding.State, stale bool) offline.Result {
		return offline.Result{Verdict: v, Binding: b, Stale: stale}
	}
	tests := []struct {
		name         string
		r            offline.Result
		paper, fresh bool
		want         bool
	}{
		{"the file itself", result(offline.Valid, binding.Match, false), false, true, true},
		{"stale", result(offline.Valid, binding.Match, true), false, false, true},
		{"stale, fresh required", result(offline.Valid, binding.Match, true), false, true, false},
		{"re-saved file", result(offline.Valid, binding.NotChecked, false), false, false, false},
		{"paper", result(offline.Valid, binding.NotChecked, false), true, false, true},
		{"something appended", result(offline.Valid, binding.Appended, false), false, false, false},
		{"something appended, on paper", result(offline.Valid, binding.Appended, false), true, false, false},
		{"revoked", result(offline.Revoked, binding.Match, false), true, false, false},
		{"unverified", result(offline.Unverified, binding.Match, false), true, false, false},
		{"nothing", offline.Result{}, true, false, false},
	}
	for _, tt := range tests {
		if got := tt.r.ExitValid(tt.paper, tt.fresh); got != tt.want {
			t.Errorf("%s: ExitValid = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestUnreadable: a store that returns errors makes nothing valid.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	raw, core := seal(t, stamp())
	broken := errors.New("disk I/O error")
	tests := []struct {
		name    string
		change  func(s *snapshot)
		verdict offline.Verdict
		check   string
		code    string
	}{
		{"shard", func(s *snapshot) { s.shardErr = broken }, offline.Unverified, offline.CheckStatusShard, offline.CodeShardUnreadable},
		{"memory", func(s *snapshot) { s.memoryErr = broken }, offline.Unverified, offline.CheckStatusEntry, offline.CodeMemoryUnreadable},
		{"memory of a revoked one", func(s *snapshot) { s.memoryErr = broken; s.set(statuslist.Revoked) }, offline.Revoked, offline.CheckStatusEntry, offline.CodeRevoked},
		{"memory of a suspended one", func(s *snapshot) { s.memoryErr = broken; s.set(statuslist.Suspended) }, offline.Suspended, offline.CheckStatusEntry, offline.CodeSuspended},
		{"memory that answers anyway", func(s *snapshot) { s.memoryErr = broken; s.remembered[core] = true }, offline.Revoked, offline.CheckStatusEntry, offline.CodeRevokedRemembered},
		{"no state", func(s *snapshot) { s.state = nil }, offline.Unverified, offline.CheckIssuerKnown, offline.CodeNoTrustState},
		{"half a state", func(s *snapshot) { s.state.Status = nil }, offline.Unverified, offline.CheckIssuerKnown, offline.CodeNoTrustState},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := base()
			tt.change(s)
			r := verify(s, raw)
			c, _ := offline.FindCheck(r.Checks, tt.check)
			if r.Verdict != tt.verdict || c.Code != tt.code {
				t.Errorf("got %s, %s; want %s, %s\n%s", r.Verdict, c.Code, tt.verdict, tt.code, list(r))
			}
		})
	}
}

// TestRemember checks when a caller must remember a revocation permanently.
func TestRemember(t *testing.T) {
	t.Parallel()
	raw, _ := seal(t, stamp())
	for v, want := range map[statuslist.Value]bool{
		statuslist.None: false, statuslist.Revoked: true, statuslist.Suspended: false, statuslist.Replaced: true,
	} {
		s := base()
		s.set(v)
		r := verify(s, raw)
		if r.Remember != want || r.Replaced != (v == statuslist.Replaced) {
			t.Errorf("%v: remember %v, replaced %v", v, r.Remember, r.Replaced)
		}
	}
	forged := append([]byte(nil), raw...)
	forged[len(forged)-1] ^= 1
	s := base()
	s.set(statuslist.Revoked)
	if verify(s, forged).Remember {
		t.Error("a forgery could have a genuine stamp remembered as revoked")
	}
}

// TestReasons: every reason is one printable line, and those that need it give
// advice.
func TestReasons(t *testing.T) {
	t.Parallel()
	advice := map[offline.Verdict]string{
		offline.Unverified: "scan again|Ask the issuer|means nothing",
		offline.NotFound:   "Do not accept|do not accept|Not a TCode",
		offline.Revoked:    "Do not accept|Ask for the new one",
		offline.Suspended:  "Do not rely",
		offline.Expired:    "until",
		offline.Valid:      "Genuine",
	}
	for name, raw := range vectors(t) {
		v, err := offline.ParseVector(raw)
		if err != nil {
			t.Fatal(err)
		}
		r, err := v.Run()
		if err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(r.Reason, func(c rune) bool { return !unicode.IsPrint(c) }); i >= 0 {
			t.Errorf("%s: unprintable in %q", name, r.Reason)
		}
		for _, c := range r.Checks {
			if i := strings.IndexFunc(c.Detail, func(c rune) bool { return !unicode.IsPrint(c) }); i >= 0 {
				t.Errorf("%s: unprintable in %q", name, c.Detail)
			}
		}
		if !regexp.MustCompile(advice[r.Verdict]).MatchString(r.Reason) {
			t.Errorf("%s: %q does not say %s", name, r.Reason, advice[r.Verdict])
		}
	}
}

// TestAuthenticate tests the gateway's use: a verdict only if authenticity
// itself is in doubt.
func TestAuthenticate(t *testing.T) {
	t.Parallel()
	bundle := func(change func(b *trust.Bundle)) *trust.Bundle {
		b := base().state.Bundle
		change(b)
		return b
	}
	raw, _ := seal(t, stamp())
	tests := []struct {
		name    string
		keys    offline.KeySource
		now     time.Time
		verdict offline.Verdict
		check   string
		code    string
	}{
		{"good", bundle(func(*trust.Bundle) {}), noon, "", offline.CheckSignature, offline.CodeOK},
		{"no trust state", nil, noon, offline.Unverified, offline.CheckIssuerKnown, offline.CodeNoTrustState},
		{"suspended", bundle(func(b *trust.Bundle) { b.Tenants[0].State = trust.TenantSuspended }), noon, "", offline.CheckIssuerActive, offline.CodeIssuerSuspended},
		{"compromised", bundle(func(b *trust.Bundle) { b.Keys[0].State = trust.KeyCompromised }), noon, "", offline.CheckKeyNotCompromised, offline.CodeKeyCompromised},
		{"future", bundle(func(*trust.Bundle) {}), noon.Add(-40 * day), "", offline.CheckIssuedNotInFuture, offline.CodeIssuedInFuture},
		{"window", bundle(func(b *trust.Bundle) { b.Keys[0].ValidUntil = noon.Add(-31 * day) }), noon, offline.NotFound, offline.CheckKeyWindow, offline.CodeIssuedAfterKey},
		{"other key", bundle(func(b *trust.Bundle) { b.Keys[0].Public = publicKey(testKey("other")) }), noon, offline.NotFound, offline.CheckSignature, offline.CodeSignatureInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, checks, verdict := offline.Authenticate(raw, tt.keys, tt.now)
			c, _ := offline.FindCheck(checks, tt.check)
			if verdict != tt.verdict || c.Code != tt.code || len(checks) != 9 || p.Reference != stamp().Reference {
				t.Errorf("got %q, %s, %d checks; want %q, %s", verdict, c.Code, len(checks), tt.verdict, tt.code)
			}
		})
	}
	if p, checks, verdict := offline.Authenticate(nil, nil, noon); verdict != offline.NotFound || len(checks) != 9 || !reflect.DeepEqual(p, payload.Payload{}) {
		t.Errorf("nothing: %q, %v, %v", verdict, checks, p)
	}
}
