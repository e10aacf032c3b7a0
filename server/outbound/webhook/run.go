package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tcode/offline/contain"
	"tcode/server/platform/hold"
)

const (
	// lastPost is the time that a post may still take when the gateway ends: an interrupted
	// one is sent again.
	lastPost = 5 * time.Second
	maxPause = 2 * time.Minute
	// ownPause is the time after which an endpoint has its turn again when the gateway failed,
	// and not its receiver.
	ownPause = 5 * time.Second
	// postTime bounds a post, which the sender bounds at 10 seconds.
	postTime = time.Minute
	// turn is the time after which a runner leaves its place to another endpoint.
	turn = 20 * time.Second
)

// Run sends the due deliveries of an endpoint, for a limited time, so that other
// endpoints get their turn. It does nothing if another runner has the endpoint. It renews its
// hold meanwhile; a runner that lost it posts no more, and its interrupted tries count for
// nothing. A
// receiver that does not answer is not tried for a while, longer each time, whatever else
// is due there.
func (s *Service) Run(ctx context.Context, id string) error {
	owner, now := hold.Owner(ctx), s.now()
	e, taken, err := s.c.Store.TakeWebhook(ctx, id, owner, now, now.Add(s.c.Hold))
	if err != nil || !taken {
		return err
	}
	r := &run{Service: s, endpoint: e, owner: owner}
	held, stop := hold.Keep(context.WithoutCancel(ctx), s.c.Hold, func(ctx context.Context) error {
		return s.c.Store.HoldWebhook(ctx, e.Tenant, id, owner, s.now().Add(s.c.Hold))
	})
	r.held = held
	err = r.do(ctx)
	if errors.Is(context.Cause(held), hold.ErrLost) {
		s.c.Log.WarnContext(ctx, "webhook: the hold of an endpoint was lost", slog.String("endpoint", id), slog.Any("err", err))
		err = nil
	}
	stop()
	if err != nil && ctx.Err() == nil {
		r.pause(ownPause) // the problem is ours, and maybe no other gateway's; all deliveries are still stored
	}
	// The endpoint is released also when the gateway ends, so that another one need not wait.
	free, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if free := s.c.Store.ReleaseWebhook(free, e.Tenant, id, owner, s.now().Add(time.Duration(r.paused.Load()))); err == nil {
		err = free
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// A run is one runner's work on one endpoint.
type run struct {
	*Service
	endpoint Endpoint
	owner    string
	held     context.Context // ends with the hold
	paused   atomic.Int64    // not zero: no further post begins
}

func (r *run) pause(d time.Duration) { r.paused.Store(int64(d)) }

// do sends until nothing is due, or its time is over.
func (r *run) do(ctx context.Context) error {
	atOnce := r.c.AtOnce
	if hold.IsAlone(ctx) {
		atOnce = 1
	}
	for enough := time.Now().Add(turn); ctx.Err() == nil && r.held.Err() == nil && r.paused.Load() == 0 && time.Now().Before(enough); {
		secrets, err := r.secrets(r.endpoint, r.now())
		if err != nil {
			return err
		}
		now := r.now()
		begun, err := r.c.Store.BeginWebhookTries(ctx, r.endpoint, r.owner, now, now.Add(r.c.Hold), atOnce)
		if err != nil || len(begun) == 0 {
			return err
		}
		var group contain.Group
		for _, d := range begun {
			group.Go("webhook-try", func() error { return r.try(ctx, d, secrets) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// postFault is the reason of a try whose post panicked or hung.
const postFault = "the gateway failed on this delivery, for a reason that its log has"

// try sends one delivery, whose try is already counted, and stores the
// result.
func (r *run) try(ctx context.Context, d Delivery, secrets []string) error {
	// After the hold, another runner may send the same delivery: it does so under the same id.
	posting, cancel := context.WithCancel(r.held)
	defer cancel()
	ending := contain.AfterFunc(ctx, "webhook-farewell", func() { contain.After(lastPost, "webhook-farewell", cancel) })
	defer ending()
	hold.Item(ctx, d.ID)
	t, began := Try{Number: d.Tries, At: r.now()}, time.Now()
	var outcome Outcome
	failed := contain.Within(contain.SeedNamed(posting, r.endpoint.URL), "webhook-post", postTime, func(ctx context.Context) error {
		outcome = r.c.Sender.Post(ctx, Message{ID: d.ID, Type: d.Type, URL: r.endpoint.URL, Secrets: secrets, Body: []byte(d.Body)})
		return nil
	})
	if t.Outcome = (Outcome{Reason: postFault}); failed == nil {
		t.Outcome = outcome
	}
	t.Took = time.Since(began)
	if !t.OK() && ctx.Err() != nil && posting.Err() != nil {
		return nil // the gateway interrupted it, which says nothing about the endpoint
	}
	if !t.OK() && r.held.Err() != nil {
		return nil // so did the end of the hold
	}
	state, failing, err := r.c.Store.PutWebhookTry(context.WithoutCancel(posting), d, t)
	if err != nil {
		return err
	}
	r.c.Count(string(state))
	switch {
	case failed != nil: // the receiver is not the cause: its other deliveries go on
	case t.Status == 0:
		r.pause(min(maxPause, time.Duration(max(failing.Failures, 1))*15*time.Second))
	case t.Gone:
		r.pause(maxPause) // it is disabled
	}
	if !t.OK() {
		r.c.Log.DebugContext(ctx, "webhook", slog.String("endpoint", r.endpoint.ID), slog.String("delivery", d.ID),
			slog.Int("try", t.Number), slog.Int("status", t.Status), slog.String("reason", t.Reason), slog.String("state", string(state)))
	}
	return nil
}

// cleaning is the time of the next removal of old deliveries.
type cleaning struct {
	mu   sync.Mutex // guards next
	next time.Time
}

// Wake wakes the runner for endpoints that have due deliveries and that no gateway holds.
// At intervals it removes old deliveries.
func (s *Service) Wake(ctx context.Context) error {
	now := s.now()
	if err := s.c.Store.WakeWebhooks(ctx, now); err != nil {
		return err
	}
	s.clean.mu.Lock()
	defer s.clean.mu.Unlock()
	if now.Before(s.clean.next) {
		return nil
	}
	more, err := s.c.Store.CleanWebhooks(ctx, now.Add(-Retention), now)
	if err == nil && !more {
		s.clean.next = now.Add(time.Hour)
	}
	return err
}

// SetAside fails a delivery that ended its process twice, or with "" disables the endpoint.
func (s *Service) SetAside(ctx context.Context, endpoint, delivery, cause string) error {
	return s.c.Store.SetAsideDelivery(ctx, endpoint, delivery, cause, s.now())
}

// Free gives back an endpoint that a work process held when it ended.
func (s *Service) Free(ctx context.Context, endpoint, owner string) error {
	return s.c.Store.FreeWebhook(ctx, endpoint, owner, s.now())
}
