package certs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"tcode/offline/contain"
)

// maxHosts is the largest number of names: each has orders of its own.
const maxHosts = 50

// Waits between orders of a name that fail: authorities count failures by the hour.
const (
	firstWait = time.Minute
	maxWait   = time.Hour
)

// orders is a source that orders certificates. Only look orders: a handshake gets what is
// there, so that clients cannot cause orders.
type orders struct {
	c       Config
	manager *autocert.Manager
	cache   *endingCache

	end  context.Context // requests to the authority end with it
	stop context.CancelFunc

	mu    sync.Mutex // guards the orders in hosts
	hosts map[string]*order
}

// An order is what is known of the certificate of one name.
type order struct {
	cert  *tls.Certificate // nil: none yet
	err   error            // of the last order
	wait  time.Duration    // until the next order after err
	next  time.Time
	works bool // an order is under way
}

// newOrders prepares orders. The authority is not asked yet.
func newOrders(c Config) (*orders, error) {
	if len(c.Hosts) > maxHosts {
		return nil, fmt.Errorf("%d names: certificates are ordered for at most %d", len(c.Hosts), maxHosts)
	}
	o := &orders{c: c, hosts: map[string]*order{}}
	for i, host := range c.Hosts {
		if err := CheckHost(host); err != nil {
			return nil, err
		}
		c.Hosts[i] = strings.ToLower(host)
		o.hosts[c.Hosts[i]] = &order{}
	}
	client, err := directoryClient(c.CA)
	if err != nil {
		return nil, err
	}
	o.end, o.stop = context.WithCancel(context.Background())
	client.Transport = ending{client.Transport, o.end}
	directory := cmp.Or(c.Directory, acme.LetsEncryptURL)
	u, err := url.Parse(directory)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("ACME directory %s: want an address that begins with https://", directory)
	}
	// Certificates and account of one authority mean nothing to another.
	sum := sha256.Sum256([]byte(directory))
	folder := filepath.Join(c.Cache, fmt.Sprintf("%s-%x", strings.ReplaceAll(u.Host, ":", "-"), sum[:4]))
	o.cache = &endingCache{dir: autocert.DirCache(folder)}
	o.manager = &autocert.Manager{
		Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(c.Hosts...), Email: c.Email, Cache: o.cache,
		Client: &acme.Client{DirectoryURL: directory, HTTPClient: client, UserAgent: "tcode-gateway"},
	}
	return o, nil
}

// CheckHost returns why no certificate can be ordered for host, nil if one can.
func CheckHost(host string) error {
	bare := strings.Trim(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.")
	switch {
	case bare != "" || host == "" || len(host) > 253:
		return fmt.Errorf("%q: a certificate is ordered for a name such as tcode.example.org, without port, address or wildcard", host)
	case net.ParseIP(host) != nil:
		return fmt.Errorf("%s: a certificate is ordered for a name, not for an address", host)
	case !strings.Contains(host, ".") || slices.Contains(strings.Split(host, "."), ""):
		return fmt.Errorf("%s: a certificate is ordered for a full name such as tcode.example.org", host)
	}
	return nil
}

// directoryClient returns a client that trusts the authorities in a PEM file, or those of the system.
func directoryClient(file string) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if file != "" {
		raw, err := readSmall(file)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(raw) {
			return nil, fmt.Errorf("%s: holds no certificate", file)
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}, nil
}

// ending ends its requests when end does: an order may take minutes, and a gateway that ends
// does not wait for it.
type ending struct {
	http.RoundTripper
	end context.Context
}

// RoundTrip sends a request.
func (e ending) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	contain.AfterFunc(e.end, "certificate-end", cancel) // the context of r ends with the order, and ctx with it
	return e.RoundTripper.RoundTrip(r.WithContext(ctx))
}

// close ends the orders, and the renewals that the manager begins by itself. Nothing writes
// the cache after it.
func (o *orders) close() {
	o.stop()
	o.cache.close()
}

// certificate answers handshakes of clients, and of the authority, whose challenge any
// gateway with the same cache answers.
func (o *orders) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(strings.TrimSuffix(cmp.Or(hello.ServerName, o.c.Hosts[0]), "."))
	h := o.hosts[name]
	if h == nil {
		return nil, fmt.Errorf("no certificate is configured for %q", name)
	}
	if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
		return o.manager.GetCertificate(hello)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if h.cert == nil {
		return nil, errNoCertificate
	}
	return h.cert, nil
}

// look begins the orders that are due. It does not wait for them: they take seconds, or
// minutes if the authority is slow.
func (o *orders) look(ctx context.Context, told bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for host, h := range o.hosts {
		if h.works || !told && o.c.Now().Before(h.next) {
			continue
		}
		h.works = true
		if told {
			h.wait = 0
		}
		// At most one for each name; close ends it.
		contain.StartThen("certificate", func() error {
			o.order(ctx, host)
			return nil
		}, func(err error) {
			if err != nil {
				o.mu.Lock()
				defer o.mu.Unlock()
				h.works = false
			}
		})
	}
}

// order gets the certificate of a host from memory, the cache or the authority, whichever
// has it. The manager renews it in time.
func (o *orders) order(ctx context.Context, host string) {
	hello := &tls.ClientHelloInfo{ServerName: host, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
	var cert *tls.Certificate
	err := contain.Do("certificate-order", func() (err error) {
		cert, err = o.manager.GetCertificate(hello)
		return err
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.hosts[host]
	h.works, h.err = false, err
	if err != nil {
		h.wait = min(max(firstWait, 2*h.wait), maxWait)
		h.next = o.c.Now().Add(h.wait)
		o.c.Log.ErrorContext(ctx, "no certificate was ordered", slog.String("host", host), slog.Any("err", err), slog.Int64("retry_s", int64(h.wait.Seconds())))
		return
	}
	if h.cert == nil || !slices.Equal(h.cert.Certificate[0], cert.Certificate[0]) {
		o.c.Log.InfoContext(ctx, "a certificate is in use", slog.String("host", host), slog.Time("expires", cert.Leaf.NotAfter))
	}
	h.cert, h.wait, h.next = cert, 0, time.Time{}
}

func (o *orders) states() []State {
	o.mu.Lock()
	defer o.mu.Unlock()
	var list []State
	for _, host := range o.c.Hosts {
		s := State{Source: host, Err: o.hosts[host].err}
		if cert := o.hosts[host].cert; cert != nil {
			s.Begins, s.Expires = cert.Leaf.NotBefore, cert.Leaf.NotAfter
		}
		list = append(list, s)
	}
	return list
}

func (o *orders) protocols() []string { return []string{"h2", "http/1.1", acme.ALPNProto} }

func (o *orders) challenges(next http.Handler) http.Handler {
	answers := o.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host, _, err := net.SplitHostPort(r.Host); err == nil && strings.HasPrefix(r.URL.Path, "/.well-known/acme-challenge/") {
			r = r.Clone(r.Context())
			r.Host = host // an authority that comes to another port than 80 names it
		}
		answers.ServeHTTP(w, r)
	})
}

// CheckCA returns why a PEM file of authorities cannot be used.
func CheckCA(file string) error {
	_, err := directoryClient(file)
	return err
}
