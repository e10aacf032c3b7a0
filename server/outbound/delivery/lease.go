package delivery

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tcode/offline/contain"
	"tcode/server/platform/hold"
)

const (
	// farewell is the time that a try may take after the gateway is told to end: if it is cut
	// off after the server took the message, the message is sent again.
	farewell = 8 * time.Second
	// longest bounds a try, whose steps are bounded by the mailer.
	longest = 30 * time.Minute
	// storing is the time for which a result is stored again and again while the database is
	// away: unless another gateway took the message, the result still counts.
	storing = 10 * time.Minute
)

// A lease is one gateway's try of one message, and the hold that the gateway has of it.
type lease struct {
	s     *Service
	m     Message
	owner string

	try  context.Context // ends with the lease, unless the server may have the message
	held context.Context
	end  func()

	mu     sync.Mutex // guards past
	past   bool       // the server may have the message
	cancel func()     // of try
}

// lease begins the renewals of the message's lease, which go on until end.
func (s *Service) lease(ctx context.Context, m Message, owner string) *lease {
	l := &lease{s: s, m: m, owner: owner}
	try, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
	held, stop := hold.Keep(context.WithoutCancel(ctx), s.c.Lease, l.renew)
	l.try, l.cancel, l.held = try, cancel, held
	told := contain.AfterFunc(ctx, "mail-farewell", func() {
		select {
		case <-try.Done():
		case <-time.After(farewell):
			cancel()
		}
	})
	lost := contain.AfterFunc(held, "mail-lost", l.cut)
	l.end = func() { told(); lost(); stop(); cancel() }
	return l
}

func (l *lease) renew(ctx context.Context) error {
	return l.s.c.Store.HoldMessage(ctx, l.m, l.owner, l.s.now().Add(l.s.c.Lease))
}

// cut ends the try, unless the server may have the message.
func (l *lease) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.past {
		l.cancel()
	}
}

// last confirms the lease before the line that makes the server responsible.
func (l *lease) last(ctx context.Context) error {
	once, cancel := context.WithTimeout(ctx, l.s.c.Lease/3)
	defer cancel()
	if err := l.renew(once); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.past = l.try.Err() == nil
	return l.try.Err()
}

// outcomeOf converts the error of a send to a result. The message may be sent in another form
// after that.
func (l *lease) outcomeOf(err error) End {
	e := outcomeOf(err)
	l.mu.Lock()
	l.past = false
	l.mu.Unlock()
	if l.held.Err() != nil {
		l.cancel()
		if e.Action == Postpone && e.Code == 0 {
			e.Reason = Interrupted // the server is not the cause
		}
	}
	return e
}

// faulted returns the result of a try that panicked or hung.
func (l *lease) faulted() End {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.past {
		return End{Action: Postpone, Reason: Unanswered}
	}
	return End{Action: Postpone, Reason: FileUnavailable}
}

// store stores the result, for as long as it may count: a message without a stored result is
// sent again. The lease is renewed meanwhile.
func (s *Service) store(ctx context.Context, m Message, owner string, e End) error {
	ending := ctx
	ctx = context.WithoutCancel(ctx)
	enough := time.Now().Add(storing)
	for {
		once, cancel := context.WithTimeout(ctx, s.c.Lease/3)
		err := s.c.Store.EndMessage(once, m, owner, e)
		cancel()
		if err == nil {
			return nil
		}
		if ending.Err() != nil {
			enough = minTime(enough, time.Now().Add(farewell))
			ending = ctx
		}
		if errors.Is(err, ErrLost) || !time.Now().Before(enough) {
			s.c.Log.WarnContext(ctx, "the outcome of an e-mail is not stored", slog.String("message", m.ID), slog.String("outcome", string(e.Action)), slog.Any("err", err))
			return nil
		}
		time.Sleep(min(time.Second, s.c.Lease/10))
	}
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
