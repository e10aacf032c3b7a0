package link

import (
	"context"
	"math/rand/v2"
	"time"

	"tcode/offline/contain"
)

// Waiting times.
const (
	idle      = time.Minute // after which the sender looks again
	firstWait = 2 * time.Second
	mostWait  = 5 * time.Minute
)

// Run sends and fetches until ctx ends.
func (l *Link) Run(ctx context.Context) {
	var both contain.Group
	first := true
	both.Go("link-send", func() error {
		l.repeat(ctx, l.hurry[0], l.more, func(ctx context.Context) (time.Duration, error) {
			wait, tried, err := l.sendDue(ctx, first)
			first = first && !tried
			return wait, err
		})
		return nil
	})
	both.Go("link-refresh", func() error { l.repeat(ctx, l.hurry[1], nil, l.refreshDue); return nil })
	_ = both.Wait()
}

// repeat calls round until ctx ends. round returns the time until it is due again, and whether it failed: then hurry
// alone ends the waiting time, which doubles with each failure.
func (l *Link) repeat(ctx context.Context, hurry, more <-chan struct{}, round func(context.Context) (time.Duration, error)) {
	failures := 0
	for ctx.Err() == nil {
		var wait time.Duration
		err := contain.Do("link-round", func() (err error) {
			wait, err = round(ctx)
			return err
		})
		news := more
		if failures++; err == nil {
			failures = 0
		} else {
			wait, news = max(wait, backoff(failures)), nil
		}
		select {
		case <-ctx.Done():
		case <-hurry:
			failures = 0
		case <-news:
		case <-time.After(wait):
		}
	}
}

// backoff doubles from two seconds to five minutes, with a random part, so that phones whose gateway was down do not
// return all together.
func backoff(failures int) time.Duration {
	wait := min(mostWait, firstWait<<min(failures-1, 10))
	return wait/2 + rand.N(wait)
}

// sendDue sends if a scan is due, or if first is true and one waits: an earlier window may have died while it was on its way. tried
// says that it sent, or tried to. A device without a gateway is no failure.
func (l *Link) sendDue(ctx context.Context, first bool) (wait time.Duration, tried bool, err error) {
	if _, err := l.uplink(ctx); err != nil {
		return idle, false, nil //nolint:nilerr // an enrolment ends the wait
	}
	now := l.cfg.Now()
	at, ok, err := l.session.NextDue(ctx, now)
	if err != nil {
		return idle, false, err
	}
	untold, err := l.session.Untold(ctx)
	if err != nil {
		return idle, false, err
	}
	until := at.Sub(now)
	switch due := ok && (first || until <= 0); {
	case due || len(untold) > 0:
	case ok:
		return min(until, idle), false, nil
	default:
		return idle, false, nil
	}
	report, err := l.Send(ctx, false)
	switch {
	case err != nil || report.Batches > 0:
	case ok && until > 0: // what is there waits for its time
		return min(until, idle), true, nil
	default:
		return idle, true, nil
	}
	return firstWait, true, err
}

// refreshDue fetches trust documents if they are older than [RefreshEvery].
func (l *Link) refreshDue(ctx context.Context) (wait time.Duration, err error) {
	if l.cfg.Transport == nil {
		return idle, nil
	}
	if e, err := l.cfg.Book.Enrolment(ctx); err != nil || e.Gateway == "" {
		return idle, nil //nolint:nilerr // an enrolment ends the wait
	}
	if age, fresh := l.age(ctx); fresh {
		return RefreshEvery - age + rand.N(RefreshEvery/10), nil
	}
	_, err = l.Refresh(ctx)
	return RefreshEvery, err
}

// age returns the time since the last refresh that succeeded, and whether it is short enough. A clock that was set back
// makes that refresh lie in the future.
func (l *Link) age(ctx context.Context) (age time.Duration, fresh bool) {
	last, err := l.cfg.Book.LastAttempt(ctx)
	age = l.cfg.Now().Sub(last.Refreshed)
	return age, err == nil && age >= 0 && age < RefreshEvery
}

// Fresh reports whether the trust documents were fetched within [RefreshEvery].
func (l *Link) Fresh(ctx context.Context) bool {
	_, fresh := l.age(ctx)
	return fresh
}
