package post

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tcode/server/outbound/webhook"
)

// Config is the configuration of a [Poster].
type Config struct {
	// AllowPrivate permits endpoints on this machine and in private networks, and endpoints
	// without TLS. It is for gateways with local receivers.
	AllowPrivate bool
	TLS          *tls.Config   // nil: the system's authorities
	Resolver     *net.Resolver // nil: the system's
	Timeout      time.Duration // for one whole try; zero: 10 seconds
	Now          func() time.Time
}

var _ webhook.Sender = (*Poster)(nil)

// A Poster sends deliveries. It is safe for concurrent use.
type Poster struct {
	c      Config
	client *http.Client
}

// New returns a Poster.
func New(c Config) *Poster {
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	if c.Now == nil {
		c.Now = time.Now
	}
	dialer := &net.Dialer{Timeout: c.Timeout, Resolver: c.Resolver}
	if !c.AllowPrivate {
		dialer.Control = onlyPublic
	}
	return &Poster{c, &http.Client{
		Timeout: c.Timeout,
		Transport: &http.Transport{
			Proxy: nil, DialContext: dialer.DialContext, TLSClientConfig: c.TLS, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Errors of [Poster.CheckURL].
var (
	ErrURL       = errors.New("must be an absolute https address without user name, password and fragment")
	ErrPlainURL  = errors.New("must be an absolute https or http address without user name, password and fragment")
	ErrPrivately = errors.New("must be the address of a server on the public internet")
)

// CheckURL returns the reason why nothing can be sent to address. It does not resolve
// names, which happens for each connection.
func (p *Poster) CheckURL(address string) error {
	wrong := ErrURL
	if p.c.AllowPrivate {
		wrong = ErrPlainURL
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return wrong
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !p.c.AllowPrivate) {
		return wrong
	}
	if p.c.AllowPrivate {
		return nil
	}
	if strings.EqualFold(strings.TrimSuffix(u.Hostname(), "."), "localhost") {
		return ErrPrivately
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil {
		if onlyPublic("", net.JoinHostPort(ip.String(), "0"), nil) != nil {
			return ErrPrivately
		}
	}
	return nil
}

// maxAnswer is the number of bytes of an answer that are read, to reuse the connection.
const maxAnswer = 16 << 10

// Post tries once to deliver d. The outcome's reason contains neither the receiver's
// answer nor its address.
func (p *Poster) Post(ctx context.Context, d webhook.Message) webhook.Outcome {
	if err := p.CheckURL(d.URL); err != nil {
		return webhook.Outcome{Reason: "the address " + err.Error()}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(d.Body))
	if err != nil {
		return webhook.Outcome{Reason: "the address " + ErrURL.Error()}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "TCode-Webhook/1")
	r.Header.Set("TCode-Event", string(d.Type))
	r.Header.Set("TCode-Delivery", d.ID)
	r.Header.Set(webhook.SignatureHeader, webhook.Sign(p.c.Now(), d.Body, d.Secrets...))
	answer, err := p.client.Do(r)
	if err != nil {
		return webhook.Outcome{Reason: reason(err)}
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // its contents do not matter
	o := webhook.Outcome{Status: answer.StatusCode, Gone: answer.StatusCode == http.StatusGone}
	switch {
	case o.OK():
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		o.Reason = "the receiver redirects, which is not followed"
	default:
		o.Reason = "the receiver did not take it"
	}
	return o
}

// reason describes why there was no answer.
func reason(err error) string {
	var (
		dns      *net.DNSError
		unproven *tls.CertificateVerificationError
		timeout  interface{ Timeout() bool }
	)
	switch {
	case errors.Is(err, ErrPrivate):
		return "the name of the receiver leads to an address that is not public"
	case errors.As(err, &dns):
		return "the name of the receiver cannot be resolved"
	case errors.As(err, &unproven):
		return "the receiver's certificate is not good"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "the receiver did not answer in time"
	}
	return "the receiver cannot be reached"
}

// Close closes idle connections.
func (p *Poster) Close() { p.client.CloseIdleConnections() }
