//go:build !race

package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tcode/server/store/storetest"
	"tcode/sync/wire"
)

// TestKnownFlood: scans of a stamp that a tenant has, signed by any number of new device keys,
// from many addresses, some of them second scans under an id, take a bounded part of the disk,
// and report a bounded number of findings to the tenant. Scans over a budget are answered
// "retry". A device with a history, another stamp and the next day are not affected.
func TestKnownFlood(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		id := b.Tenant(t, "Acme", "ACME01")
		st, other := b.Stamp(t, id, "n"), b.Stamp(t, id, "other")
		scan := func(d *device, client, payload string, items int) (took int) {
			t.Helper()
			var list []wire.Item
			for range items {
				it := d.item(payload, b.Clock.Now())
				it.OfflineVerdict, it.Context.Note = "not_found", strings.Repeat("n", 400)
				list = append(list, it)
			}
			batch := d.batch(b.Clock.Now(), list...)
			proof := d.sign(t, batch)
			proof.Client = client
			for _, r := range send(t, b, batch, proof).Results {
				switch {
				case r.Result == wire.Accepted:
					took++
				case r.Result != wire.Retry || r.Code != "SCAN_BUDGET_EXHAUSTED":
					t.Fatalf("%+v", r)
				}
			}
			return took
		}
		old := newDevice(t)
		scan(old, "198.51.100.1", b64(st.Payload), 1)
		b.Clock.Add(25 * time.Hour)

		before, took, sent, left := onDisk(t, b.Dir), 0, 0, 0
		for address := 0; address < 30 && left < 3; address++ { // until three addresses get nothing
			left++
			for range 3 {
				n := scan(newDevice(t), fmt.Sprint("192.0.2.", address), b64(st.Payload), wire.MaxItems)
				if sent, took = sent+wire.MaxItems, took+n; n > 0 {
					left = 0
				}
			}
		}
		if took < 1000 || took > 8000 || left < 3 {
			t.Errorf("%d of %d scans of one stamp were taken", took, sent)
		}
		if grown := onDisk(t, b.Dir) - before; e == storetest.SQLite && grown > 16<<20 {
			t.Errorf("a flood about one stamp takes %d MiB", grown>>20)
		}
		devices := scans(t, b, "devices")
		if n := scan(newDevice(t), "192.0.2.200", b64(st.Payload), 1); n != 0 {
			t.Errorf("%d more of the stamp taken from another address", n)
		}
		if n := scans(t, b, "devices"); n != devices {
			t.Errorf("a device of which nothing is stored leaves a row: %d, before %d", n, devices)
		}
		if n := scan(newDevice(t), "192.0.2.201", b64(other.Payload), 1); n != 1 {
			t.Error("a scan of another stamp waits")
		}
		if n := scan(old, "192.0.2.1", b64(st.Payload), wire.MaxItems); n != wire.MaxItems {
			t.Errorf("%d scans of a device with a history are taken", n)
		}
		found, err := b.Verify.Findings(t.Context(), "ACME01", b.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		told := int64(0)
		for _, f := range found {
			told += f.Seen
		}
		if told != 100+wire.MaxItems { // of new devices, and of the one with a history
			t.Errorf("%d findings are reported to the tenant: %+v", told, found)
		}

		// Second scans under an id take room, too.
		d := newDevice(t)
		again, conflicts := d.item(b64(other.Payload), b.Clock.Now()), 0
		for i := 0; i < 40_000; i += wire.MaxItems {
			var list []wire.Item
			for k := range wire.MaxItems {
				it := again
				it.Context.Note = fmt.Sprintf("%0400d", i+k)
				it.ScanID = fmt.Sprintf("00000000-0000-7000-8000-%012d", k)
				list = append(list, it)
			}
			batch := d.batch(b.Clock.Now(), list...)
			for _, r := range send(t, b, batch, d.sign(t, batch)).Results {
				if r.Result == wire.Conflict {
					conflicts++
				}
			}
		}
		if conflicts == 0 || conflicts > 8000 {
			t.Errorf("%d second scans are kept", conflicts)
		}
		b.Clock.Add(25 * time.Hour)
		if n := scan(newDevice(t), "192.0.2.1", b64(st.Payload), 100); n != 100 {
			t.Errorf("%d of 100 scans are taken on the next day", n)
		}
	})
}
