package trust_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"tcode/offline/trust"
)

// testNonce is the nonce of the devices in these tests.
var testNonce = [32]byte{0x00, 0x01, 0xfe, 31: 0xff}

// tell answers testNonce.
func (r *repository) tell(at time.Time) []byte {
	r.t.Helper()
	return r.sign(trust.TimeNote{Nonce: testNonce, Time: at}, r.online)
}

// TestTimeNote refuses every answer but the one of the online key to the nonce.
func TestTimeNote(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	good := r.tell(day0)
	text, _, _ := bytes.Cut(good, []byte("\n\n"))
	text = append(text, '\n')
	edited := func(old, new string) []byte {
		changed := strings.Replace(string(text), old, new, 1)
		if changed == string(text) {
			t.Fatalf("%q is not in %s", old, text)
		}
		raw, err := trust.SignNote([]byte(changed), r.online)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	other := testNonce
	other[31] ^= 1
	foreign := newRepository(t)
	foreign.fp[0] ^= 1
	tests := []struct {
		name string
		raw  []byte
		want error
	}{
		{"the answer", good, nil},
		{"a replay: the answer to another nonce", r.sign(trust.TimeNote{Nonce: other, Time: day0}, r.online), trust.ErrNonce},
		{"another trust root's", foreign.tell(day0), trust.ErrForeignRoot},
		{"a timestamp", r.rawTimestamp, trust.ErrTypeLine},
		{"signed by root keys", r.sign(trust.TimeNote{Nonce: testNonce, Time: day0}, r.rootKeys...), trust.ErrForeignKey},
		{"edited", bytes.Replace(good, []byte("2026"), []byte("2027"), 1), trust.ErrSignature},
		{"no time", edited("time 2026-01-10T08:00:00Z\n", ""), trust.ErrSyntax},
		{"time twice", edited("time 2026-01-10T08:00:00Z\n", "time 2026-01-10T08:00:00Z\ntime 2026-01-10T08:00:00Z\n"), trust.ErrSyntax},
		{"fraction of a second", edited("08:00:00Z", "08:00:00.5Z"), trust.ErrSyntax},
		{"another zone", edited("08:00:00Z", "09:00:00+01:00"), trust.ErrSyntax},
		{"upper-case nonce", edited("fe", "FE"), trust.ErrSyntax},
		{"short nonce", edited("nonce 0001", "nonce 00"), trust.ErrSyntax},
		{"order", edited("nonce", "time"), trust.ErrSyntax},
		{"too large", append(bytes.Clone(good), bytes.Repeat([]byte("x"), trust.MaxTimeNoteLen)...), trust.ErrTooLarge},
		{"nothing", nil, trust.ErrTypeLine},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := trust.ParseTimeNote(r.fp, r.online.Key(), testNonce, tt.raw)
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Fatalf("err = %v, want %v", err, tt.want)
			}
			if err == nil && (*got != trust.TimeNote{Nonce: testNonce, Time: day0}) {
				t.Errorf("got %+v", got)
			}
		})
	}
	// A time note is not a document of a set.
	if _, _, err := r.device().Apply(trust.Update{Timestamp: good}); !errors.Is(err, trust.ErrTypeLine) {
		t.Errorf("as a timestamp: %v", err)
	}
	if _, err := (trust.TimeNote{Time: day0.Add(1)}).Text(r.fp); !errors.Is(err, trust.ErrSyntax) {
		t.Errorf("Text of a fraction: %v", err)
	}
}
