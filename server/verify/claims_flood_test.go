//go:build !race

package verify_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/store/storetest"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// onDisk returns the total size of the files of a folder.
func onDisk(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestClaimFlood: unsigned claims, of unknown stamps and of a known one, from
// many addresses, for an hour, take a bounded part of the disk. They do not
// affect a device that signs, nor does it affect them. A day later there is room
// again.
func TestClaimFlood(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
		before := onDisk(t, b.Dir)
		n := 0
		claims := func(client int, known bool) (took int) {
			t.Helper()
			batch := wire.Batch{ID: uuid.NewString(), ScannerID: fmt.Sprint("pda-", n), SentAt: wire.TruncateMillis(b.Clock.Now())}
			for range wire.MaxItems {
				n++
				it := wire.Item{ScanID: uuid.NewString(), Reference: fmt.Sprintf("TCR-%016d", n), ScannedAt: wire.TruncateMillis(b.Clock.Now())}
				if known {
					it.Reference = st.Reference.String()
				}
				it.Context.Note = fmt.Sprintf("%0400d", n)
				batch.Items = append(batch.Items, it)
			}
			reply := send(t, b, batch, verify.Proof{Client: fmt.Sprint("192.0.2.", client)})
			for _, r := range reply.Results {
				switch {
				case r.Result == wire.Accepted:
					took++
				case r.Result != wire.Retry || r.Code != "CLAIM_BUDGET_EXHAUSTED":
					t.Fatalf("%+v", r)
				}
			}
			return took
		}
		hour := func() (took int) {
			for minute := range 60 {
				for _, known := range []bool{true, false} {
					took += claims(minute%30, known)
				}
				b.Clock.Add(time.Minute)
				if err := b.Verify.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			return took
		}
		first := hour()
		if first < 10_000 || first > 30_000 {
			t.Errorf("%d of %d claims were taken", first, n)
		}
		if grown := onDisk(t, b.Dir) - before; e == storetest.SQLite && grown > 64<<20 {
			t.Errorf("an hour's flood takes %d MiB", grown>>20)
		} else {
			t.Logf("%d of %d claims taken, %.1f MiB more on disk", first, n, float64(grown)/(1<<20))
		}
		if again := hour(); again != 0 { // the budgets last a day
			t.Errorf("%d more in the next hour", again)
		}
		d := newDevice(t)
		it := d.item("", b.Clock.Now())
		it.Reference = "TCR-0000000000000000"
		batch := d.batch(b.Clock.Now(), it)
		for _, want := range []wire.ItemOutcome{wire.Accepted, wire.Duplicate} {
			if r := send(t, b, batch, d.sign(t, batch)).Results[0]; r.Result != want {
				t.Errorf("a signed scan of an unknown stamp: %+v, want %s", r, want)
			}
		}
		b.Clock.Add(25 * time.Hour)
		if err := b.Verify.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := scans(t, b, "scan_claims"); left != 0 {
			t.Errorf("%d claims are left", left)
		}
		if took := claims(1, false); took != wire.MaxItems {
			t.Errorf("%d taken on the next day", took)
		}
	})
}

// TestSignedFlood: scans of unknown stamps, always signed by new device keys, from many
// addresses, take a bounded part of the disk, and a few addresses leave room for others. A
// device with an earlier scan of a known stamp keeps a budget of its own, new devices continue
// with known stamps, and scans answered "retry" are accepted on the next day.
func TestSignedFlood(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
		before := onDisk(t, b.Dir)
		n, took, flooded := 0, 0, -1
		old := newDevice(t)
		seen, forged := old.item("", b.Clock.Now()), old.item("", b.Clock.Now())
		seen.Reference, forged.Reference = st.Reference.String(), "TCR-0000000000000000"
		history := old.batch(b.Clock.Now(), seen)
		send(t, b, history, old.sign(t, history))
		flood := func(d *device, client int) wire.Batch {
			t.Helper()
			var batch wire.Batch
			for range wire.MaxItems {
				n++
				it := d.item("", b.Clock.Now())
				it.Reference = fmt.Sprintf("TCR-%016d", n)
				it.Context.Note = fmt.Sprintf("%0400d", n)
				batch.Items = append(batch.Items, it)
			}
			batch = d.batch(b.Clock.Now(), batch.Items...)
			proof := d.sign(t, batch)
			proof.Client = fmt.Sprint("192.0.2.", client)
			for _, r := range send(t, b, batch, proof).Results {
				switch {
				case r.Result == wire.Accepted:
					took++
				case r.Result != wire.Retry || r.Code != "SCAN_BUDGET_EXHAUSTED":
					t.Fatalf("%+v", r)
				}
			}
			return batch
		}
		const batches = 60
		for i := range batches {
			flood(newDevice(t), min(i/8, 3)+i/12*10)
			b.Clock.Add(time.Minute)
			if err := b.Verify.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if few := newDevice(t); i == 7 { // one address has sent
				it := few.item("", b.Clock.Now())
				it.Reference = "TCR-0000000000000001"
				batch := few.batch(b.Clock.Now(), it)
				if r := send(t, b, batch, few.sign(t, batch)).Results[0]; r.Result != wire.Accepted {
					t.Errorf("one address excludes another: %+v", r)
				}
			}
		}
		for client := 100; took != flooded; client++ { // until nothing is left
			flooded = took
			flood(newDevice(t), client)
		}
		if took < 3_000 || took == n {
			t.Errorf("%d of %d scans were taken", took, n)
		}
		late := old.batch(b.Clock.Now(), forged)
		if r := send(t, b, late, old.sign(t, late)).Results[0]; r.Result != wire.Accepted {
			t.Errorf("a device with a history: %+v", r)
		}
		if grown := onDisk(t, b.Dir) - before; e == storetest.SQLite && grown > 64<<20 {
			t.Errorf("an hour's flood takes %d MiB", grown>>20)
		} else {
			t.Logf("%d of %d scans taken, %.1f MiB more on disk", took, n, float64(grown)/(1<<20))
		}
		if stored := scans(t, b, "scans"); stored != took+3 {
			t.Errorf("%d scans are stored, and %d were taken", stored, took)
		}
		d := newDevice(t)
		known, unknown := d.item("", b.Clock.Now()), d.item("", b.Clock.Now())
		known.Reference, unknown.Reference = st.Reference.String(), "TCR-0000000000000000"
		batch := d.batch(b.Clock.Now(), unknown, known)
		check := func(first, second wire.ItemOutcome) {
			t.Helper()
			got := send(t, b, batch, d.sign(t, batch)).Results
			if got[1].Result != first || got[0].Result != second {
				t.Errorf("a known and an unknown stamp: %+v, want %s and %s", got, first, second)
			}
		}
		check(wire.Accepted, wire.Retry)
		x := newDevice(t) // without a history, as d has one now
		events := x.batch(b.Clock.Now())
		events.Clock = []wire.ClockEvent{{ID: uuid.NewString(), Kind: wire.ClockEventConfirmed, At: wire.TruncateMillis(b.Clock.Now())}}
		for i := range wire.MaxClockEvents - 1 {
			e := events.Clock[0]
			e.ID, e.AfterSeq = uuid.NewString(), uint64(i)
			events.Clock = append(events.Clock, e)
		}
		if _, err := b.Verify.Sync(t.Context(), events, x.sign(t, events)); fault.As(err).Kind != fault.RateLimited {
			t.Errorf("clock events beyond the budget: %v", err)
		}
		b.Clock.Add(25 * time.Hour)
		if err := b.Verify.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(wire.Duplicate, wire.Accepted)
		send(t, b, events, x.sign(t, events))
		check(wire.Duplicate, wire.Duplicate)
	})
}
