package verify_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
	"tcode/server/verify"
)

var anyone = verify.Viewer{}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status       stamp.Status
		issuerActive bool
		expired      bool
		want         verify.Verdict
	}{
		{stamp.Active, true, false, verify.Valid},
		{stamp.Active, false, false, verify.Suspended},
		{stamp.Active, true, true, verify.Expired},
		{stamp.Active, false, true, verify.Expired},
		{stamp.Suspended, true, false, verify.Suspended},
		{stamp.Suspended, false, false, verify.Suspended},
		{stamp.Suspended, true, true, verify.Expired},
		{stamp.Suspended, false, true, verify.Expired},
		{stamp.Revoked, true, false, verify.Revoked},
		{stamp.Revoked, false, false, verify.Revoked},
		{stamp.Revoked, true, true, verify.Revoked},
		{stamp.Revoked, false, true, verify.Revoked},
	}
	for _, tt := range tests {
		if got := verify.VerdictOf(tt.status, tt.issuerActive, tt.expired); got != tt.want {
			t.Errorf("%s, issuer active %v, expired %v: %s, want %s", tt.status, tt.issuerActive, tt.expired, got, tt.want)
		}
	}
}

// TestThroughLife: all methods give the same verdict through a stamp's life.
func TestThroughLife(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "Diploma of Ada")
	ctx := t.Context()
	text := payload.EncodeText(st.Payload)
	ways := map[string]func() (verify.Result, error){
		"reference":       func() (verify.Result, error) { return b.Verify.ByReference(ctx, anyone, st.Reference.String()) },
		"typed reference": func() (verify.Result, error) { return b.Verify.ByReference(ctx, anyone, sloppy(st.Reference)) },
		"stamped hash":    func() (verify.Result, error) { return b.Verify.ByHash(ctx, anyone, st.StampedSHA256) },
		"original hash":   func() (verify.Result, error) { return b.Verify.ByHash(ctx, anyone, strings.ToUpper(st.OriginalSHA256)) },
		"payload bytes":   func() (verify.Result, error) { return b.Verify.ByPayload(ctx, anyone, b64(st.Payload)) },
		"payload text":    func() (verify.Result, error) { return b.Verify.ByPayload(ctx, anyone, text) },
		"text in base64":  func() (verify.Result, error) { return b.Verify.ByPayload(ctx, anyone, b64([]byte(text))) },
	}
	act := func(a stamp.Action) func() error {
		return func() error { return b.Stamps.Act(ctx, id, st.ID, a, "why") }
	}
	steps := []struct {
		do   func() error
		want verify.Verdict
	}{
		{func() error { return nil }, verify.Valid},
		{act(stamp.ActionSuspend), verify.Suspended},
		{act(stamp.ActionReactivate), verify.Valid},
		{func() error { return b.Tenants.Suspend(ctx, "ACME01") }, verify.Suspended},
		{func() error { return b.Tenants.Activate(ctx, "ACME01") }, verify.Valid},
		{act(stamp.ActionRevoke), verify.Revoked},
	}
	for i, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		for way, ask := range ways {
			r, err := ask()
			if err != nil {
				t.Fatalf("step %d by %s: %v", i, way, err)
			}
			if r.Verdict != step.want || r.Reference != st.Reference || r.IssuerName != "Acme" ||
				r.DocumentType.Name("en") != "Diploma" || !r.IssuedAt.Equal(st.IssuedAt) {
				t.Errorf("step %d by %s: %+v, want %s", i, way, r, step.want)
			}
			failed := 0
			for _, c := range r.Checks {
				if c.Status == offline.Fail {
					failed++
				}
			}
			if (failed > 0) != (step.want != verify.Valid) {
				t.Errorf("step %d by %s: %d failed checks for %s", i, way, failed, r.Verdict)
			}
		}
	}
	r, err := b.Verify.ByHash(ctx, anyone, st.OriginalSHA256)
	if err != nil || r.MatchedOn != verify.OnOriginal || r.MatchCount != 1 {
		t.Errorf("original: %s %d, %v", r.MatchedOn, r.MatchCount, err)
	}
	r, err = b.Verify.ByPayload(ctx, anyone, text)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range r.Checks {
		names = append(names, c.Name)
	}
	want := []string{
		offline.CheckDecode, offline.CheckHeader, offline.CheckIssuerKnown, offline.CheckIssuerActive, offline.CheckKeyKnown, offline.CheckKeyWindow,
		offline.CheckKeyNotCompromised, offline.CheckSignature, offline.CheckIssuedNotInFuture, offline.CheckStatusEntry, offline.CheckNotExpired, offline.CheckRecord,
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("checks by payload (-want +got):\n%s", diff)
	}
}

// sloppy spells a reference as people type it.
func sloppy(r payload.Reference) string {
	s := strings.ToLower(strings.TrimPrefix(r.String(), "TCR-"))
	s = strings.NewReplacer("0", "o", "1", "l").Replace(s)
	return "tcr " + s[:4] + "-" + s[4:8] + " " + s[8:]
}

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func TestNotFound(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	ctx := t.Context()
	for _, ref := range []string{"", "x", "TCR-0000000000000000", "TRF-0000000000000000", "TCR-00000000000000000", "' OR 1=1"} {
		r, err := b.Verify.ByReference(ctx, anyone, ref)
		if diff := cmp.Diff(verify.Result{Verdict: verify.NotFound}, r); diff != "" || err != nil {
			t.Errorf("reference %q: %v\n%s", ref, err, diff)
		}
	}
	for _, hash := range []string{"", "x", strings.Repeat("0", 64), strings.Repeat("0", 63), strings.Repeat("z", 64)} {
		r, err := b.Verify.ByHash(ctx, anyone, hash)
		if diff := cmp.Diff(verify.Result{Verdict: verify.NotFound}, r); diff != "" || err != nil {
			t.Errorf("hash %q: %v\n%s", hash, err, diff)
		}
	}
}

func TestInvalidPayload(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	good := b64(st.Payload)
	for name, text := range map[string]string{
		"empty":          "",
		"not base64":     "1!!!",
		"other form":     "0" + good,
		"no padding":     strings.TrimRight(b64(st.Payload[:107]), "="),
		"line break":     good[:4] + "\n" + good[4:],
		"cut short":      b64(st.Payload[:100]),
		"one byte more":  b64(append(bytes.Clone(st.Payload), 0)),
		"lower-case":     "N" + strings.ToLower(payload.EncodeText(st.Payload)[1:]),
		"text cut short": payload.EncodeText(st.Payload)[:160],
	} {
		if _, err := b.Verify.ByPayload(t.Context(), anyone, text); fault.As(err).Code != fault.CodeInvalidPayload {
			t.Errorf("%s: %v, want INVALID_PAYLOAD", name, err)
		}
	}
}

// TestByHashPicks: for a file stamped several times, the newest Active stamp counts, else the newest.
func TestByHashPicks(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	ctx := t.Context()
	var sts []stamp.Stamp
	for range 3 {
		sts = append(sts, b.Stamp(t, id, "same"))
		b.Clock.Add(1e9)
	}
	for _, step := range []struct {
		revoke int
		want   int
	}{{-1, 2}, {2, 1}, {0, 1}, {1, 2}} {
		if step.revoke >= 0 {
			if err := b.Stamps.Act(ctx, id, sts[step.revoke].ID, stamp.ActionRevoke, ""); err != nil {
				t.Fatal(err)
			}
		}
		r, err := b.Verify.ByHash(ctx, anyone, sts[0].OriginalSHA256)
		if err != nil || r.Reference != sts[step.want].Reference || r.MatchCount != 3 || r.MatchedOn != verify.OnOriginal {
			t.Errorf("after revoking %d: %s of %d, %v; want stamp %d", step.revoke, r.Reference, r.MatchCount, err, step.want)
		}
	}
	// A stamped file that was stamped again matches as a stamped file first.
	again := storetest.Request("again")
	data, err := b.Blobs.Get(ctx, sts[1].StampedSHA256)
	if err != nil {
		t.Fatal(err)
	}
	again.PDF = spool.Bytes(data)
	if _, err := b.Stamps.Create(ctx, id, again); err != nil {
		t.Fatal(err)
	}
	r, err := b.Verify.ByHash(ctx, anyone, sts[1].StampedSHA256)
	if err != nil || r.MatchedOn != verify.OnStamped || r.Reference != sts[1].Reference {
		t.Errorf("stamped twice: %s on %s, %v", r.Reference, r.MatchedOn, err)
	}
}

// TestNameIsPrivate: only the tenant sees the name that it gave a stamp.
func TestNameIsPrivate(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "Ada's secret")
	b.Tenant(t, "Other", "OTHER1")
	for viewer, want := range map[string]string{"": "", "OTHER1": "", "ACME01": "Ada's secret"} {
		r, err := b.Verify.ByReference(t.Context(), verify.Viewer{Tenant: viewer}, st.Reference.String())
		if err != nil || r.Name != want {
			t.Errorf("viewer %q sees %q, %v; want %q", viewer, r.Name, err, want)
		}
	}
}

// TestHistory: each verification of a known stamp is one row of history, written in groups.
func TestHistory(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	ctx := t.Context()
	for range 3 {
		if _, err := b.Verify.ByReference(ctx, verify.Viewer{Tenant: "OTHER1", KeyPrefix: "abcdefgh"}, st.Reference.String()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Verify.ByHash(ctx, anyone, st.StampedSHA256); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Verify.ByHash(ctx, anyone, hex.EncodeToString(make([]byte, 32))); err != nil {
		t.Fatal(err)
	}
	run, stop := context.WithCancel(ctx)
	stop() // pending lines are written at the end
	if err := b.Verify.Run(run); err != nil {
		t.Fatal(err)
	}
	var got []string
	rows, err := storetest.Raw(t, b.Dir).Query(`SELECT tenant || ' ' || method || ' ' || verdict || ' ' || viewer_key FROM verifications ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		got = append(got, s)
	}
	line := "ACME01 reference valid abcdefgh"
	if diff := cmp.Diff([]string{line, line, line, "ACME01 hash valid "}, got); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}
