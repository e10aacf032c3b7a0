package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"tcode/cmd/internal/cli"
	"tcode/offline/contain"
	"tcode/offline/host/memory"
	"tcode/offline/host/sandbox"
	"tcode/scanner/web"
	"tcode/server"
	"tcode/server/httpapi"
	"tcode/sync/wire"
)

type serveCmd struct {
	Init           bool          `help:"Begin a new gateway first, as \"init\" does, if there is none: for a container that may start on an empty volume. A volume that is not mounted then becomes another issuer." env:"TCODE_INIT"`
	Addr           string        `help:"HOST:PORT to listen on. The default is reachable from this machine only; for other machines give a certificate, or put a TLS proxy in front. Default: ${default}." default:"127.0.0.1:8080" env:"TCODE_ADDR" placeholder:"HOST:PORT"`
	PublicURL      string        `name:"public-url" help:"Address of this gateway for clients; download addresses begin with it. Default: the address in each request." env:"TCODE_PUBLIC_URL" placeholder:"URL"`
	TrustedProxy   []string      `help:"Network of proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8. May be repeated." env:"TCODE_TRUSTED_PROXY" placeholder:"CIDR"`
	LookupsPerMin  int           `name:"lookups-per-minute" help:"Verifications and reference data a minute for one client address; 0 turns the limit off. Default: ${default}." default:"60" env:"TCODE_LOOKUPS_PER_MINUTE" placeholder:"N"`
	KeyLookups     int           `name:"key-lookups-per-minute" help:"The same for a client that sends a valid API key; 0: off. Default: ${default}." default:"600" env:"TCODE_KEY_LOOKUPS_PER_MINUTE" placeholder:"N"`
	KeyRequests    int           `name:"requests-per-minute" help:"Requests a minute for each API key on routes that need one, unless the tenant's plan says otherwise; 0: off. Default: ${default}." default:"1200" env:"TCODE_REQUESTS_PER_MINUTE" placeholder:"N"`
	ScansPerMinute int           `help:"Synced scans a minute for one device and address; 0: off. Default: ${default}." default:"60000" env:"TCODE_SCANS_PER_MINUTE" placeholder:"N"`
	Stampers       int           `help:"Number of child processes that stamp PDFs, and of those that read stamps back; 0, the default: one per core." default:"0" env:"TCODE_STAMPERS" placeholder:"N"`
	PageTime       time.Duration `name:"page-time" help:"How long one drawing of a page may take when the gateway reads a new stamp back; a page that takes longer is refused. Default: ${default}." default:"8s" env:"TCODE_PAGE_TIME" placeholder:"DURATION"`
	Cache          string        `help:"Cache folder for the machine code of PDFium, which draws pages. Keep it private; gateways may share it. Default: cache in the folder of --data." type:"path" env:"TCODE_CACHE" placeholder:"DIR"`
	AllowPrivate   bool          `name:"webhooks-allow-private" help:"Let webhooks go to this machine and to private networks, and without TLS: for receivers at home. Tenants can then send requests to every address that the gateway reaches." env:"TCODE_WEBHOOKS_ALLOW_PRIVATE"`
	Connections    int           `name:"database-connections" help:"Connections to PostgreSQL that this gateway opens at most, from 6 on; the server's max_connections must suffice for all gateways together. Default: 24." env:"TCODE_DATABASE_CONNECTIONS" placeholder:"N"`
	Reserve        int           `help:"MiB of the disk of --data that are kept, in a file, for revocations, scans and publication when it is full; 0: none. On a small disk it is an eighth of the free space. Default: ${default}." default:"64" env:"TCODE_RESERVE" placeholder:"MIB"`
	OpenShards     int           `name:"open-shards" help:"Status shards that new stamps get their entries in, at random: the more, the less a stamp's shard says of its time. Each takes 50,000 stamps. Default: ${default}." default:"8" env:"TCODE_OPEN_SHARDS" placeholder:"N"`
	MetricsAddr    string        `name:"metrics-addr" help:"HOST:PORT to serve Prometheus metrics on, at /metrics, with /healthz and /readyz; they need no key, so let only monitoring reach it. Default: not served." env:"TCODE_METRICS_ADDR" placeholder:"HOST:PORT"`
	RequestTime    time.Duration `name:"request-time" help:"How long one request may take, its upload included; transfers of large files may take 20 times as long. Default: ${default}." default:"3m" env:"TCODE_REQUEST_TIME" placeholder:"DURATION"`
	MemoryMax      uint64        `name:"memory-max" help:"MiB of memory with which the gateway ends itself, before the machine ends another program such as the database; child processes have limits of their own. 0, the default: three quarters of the memory of the control group or the machine." default:"0" env:"TCODE_MEMORY_MAX" placeholder:"MIB"`
	Linger         time.Duration `help:"How long the gateway still accepts requests after SIGTERM, while /readyz answers 503: longer than a load balancer takes to notice. Default: ${default}." default:"0s" env:"TCODE_LINGER" placeholder:"DURATION"`
	Drain          time.Duration `help:"How long requests in flight may take to end at shutdown. Default: ${default}." default:"20s" env:"TCODE_DRAIN" placeholder:"DURATION"`

	TLS    tlsFlags    `embed:""`
	Mail   mailFlags   `embed:""`
	OpenID openIDFlags `embed:""`
	Offer  sourceFlags `embed:""`
}

// settings returns the configuration that the flags describe, without a log, or what is
// wrong with them.
func (s *serveCmd) settings(ctx context.Context, c *command, std cli.Streams) (cfg server.Config, err error) {
	if err := s.checkNumbers(c); err != nil {
		return cfg, err
	}
	proxies, err := parseProxies(s.TrustedProxy)
	if err != nil {
		return cfg, err
	}
	if s.PublicURL != "" {
		if s.PublicURL, err = wire.BaseURL(s.PublicURL); err != nil {
			return cfg, cli.Usage("--public-url: %v", err)
		}
		if u, err := url.Parse(s.PublicURL); err != nil || u.Path != "" {
			return cfg, cli.Usage("--public-url %s: without a path, as the gateway answers at the top of its host", s.PublicURL)
		}
	}
	cfg = c.config(std)
	if cfg.Mail.Config, err = s.Mail.config(c.Config); err != nil {
		return cfg, err
	}
	if cfg.Mail.Server.Host != "" && s.PublicURL == "" {
		return cfg, cli.Usage("--smtp-url needs --public-url: links in e-mail begin with it")
	}
	if cfg.OpenID, err = s.OpenID.config(ctx, s.PublicURL); err != nil {
		return cfg, err
	}
	if cfg.TLS, err = s.TLS.config(); err != nil {
		return cfg, err
	}
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute, limits.KeyLookupsPerMinute, limits.ScansPerMinute = s.LookupsPerMin, s.KeyLookups, s.ScansPerMinute
	limits.RequestsPerMinute, limits.Request = s.KeyRequests, s.RequestTime
	cfg.Timeouts.Write = s.RequestTime + time.Minute
	cfg.Init, cfg.DatabaseConnections = s.Init, s.Connections
	cfg.Addr, cfg.PublicURL, cfg.TrustedProxies = s.Addr, s.PublicURL, proxies
	cfg.Limits, cfg.Stampers, cfg.PageTime, cfg.Drain = &limits, s.Stampers, s.PageTime, s.Drain
	cfg.WebhooksAllowPrivate = s.AllowPrivate
	cfg.MetricsAddr, cfg.Linger, cfg.Reserve = s.MetricsAddr, s.Linger, int64(s.Reserve)<<20
	cfg.OpenShards = s.OpenShards
	cfg.RedirectAddr = s.TLS.Redirect
	cfg.Cache = cmp.Or(s.Cache, filepath.Join(cfg.Data, "cache"))
	return cfg, nil
}

// checkNumbers returns which flag is outside of its range.
func (s *serveCmd) checkNumbers(c *command) error {
	if s.LookupsPerMin < 0 || s.KeyLookups < 0 || s.KeyRequests < 0 || s.ScansPerMinute < 0 || s.Stampers < 0 || s.Drain < 0 || s.Linger < 0 || s.Reserve < 0 {
		return cli.Usage("limits, counts and durations must not be negative")
	}
	if max(s.LookupsPerMin, s.KeyLookups, s.KeyRequests, s.ScansPerMinute) > maxPerMinute {
		return cli.Usage("a limit for each minute may be %d at most; 0 turns it off", maxPerMinute)
	}
	if max(s.Drain, s.Linger) > maxWait {
		return cli.Usage("--drain and --linger may be %v at most: a gateway that is told to end must end", maxWait)
	}
	if s.Connections != 0 && c.Database == "" {
		return cli.Usage("--database-connections is for PostgreSQL, and needs --database-url: a gateway on an SQLite file has no connections to a server")
	}
	if s.Connections != 0 && (s.Connections < server.MinConnections || s.Connections > maxConnections) {
		return cli.Usage("--database-connections is a number from %d to %d", server.MinConnections, maxConnections)
	}
	if s.PageTime < time.Second || s.PageTime > maxPageTime {
		return cli.Usage("--page-time is a time from 1s to %v: the request waits for it", maxPageTime)
	}
	if s.MemoryMax != 0 && (s.MemoryMax < minMemory || s.MemoryMax > maxMemory) {
		return cli.Usage("--memory-max is in MiB, from %d to %d", minMemory, maxMemory)
	}
	if s.RequestTime < time.Second || s.RequestTime > maxWait {
		return cli.Usage("--request-time is a time from 1s to %v", maxWait)
	}
	if s.Reserve > maxReserve {
		return cli.Usage("--reserve is in MiB, and %d at most", maxReserve)
	}
	if s.OpenShards < 1 || s.OpenShards > maxOpenShards {
		return cli.Usage("--open-shards is from 1 to %d", maxOpenShards)
	}
	if most := maxStampers * runtime.NumCPU(); s.Stampers > most {
		return cli.Usage("--stampers %d: at most %d here, %d for each core; each takes up to 512 MiB", s.Stampers, most, maxStampers)
	}
	return nil
}

// Run serves until ctx is done.
func (s *serveCmd) Run(ctx context.Context, c *command, std cli.Streams, kctx *kong.Context) (err error) {
	cfg, err := s.settings(ctx, c, std)
	if err != nil {
		return err
	}
	log, queue := c.LogFlags.Queued(std.Err)
	defer queue.Close(logPatience)
	cfg.Log, cfg.LogDropped = log, queue.Dropped
	if isWork() {
		sandbox.LimitTogether(childrenBytes(s.Stampers))
		server.TuneMemory()
		return server.Work(ctx, cfg, std.In, std.Out)
	}
	cli.EndWithin(ctx, cfg.EndTime())
	c.tellConfig(ctx, log, kctx.Model.Node)
	if err := checkLimits(log); err != nil {
		return err
	}
	cfg.Apart, cfg.ApartMemory = workProcess, s.memoryLimit()/2
	// If the reader of the output has ended, writing fails but the gateway continues.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	scheme := "http://"
	if cfg.TLS.Enabled() {
		scheme, cfg.Reload = "https://", cli.Hangups(ctx)
	}
	out := c.output(std)
	cfg.Ready = func(addr net.Addr) {
		url := scheme + addr.String()
		out.Emit(map[string]string{"url": url, "docs": url + "/docs/"}, func(w io.Writer) {
			fmt.Fprintf(w, "%s (docs at %s/docs/)\n", url, url)
		})
	}
	cfg.ScannerApp = web.New()
	if cfg.Source, err = s.Offer.offer(); err != nil {
		return err
	}
	sandbox.LimitTogether(childrenBytes(s.Stampers))
	server.TuneMemory()
	contain.Start("memory-watch", func() error { s.watchMemory(ctx, log, queue); return nil })
	g, err := server.Open(ctx, cfg)
	if err != nil { // the folder is not a gateway's, so nothing was written into it
		return toldToEnd(ctx, cfg.Log, err)
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	// The first start in a new folder compiles for seconds. The gateway answers
	// meanwhile, but the first stampings wait.
	starting, stop := context.WithCancel(ctx)
	var start contain.Group
	start.Go("start", func() error {
		if err := server.CanStamp(); err != nil {
			cfg.Log.WarnContext(ctx, "this gateway does not stamp; everything else works", slog.Any("reason", err))
		} else if err := g.StartReadback(starting); err != nil && starting.Err() == nil {
			cfg.Log.ErrorContext(ctx, "no page can be drawn, so nothing can be stamped", slog.Any("err", err))
		}
		return nil
	})
	defer func() { _ = start.Wait() }()
	defer stop()
	return toldToEnd(ctx, cfg.Log, g.Serve(ctx))
}

// memoryLimit is the most memory of the gateway in bytes; 0: the system does not tell. A process
// for background work has half of it: the gateway goes on while one takes memory without end.
func (s *serveCmd) memoryLimit() uint64 { return cmp.Or(s.MemoryMax<<20, memory.Default()) }

// watchMemory ends the process when it uses more memory than it may.
func (s *serveCmd) watchMemory(ctx context.Context, log *slog.Logger, queue *cli.LogQueue) {
	limit := s.memoryLimit()
	// A gateway that drains must not take all memory either.
	memory.Watch(context.WithoutCancel(ctx), limit, func(used uint64) {
		log.Error("the gateway ends: it uses more memory than --memory-max", slog.Uint64("used_bytes", used), slog.Uint64("limit_bytes", limit))
		queue.Close(logPatience)
		os.Exit(cli.CodeFailed)
	})
}

// toldToEnd returns nil if err is the end that ctx asks for, and logs it: a gateway that gets SIGTERM before it listens has not
// failed, and its supervisor must not say so.
func toldToEnd(ctx context.Context, log *slog.Logger, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		log.InfoContext(ctx, "the gateway was told to end", slog.Any("err", err)) // another error may be part of it
		return nil
	}
	return err
}

// logPatience is how long the end of the program waits for the reader of the log.
const logPatience = 2 * time.Second

// childrenBytes returns the memory limit of all child processes of a gateway
// together: 1 GiB on machines of up to four cores, and 256 MiB for each of
// stampers on larger ones. Between two checks they may exceed it, by 15 MiB on
// two cores.
func childrenBytes(stampers int) uint64 {
	if stampers <= 0 {
		stampers = runtime.GOMAXPROCS(0)
	}
	return uint64(max(4, stampers))*(256<<20) - 128<<20
}

// parseProxies reads networks; a single address is a network of one.
func parseProxies(list []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, s := range list {
		p, err := netip.ParsePrefix(s)
		if addr, aerr := netip.ParseAddr(s); aerr == nil {
			p, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return nil, cli.Usage("--trusted-proxy %s: want a network such as 10.0.0.0/8, or an address", strings.TrimSpace(s))
		}
		if p.Bits() < minProxyBits[p.Addr().Is4()] {
			return nil, cli.Usage("--trusted-proxy %s: too wide: every host in it could claim any address; name the networks of the proxies", strings.TrimSpace(s))
		}
		out = append(out, p)
	}
	return out, nil
}

// minProxyBits are the fewest bits of a network of proxies, by whether it is an
// IPv4 network: private networks have as few.
var minProxyBits = map[bool]int{true: 8, false: 7}

// Limits of flags: a larger value is a mistake, such as bytes in place of MiB.
const (
	maxPerMinute = 1_000_000_000
	maxWait      = time.Hour
	maxReserve   = 1 << 20 // MiB
	minMemory    = 128     // MiB, several times what an idle gateway uses
	maxMemory    = 1 << 24 // MiB
)

// maxPageTime is the longest time for one drawing of a page. A stamp may need several, and a client waits.
const maxPageTime = time.Minute

// maxConnections is more than a server has for all of its clients.
const maxConnections = 1000

// maxOpenShards is small against the 65,536 shards that there can be.
const maxOpenShards = 256

// maxStampers is the largest useful number of child processes of a kind per core.
const maxStampers = 8
