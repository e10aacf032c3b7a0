package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"tcode/offline/contain"
	"tcode/server/publish"
)

// A request's header: bytes, and fields. A field costs some hundred bytes of memory, however short
// it is.
const (
	maxHeader = 16 << 10
	maxFields = 200
)

// startup is longer than the start of a gateway, except with an upgrade of a large database.
const startup = 5 * time.Second

// TuneMemory uses more memory to save time, in a process that is only a gateway: the heap
// for look-ups is a few MiB, and collecting it at twice that size takes a tenth of all
// work. Near a limit, from 128 MiB with one processor to a GiB with fifteen, the collector runs
// more often: then the garbage of requests takes no more than what is in use.
// GOGC and GOMEMLIMIT in the environment have priority. So seldom collected, the garbage of the
// start, two thirds of an idle heap, would stay: it is given back once.
func TuneMemory() {
	contain.After(startup, "memory-of-start", debug.FreeOSMemory)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(min(1<<30, 64<<20+int64(runtime.GOMAXPROCS(0))*64<<20))
	}
}

// Run opens the gateway of c and serves until ctx is done. Requests in flight then get
// c.Drain to end, and are cut off after it. Run then returns nil.
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

// Serve listens and publishes until ctx is done. The error wraps [ErrServed] if another
// gateway serves the same folder with SQLite.
func (g *Gateway) Serve(ctx context.Context) (err error) {
	g.recordFaults()
	release, err := g.holdFolder(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	handler, err := g.Handler()
	if err != nil {
		return err
	}
	// The work continues after the signal that ends it: requests drain first, and their
	// changes are still published.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	servers, err := g.open(work, handler)
	defer func() {
		for _, s := range servers {
			s.listener.Close() // it is closed already, unless the rest fails
		}
	}()
	if err != nil {
		return err
	}
	// A restored database would also give wrong answers.
	if restore, err := g.db.Restored(ctx); err != nil || restore != nil {
		if err == nil {
			err = publish.ErrRestored
		}
		return err
	}
	if err := g.checkAhead(ctx); err != nil {
		return err
	}
	runner, err := g.background()
	if err != nil {
		return err
	}
	g.runner.Store(runner)
	if err := g.publishFirst(ctx); err != nil {
		return fmt.Errorf("first publication: %w", err)
	}
	g.tellFolder(ctx)
	if err := g.tellRoot(ctx); err != nil {
		return err
	}
	group, gctx := contain.WithContext(work)
	for _, s := range g.services {
		group.Go("services", func() error { return ended(steady(s.rounds.Of(gctx), s.run)) })
	}
	for _, s := range servers {
		group.Go("listener", s.serve)
	}
	group.Go("drain", func() error {
		select {
		case <-ctx.Done():
		case <-gctx.Done(): // something else has failed
		}
		defer stop()
		return g.drain(gctx, servers)
	})
	g.announce(ctx, servers)
	return awaitServices(work, group.Wait)
}

// A server is one address with its listener.
type server struct {
	http.Server
	listener net.Listener
	kind     string // what it serves, for the log
	tls      bool   // net/http sets TLSConfig also without it
	ready    func(addr net.Addr)
}

// open listens on all addresses: first that of the gateway. It returns what is open also
// with an error.
func (g *Gateway) open(work context.Context, handler http.Handler) (servers []*server, err error) {
	if err := g.openCertificates(); err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	listen := func(kind, addr string, handler func() http.Handler, ready func(net.Addr)) {
		if err != nil || addr == "" {
			return
		}
		var listener net.Listener
		if listener, err = (&net.ListenConfig{}).Listen(work, "tcp", addr); err != nil {
			err = fmt.Errorf("listen on %s: %w", addr, err)
			return
		}
		listener = newConnLimit(listener, maxConns, connsOfSite, g.c.TrustedProxies)
		servers = append(servers, g.server(work, kind, listener, handler, ready))
	}
	listen("gateway listens", g.c.Addr, func() http.Handler { return handler }, g.c.Ready)
	if err == nil && g.certs != nil {
		servers[0].Handler, servers[0].TLSConfig, servers[0].tls = secured(handler), g.certs.TLS(), true
	}
	listen(metricsKind, g.c.MetricsAddr, func() http.Handler { return g.WatchHandler(handler) }, g.c.MetricsReady)
	if g.certs != nil {
		listen("plain HTTP is led to HTTPS", g.c.RedirectAddr, func() http.Handler { return g.redirect(portOf(servers[0].listener.Addr())) }, g.c.RedirectReady)
	}
	return servers, err
}

func (g *Gateway) server(work context.Context, kind string, listener net.Listener, handler func() http.Handler, ready func(net.Addr)) *server {
	t := g.c.Timeouts
	return &server{Server: http.Server{
		Handler:           fewFields(handler()),
		ConnState:         headerState,
		ReadHeaderTimeout: t.Header, ReadTimeout: t.Read, WriteTimeout: t.Write, IdleTimeout: t.Idle, MaxHeaderBytes: maxHeader,
		HTTP2:       &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		BaseContext: func(net.Listener) context.Context { return work },
		ErrorLog:    slog.NewLogLogger(g.c.Log.Handler(), slog.LevelDebug), // TLS scans and the like
	}, listener: listener, kind: kind, ready: ready}
}

// metricsKind is the kind of the server for metrics.
const metricsKind = "metrics are served"

// fewFields refuses headers with too many fields, as net/http refuses those with too many bytes.
func fewFields(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 0
		for _, values := range r.Header {
			n += len(values)
		}
		if n > maxFields {
			w.Header().Set("Connection", "close")
			code := http.StatusRequestHeaderFieldsTooLarge
			http.Error(w, fmt.Sprintf("%d fields in the header: send at most %d", n, maxFields), code)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// maxStreams is the number of concurrent requests of one HTTP/2 connection.
const maxStreams = 100

// portOf returns the port of an address of TCP.
func portOf(addr net.Addr) int {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.Port
	}
	return 0
}

func (s *server) serve() (err error) {
	if s.tls {
		err = s.ServeTLS(s.listener, "", "")
	} else {
		err = s.Serve(s.listener)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// announce logs that the gateway answers, with its addresses, and what is dangerous about them; its
// own last.
func (g *Gateway) announce(ctx context.Context, servers []*server) {
	for i := range servers {
		s := servers[len(servers)-1-i]
		if tcp, ok := s.listener.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
			switch own := s == servers[0]; {
			case own && !s.tls && len(g.c.TrustedProxies) == 0:
				g.c.Log.WarnContext(ctx, "plain HTTP at an address for other machines: API keys and documents cross the network "+
					"unencrypted; give the gateway a certificate (--tls-cert, --acme), or name the TLS proxy in front of it (--trusted-proxy)")
			case s.kind == metricsKind:
				g.c.Log.WarnContext(ctx, "metrics need no key, and their address is one for other machines: let only monitoring reach it")
			}
		}
		g.c.Log.InfoContext(ctx, s.kind, slog.String("addr", s.listener.Addr().String()), slog.Bool("tls", s.tls), slog.String("data", g.c.Data))
		if s.ready != nil {
			s.ready(s.listener.Addr())
		}
	}
}

// drain waits for requests in flight, then publishes their changes. work ends early after
// a failure. Supervisors get answers until the end.
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
		// A client that sends a byte now and then must not prevent a gateway's end, nor make it
		// look like a failure.
		g.c.Log.WarnContext(ctx, "requests are cut off", slog.Int64("drain_ms", g.c.Drain.Milliseconds()), slog.Any("err", err))
		if err := servers[0].Close(); err != nil {
			return fmt.Errorf("cut off requests: %w", err)
		}
	}
	err := contain.Within(context.WithoutCancel(work), "last-publication", lastPublication, g.publishLast)
	if err != nil {
		return fmt.Errorf("last publication: %w", err)
	}
	return nil
}

// publishLast publishes what is due. A connection to the database that is lost meanwhile is no
// reason to leave it out: it tries three times.
func (g *Gateway) publishLast(ctx context.Context) error {
	for try := 1; ; try++ {
		err := g.Publisher.Round(ctx)
		if err == nil || !g.outage(err) || try == 3 {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// ended converts the error of a requested end to nil.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
