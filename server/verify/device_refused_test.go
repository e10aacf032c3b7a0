package verify_test

import (
	"errors"
	"strings"
	"testing"

	"tcode/server/fault"
	"tcode/server/store/storetest"
	"tcode/sync/wire"
)

// TestRefusedDevice: nothing of a refused device is stored, and once it is accepted, each of its scans is, once.
func TestRefusedDevice(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
		d, other := newDevice(t), newDevice(t)
		batch := d.batch(b.Clock.Now(), d.item(b64(st.Payload), b.Clock.Now()), d.item(b64(st.Payload), b.Clock.Now()))
		if err := b.Verify.RefuseDevice(t.Context(), d.id, "the phone is lost"); err != nil { // before it has sent anything
			t.Fatal(err)
		}
		for range 2 {
			_, err := b.Verify.Sync(t.Context(), batch, d.sign(t, batch))
			f, ok := errors.AsType[*fault.Fault](err)
			if !ok || f.Kind != fault.Forbidden || f.Reason != fault.ReasonDeviceRefused || !strings.Contains(f.Message, "the phone is lost") {
				t.Fatalf("a refused device: %v", err)
			}
		}
		for _, table := range []string{"scans", "scan_batches"} {
			if n := scans(t, b, table); n != 0 {
				t.Errorf("%d rows in %s", n, table)
			}
		}
		good := other.batch(b.Clock.Now(), other.item(b64(st.Payload), b.Clock.Now()))
		if r := send(t, b, good, other.sign(t, good)); r.Results[0].Result != wire.Accepted {
			t.Errorf("another device: %+v", r)
		}
		if err := b.Verify.NameDevice(t.Context(), d.id, "Gate 2"); err != nil {
			t.Fatal(err)
		}
		page, err := b.Verify.Devices(t.Context(), false, "")
		if err != nil || len(page.Items) != 2 {
			t.Fatalf("%+v, %v", page, err)
		}
		for _, x := range page.Items {
			if (x.ScannerID == d.id) != (x.Refused == "the phone is lost" && x.Name == "Gate 2" && !x.RefusedAt.IsZero()) {
				t.Errorf("%+v", x)
			}
		}
		if err := b.Verify.AcceptDevice(t.Context(), d.id); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			send(t, b, batch, d.sign(t, batch))
		}
		if n := scans(t, b, "scans"); n != 3 {
			t.Errorf("%d scans are stored, want 3", n)
		}
		if err := b.Verify.RefuseDevice(t.Context(), d.id, "sold"); err != nil { // now that it is known
			t.Fatal(err)
		}
		later := d.batch(b.Clock.Now(), d.item(b64(st.Payload), b.Clock.Now()))
		if _, err := b.Verify.Sync(t.Context(), later, d.sign(t, later)); !fault.Is(err, fault.Forbidden) {
			t.Errorf("refused again: %v", err)
		}
		if n := scans(t, b, "scans"); n != 3 {
			t.Errorf("%d scans are left, want 3", n)
		}
		for name, err := range map[string]error{
			"not an id":  b.Verify.RefuseDevice(t.Context(), "gate-4", "x"),
			"no reason":  b.Verify.RefuseDevice(t.Context(), d.id, " "),
			"two lines":  b.Verify.RefuseDevice(t.Context(), d.id, "a\nb"),
			"unknown":    b.Verify.AcceptDevice(t.Context(), newDevice(t).id),
			"unnamed":    b.Verify.NameDevice(t.Context(), newDevice(t).id, "x"),
			"long name":  b.Verify.NameDevice(t.Context(), d.id, strings.Repeat("x", fault.MaxName+1)),
			"other form": b.Verify.RefuseDevice(t.Context(), strings.ToUpper(d.id), "x"),
		} {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	})
}
