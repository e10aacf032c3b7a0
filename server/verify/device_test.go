package verify_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"tcode/server/store/storetest"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// TestClones: two devices with one key are noticed by their numbers, all their scans are
// stored, and a single device is never flagged.
func TestClones(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
		numbered := func(d *device, at time.Time, seqs ...uint64) (items []wire.Item) {
			for _, seq := range seqs {
				it := d.item(b64(st.Payload), at)
				it.Seq = seq
				items = append(items, it)
			}
			return items
		}
		put := func(d *device, items ...wire.Item) {
			t.Helper()
			batch := d.batch(b.Clock.Now(), items...)
			for _, r := range send(t, b, batch, d.sign(t, batch)).Results {
				if r.Result != wire.Accepted && r.Result != wire.Duplicate {
					t.Errorf("%+v", r)
				}
			}
		}
		flag := func(d *device) string {
			t.Helper()
			p, err := b.Verify.Devices(t.Context(), false, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range p.Items {
				if x.ScannerID == d.id {
					return fmt.Sprint(x.Flag, " ", x.FlagSeq, " ", x.FlagCount, " of ", x.Scans, " to ", x.LastSeq)
				}
			}
			return "unknown"
		}
		now := b.Clock.Now()
		honest := newDevice(t)
		first := numbered(honest, now, 1, 2, 3, 4, 5)
		put(honest, first[0], first[1], first[3], first[4])
		put(honest, first[2])                                    // its lease ended, and it came late
		put(honest, first...)                                    // an answer was lost
		put(honest, numbered(honest, now, 0, 0)...)              // without numbers
		put(honest, numbered(honest, now.Add(time.Hour), 6)...)  //
		put(honest, numbered(honest, now.Add(-time.Hour), 7)...) // its clock was set back
		if got := flag(honest); got != " 0 0 of 9 to 7" {
			t.Errorf("an honest device: %s", got)
		}
		rekeyed := newDevice(t) // it lost its key, and goes on with the numbers of its history
		put(rekeyed, numbered(rekeyed, now, 41, 43)...)
		put(rekeyed, numbered(rekeyed, now.Add(-time.Hour), 40)...) // the lost key may have sent it, and a person sends it again
		put(rekeyed, numbered(rekeyed, now.Add(time.Hour), 44)...)
		if got := flag(rekeyed); got != " 0 0 of 4 to 44" {
			t.Errorf("a device with another key: %s", got)
		}
		restored := newDevice(t)
		put(restored, numbered(restored, now, 1, 2, 3)...)
		put(restored, numbered(restored, now.Add(time.Hour), 3, 4)...)
		if got := flag(restored); got != "seq_reused 3 1 of 5 to 4" {
			t.Errorf("a restored device: %s", got)
		}
		back := newDevice(t)
		put(back, numbered(back, now, 1, 9)...)
		put(back, numbered(back, now.Add(time.Hour), 5)...)
		if got := flag(back); got != "seq_went_back 5 1 of 3 to 9" {
			t.Errorf("a number went back: %s", got)
		}
		within := newDevice(t)
		put(within, numbered(within, now, 1, 1)...)
		if got := flag(within); got != "seq_reused 1 1 of 2 to 1" {
			t.Errorf("twice in a batch: %s", got)
		}
		if p, err := b.Verify.Devices(t.Context(), true, ""); err != nil || len(p.Items) != 3 {
			t.Errorf("flagged: %+v, %v", p, err)
		}
		if err := b.Verify.ClearDevice(t.Context(), restored.id); err != nil {
			t.Fatal(err)
		}
		put(restored, numbered(restored, now.Add(2*time.Hour), 5)...)
		if got := flag(restored); got != " 0 0 of 6 to 5" {
			t.Errorf("cleared: %s", got)
		}
		put(restored, numbered(restored, now, 2)...)
		if got := flag(restored); got != "seq_reused 2 1 of 7 to 5" {
			t.Errorf("again: %s", got)
		}
		if err := b.Verify.ClearDevice(t.Context(), "dev_nobody"); err == nil {
			t.Error("a device that there is not is cleared")
		}
		if n := scans(t, b, "scans"); n != 9+4+7+3+2 {
			t.Errorf("%d scans are kept", n)
		}
	})
}

// TestClonesAtOnce: whichever of two devices is first, one is noticed.
func TestClonesAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
		for range 20 {
			d := newDevice(t)
			var both sync.WaitGroup
			for range 2 {
				it := d.item(b64(st.Payload), b.Clock.Now())
				it.Seq = 1
				batch := d.batch(b.Clock.Now(), it)
				proof := d.sign(t, batch)
				both.Go(func() {
					if _, err := b.Verify.Sync(t.Context(), batch, proof); err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
		}
		if p, err := b.Verify.Devices(t.Context(), true, ""); err != nil || len(p.Items) != 20 || p.Items[0].Flag != verify.SeqReused {
			t.Errorf("%d of 20 flagged, %v", len(p.Items), err)
		}
	})
}

// TestDeviceCount: a number that is a lower bound says so.
func TestDeviceCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[verify.DeviceCount]string{0: "0", 7: "7", verify.CountedDevices: "10000", verify.CountedDevices + 1: "10,000+"} {
		if got := n.String(); got != want {
			t.Errorf("%d is shown as %s, want %s", int(n), got, want)
		}
	}
}
