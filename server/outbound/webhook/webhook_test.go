package webhook_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"tcode/server/outbound/webhook"
)

var now = time.Unix(1795206704, 0)

func TestFilter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		filter webhook.Filter
		wants  []webhook.EventType
		not    []webhook.EventType
	}{
		{webhook.Filter{"*"}, webhook.EventTypes(), nil},
		{webhook.Filter{"stamp.*"}, []webhook.EventType{webhook.StampCreated, webhook.StampReplaced}, []webhook.EventType{webhook.DocumentIssued, webhook.KeyRotated}},
		{webhook.Filter{"key.rotated", "bulk.failed"}, []webhook.EventType{webhook.KeyRotated, webhook.BulkFailed}, []webhook.EventType{webhook.BulkCompleted}},
		{nil, nil, webhook.EventTypes()},
	}
	for _, tt := range tests {
		for _, e := range tt.wants {
			if !tt.filter.Wants(e) {
				t.Errorf("%q does not want %s", tt.filter, e)
			}
		}
		for _, e := range tt.not {
			if tt.filter.Wants(e) {
				t.Errorf("%q wants %s", tt.filter, e)
			}
		}
		if bad, ok := tt.filter.Unknown(); ok {
			t.Errorf("%q: %q is said to be unknown", tt.filter, bad)
		}
	}
	for _, bad := range []string{"", "stamp", "stamp.", "stamp.made", "**", ".*", "Stamp.*", "scan.*x"} {
		if got, ok := (webhook.Filter{"*", bad}).Unknown(); !ok || got != bad {
			t.Errorf("%q is not said to be unknown: %q, %v", bad, got, ok)
		}
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		n     int
		o     webhook.Outcome
		state webhook.State
		wait  time.Duration
	}{
		{"taken", 1, webhook.Outcome{Status: 204}, webhook.Delivered, 0},
		{"taken at last", webhook.MaxTries, webhook.Outcome{Status: 200}, webhook.Delivered, 0},
		{"failing once", 1, webhook.Outcome{Status: 500}, webhook.Waiting, 2 * time.Minute},
		{"no answer", 2, webhook.Outcome{}, webhook.Waiting, 4 * time.Minute},
		{"redirecting", 3, webhook.Outcome{Status: 302}, webhook.Waiting, 8 * time.Minute},
		{"failing nine times", 9, webhook.Outcome{Status: 503}, webhook.Waiting, 512 * time.Minute},
		{"failing ten times", 10, webhook.Outcome{Status: 503}, webhook.Failed, 0},
		{"gone", 1, webhook.Outcome{Status: 410, Gone: true}, webhook.Failed, 0},
	}
	for _, tt := range tests {
		state, due := webhook.NextAttempt(tt.n, tt.o, now)
		var want time.Time
		if tt.wait > 0 {
			want = now.Add(tt.wait)
		}
		if state != tt.state || !due.Equal(want) {
			t.Errorf("%s: %s, due %v, want %s, %v", tt.name, state, due, tt.state, want)
		}
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	// Computed with: printf '1795206704.{"a":1}' | openssl dgst -sha256 -hmac whsec_k
	const golden = "t=1795206704,v1=a260cf4379634c44bc6b422cda2efa11540a1d067c76894b91b0c374c8423779"
	body := []byte(`{"a":1}`)
	if got := webhook.Sign(now, body, "whsec_k"); got != golden {
		t.Errorf("Sign = %s, want %s", got, golden)
	}
	both := webhook.Sign(now, body, "whsec_new", "whsec_k")
	tests := []struct {
		name, header, body string
		at                 time.Time
		want               error
	}{
		{"good", golden, string(body), now, nil},
		{"good, as a receiver's clock goes", golden, string(body), now.Add(webhook.Tolerance), nil},
		{"during a change of secrets", both, string(body), now, nil},
		{"old", golden, string(body), now.Add(webhook.Tolerance + time.Second), webhook.ErrOld},
		{"from the future", golden, string(body), now.Add(-webhook.Tolerance - time.Second), webhook.ErrOld},
		{"other body", golden, `{"a":2}`, now, webhook.ErrSignature},
		{"other secret", webhook.Sign(now, body, "whsec_x"), string(body), now, webhook.ErrSignature},
		{"time moved", strings.Replace(golden, "1795206704", "1795206705", 1), string(body), now, webhook.ErrSignature},
		{"no signature", "t=1795206704", string(body), now, webhook.ErrForm},
		{"no time", golden[len("t=1795206704,"):], string(body), now, webhook.ErrForm},
		{"nothing", "", string(body), now, webhook.ErrForm},
		{"not hexadecimal", "t=1795206704,v1=zz", string(body), now, webhook.ErrSignature},
		{"empty signature", "t=1795206704,v1=", string(body), now, webhook.ErrSignature},
	}
	for _, tt := range tests {
		if err := webhook.Check(tt.header, []byte(tt.body), "whsec_k", tt.at); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	a, err := webhook.NewSecret(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := webhook.NewSecret(nil)
	if err != nil || a == b || len(a) != len("whsec_")+64 {
		t.Errorf("secrets %q and %q, %v", a, b, err)
	}
	if _, err := webhook.NewSecret(bytes.NewReader(nil)); err == nil {
		t.Error("no error without randomness")
	}
}
