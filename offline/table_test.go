package offline_test

import (
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// A situation is one combination of everything that a verdict depends on. Each
// number is a choice; its comment lists the choices.
type situation struct {
	signature  int // good, bad
	key        int // good, compromised on the list, compromised off the list, compromised without list, absent
	window     int // inside, outside
	issuer     int // active, suspended, absent
	entry      int // none, revoked, suspended, replaced
	shard      int // there, not
	expiry     int // not yet, past
	freshness  int // fresh, stale, hard
	clock      int // plausible, suspect, suspect but proven
	binding    int // match, appended, mismatch, not checked
	test       int // no, refused, accepted
	future     int // no, issued in the future
	remembered int // no, yes
	flavour    int // which of several ways to the same choice
}

var choices = [...]int{2, 5, 2, 3, 4, 2, 2, 3, 3, 4, 3, 2, 2}

// nth returns combination n of the product of choices.
func nth(n int) situation {
	var c [len(choices)]int
	m := n
	for i, of := range choices {
		c[i], m = m%of, m/of
	}
	// The flavour must not follow any choice, so this mixes the bits of n.
	return situation{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], int(uint32(n) * 2654435761 >> 20)}
}

// oracle is the table of offline/README.md, "Verdict table", row by row.
func (s situation) oracle() (offline.Verdict, offline.Assurance) {
	const none, signature, status = offline.AssuranceNone, offline.AssuranceSignature, offline.AssuranceStatus
	known := s.issuer != 2 && s.key != 4
	if known && (s.signature == 1 || s.window == 1) || s.binding == 2 {
		return offline.NotFound, none
	}
	if !known {
		return offline.Unverified, none
	}
	if (s.entry == 1 || s.entry == 3) && s.shard == 0 || s.remembered == 1 {
		return offline.Revoked, status
	}
	if s.expiry == 1 {
		return offline.Expired, status
	}
	if s.entry == 2 && s.shard == 0 || s.issuer == 1 {
		return offline.Suspended, status
	}
	if s.key == 2 || s.key == 3 || s.future == 1 || s.test == 1 {
		return offline.Unverified, signature
	}
	if s.freshness == 2 || s.shard == 1 || s.clock == 1 {
		return offline.Unverified, signature
	}
	return offline.Valid, status
}

// stale reports staleness by the table's last two rows and the freshness of all others.
func (s situation) stale() bool { return s.freshness != 0 || s.clock == 1 }

// safe says independently when a verdict may be valid.
func (s situation) safe() bool {
	return s.signature == 0 && s.key < 2 && s.window == 0 && s.issuer == 0 && s.entry == 0 && s.shard == 0 &&
		s.expiry == 0 && s.freshness < 2 && s.clock != 1 && s.binding != 2 && s.test != 1 && s.future == 0 && s.remembered == 0
}

// pick returns one of ways.
func pick[T any](flavour int, ways ...T) T { return ways[flavour%len(ways)] }

// build makes a device for the situation. sign seals payloads.
func (s situation) build(snap *snapshot, sign func(payload.Payload) ([]byte, digest.SHA256)) (*offline.Verifier, offline.Clock, offline.Request) {
	state := snap.state
	clock := offline.Clock{Now: noon}
	// now is the time as far as the device can know it.
	now := noon
	age := pick(s.freshness, pick(s.flavour, 0, time.Hour, day), pick(s.flavour, day+time.Second, 3*day, 7*day-time.Second), 7*day)
	hardByExpiry := s.freshness == 2 && s.flavour%4 != 0
	if hardByExpiry {
		age = time.Hour
	}
	switch s.clock {
	case 0:
		snap.age(age)
		clock.NewestScan = pick(s.flavour, time.Time{}, noon.Add(10*time.Minute), noon.Add(-day))
	case 1:
		snap.age(age)
		if s.flavour%2 == 0 {
			state.Floor = noon.Add(time.Second)
			now = state.Floor
		} else {
			clock.NewestScan = noon.Add(10*time.Minute + time.Second)
		}
	case 2:
		// The device is an hour behind the gateway and received a proof age ago.
		snap.age(-time.Hour)
		clock.Proof, clock.Boot = offline.Proof{Time: noon.Add(time.Hour), Boot: boot(0)}, boot(age)
		now = noon.Add(time.Hour + age)
	}
	if hardByExpiry {
		*pick(s.flavour%4-1, &state.Root.Expires, &state.Bundle.Expires, &state.Status.Expires) = now
	}
	p := stamp()
	if s.issuer == 2 && s.flavour%2 == 0 || s.key == 4 && s.issuer != 2 {
		state.Bundle.Keys = nil
	}
	switch s.issuer {
	case 1:
		state.Bundle.Tenants[0].State = trust.TenantSuspended
	case 2:
		state.Bundle.Tenants = nil
	}
	if s.future == 1 {
		p.IssuedAt = now.Add(10*time.Minute + time.Second)
	} else if s.flavour%3 == 0 {
		p.IssuedAt = now.Add(10 * time.Minute)
	}
	switch {
	case s.expiry == 1:
		p.IssuedAt = minTime(p.IssuedAt, now.Add(-time.Second))
		if s.future == 1 {
			// No payload is both issued in the future and expired, because the
			// expiry is later.
			p.IssuedAt = now.Add(10*time.Minute + time.Second)
		} else {
			p.ExpiresAt = now
		}
	case s.flavour%2 == 0:
		p.ExpiresAt = p.IssuedAt.Add(1000 * day)
	}
	p.Test = s.test > 0
	raw, core := sign(p)
	if len(state.Bundle.Keys) > 0 {
		k := &state.Bundle.Keys[0]
		k.State = pick(s.flavour, trust.KeySigning, trust.KeyVerifying, trust.KeyAnnounced)
		if s.window == 1 {
			if s.flavour%2 == 0 {
				k.ValidFrom = p.IssuedAt.Add(time.Second)
			} else {
				k.ValidUntil = p.IssuedAt
			}
		} else {
			k.ValidFrom, k.ValidUntil = p.IssuedAt, p.IssuedAt.Add(time.Second)
		}
		mark := statuslist.MarkOf(payload.Core(raw))
		switch s.key {
		case 1:
			snap.compromise(true, statuslist.Mark{1}, mark)
		case 2:
			snap.compromise(true, statuslist.Mark{1})
		case 3:
			snap.compromise(false, mark)
			if s.flavour%2 == 0 {
				k.SurvivorList = ""
			}
		}
	}
	snap.set(statuslist.Value(s.entry))
	if s.shard == 1 {
		switch s.flavour % 4 {
		case 0:
			snap.shards = nil
		case 1:
			damaged := *snap.shards[3]
			damaged.Set(9, statuslist.Revoked)
			snap.shards = map[uint16]*statuslist.Shard{3: &damaged}
		case 2:
			state.Shards = state.Shards[:3]
		case 3:
			snap.shardErr = hex.ErrLength // any error
		}
	}
	if s.remembered == 1 {
		snap.remembered[core] = true
	}
	if s.signature == 1 {
		raw = append([]byte(nil), raw...)
		raw[pick(s.flavour, len(raw)-1, len(raw)-40, len(raw)-70, 10)] ^= 1
	}
	return offline.New(snap, offline.Policy{AcceptTest: s.test == 2}), clock, offline.Request{
		Payload: raw,
		Binding: pick(s.binding, binding.Match, binding.Appended, binding.Mismatch, pick(s.flavour, binding.NotChecked, "", "nonsense")),
	}
}

// possible excludes contradictions: a signed expiry is later than the issue
// time, so nothing is both expired and from the future.
func (s situation) possible() bool { return s.expiry == 0 || s.future == 0 }

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// TestTable tries every combination of choices (311,040 that are possible) and
// compares the verdict with the oracle. It signs each payload once.
func TestTable(t *testing.T) {
	t.Parallel()
	total := 1
	for _, of := range choices {
		total *= of
	}
	stride := 1
	if testing.Short() || raceEnabled {
		stride = 61 // prime to every choice, so that all pairs still meet
	}
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			signer := newCachedSigner(t)
			for n := w * stride; n < total && !t.Failed(); n += workers * stride {
				if s := nth(n); s.possible() {
					checkSituation(t, n, s, signer.seal)
				}
			}
		})
	}
	wg.Wait()
}

func checkSituation(t *testing.T, n int, s situation, sign func(payload.Payload) ([]byte, digest.SHA256)) {
	v, clock, request := s.build(base(), sign)
	r := v.Verify(clock, request)
	verdict, assurance := s.oracle()
	if r.Verdict != verdict || r.Assurance != assurance {
		t.Errorf("%d: %+v\ngot  %s, %s\nwant %s, %s\n%s", n, s, r.Verdict, r.Assurance, verdict, assurance, list(r))
	}
	if r.Verdict == offline.Valid && !s.safe() {
		t.Errorf("%d: %+v is valid\n%s", n, s, list(r))
	}
	if r.Stale != s.stale() || r.ClockSuspect != (s.clock != 0) {
		t.Errorf("%d: %+v: stale %v, clock suspect %v\n%s", n, s, r.Stale, r.ClockSuspect, list(r))
	}
	if wantRemember := verdict != offline.NotFound && s.signature == 0 && s.window == 0 && s.key != 4 && s.issuer != 2 &&
		s.shard == 0 && (s.entry == 1 || s.entry == 3); r.Remember != wantRemember && verdict != offline.NotFound {
		t.Errorf("%d: %+v: remember %v", n, s, r.Remember)
	}
	if r.Reason == "" || len(r.Checks) != 16 {
		t.Errorf("%d: reason %q, %d checks", n, r.Reason, len(r.Checks))
	}
}

func list(r offline.Result) (s string) {
	for _, c := range r.Checks {
		s += fmt.Sprintf("  %-22s %-8s %s %s\n", c.Name, c.Status, c.Code, c.Detail)
	}
	return s + "  " + r.Reason
}

// cachedSigner signs each payload once, because this test is not about signing.
type cachedSigner struct {
	t    testing.TB
	done map[stampKey][]byte
}

// stampKey holds the differences between the payloads of situations.
type stampKey struct {
	issuedAt, expiresAt time.Time
	test                bool
}

func newCachedSigner(t testing.TB) *cachedSigner {
	return &cachedSigner{t, make(map[stampKey][]byte)}
}

func (c *cachedSigner) seal(p payload.Payload) ([]byte, digest.SHA256) {
	key := stampKey{p.IssuedAt, p.ExpiresAt, p.Test}
	raw, ok := c.done[key]
	if !ok {
		raw, _ = seal(c.t, p)
		c.done[key] = raw
	}
	return raw, coreOf(raw)
}
