package gate

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"tcode/offline/contain"
	"tcode/server/fault"
	"tcode/server/httpapi/bounded"
)

// Metrics counts requests. Package metrics implements it.
type Metrics interface {
	// Request counts an answer; operation is one of the contract's, or other.
	Request(operation string, status int, took time.Duration)
	// Refusal counts a request that a plan does not allow.
	Refusal(reason string)
}

// uncounted counts nothing.
type uncounted struct{}

func (uncounted) Request(string, int, time.Duration) {}
func (uncounted) Refusal(string)                     {}

// otherOperation counts requests for routes that the contract does not have.
const otherOperation = "other"

// count counts one request in the metrics.
func (g *Gate) count(c echo.Context, call *Call, err error, took time.Duration) {
	operation := otherOperation
	if call.op != nil {
		operation = call.op.id
	}
	g.c.Metrics.Request(operation, c.Response().Status, took)
	if err == nil {
		return
	}
	if f := asFault(err); f.Kind == fault.Forbidden && f.Reason != "" {
		g.c.Metrics.Refusal(f.Reason)
	}
}

// observe is the outermost layer: it names the request, turns panics into
// errors, calls the error handler, and writes one log line. The line holds the
// route's pattern, not the path, so that logs have no references and hashes.
// After an error in an answer that has begun, the connection ends before the answer, so
// that no client takes the part for the whole.
func (g *Gate) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := g.c.Now()
		r := c.Request()
		span := newSpan(r.Header.Get("traceparent"))
		call := &Call{traceID: span.trace, Remote: c.RealIP(), BaseURL: g.baseURL(c)}
		// The time-outs of net/http end connections, but not the handlers' work.
		call.op = g.ops[route{r.Method, c.Path()}]
		limit := g.c.Limits.Request
		if call.op != nil && call.op.slow {
			limit *= slowFactor
		}
		ctx, end := withPatience(r.Context(), call, limit)
		defer end()
		c.SetRequest(r.WithContext(ctx))
		g.bound(ctx, call, limit, start)
		h := c.Response().Header()
		h.Set("TCode-Trace-Id", call.traceID)
		h.Set("Traceresponse", span.String())
		h["X-Content-Type-Options"] = noSniff

		err := g.outage(g.recovered(next, c))
		cut := err != nil && c.Response().Committed
		if err != nil {
			c.Error(err)
		}
		took := g.c.Now().Sub(start)
		g.count(c, call, err, took)
		g.logRequest(c, call, span, err, cut, took)
		if cut {
			panic(http.ErrAbortHandler)
		}
		return nil
	}
}

// bound has a request that hangs cut off after limit, and counted.
func (g *Gate) bound(ctx context.Context, call *Call, limit time.Duration, start time.Time) {
	item, operation := otherOperation, otherOperation
	if call.op != nil {
		item, operation = call.op.item, call.op.id
	}
	bounded.Describe(ctx, item, call.traceID, limit)
	bounded.OnCut(ctx, func() {
		g.c.Metrics.Request(operation, http.StatusServiceUnavailable, g.c.Now().Sub(start))
	})
}

// outage returns an Unavailable fault, so that the client tries again, if the
// database, the disk or the memory of the machine is not available, and err otherwise.
func (g *Gate) outage(err error) error {
	if err == nil || g.c.Outage == nil || asFault(err).Kind != fault.Internal || !g.c.Outage(err) {
		return err
	}
	return fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the database, files or memory of the gateway are not available; try again").WithErr(err)
}

// Values of headers; they never change.
var (
	noSniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}
	noStore    = []string{"no-store"}
	varyAccept = []string{"Accept"}
)

// recovered calls next and returns a panic as an error, except
// http.ErrAbortHandler, with which net/http drops the connection.
func (g *Gate) recovered(next echo.HandlerFunc, c echo.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			err = contain.Recovered("request", p)
		}
	}()
	return next(c)
}

func (g *Gate) logRequest(c echo.Context, call *Call, s span, err error, cut bool, took time.Duration) {
	ctx := c.Request().Context()
	level := slog.LevelInfo
	attrs := append(make([]slog.Attr, 0, 12),
		slog.String("method", c.Request().Method),
		slog.String("route", c.Path()),
		slog.Int("status", c.Response().Status),
		slog.Int64("size_bytes", c.Response().Size),
		slog.Float64("took_ms", float64(took.Microseconds())/1000),
		slog.String("remote", logged(call, c.Response().Status)),
		slog.String("traceId", call.traceID),
		slog.String("spanId", s.id),
	)
	if call.known {
		attrs = append(attrs, slog.String("tenant", call.Identity.Tenant.Reference), slog.String("key", call.Identity.KeyPrefix))
	}
	if err != nil {
		attrs = append(attrs, failure(err)...)
		if cut {
			attrs = append(attrs, slog.Bool("cut_short", true))
		}
		if (cut || c.Response().Status >= http.StatusInternalServerError) && !ClientGone(ctx, err) {
			level = slog.LevelError
		}
	}
	if op := g.ops[route{http.MethodGet, c.Path()}]; op != nil && op.Probe {
		level = min(level, slog.LevelDebug) // so that the other lines can be found
	}
	g.c.Log.LogAttrs(ctx, level, "request", attrs...)
}

// logged returns the address of the client for the log: of a person who asks without a key,
// the network only, unless the gateway refused the request. Addresses of refused requests
// serve to stop abuse.
func logged(call *Call, status int) string {
	refused := status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
	if call.known || refused {
		return call.Remote
	}
	return NetworkOf(call.Remote)
}

// NetworkOf returns the network of an address, a /24 of IPv4 and a /48 of IPv6; a text that
// is no address stays, and an address of this machine too.
func NetworkOf(remote string) string {
	addr, err := netip.ParseAddr(remote)
	if addr = addr.Unmap(); err != nil || addr.IsLoopback() {
		return remote
	}
	bits := 48
	if addr.Is4() {
		bits = 24
	}
	p, err := addr.WithZone("").Prefix(bits)
	if err != nil {
		return remote
	}
	return p.String()
}

// baseURL returns the beginning of the addresses in answers.
func (g *Gate) baseURL(c echo.Context) string {
	if g.c.PublicURL != "" {
		return g.c.PublicURL
	}
	scheme := "http"
	if c.IsTLS() {
		scheme = "https"
	}
	return scheme + "://" + c.Request().Host
}

// clientIP is [ClientIP] that logs, once, that requests come through a proxy which is not trusted:
// all its clients count as one. A peer at a public address is none of the operator's proxies, and may
// send any header.
func (g *Gate) clientIP() func(*http.Request) string {
	find := ClientIP(g.c.TrustedProxies)
	var once sync.Once
	return func(r *http.Request) string {
		if r.Header.Get(echo.HeaderXForwardedFor) == "" {
			return find(r)
		}
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		addr := peer.Addr().Unmap()
		trusted := func(p netip.Prefix) bool { return p.Contains(addr) }
		if err == nil && (addr.IsLoopback() || addr.IsPrivate()) && !slices.ContainsFunc(g.c.TrustedProxies, trusted) {
			once.Do(func() {
				g.c.Log.WarnContext(r.Context(), "a proxy passes requests on, and is not in --trusted-proxy: "+
					"all clients behind it share the limits of one address", slog.String("proxy", addr.String()))
			})
		}
		return find(r)
	}
}

// ClientIP returns a function that finds the client's address: that of the peer,
// or the one that trusted proxies write to X-Forwarded-For. Without trusted proxies
// any client can set that header.
func ClientIP(proxies []netip.Prefix) func(*http.Request) string {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	opts := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range proxies {
		opts = append(opts, echo.TrustIPRange(&net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}))
	}
	return echo.ExtractIPFromXFFHeader(opts...)
}
