package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tcode/offline/contain"
	"tcode/server/platform/round"
	"tcode/server/publish"
)

// A service does its work in rounds while the gateway serves.
type service struct {
	rounds   *round.Service
	run      func(context.Context) error
	sentence string // what a tenant misses without it; "": nothing
}

// newServices returns the services of g.
func (g *Gateway) newServices() []service {
	of := func(name string, run func(context.Context) error, sentence string) service {
		return service{&round.Service{Name: name, Log: g.c.Log}, run, sentence}
	}
	return []service{
		of("publication", g.Publisher.Run, "it does not publish"),
		of("history", g.Verify.Run, "it does not store its history"),
		of("usage", g.Tenants.Run, "it does not store what it counts"),
		of("expiry", g.Documents.Run, "it does not end documents whose time is over"),
		of("privacy", g.Privacy.Run, "it does not erase"),
		of("background", g.runBackground, "it does not look for background work"),
		of("database", g.watchDatabase, ""),
		of("clock", g.watchClock, ""),
		of("ballast", g.ballast.Run, ""),
		of("drafts", g.Drafts.Run, ""),
		of("certificates", g.keepCertificates, ""),
	}
}

// publishFirst publishes before the gateway answers: devices may enrol with the first answer, so
// there must be trust documents by then. If publication ends its process, the gateway serves with the
// documents of before.
func (g *Gateway) publishFirst(ctx context.Context) error {
	for {
		err := g.Publisher.Round(ctx)
		if err != nil && (!contain.Fault(err) || errors.Is(err, publish.ErrRestored)) {
			return err
		}
		_, none := g.Publisher.Timestamp(ctx)
		switch {
		case err != nil && none == nil:
			g.c.Log.ErrorContext(ctx, "nothing new is published", slog.Any("err", err))
			return nil
		case err != nil || none == nil:
			return err
		}
		select { // another gateway is about to
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// serviceRest is the time from a panic of a service to its next start.
const serviceRest = 10 * time.Second

// steady runs a service until it ends. A service that panics starts again after a rest: a round that
// panics ends neither the gateway nor the later rounds.
func steady(ctx context.Context, run func(context.Context) error) error {
	for {
		err := contain.Do("service", func() error { return run(ctx) })
		if _, panicked := errors.AsType[*contain.Panic](err); !panicked || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(serviceRest):
		}
	}
}
