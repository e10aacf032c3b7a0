// Package nethttp sends the requests of package transport with net/http, for
// programs. Start with [New]:
//
//	feed.Config{Transport: nethttp.New(nil), ...}
//
// It honours the proxy variables of the environment, as net/http does. The package
// transport says what a caller gets back.
package nethttp

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"tcode/sync/transport"
)

// A Client sends requests; [New] makes it. It is safe for concurrent use.
type Client struct {
	follows http.Client
	stays   http.Client // follows no redirect
}

var _ transport.Transport = (*Client)(nil)

// New returns a Client that sends by a copy of c, without its cookies; nil: one with
// defaults. The copy decides itself about redirects where a request follows them.
func New(c *http.Client) *Client {
	if c == nil {
		c = &http.Client{}
	}
	n := &Client{follows: *c, stays: *c}
	n.follows.Jar, n.stays.Jar = nil, nil
	// A redirect turns a POST into a GET of a login page.
	n.stays.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return n
}

// Do implements [transport.Transport].
func (n *Client) Do(ctx context.Context, r transport.Request) (transport.Response, error) {
	if err := r.Check(); err != nil {
		return transport.Response{}, err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return transport.Response{}, &transport.Error{Reason: transport.ErrRequest, Err: err}
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	client := &n.stays
	if r.Follow {
		client = &n.follows
	}
	res, err := client.Do(req)
	if err != nil {
		return transport.Response{}, &transport.Error{Reason: reason(err, transport.ErrUnreachable), Err: err}
	}
	defer res.Body.Close()
	answer := transport.Response{Status: res.StatusCode, Text: http.StatusText(res.StatusCode), Header: map[string]string{}}
	for name := range res.Header {
		answer.Header[strings.ToLower(name)] = res.Header.Get(name)
	}
	if r.OnlyOK && answer.Status != http.StatusOK {
		return answer, nil
	}
	return body(answer, res.Body, r.MaxBody)
}

// body reads at most limit bytes into the answer.
func body(answer transport.Response, from io.Reader, limit int) (transport.Response, error) {
	var err error
	answer.Body, err = io.ReadAll(io.LimitReader(from, int64(limit)+1))
	if err != nil {
		return answer, &transport.Error{Reason: reason(err, transport.ErrCut), Answered: true, Err: err}
	}
	if len(answer.Body) > limit {
		answer.Body = answer.Body[:limit]
		return answer, &transport.Error{Reason: transport.ErrTooLarge, Answered: true, Err: fmt.Errorf("%w: more than %d bytes", transport.ErrTooLarge, limit)}
	}
	return answer, nil
}

// reason sorts an error of net/http.
func reason(err, otherwise error) error {
	if errors.Is(err, context.Canceled) {
		return transport.ErrCanceled
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return transport.ErrTimeout
	}
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, host := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	if verification || authority || host || invalid || record || alert {
		return transport.ErrTLS
	}
	return otherwise
}
