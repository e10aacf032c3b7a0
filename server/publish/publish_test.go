package publish_test

import (
	"context"
	"encoding/hex"
	"sync"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/publish"
	"tcode/server/store/storetest"
)

// fetch gets one complete set from p as a device does: roots, timestamp, and the objects
// that they name by hash.
func fetch(t *testing.T, p *publish.Publisher) trust.Update {
	t.Helper()
	ctx := context.Background()
	var u trust.Update
	for v := uint64(1); ; v++ {
		raw, err := p.Root(ctx, v)
		if fault.Is(err, fault.NotFound) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		u.Roots = append(u.Roots, raw)
	}
	var err error
	if u.Timestamp, err = p.Timestamp(ctx); err != nil {
		t.Fatal(err)
	}
	root, err := trust.ParseRoot(p.Fingerprint(), u.Roots[len(u.Roots)-1])
	if err != nil {
		t.Fatal(err)
	}
	ts, err := trust.ParseTimestamp(p.Fingerprint(), root.Online, u.Timestamp)
	if err != nil {
		t.Fatal(err)
	}
	object := func(sha digest.SHA256, want string) []byte {
		t.Helper()
		data, contentType, err := p.Object(ctx, sha.String())
		if err != nil || contentType != want {
			t.Fatalf("object %s: %s, %v; want %s", sha, contentType, err, want)
		}
		return data
	}
	u.Bundle = object(ts.Bundle.SHA256, publish.TypeNote)
	u.Status = object(ts.Status.SHA256, publish.TypeNote)
	st, err := trust.ParseStatus(p.Fingerprint(), root.Online, u.Status)
	if err != nil {
		t.Fatal(err)
	}
	u.Packs, u.Shards = make(map[uint16][]byte), make(map[uint16][]byte)
	for i, hash := range st.Packs {
		u.Packs[uint16(i)] = object(hash, publish.TypePack)
		pack, err := trust.ParsePack(u.Packs[uint16(i)])
		if err != nil {
			t.Fatal(err)
		}
		for j, hash := range pack {
			u.Shards[uint16(i*trust.PackShards+j)] = object(hash, publish.TypeShard)
		}
		whole, err := p.Pack(ctx, hash.String())
		if err != nil {
			t.Fatal(err)
		}
		if _, shards, err := st.Unpack(uint16(i), whole); err != nil || len(shards) != len(pack) {
			t.Fatalf("pack %d with its shards: %v", i, err)
		}
	}
	if _, err := trust.ParseDelta(object(st.Delta.SHA256, publish.TypePack)); err != nil {
		t.Fatal(err)
	}
	return u
}

func publishNow(t *testing.T, b *storetest.Bundle, want bool) {
	t.Helper()
	did, err := b.Publish.Publish(context.Background())
	if err != nil || did != want {
		t.Fatalf("Publish = %v, %v; want %v", did, err, want)
	}
}

// TestDeviceFollows: a device pins the root, accepts the first set, and follows each change.
func TestDeviceFollows(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	if _, err := b.Publish.Timestamp(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("before the first publication: %v", err)
	}
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "n")
	publishNow(t, b, true)
	publishNow(t, b, false)

	fp := b.Publish.Fingerprint()
	u := fetch(t, b.Publish)
	state, err := trust.Pin(u.Roots, &fp)
	if err != nil {
		t.Fatal(err)
	}
	apply := func() {
		t.Helper()
		u := fetch(t, b.Publish)
		next, _, err := state.Apply(u)
		if err != nil {
			t.Fatal(err)
		}
		state = next
	}
	apply()
	key, ok := state.Bundle.Key("ACME01", 0)
	if tn, found := state.Bundle.Tenant("ACME01"); !ok || !found || tn.Name != "Acme" || key.State != trust.KeySigning {
		t.Fatalf("bundle %+v", state.Bundle)
	}
	if state.Status.Shards != 16 {
		t.Errorf("%d shards, want 8 open ones and the next 8", state.Status.Shards)
	}
	value := func() statuslist.Value {
		t.Helper()
		s, err := statuslist.Inflate(fetch(t, b.Publish).Shards[st.StatusIndex.Shard()])
		if err != nil {
			t.Fatal(err)
		}
		return s.Get(st.StatusIndex.Entry())
	}
	for _, step := range []struct {
		action stamp.Action
		want   statuslist.Value
	}{{stamp.ActionSuspend, statuslist.Suspended}, {stamp.ActionReactivate, statuslist.None}, {stamp.ActionRevoke, statuslist.Revoked}} {
		if err := b.Stamps.Act(t.Context(), id, st.ID, step.action, ""); err != nil {
			t.Fatal(err)
		}
		// The second change may come in the same second: versions still rise.
		publishNow(t, b, true)
		bundle := state.Bundle.Version
		apply()
		if got := value(); got != step.want {
			t.Errorf("%s: entry %v, want %v", step.action, got, step.want)
		}
		if state.Bundle.Version != bundle {
			t.Errorf("%s: a bundle that did not change was published again", step.action)
		}
	}
	if err := b.Tenants.Suspend(t.Context(), "ACME01"); err != nil {
		t.Fatal(err)
	}
	publishNow(t, b, true)
	apply()
	if tn, _ := state.Bundle.Tenant("ACME01"); tn.State != trust.TenantSuspended {
		t.Errorf("tenant %s", tn.State)
	}
	b.Clock.Add(30 * time.Minute)
	publishNow(t, b, true) // nothing changed, but a new timestamp is due
	apply()
}

// TestVersions: versions are at least the time, and always rise, even if the clock is set
// back or the head is from an old backup.
func TestVersions(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	version := func() uint64 {
		t.Helper()
		h, err := b.DB.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h.Version
	}
	publishNow(t, b, true)
	first := version()
	if first != uint64(b.Clock.Now().Unix()) {
		t.Errorf("first version %d, want the time %d", first, b.Clock.Now().Unix())
	}
	b.Tenant(t, "A", "AAAAAA")
	publishNow(t, b, true)
	if v := version(); v != first+1 {
		t.Errorf("same second: version %d, want %d", v, first+1)
	}
	b.Clock.Add(-time.Hour)
	b.Tenant(t, "B", "BBBBBB")
	publishNow(t, b, true)
	if v := version(); v != first+2 {
		t.Errorf("clock set back: version %d, want %d", v, first+2)
	}
	b.Clock.Add(3 * time.Hour)
	publishNow(t, b, true)
	if v := version(); v != uint64(b.Clock.Now().Unix()) {
		t.Errorf("later: version %d, want the time %d", v, b.Clock.Now().Unix())
	}
}

// TestOnePublisher: with several publishers on one database, each change is published once.
func TestOnePublisher(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	b2 := storetest.Open(t, b.Dir, b.Clock)
	publishNow(t, b, true)
	for range 5 {
		b.Tenant(t, "x", "")
		var mu sync.Mutex
		n := 0
		var wg sync.WaitGroup
		for _, p := range []*publish.Publisher{b.Publish, b2.Publish, b.Publish, b2.Publish} {
			wg.Go(func() {
				did, err := p.Publish(context.Background())
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if did {
					n++
				}
			})
		}
		wg.Wait()
		if n != 1 {
			t.Errorf("published %d times", n)
		}
	}
	if b.Publish.Fingerprint() != b2.Publish.Fingerprint() {
		t.Error("two gateways on one database have two roots")
	}
}

// TestSupersededObjects: an object of a timestamp is served for an hour after the next
// timestamp, and then removed: no fetch fails during a publication, and the table does not grow.
func TestSupersededObjects(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "A", "AAAAAA")
	st := b.Stamp(t, id, "n")
	publishNow(t, b, true)
	h, err := b.DB.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	old := hex.EncodeToString(h.Status.SHA256[:])
	live := hex.EncodeToString(h.Bundle.SHA256[:])
	if err := b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionRevoke, ""); err != nil {
		t.Fatal(err)
	}
	publishNow(t, b, true)
	for _, step := range []struct {
		after time.Duration
		old   bool
	}{{0, true}, {59 * time.Minute, true}, {31 * time.Minute, false}} {
		b.Clock.Add(step.after)
		publishNow(t, b, step.after > 0)
		_, _, err := b.Publish.Object(t.Context(), old)
		if (err == nil) != step.old || err != nil && !fault.Is(err, fault.NotFound) {
			t.Errorf("after %v: %v, want served %v", step.after, err, step.old)
		}
		if _, _, err := b.Publish.Object(t.Context(), live); err != nil {
			t.Errorf("after %v: the live bundle: %v", step.after, err)
		}
		fetch(t, b.Publish) // all shards of the present set are available
	}
	for _, name := range []string{"", "x", old[:63], "../" + old, "AB" + old[2:]} {
		if _, _, err := b.Publish.Object(t.Context(), name); !fault.Is(err, fault.NotFound) {
			t.Errorf("Object(%q): %v", name, err)
		}
	}
}

// TestDocumentsAreRenewed: a day later bundle and status are signed again although nothing
// changed, so that they never expire on devices.
func TestDocumentsAreRenewed(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	publishNow(t, b, true)
	before, err := b.DB.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Clock.Add(25 * time.Hour)
	publishNow(t, b, true)
	after, err := b.DB.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if after.Bundle.Version <= before.Bundle.Version || after.Status.Version <= before.Status.Version {
		t.Errorf("bundle %d to %d, status %d to %d", before.Bundle.Version, after.Bundle.Version, before.Status.Version, after.Status.Version)
	}
}
