// Package openid lets users of the console sign in at an OpenID provider (OpenID Connect
// Core 1.0, authorization code flow with PKCE). Call [New] first.
//
//	AuthURL ─▶ browser ─▶ provider ─▶ browser, with a code ─▶ Identity: token endpoint ─▶ ID token
//	  state, nonce, challenge of PKCE                          its signature, issuer, audience,
//	                                                           time and nonce are checked
//
// Requests go to the addresses that the issuer names, over TLS or to this machine, follow
// no redirects, and read at most 1 MiB. Which user an identity belongs to is decided by
// package account.
package openid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"tcode/server/account"
	"tcode/server/fault"
)

// ErrUnreachable means that the provider does not answer, or not as an OpenID provider.
var ErrUnreachable = fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the OpenID provider cannot be reached")

const (
	timeout   = 10 * time.Second // of one request
	maxAnswer = 1 << 20          // bytes
	fresh     = time.Hour        // for which the addresses of a provider are kept
	pause     = 5 * time.Second  // after a provider did not answer
)

// algorithms are the signatures of ID tokens that are accepted: none of them has a shared
// key, and "none" is not one of them.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA}

// Config has the parts of a [Client].
type Config struct {
	Transport http.RoundTripper // nil: http.DefaultTransport
	Now       func() time.Time  // nil: time.Now
}

// Client asks providers. It is safe for concurrent use.
type Client struct {
	now  func() time.Time
	http *http.Client

	mu    sync.Mutex // guards known
	known map[string]*discovered
}

// discovered has what an issuer says about itself.
type discovered struct {
	mu       sync.Mutex // guards all, and is held while the issuer is asked
	provider *provider
	err      error
	at       time.Time // of provider or err
}

// A provider is one with the keys of its tokens.
type provider struct {
	*oidc.Provider
	keys *keys
}

// New returns a client. It sends no request yet.
func New(c Config) *Client {
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Client{
		now: c.Now, known: map[string]*discovered{},
		http: &http.Client{
			Transport: bounded{c.Transport}, Timeout: timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// bounded limits answers, and refuses addresses that are not safe.
type bounded struct{ next http.RoundTripper }

// RoundTrip sends a request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := safe(r.URL.String()); err != nil {
		return nil, err
	}
	res, err := b.next.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxAnswer), res.Body}
	}
	return res, err
}

// safe returns an error unless an address has TLS or is on this machine.
func safe(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return fmt.Errorf("the address %q of an OpenID provider must begin with https://", address)
	}
	return nil
}

// CheckIssuer returns an error unless an issuer can be asked.
func CheckIssuer(issuer string) error {
	if err := safe(issuer); err != nil {
		return err
	}
	if u, err := url.Parse(issuer); err != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("an issuer has no query and no fragment")
	}
	return nil
}

// provider returns what an issuer says about itself.
func (c *Client) provider(issuer string) (*provider, error) {
	c.mu.Lock()
	d := c.known[issuer]
	if d == nil {
		d = &discovered{}
		c.known[issuer] = d // issuers come from operators only
	}
	c.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	age := c.now().Sub(d.at)
	if d.provider != nil && age >= 0 && age < fresh || d.err != nil && age >= 0 && age < pause {
		return d.provider, d.err
	}
	p, err := c.discover(issuer)
	if d.at = c.now(); err != nil {
		d.provider, d.err = nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	} else {
		d.provider, d.err = p, nil
	}
	return d.provider, d.err
}

// discover asks an issuer about itself.
func (c *Client) discover(issuer string) (*provider, error) {
	// The answer is kept for others, so this context is not that of a request.
	p, err := oidc.NewProvider(oidc.ClientContext(context.Background(), c.http), issuer)
	if err != nil {
		return nil, err
	}
	var said struct {
		Keys string `json:"jwks_uri"`
	}
	if err := errors.Join(p.Claims(&said), safe(p.Endpoint().AuthURL)); err != nil {
		return nil, err
	}
	return &provider{p, &keys{http: c.http, url: said.Keys}}, nil
}

// config returns the client that the gateway is to the provider.
func config(p account.Provider, d *provider, redirect string) oauth2.Config {
	var said struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	_ = d.Claims(&said)
	e := d.Endpoint()
	e.AuthStyle = oauth2.AuthStyleInHeader // the default of OpenID Connect Discovery
	if p.Secret == "" || len(said.Methods) > 0 && !slices.Contains(said.Methods, "client_secret_basic") {
		e.AuthStyle = oauth2.AuthStyleInParams
	}
	return oauth2.Config{ClientID: p.ClientID, ClientSecret: p.Secret, Endpoint: e, RedirectURL: redirect, Scopes: []string{oidc.ScopeOpenID, "email"}}
}

// AuthURL returns the address at the provider to which the browser goes. redirect is the
// address of the gateway to which the provider sends it back.
func (c *Client) AuthURL(p account.Provider, f account.Flow, redirect string) (string, error) {
	d, err := c.provider(p.Issuer)
	if err != nil {
		return "", err
	}
	o := config(p, d, redirect)
	return o.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), nil
}

// Identity returns the account for which the provider gave a code. iss is the issuer in the
// browser's request, if there is one (RFC 9207). The error wraps [account.ErrIdentity] or
// [ErrUnreachable].
func (c *Client) Identity(ctx context.Context, p account.Provider, f account.Flow, redirect, code, iss string) (account.Identity, error) {
	refused := func(why error) (account.Identity, error) {
		return account.Identity{}, fmt.Errorf("%w: %w", account.ErrIdentity, why)
	}
	if iss != "" && iss != p.Issuer {
		return refused(errors.New("the answer is of another issuer"))
	}
	d, err := c.provider(p.Issuer)
	if err != nil {
		return account.Identity{}, err
	}
	ctx = oidc.ClientContext(ctx, c.http)
	o := config(p, d, redirect)
	token, err := o.Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return refused(err)
	}
	raw, _ := token.Extra("id_token").(string)
	asked := &oidc.Config{ClientID: p.ClientID, SupportedSigningAlgs: algorithms, Now: c.now}
	verified, err := oidc.NewVerifier(p.Issuer, d.keys, asked).Verify(ctx, raw)
	if err != nil {
		return refused(err)
	}
	var claims claims
	if err := verified.Claims(&claims); err != nil {
		return refused(err)
	}
	switch {
	case verified.Nonce != f.Nonce || f.Nonce == "":
		return refused(errors.New("the token has another nonce"))
	case len(verified.Audience) > 1 && claims.Party == "", claims.Party != "" && claims.Party != p.ClientID:
		return refused(errors.New("the token was given to another party"))
	case verified.Subject == "" || len(verified.Subject) > 255:
		return refused(errors.New("the token has no subject"))
	}
	if claims.Email == "" { // some providers have it at the UserInfo endpoint only
		info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return refused(err)
		}
		if info.Subject != verified.Subject {
			return refused(errors.New("the user's data is about another subject"))
		}
		claims.Email, claims.Verified = info.Email, info.EmailVerified
	}
	return account.Identity{Issuer: p.Issuer, Subject: verified.Subject, Email: claims.Email, Verified: claims.Verified == true || claims.Verified == "true"}, nil
}

// claims are the claims of an ID token that the gateway reads, in addition to those that are
// verified.
type claims struct {
	Party    string `json:"azp"`
	Email    string `json:"email"`
	Verified any    `json:"email_verified"` // some providers have a string
}
