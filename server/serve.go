package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"tcode/server/publish"
)

const maxHeader = 64 << 10 // bytes of a request's header

// TuneMemory trades memory for time, in a process that is nothing but a gateway:
// the heap of one that looks things up is a few MiB, and collecting it at twice
// that takes a tenth of all work. Uploads may fill it with hundreds; near a GiB
// the collector is as eager as ever. GOGC and GOMEMLIMIT in the environment win.
func TuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1 << 30)
	}
}

// Run opens the gateway of c and serves until ctx is done; requests in flight
// then get c.Drain to end, and are cut off after it. It returns nil then.
//
// The program must call sandbox.Main with [Roles] first thing in main.
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
	// Work outlives the signal that ends it: requests drain first, and what
	// they changed is still published.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	front, err := g.listen(work, g.c.Addr, handler)
	if err != nil {
		return err
	}
	defer front.listener.Close() // it is already, unless what follows fails
	servers := []*server{front}
	if g.c.MetricsAddr != "" {
		watch, err := g.listen(work, g.c.MetricsAddr, g.WatchHandler(handler))
		if err != nil {
			return err
		}
		defer watch.listener.Close()
		servers = append(servers, watch)
	}
	// What a restored database has forgotten would be answered wrongly, too.
	if restore, err := g.db.Restored(ctx); err != nil || restore != nil {
		if err == nil {
			err = publish.ErrRestored
		}
		return err
	}
	if err := g.checkAhead(ctx); err != nil {
		return err
	}
	// Devices may enrol with the first answer, so there must be something to
	// trust by then.
	if _, err := g.Publisher.Publish(ctx); err != nil {
		return fmt.Errorf("first publication: %w", err)
	}
	g.tellFolder(ctx)
	if err := g.tellRoot(ctx); err != nil {
		return err
	}
	group, gctx := errgroup.WithContext(work)
	for _, run := range []func(context.Context) error{g.Publisher.Run, g.Verify.Run, g.Tenants.Run, g.Documents.Run, g.runBackground, g.watchDatabase, g.ballast.Run} {
		group.Go(func() error { return ended(run(gctx)) })
	}
	for _, s := range servers {
		group.Go(s.serve)
	}
	group.Go(func() error {
		select {
		case <-ctx.Done():
		case <-gctx.Done(): // something else has failed
		}
		defer stop()
		return g.drain(gctx, servers)
	})
	g.announce(ctx, servers)
	return group.Wait()
}

// A server is one address that is listened on.
type server struct {
	http.Server
	listener net.Listener
}

func (g *Gateway) listen(work context.Context, addr string, handler http.Handler) (*server, error) {
	listener, err := (&net.ListenConfig{}).Listen(work, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	t := g.c.Timeouts
	return &server{http.Server{
		Handler:           handler,
		ReadHeaderTimeout: t.Header, ReadTimeout: t.Read, WriteTimeout: t.Write, IdleTimeout: t.Idle, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return work },
		ErrorLog:    slog.NewLogLogger(g.c.Log.Handler(), slog.LevelDebug), // TLS scans and the like
	}, listener}, nil
}

func (s *server) serve() error {
	if err := s.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// announce says that the gateway answers, and where.
func (g *Gateway) announce(ctx context.Context, servers []*server) {
	g.c.Log.InfoContext(ctx, "gateway listens", slog.String("addr", servers[0].listener.Addr().String()), slog.String("data", g.c.Data))
	for _, watch := range servers[1:] {
		g.c.Log.InfoContext(ctx, "metrics are served", slog.String("addr", watch.listener.Addr().String()))
		if g.c.MetricsReady != nil {
			g.c.MetricsReady(watch.listener.Addr())
		}
	}
	if g.c.Ready != nil {
		g.c.Ready(servers[0].listener.Addr())
	}
}

// drain lets requests in flight end, then publishes what they changed. work
// ends early when something has failed. Supervisors are answered to the end.
func (g *Gateway) drain(work context.Context, servers []*server) error {
	g.draining.Store(true)
	g.c.Log.InfoContext(work, "gateway drains")
	if g.c.Linger > 0 {
		select {
		case <-time.After(g.c.Linger):
		case <-work.Done():
		}
	}
	defer func() {
		for _, watch := range servers[1:] {
			watch.Close()
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(work), g.c.Drain)
	defer cancel()
	if err := servers[0].Shutdown(ctx); err != nil {
		// A client that sends a byte now and then may not keep a gateway from ending,
		// nor make its end look like a failure.
		g.c.Log.WarnContext(ctx, "requests are cut off", slog.Duration("drain", g.c.Drain), slog.Any("err", err))
		if err := servers[0].Close(); err != nil {
			return fmt.Errorf("cut off requests: %w", err)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(work), lastPublication)
	defer cancel()
	if _, err := g.Publisher.Publish(last); err != nil {
		return fmt.Errorf("last publication: %w", err)
	}
	return nil
}

// lastPublication is how long the one at the end may take.
const lastPublication = 10 * time.Second

// ended takes the end that was asked for as no error.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
