// Package round bounds the rounds of services that look for work at intervals: a round that
// panics or hangs ends neither its service nor the later rounds.
//
//	service ─▶ Do ─▶ a round: it ends, or is left behind after its time
//	           └──▶ Service.Err: readiness
package round

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"tcode/offline/contain"
)

// rest is the time from a round that had a fault to the next one.
const rest = 10 * time.Second

// A Service is what a gateway knows of the rounds of a service.
type Service struct {
	Name string
	Log  *slog.Logger // nil: discards

	mu   sync.Mutex // guards errs
	errs map[string]error
}

// A part is a part of a service with rounds of its own.
type part struct {
	service *Service
	name    string
}

type key struct{}

// Of returns a context for the rounds of s.
func (s *Service) Of(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, part{s, ""})
}

// Part returns a context for the rounds of a part of the service of ctx.
func Part(ctx context.Context, name string) context.Context {
	p, _ := ctx.Value(key{}).(part)
	return context.WithValue(ctx, key{}, part{p.service, name})
}

// Err returns the faults of the last rounds: a panic, a hang, the end of their process. Nil: they
// had none.
func (s *Service) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(slices.Collect(maps.Values(s.errs))...)
}

func (s *Service) note(part string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !contain.Fault(err) {
		delete(s.errs, part)
		return
	}
	if s.Log != nil {
		s.Log.Error("a round of a service had a fault", slog.String("service", s.Name),
			slog.String("part", part), slog.Any("err", err))
	}
	if s.errs == nil {
		s.errs = map[string]error{}
	}
	s.errs[part] = err
}

// Do does a round of the service of ctx, for limit at most, and returns its error. After a fault
// it rests.
func Do(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	p, _ := ctx.Value(key{}).(part)
	if p.service == nil {
		p.service = new(Service) // without a reader
	}
	err := contain.Within(ctx, "round", limit, func(ctx context.Context) error {
		contain.SeedItem("round", p.service.Name)
		return f(ctx)
	})
	if ctx.Err() != nil {
		return err
	}
	p.service.note(p.name, err)
	if contain.Fault(err) {
		select {
		case <-ctx.Done():
		case <-time.After(rest):
		}
	}
	return err
}
