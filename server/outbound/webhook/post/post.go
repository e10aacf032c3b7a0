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

// Config is what a [Poster] needs.
type Config struct {
	// AllowPrivate lets endpoints lie on this machine and in private networks,
	// and lets them do without TLS. For gateways whose receivers are at home.
	AllowPrivate bool
	TLS          *tls.Config   // nil: the system's authorities
	Resolver     *net.Resolver // nil: the system's
	Timeout      time.Duration // for one try, all told; zero: 10 seconds
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
	ErrPrivately = errors.New("must be the address of a server on the public internet")
)

// CheckURL reports why nothing can be sent to address. Names are not resolved:
// that is done anew for each connection.
func (p *Poster) CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return ErrURL
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !p.c.AllowPrivate) {
		return ErrURL
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

// maxAnswer is how much of an answer is read, to use the connection again.
const maxAnswer = 16 << 10

// Post tries once to deliver d. The outcome's reason never holds what the
// receiver said, nor its address.
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
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // what it says does not matter
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

// reason puts why there was no answer in words.
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

// Close frees idle connections.
func (p *Poster) Close() { p.client.CloseIdleConnections() }
