package link_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
	"tcode/scanner/web/engine/keep"
	"tcode/scanner/web/engine/link"
	"tcode/sync/outbox"
	"tcode/sync/transport"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// gaps returns the shortest and the longest time between two of the times.
func gaps(all []time.Time) (shortest, longest time.Duration) {
	shortest = time.Duration(1<<63 - 1)
	for i := 1; i < len(all); i++ {
		d := all[i].Sub(all[i-1])
		shortest, longest = min(shortest, d), max(longest, d)
	}
	return shortest, longest
}

// TestRefreshDue: documents are fetched every 15 minutes and a random part, immediately when they are older at the start or when the
// clock was set back, and not again when the app is opened again before.
func TestRefreshDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		p := newPhone(t, g)
		p.enrol(t)
		stop := p.run(t)
		time.Sleep(6 * time.Hour)
		stop()
		if short, long := gaps(g.fetched); short < link.RefreshEvery || long > link.RefreshEvery*11/10 || len(g.fetched) < 20 {
			t.Errorf("%d refreshes, %v to %v apart", len(g.fetched), short, long)
		}
		if !p.link.Fresh(t.Context()) || len(g.posted) != 0 {
			t.Errorf("fresh %t, %d batches of nothing", p.link.Fresh(t.Context()), len(g.posted))
		}
		p.close(t)
		n := len(g.fetched) + 1
		time.Sleep(link.RefreshEvery)
		p.open(t)
		stop = p.run(t)
		synctest.Wait()
		stop()
		p.close(t)
		time.Sleep(10 * time.Minute)
		p.open(t)
		stop = p.run(t)
		time.Sleep(4 * time.Minute)
		stop()
		if len(g.fetched) != n {
			t.Error("documents of 10 minutes are fetched again")
		}
		p.close(t)
		time.Sleep(20 * time.Minute)
		p.open(t)
		if p.link.Fresh(t.Context()) { // before the link runs and may fetch them
			t.Error("documents of 20 minutes are fresh")
		}
		stop = p.run(t)
		synctest.Wait()
		stop()
		if len(g.fetched) != n+1 {
			t.Errorf("%d refreshes at the start", len(g.fetched)-n)
		}
		before := g.now
		g.now = func() time.Time { return before().Add(-48 * time.Hour) }
		p.close(t)
		p.open(t)
		stop = p.run(t)
		synctest.Wait()
		stop()
		if len(g.fetched) != n+2 {
			t.Errorf("%d refreshes after the clock was set back", len(g.fetched)-n-1)
		}
		p.close(t)
	})
}

// TestGatewayDown: while the gateway does not answer, tries come ever later, up to 5 minutes and a half, whatever is scanned; when it is
// back, or a person is, everything is sent.
func TestGatewayDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		p := newPhone(t, g)
		p.enrol(t)
		g.down = true
		stop := p.run(t)
		defer stop()
		const scans = 60
		for range scans {
			p.scan(t)
			p.link.More()
			time.Sleep(5 * time.Minute)
		}
		g.do(func() {
			if _, long := gaps(g.tried); long > 8*time.Minute || len(g.tried) < 2*5*8 || len(g.tried) > 2*5*30 {
				t.Errorf("%d tries in 5 hours, at most %v apart", len(g.tried), long)
			}
			g.down = false
		})
		time.Sleep(15 * time.Minute)
		p.once(t, scans)
		g.do(func() { g.down = true })
		p.scan(t)
		p.link.More()
		time.Sleep(3 * time.Hour)
		g.do(func() { g.down = false })
		p.link.Hurry()
		time.Sleep(time.Second)
		g.do(func() {
			if last := g.fetched[len(g.fetched)-1]; g.now().Sub(last) > 2*time.Second {
				t.Errorf("the last refresh is of %v ago", g.now().Sub(last))
			}
		})
		if _, err := p.link.Send(t.Context(), true); err != nil { // what waits for its next try, too
			t.Error(err)
		}
		p.once(t, scans+1)
		stop()
		p.close(t)
	})
}

// TestSendDue: a scan is sent as soon as it is stored, not before the time that the gateway asks for, and a clock event of which the
// gateway takes no note is no reason to try all the time.
func TestSendDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		p := newPhone(t, g)
		p.enrol(t)
		stop := p.run(t)
		time.Sleep(time.Hour)
		p.scan(t)
		p.link.More()
		synctest.Wait()
		p.once(t, 1)
		g.do(func() {
			if len(g.posted) != 1 || g.now().Sub(g.posted[0]) > 0 {
				t.Errorf("%d batches", len(g.posted))
			}
		})
		g.do(func() {
			g.answer = func(_ wire.Batch, r *transport.Response) {
				r.Status, r.Body, r.Header["retry-after"] = 503, nil, "1800"
			}
		})
		p.scan(t)
		p.link.More()
		time.Sleep(10 * time.Second)
		g.do(func() { g.answer = nil })
		begin := g.now()
		for range 100 {
			p.scan(t)
			p.link.More()
			p.link.Hurry()
			time.Sleep(10 * time.Second)
		}
		if batches, _ := g.sent(); batches != 2 {
			t.Errorf("%d batches in the pause", batches-2)
		}
		time.Sleep(begin.Add(40 * time.Minute).Sub(g.now()))
		p.once(t, 102)

		refusing := func(b wire.Batch, r *transport.Response) {
			if len(b.Clock) > 0 {
				r.Status, r.Body = 400, nil
			}
		}
		g.do(func() { g.answer, g.posted = refusing, nil })
		if _, _, err := p.kept.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: g.now()}); err != nil {
			t.Fatal(err)
		}
		before := p.told()
		p.link.More()
		time.Sleep(time.Hour)
		if batches, _ := g.sent(); batches < 10 || batches > 14 || p.told()-before > 200 {
			t.Errorf("an event that is refused: %d batches, and %d times the state", batches, p.told()-before)
		}
		g.do(func() { g.answer = nil })
		time.Sleep(7 * time.Minute)
		g.do(func() {
			if len(g.heard) != 1 {
				t.Error("the event was not sent")
			}
		})
		stop()
		p.close(t)
	})
}

// TestStopInTheMiddle ends Run while a batch is on its way: the scans wait in the queue, in the next window too, and have one effect.
func TestStopInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		p := newPhone(t, g)
		p.enrol(t)
		g.hang = true
		stop := p.run(t)
		synctest.Wait() // its first round has found nothing to send: both scans are sent together
		p.scan(t)
		p.scan(t)
		p.link.More()
		synctest.Wait()
		if got := p.counts(t); got != "0 2 0" {
			t.Errorf("on the way: %s", got)
		}
		stop()
		if got := p.counts(t); got != "2 0 0" {
			t.Errorf("stopped: %s", got)
		}
		p.close(t)
		g.hang = false
		p.open(t)
		stop = p.run(t)
		time.Sleep(10 * time.Second)
		p.once(t, 2)
		stop()
		p.close(t)
	})
}

// TestTwoWindows: a second window has no access while the first one is open, and takes over what the first one had on its way when that
// one dies.
func TestTwoWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		p := newPhone(t, g)
		p.enrol(t)
		g.hang = true
		stop := p.run(t)
		p.scan(t)
		p.link.More()
		synctest.Wait()
		second := &phone{g: g, scans: p.scans, trust: p.trust, key: p.key}
		if _, err := keep.OpenScans(t.Context(), opener(p.scans)); !errors.Is(err, journal.ErrOwned) {
			t.Errorf("two windows: %v", err)
		}
		other := link.New(p.config()) // of the same window
		if _, err := other.Send(t.Context(), true); !errors.Is(err, outbox.ErrSyncing) {
			t.Errorf("two senders: %v", err)
		}
		p.scans.Crash() // the browser kills the window
		p.trust.Crash()
		g.do(func() { g.hang = false })
		second.open(t)
		if got := second.counts(t); got != "0 1 0" {
			t.Errorf("after the crash: %s", got)
		}
		running := second.run(t)
		time.Sleep(time.Minute)
		second.once(t, 1)
		stop() // the dead window changes nothing
		second.once(t, 1)
		running()
		second.close(t)
	})
}

// TestNoGateway: without an enrolment or a network nothing is sent, and an enrolment ends the wait.
func TestNoGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		p := newPhone(t, g)
		p.scan(t)
		stop := p.run(t)
		time.Sleep(time.Hour)
		if _, err := p.link.Send(t.Context(), true); !errors.Is(err, trustbook.ErrNotEnrolled) {
			t.Errorf("send: %v", err)
		}
		if batches, refreshes := g.sent(); batches+refreshes != 0 || p.counts(t) != "1 0 0" {
			t.Errorf("%d batches, %d refreshes, %s", batches, refreshes, p.counts(t))
		}
		p.enrol(t)
		p.link.Hurry()
		synctest.Wait()
		p.once(t, 1)
		stop()

		config := p.config()
		config.Transport = nil
		alone := link.New(config)
		_, sent := alone.Send(t.Context(), true)
		_, fetched := alone.Refresh(t.Context())
		if !errors.Is(sent, link.ErrNoGateway) || !errors.Is(fetched, link.ErrNoGateway) {
			t.Errorf("without a network: %v, %v", sent, fetched)
		}
		p.close(t)
	})
}

// TestNewOnlineKey: a receipt that another online key has signed is verified after a refresh, in the same round. If no root names
// that key, nothing is done.
func TestNewOnlineKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		p := newPhone(t, g)
		p.enrol(t)
		p.scan(t)
		g.signer = trusttest.NewSigner(t, "unknown")
		if _, err := p.link.Send(t.Context(), true); !errors.Is(err, uplink.ErrReceipt) || p.counts(t) != "1 0 0" {
			t.Errorf("a receipt of an unknown key: %v, %s", err, p.counts(t))
		}
		g.signer = nil
		g.Rotate("next")
		g.publish(11)
		// The retry of the first receipt waits; a person does not.
		report, err := p.link.Send(t.Context(), true)
		if err != nil && !errors.Is(err, uplink.ErrReceipt) {
			t.Errorf("a receipt of the next key: %+v, %v", report, err)
		}
		time.Sleep(10 * time.Second)
		if _, err := p.link.Send(t.Context(), true); err != nil {
			t.Error(err)
		}
		p.once(t, 1)
		if i := slices.IndexFunc(p.states, func(s link.State) bool { return !s.Sending && s.Err == nil }); i < 0 {
			t.Errorf("states %+v", p.states)
		}
		p.close(t)
	})
}
