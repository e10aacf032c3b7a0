package store_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/offline/payload"
	"tcode/server/privacy"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// A captured is a signed batch with its signature, as anyone who saw it can send it again.
type captured struct {
	batch wire.Batch
	proof verify.Proof
}

func capture(t *testing.T, b *storetest.Bundle, key ed25519.PrivateKey, clock []wire.ClockEvent, items ...wire.Item) captured {
	t.Helper()
	batch := wire.Batch{
		ID: uuid.NewString(), ScannerID: wire.ScannerID(key.Public().(ed25519.PublicKey)),
		SentAt: wire.TruncateMillis(b.Clock.Now()), Items: items, Clock: clock,
	}
	public, sig, err := wire.SignBatch(batch, key)
	if err != nil {
		t.Fatal(err)
	}
	return captured{batch, verify.Proof{DeviceKey: public, Signature: sig}}
}

// send sends it and returns the outcomes of its items.
func (c captured) send(t *testing.T, b *storetest.Bundle) (outcomes string) {
	t.Helper()
	reply, err := b.Verify.Sync(t.Context(), c.batch, c.proof)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reply.Results {
		outcomes += string(r.Result) + " "
		if r.Changed {
			t.Errorf("the verdict at the time of the scan has changed: %+v", r)
		}
	}
	return outcomes
}

// TestSweptScansStaySent: retention removes everything that devices sent, second scans and their
// places at the tenant's times, also thousands in one sweep. A copy of their batches is still a
// repeat, and stores nothing again; new scans of the device are stored.
func TestSweptScansStaySent(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "diploma")
		s, ctx := privacyOf(b, b.DB), t.Context()
		seed := sha256.Sum256([]byte("swept"))
		key := ed25519.NewKeyFromSeed(seed[:])
		now := wire.TruncateMillis(b.Clock.Now())
		item := func(seq uint64, note string) wire.Item {
			return wire.Item{
				ScanID: fmt.Sprintf("0196fb7e-0000-7000-8000-%012d", seq), Seq: seq, ScannedAt: now, OfflineVerdict: "valid",
				Payload: payload.EncodeText(st.Payload), Context: wire.Context{Location: "Gate 4, Berlin", Note: note},
			}
		}
		unknown := item(2, "of an unknown stamp")
		unknown.Payload, unknown.Reference = "", "TCR-0000-0000-0000-0000"
		clock := []wire.ClockEvent{{ID: uuid.NewString(), Kind: wire.ClockEventAhead, At: now, Was: now.Add(time.Hour), Scans: 1}}
		first := capture(t, b, key, clock, item(1, "passport of Ada"), unknown)
		second := capture(t, b, key, nil, item(1, "passport of Bob"))
		for i, c := range []captured{first, first, second, second} {
			if got, want := c.send(t, b), []string{"accepted accepted ", "duplicate duplicate ", "conflict ", "conflict "}[i]; got != want {
				t.Errorf("batch %d: %q, want %q", i, got, want)
			}
		}
		others(t, b, 1100)
		sweep := func(days int, set privacy.Settings) {
			t.Helper()
			b.Clock.Add(time.Duration(days) * 24 * time.Hour)
			err := s.SetRetention(ctx, "ACME01", tenant.By{Actor: tenant.ActorOperator}, set)
			if err == nil {
				err = s.Sweep(ctx)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		sweep(5, privacy.Settings{privacy.Locations: 3, privacy.Scans: 40})
		if bob := bobs(t, b); bob != 0 || counted(t, b, `scan_conflicts WHERE tenant = 'ACME01'`) != 1 {
			t.Errorf("%d second scans have their note after the time of places", bob)
		}
		sweep(40, privacy.Settings{privacy.Locations: 3, privacy.Scans: 40})
		if n := counted(t, b, `scan_conflicts WHERE tenant = 'ACME01'`) + counted(t, b, `scans WHERE tenant = 'ACME01'`); n != 0 {
			t.Errorf("%d scans are left after the tenant's time", n)
		}
		if n := counted(t, b, `scan_batches`); n == 0 {
			t.Error("what a device signed is gone before a scan of an unknown stamp")
		}
		replayed := func(want ...string) {
			t.Helper()
			for i, c := range []captured{first, second} {
				if got := c.send(t, b); got != want[i] {
					t.Errorf("captured batch %d: %q, want %q", i, got, want[i])
				}
			}
		}
		replayed("duplicate duplicate ", "duplicate ")
		sweep(800, nil)
		left := func() string {
			return fmt.Sprint(counted(t, b, "scans"), counted(t, b, "scan_conflicts"), counted(t, b, "scan_batches"), counted(t, b, "device_clock_events"))
		}
		if got := left(); got != "0 0 0 0" {
			t.Errorf("scans, second scans, batches and clock events are left: %s", got)
		}
		replayed("duplicate duplicate ", "duplicate ")
		if got := left(); got != "0 0 0 0" || bobs(t, b) != 0 {
			t.Errorf("captured batches stored again scans, second scans, batches and clock events: %s", got)
		}
		for i, c := range []captured{capture(t, b, key, nil, item(3, "late")), capture(t, b, key, nil, item(1, "another"))} {
			if got, want := c.send(t, b), []string{"accepted ", "conflict "}[i]; got != want {
				t.Errorf("new scan %d: %q, want %q", i, got, want)
			}
		}
	})
}

// others stores second scans of another device.
func others(t *testing.T, b *storetest.Bundle, n int) {
	t.Helper()
	tx, err := storetest.Raw(t, b.Dir).Begin()
	for i := range n {
		if err == nil {
			_, err = tx.Exec(`INSERT INTO scan_conflicts (scanner_id, signed, scan_id, digest, batch_id, canonical, received_at)
				VALUES ('other', 0, $1, $2, '', $3, $4)`, fmt.Sprint(i), make([]byte, 32), []byte{}, b.Clock.Now().UnixMilli())
		}
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// bobs counts the second scans with a note.
func bobs(t *testing.T, b *storetest.Bundle) (n int) {
	t.Helper()
	rows, err := storetest.Raw(t, b.Dir).Query(`SELECT canonical FROM scan_conflicts`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var canonical []byte
		if err := rows.Scan(&canonical); err != nil {
			t.Fatal(err)
		}
		if it, ok := wire.ParseCanonical(canonical); ok && it.Context != (wire.Context{}) {
			n++
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}
