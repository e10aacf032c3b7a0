package trust_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// A holder is a device with its shards.
type holder struct {
	trust.State
	shards map[uint16]*statuslist.Shard
}

func (h *holder) held(number uint16) (*statuslist.Shard, error) { return h.shards[number], nil }

func (h *holder) take(t *testing.T, u trust.Update) {
	t.Helper()
	next, changes, err := h.Apply(u)
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range changes.Shards {
		if h.shards[number], err = statuslist.Inflate(u.Shards[number]); err != nil {
			t.Fatal(err)
		}
	}
	h.State = next
}

// grow publishes n more shards and these changed entries, as a delta since the
// given version.
func (r *repository) grow(n int, since uint64, changed trust.Delta) {
	for range n {
		r.shards = append(r.shards, new(statuslist.Shard))
	}
	for _, e := range changed {
		shard := *r.shards[e.Shard]
		shard.Set(e.Entry, e.Value)
		r.shards[e.Shard] = &shard
	}
	r.delta, r.status.Delta.Since = changed, since
	r.bump()
}

// TestPatch: a delta leads from any status since its oldest to its own,
// including new shards and packs, without other fetches.
func TestPatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		grow    int
		changed trust.Delta
		shards  []uint16 // results of Patch
	}{
		{"nothing", 0, nil, nil},
		{"one entry", 0, trust.Delta{{1, 9, statuslist.Revoked}}, []uint16{1}},
		{"an entry that is so already", 0, trust.Delta{{0, 7, statuslist.Revoked}}, nil},
		{"an entry of a full pack and one of the last", 127, trust.Delta{{0, 9, statuslist.Revoked}, {128, 1, statuslist.Suspended}}, nil},
		{"a suspension taken back", 0, trust.Delta{{0, 7, statuslist.None}}, []uint16{0}},
		{"new shards, one with an entry", 3, trust.Delta{{4, 0, statuslist.Replaced}}, []uint16{2, 3, 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			d := holder{r.device(), map[uint16]*statuslist.Shard{0: r.shards[0], 1: r.shards[1]}}
			r.grow(tt.grow, 10, tt.changed)
			if !d.Patches(&r.status) {
				t.Fatal("it does not lead there")
			}
			p, err := d.Patch(&r.status, r.delta.Bytes(), d.held)
			if err != nil {
				t.Fatal(err)
			}
			if tt.shards != nil {
				for _, number := range tt.shards {
					if p.Shards[number] == nil {
						t.Errorf("no shard %d", number)
					}
				}
				if len(p.Shards) != len(tt.shards) {
					t.Errorf("%d shards, want %v", len(p.Shards), tt.shards)
				}
			}
			d.take(t, trust.Update{Timestamp: r.rawTimestamp, Bundle: r.rawBundle, Status: r.rawStatus, Packs: p.Packs, Shards: p.Shards})
			for i, want := range r.shards {
				if got := d.shards[uint16(i)]; got == nil || *got != *want {
					t.Errorf("shard %d differs", i)
				}
			}
		})
	}
}

// TestPatchOrFetch: a device fetches the packs and shards that a delta cannot
// produce, because it is too young, wrong or applied to a damaged shard, and
// never accepts wrong ones.
func TestPatchOrFetch(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	d := holder{r.device(), map[uint16]*statuslist.Shard{0: r.shards[0], 1: r.shards[1]}}
	r.grow(0, 11, trust.Delta{{1, 9, statuslist.Revoked}})
	if d.Patches(&r.status) {
		t.Error("a delta since 11 leads from 10")
	}
	fewer := r.status
	fewer.Shards, fewer.Delta.Since = 1, 1
	if d.Patches(&fewer) {
		t.Error("a delta leads to fewer shards")
	}
	if _, err := d.Patch(&r.status, trust.Delta{}.Bytes(), d.held); !errors.Is(err, trust.ErrHash) {
		t.Errorf("another delta: %v, want ErrHash", err)
	}
	signed := func(delta []byte) *trust.Status {
		st := r.status
		st.Delta.SHA256 = trust.RefTo(0, delta).SHA256
		return &st
	}
	for name, delta := range map[string][]byte{
		"no head": {}, "half an entry": append(trust.Delta{}.Bytes(), 1), "value 4": trust.Delta{{0, 0, 4}}.Bytes(),
		"twice": trust.Delta{{0, 1, 1}, {0, 1, 2}}.Bytes(), "descending": trust.Delta{{1, 1, 1}, {0, 1, 1}}.Bytes(),
		"descending entries": trust.Delta{{1, 2, 1}, {1, 1, 1}}.Bytes(),
	} {
		if _, err := d.Patch(signed(delta), delta, d.held); !errors.Is(err, trust.ErrSyntax) {
			t.Errorf("%s: %v, want ErrSyntax", name, err)
		}
	}
	long := make(trust.Delta, trust.MaxDelta+1).Bytes()
	if _, err := d.Patch(signed(long), long, d.held); !errors.Is(err, trust.ErrTooLarge) {
		t.Errorf("too long: %v, want ErrTooLarge", err)
	}
	beyond := trust.Delta{{2, 0, 1}}.Bytes()
	if _, err := d.Patch(signed(beyond), beyond, d.held); !errors.Is(err, trust.ErrIncomplete) {
		t.Errorf("a shard that is not there: %v, want ErrIncomplete", err)
	}
	none := func(p trust.Patched, err error) {
		t.Helper()
		if err != nil || len(p.Packs) != 0 || len(p.Shards) != 0 {
			t.Errorf("%d packs, %d shards, %v; want none", len(p.Packs), len(p.Shards), err)
		}
	}
	lie := trust.Delta{{1, 9, statuslist.None}}.Bytes()
	none(d.Patch(signed(lie), lie, d.held))
	none(d.Patch(&r.status, r.delta.Bytes(), func(uint16) (*statuslist.Shard, error) { return nil, nil }))
	none(d.Patch(&r.status, r.delta.Bytes(), func(uint16) (*statuslist.Shard, error) { return nil, statuslist.ErrDeflate }))
	damaged := *r.shards[1]
	damaged.Set(400, statuslist.Revoked)
	none(d.Patch(&r.status, r.delta.Bytes(), func(uint16) (*statuslist.Shard, error) { return &damaged, nil }))
}

// TestPatchManyWays follows a device through random histories: whichever
// statuses it misses, the delta or the packs bring it to the newest.
func TestPatchManyWays(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	r := newRepository(t)
	d := holder{r.device(), map[uint16]*statuslist.Shard{0: r.shards[0], 1: r.shards[1]}}
	type change struct {
		version uint64
		entry   trust.DeltaEntry
	}
	var all []change
	patched := 0
	for range 150 {
		n := 0
		if rnd.IntN(12) == 0 {
			n = 1 + rnd.IntN(60)
		}
		version, window := r.status.Version+1, uint64(1+rnd.IntN(6))
		for range rnd.IntN(4) {
			all = append(all, change{version, trust.DeltaEntry{Shard: uint16(rnd.IntN(len(r.shards) + n)), Entry: uint16(rnd.IntN(20)), Value: statuslist.Value(rnd.IntN(4))}})
		}
		since := max(window, version) - window
		newest := map[[2]uint16]trust.DeltaEntry{}
		for _, c := range all {
			if c.version > since {
				newest[[2]uint16{c.entry.Shard, c.entry.Entry}] = c.entry
			}
		}
		var delta trust.Delta
		for _, e := range newest {
			delta = append(delta, e)
		}
		delta.Sort()
		r.grow(n, max(since, 1), delta)
		if rnd.IntN(3) == 0 {
			continue // the device does not refresh
		}
		u := r.update()
		if d.Patches(&r.status) {
			p, err := d.Patch(&r.status, r.delta.Bytes(), d.held)
			if err != nil {
				t.Fatal(err)
			}
			if wanted := d.WantedPacks(&r.status); len(wanted) != len(p.Packs) {
				t.Fatalf("version %d: %d of %d packs come out right", version, len(p.Packs), len(wanted))
			}
			u.Packs, u.Shards = p.Packs, p.Shards
			patched++
		}
		d.take(t, u)
		for i, want := range r.shards {
			if *d.shards[uint16(i)] != *want {
				t.Fatalf("version %d: shard %d differs", version, i)
			}
		}
	}
	if patched < 30 {
		t.Errorf("only %d updates by a delta", patched)
	}
}
