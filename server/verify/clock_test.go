package verify_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/server/store/storetest"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// TestClockEvents: an event of a device's clock is stored once, however often it is sent
// and with any other data, is covered by the receipt, and is stored for each device
// separately. Other clients cannot report about a clock.
func TestClockEvents(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
		now := wire.TruncateMillis(b.Clock.Now())
		event := func(kind string) wire.ClockEvent {
			return wire.ClockEvent{
				ID: uuid.Must(uuid.NewV7()).String(), Kind: kind, At: now, Was: now.Add(400 * 24 * time.Hour), TrustVersion: 1<<53 - 1, Scans: 3, AfterSeq: 9,
			}
		}
		first, second := event(wire.ClockEventAhead), event(wire.ClockEventConfirmed)
		second.Was = time.Time{}
		d, other := newDevice(t), newDevice(t)
		put := func(d *device, events []wire.ClockEvent, items ...wire.Item) wire.Reply {
			t.Helper()
			batch := d.batch(now, items...)
			batch.Clock = events
			reply := send(t, b, batch, d.sign(t, batch))
			checkReceipt(t, b, batch, reply)
			return reply
		}
		put(d, []wire.ClockEvent{first})
		item := d.item(b64(st.Payload), now)
		for range 2 { // the answer was lost
			put(d, []wire.ClockEvent{first, second}, item)
		}
		put(other, []wire.ClockEvent{first}) // two devices with the same random id
		changed := first
		changed.Scans++
		put(other, []wire.ClockEvent{changed})

		heard, err := b.Verify.ClockEvents(t.Context(), d.id)
		if err != nil || len(heard) != 2 {
			t.Fatalf("%+v, %v", heard, err)
		}
		for _, h := range heard {
			want := first
			if h.ID == second.ID {
				want = second
			}
			if got := h.ClockEvent; got.Digest() != want.Digest() || h.ReceivedAt.IsZero() {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		if heard, err := b.Verify.ClockEvents(t.Context(), other.id); err != nil || len(heard) != 2 {
			t.Errorf("two events under one id: %+v, %v", heard, err)
		}
		page, err := b.Verify.Devices(t.Context(), false, "")
		if err != nil || len(page.Items) != 2 {
			t.Fatal(page, err)
		}
		for _, x := range page.Items {
			want := map[string]int{d.id: 1, other.id: 0}[x.ScannerID]
			if x.ClockEvents != 2 || x.Scans != want || x.LastAt.IsZero() || x.FirstAt.IsZero() || x.Flag != "" {
				t.Errorf("device %+v", x)
			}
		}

		stranger := wire.Batch{ID: uuid.NewString(), ScannerID: "anyone", SentAt: now, Items: []wire.Item{d.item(b64(st.Payload), now)}, Clock: []wire.ClockEvent{event(wire.ClockEventAhead)}}
		reply := send(t, b, stranger, verify.Proof{})
		stranger.Clock = nil
		checkReceipt(t, b, stranger, reply)
		alone := wire.Batch{ID: uuid.NewString(), ScannerID: d.id, SentAt: now, Clock: []wire.ClockEvent{event(wire.ClockEventAhead)}}
		if reply := send(t, b, alone, verify.Proof{}); reply.Receipt != "" || len(reply.Results) != 0 {
			t.Errorf("an unsigned report about a clock: %+v", reply)
		}
		if n := scans(t, b, "device_clock_events"); n != 4 {
			t.Errorf("%d events are kept", n)
		}
		signed := d.batch(now)
		signed.Clock = []wire.ClockEvent{first}
		proof := d.sign(t, signed)
		signed.Clock = []wire.ClockEvent{changed}
		if _, err := b.Verify.Sync(t.Context(), signed, proof); err == nil {
			t.Error("an event that was changed on the way is kept")
		}
		signed.Clock, signed.Items = nil, []wire.Item{item}
		proof = d.sign(t, signed)
		signed.Clock = []wire.ClockEvent{event(wire.ClockEventAhead)}
		if _, err := b.Verify.Sync(t.Context(), signed, proof); err == nil {
			t.Error("an event that was added on the way is kept")
		}
	})
}

// TestClockEventsAtOnce: copies of one device report the same event concurrently.
func TestClockEventsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		now := wire.TruncateMillis(b.Clock.Now())
		d := newDevice(t)
		events := make([]wire.ClockEvent, wire.MaxClockEvents)
		for i := range events {
			events[i] = wire.ClockEvent{ID: uuid.Must(uuid.NewV7()).String(), Kind: wire.ClockEventAhead, At: now}
		}
		var all sync.WaitGroup
		for range 8 {
			batch := d.batch(now)
			batch.Clock = events
			proof := d.sign(t, batch)
			all.Go(func() {
				if _, err := b.Verify.Sync(t.Context(), batch, proof); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		page, err := b.Verify.Devices(t.Context(), false, "")
		if n := scans(t, b, "device_clock_events"); err != nil || n != len(events) || len(page.Items) != 1 || page.Items[0].ClockEvents != n {
			t.Errorf("%d events are kept, %+v, %v", n, page.Items, err)
		}
	})
}
