package stamp_test

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
)

// randoms hands out prepared bytes for the draws of four bytes (entries and shards) and
// real ones for all else.
type randoms struct {
	mu      sync.Mutex
	entries [][4]byte
	other   io.Reader
}

func (r *randoms) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(p) == 4 && len(r.entries) > 0 {
		n := copy(p, r.entries[0][:])
		r.entries = r.entries[1:]
		return n, nil
	}
	return r.other.Read(p)
}

// An entry that is taken is drawn again, before the work and at the commit.
func TestEntryConflicts(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	c.Rand = &randoms{entries: [][4]byte{{0, 7}, {0, 7}, {0, 7}, {0, 8}}, other: bytes.NewReader(bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 100))}
	svc := stamp.New(c)
	first, err := svc.Create(t.Context(), id, storetest.Request("1"))
	if err != nil || first.StatusIndex.Entry() != 7 {
		t.Fatalf("first: entry %d, %v", first.StatusIndex.Entry(), err)
	}
	second, err := svc.Create(t.Context(), id, storetest.Request("2"))
	if err != nil || second.StatusIndex.Entry() != 8 {
		t.Fatalf("second: entry %d, %v; want 8 after 7 twice", second.StatusIndex.Entry(), err)
	}
	// Now the entry is taken between the draw and the commit.
	c.Rand = &randoms{entries: [][4]byte{{0, 9}, {0, 10}}, other: c.Rand.(*randoms).other}
	c.Stamper = meanwhile{do: func() {
		change(t, b, `INSERT INTO status_entries VALUES (0, 9, 'ACME01', $1, 0) ON CONFLICT DO NOTHING`, make([]byte, 10))
	}}
	third, err := stamp.New(c).Create(t.Context(), id, storetest.Request("3"))
	if err != nil || third.StatusIndex.Entry() != 10 {
		t.Fatalf("third: entry %d, %v; want 10 after losing 9", third.StatusIndex.Entry(), err)
	}
	if p, err := payload.Parse(third.Payload); err != nil || p.Status != third.StatusIndex {
		t.Errorf("signed entry %v, %v; want %v", p.Status, err, third.StatusIndex)
	}
}

// A shard that closes between the draw and the commit is left for the next.
func TestShardClosesMeanwhile(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	c.Stamper = meanwhile{do: func() {
		change(t, b, `UPDATE shards SET state = 'closed' WHERE number = 0`)
		change(t, b, `UPDATE shards SET state = 'open' WHERE number = 1`)
	}}
	st, err := stamp.New(c).Create(t.Context(), id, storetest.Request("n"))
	if err != nil || st.StatusIndex.Shard() != 1 {
		t.Errorf("shard %d, %v; want 1", st.StatusIndex.Shard(), err)
	}
}

// meanwhile does something while the PDF is stamped.
type meanwhile struct {
	do func()
	storetest.Stamper
}

func (m meanwhile) Stamp(ctx context.Context, job stamp.Job) (stamp.Drawn, error) {
	m.do()
	return storetest.Stamper{}.Stamp(ctx, job)
}

// A tenant suspended, or a type taken out of use, while the PDF is stamped.
func TestSuspendedMeanwhile(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	c.Stamper = meanwhile{do: func() {
		if err := b.Tenants.Suspend(context.Background(), "ACME01"); err != nil {
			t.Error(err)
		}
	}}
	if _, err := stamp.New(c).Create(t.Context(), id, storetest.Request("n")); fault.As(err).Reason != fault.ReasonTenantSuspended {
		t.Errorf("err = %v, want tenant_suspended", err)
	}
}
