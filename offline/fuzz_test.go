package offline_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
)

// rank orders verdicts from the best to the worst. Only the step to valid is
// dangerous, but these fuzz targets must not improve any verdict.
var rank = []offline.Verdict{offline.Valid, offline.Unverified, offline.Suspended, offline.Expired, offline.Revoked, offline.NotFound}

// FuzzPayload changes a genuine payload in any way. The result is never
// authentic, whatever its text, and never valid.
func FuzzPayload(f *testing.F) {
	raw, _ := seal(f, stamp())
	f.Add(raw)
	f.Add(raw[:len(raw)-1])
	f.Add(append(bytes.Clone(raw), 0))
	for _, at := range []int{0, 1, 2, 6, 7, 17, 19, 23, 27, 28, 40, len(raw) - 70, len(raw) - 1} {
		changed := bytes.Clone(raw)
		changed[at] ^= 0x80
		f.Add(changed)
	}
	f.Fuzz(func(t *testing.T, other []byte) {
		if bytes.Equal(other, raw) {
			return
		}
		for _, r := range []offline.Result{
			verify(base(), other),
			offline.New(base(), offline.Policy{AcceptTest: true}).Verify(offline.Clock{Now: noon}, offline.Request{Text: payload.EncodeText(other), Binding: binding.Match}),
		} {
			if r.Authentic() || r.Verdict == offline.Valid || r.Remember || r.Assurance != offline.AssuranceNone {
				t.Fatalf("%x is %s\n%s", other, r.Verdict, list(r))
			}
		}
	})
}

// FuzzAge makes the trust state of some situation older: the verdict never
// gets better, and stale stays stale.
func FuzzAge(f *testing.F) {
	f.Add(uint32(0), int64(0), int64(time.Hour))
	f.Add(uint32(0), int64(day), int64(day+1))
	f.Add(uint32(0), int64(7*day-1), int64(1))
	f.Add(uint32(12345), int64(2*day), int64(6*day))
	total := 1
	for _, of := range choices {
		total *= of
	}
	f.Fuzz(func(t *testing.T, n uint32, age, older int64) {
		s := nth(int(n) % total)
		if !s.possible() || age < 0 || older < 0 || age > int64(1000*day) || older > int64(1000*day) {
			return
		}
		s.clock, s.freshness = 0, 0
		signer := newCachedSigner(t)
		judge := func(age time.Duration) offline.Result {
			snap := base()
			v, clock, request := s.build(snap, signer.seal)
			snap.age(age.Truncate(time.Second))
			return v.Verify(clock, request)
		}
		young, old := judge(time.Duration(age)), judge(time.Duration(age+older))
		if slices.Index(rank, old.Verdict) < slices.Index(rank, young.Verdict) || young.Stale && !old.Stale {
			t.Fatalf("%+v\n%v old: %s, stale %v\n%v older: %s, stale %v", s,
				time.Duration(age), young.Verdict, young.Stale, time.Duration(older), old.Verdict, old.Stale)
		}
	})
}

// FuzzStatus changes bytes of the shard that the device holds: a shard that is
// not the signed one never makes anything valid.
func FuzzStatus(f *testing.F) {
	raw, _ := seal(f, stamp())
	f.Add(uint16(0), uint8(1))
	f.Add(uint16(1), uint8(0x40))
	f.Fuzz(func(t *testing.T, at uint16, change uint8) {
		s := base()
		s.set(statuslist.Revoked)
		s.shards[3][int(at)%statuslist.Size] ^= change
		if r := verify(s, raw); change == 0 && r.Verdict != offline.Revoked || change != 0 && r.Verdict != offline.Unverified {
			t.Fatalf("byte %d xor %02x: %s", at, change, r.Verdict)
		}
	})
}

// FuzzRunVector: no file makes the replay panic, and a vector that runs gives
// JSON.
func FuzzRunVector(f *testing.F) {
	files := vectors(f)
	for _, name := range []string{"valid-match.json", "unverified-nothing-pinned.json", "not-found-empty.json"} {
		f.Add(files[name])
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, _, err := offline.RunVector(raw)
		if err == nil && !json.Valid(got) {
			t.Fatalf("no JSON: %s", got)
		}
	})
}
