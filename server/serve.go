package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"tcode/server/publish"
)

// Time-outs of connections. A body is at most one PDF of 25 MiB: two minutes
// are enough for it on a line of 2 Mbit/s.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 2 * time.Minute
	writeTimeout  = 4 * time.Minute // longer than a request may take in all
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10 // bytes
)

// Run opens the gateway of c and serves until ctx is done; requests in flight
// then get c.Drain to end. It returns nil after an orderly end.
//
// The program must call sandbox.Main(pdfstamp.Role()) first thing in main.
func Run(ctx context.Context, c Config) (err error) {
	g, err := Open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return g.Serve(ctx)
}

// Serve listens and publishes until ctx is done.
func (g *Gateway) Serve(ctx context.Context) error {
	handler, err := g.Handler()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", g.c.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", g.c.Addr, err)
	}
	// Work outlives the signal that ends it: requests drain first, and what
	// they changed is still published.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		BaseContext:    func(net.Listener) context.Context { return work },
		ErrorLog:       slog.NewLogLogger(g.c.Log.Handler(), slog.LevelDebug), // TLS scans and the like
	}
	// What a restored database has forgotten would be answered wrongly, too.
	if restore, err := g.db.Restored(ctx); err != nil || restore != nil {
		if err == nil {
			err = publish.ErrRestored
		}
		return errors.Join(err, listener.Close())
	}
	// Devices may enrol with the first answer, so there must be something to
	// trust by then.
	if _, err := g.Publisher.Publish(ctx); err != nil {
		return errors.Join(fmt.Errorf("first publication: %w", err), listener.Close())
	}
	group, gctx := errgroup.WithContext(work)
	group.Go(func() error { return ended(g.Publisher.Run(gctx)) })
	group.Go(func() error { return ended(g.Verify.Run(gctx)) })
	group.Go(func() error { return ended(g.Tenants.Run(gctx)) })
	group.Go(func() error {
		if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		select {
		case <-ctx.Done():
		case <-gctx.Done(): // something else has failed
		}
		defer stop()
		return g.drain(context.WithoutCancel(ctx), srv)
	})
	g.c.Log.InfoContext(ctx, "gateway listens", slog.String("addr", listener.Addr().String()), slog.String("data", g.c.Data))
	if g.c.Ready != nil {
		g.c.Ready(listener.Addr())
	}
	return group.Wait()
}

// drain lets requests in flight end, then publishes what they changed.
func (g *Gateway) drain(ctx context.Context, srv *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, g.c.Drain)
	defer cancel()
	g.c.Log.InfoContext(ctx, "gateway drains")
	if err := srv.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests did not end in %v: %w", g.c.Drain, err), srv.Close())
	}
	if _, err := g.Publisher.Publish(ctx); err != nil {
		return fmt.Errorf("last publication: %w", err)
	}
	return nil
}

// ended takes the end that was asked for as no error.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
