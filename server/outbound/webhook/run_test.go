package webhook_test

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server/outbound/webhook"
	"tcode/server/outbound/webhook/post"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// TestSlow: receivers that do not answer do not delay others, and are tried less and less
// often.
func TestSlow(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		quick := newReceiver(t, 200)
		var slow [2]*receiver
		for i := range slow {
			slow[i] = newReceiver(t, 200)
			slow[i].hold = make(chan struct{})
			w.create(t, slow[i].URL)
		}
		w.create(t, quick.URL)
		const n = 30
		for range n {
			w.Stamp(t, w.id, "paper")
		}
		// There are as many places as slow receivers.
		runner(t, w.DB, w.hooks, len(slow))
		until(t, "the quick one has all", func() bool { got, _ := quick.count(); return got == n })
		for _, r := range slow {
			if got := len(r.all()); got > 8 {
				t.Errorf("a receiver that does not answer was asked %d times", got)
			}
		}
		// The slow receivers answer again.
		for _, r := range slow {
			close(r.hold)
		}
		until(t, "the slow ones have all", func() bool {
			w.Clock.Add(time.Second)
			a, _ := slow[0].count()
			b, _ := slow[1].count()
			return a == n && b == n
		})
	})
}

// TestShutDown: a post in progress when a gateway ends is neither lost nor counted as a
// failure.
func TestShutDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.DefaultEngine())
	r := newReceiver(t, 200)
	r.hold = make(chan struct{})
	e, _ := w.create(t, r.URL)
	w.Stamp(t, w.id, "paper")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.hooks.Run(ctx, e.ID) }()
	until(t, "the receiver is asked", func() bool { return len(r.all()) == 1 })
	cancel()
	close(r.hold) // it answers in the end
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if d := w.deliveries(t, e)[0]; d.State != webhook.Delivered {
		t.Errorf("a post that came through is %s, %+v", d.State, d)
	}
}

// TestNeverPrivate: no post reaches a private address, whatever its name is.
func TestNeverPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.DefaultEngine())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var reached atomic.Int64
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			c.Close()
		}
	}()
	address := "https://" + l.Addr().String() + "/"
	e, _ := w.create(t, address)
	w.Stamp(t, w.id, "paper")
	public := post.New(post.Config{})
	defer public.Close()
	strict := webhook.New(webhook.Config{Store: w.DB, Ring: w.Ring, Tenants: w.Tenants, Sender: public, Now: w.Clock.Now})
	if _, _, err := strict.Create(t.Context(), acme, address, nil); err == nil {
		t.Error("a private address is accepted")
	}
	// An endpoint made while private addresses were allowed gets no more deliveries.
	if err := strict.Run(t.Context(), e.ID); err != nil {
		t.Fatal(err)
	}
	if d := w.deliveries(t, e)[0]; d.State != webhook.Waiting || d.Tries != 1 || d.Reason == "" || reached.Load() != 0 {
		t.Errorf("%+v, reached %d times", d, reached.Load())
	}
}

// TestTwoGateways: two gateways on one PostgreSQL share the work, and send each delivery
// once.
func TestTwoGateways(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Postgres)
	second, err := store.Open(t.Context(), storetest.Database(t, w.Dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { second.Close() })
	var rs [4]*receiver
	for i := range rs {
		rs[i] = newReceiver(t, 200)
		w.create(t, rs[i].URL)
	}
	b2 := *w.Bundle
	b2.DB = second
	for _, b := range []*storetest.Bundle{w.Bundle, &b2} {
		runner(t, b.DB, service(t, b, webhook.Config{}), 2)
	}
	const n = 60
	for i := range n {
		w.Stamp(t, w.id, fmt.Sprint("paper ", i))
	}
	for _, r := range rs {
		until(t, "all came", func() bool { got, _ := r.count(); return got == n })
	}
	for i, r := range rs {
		if _, again := r.count(); again != 0 {
			t.Errorf("receiver %d got %d deliveries more than once", i, again)
		}
	}
}
