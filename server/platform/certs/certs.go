// Package certs keeps the certificates of a TLS listener: from files that may change, or
// from an ACME authority such as Let's Encrypt. Call [Open], then [Keeper.TLS] and
// [Keeper.Run].
//
//	files ── read again: changed, Reload ──▶ pair ─┐
//	ACME ◀── orders, answers to challenges ─▶ cache ┴─▶ TLS: the certificate of a handshake
//
// A certificate that was good stays in use until a good one follows: files that cannot be
// read or do not belong together, and orders that fail, are logged, counted and tried again.
package certs

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"tcode/server/platform/round"
)

// Config says where certificates come from: files, or an ACME authority. The zero value
// has none.
type Config struct {
	Cert, Key string // PEM files: the chain, leaf first, and its private key

	Hosts     []string // names for which certificates are ordered; the first is also for clients that name none
	Directory string   // address of the ACME authority; empty: Let's Encrypt
	CA        string   // PEM file of the authorities that Directory's own certificate is from; empty: those of the system
	Email     string   // where the authority sends warnings; empty: nowhere
	Cache     string   // folder for account and certificates, shared by all gateways of these names

	Every time.Duration    // between two looks at files and orders; zero: 10 s
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: discards
}

// Enabled reports whether c names a source of certificates.
func (c Config) Enabled() bool { return c.Cert != "" || c.Key != "" || len(c.Hosts) > 0 }

// A State is how one certificate is.
type State struct {
	Source  string    // "file", or the name that was ordered
	Begins  time.Time // zero: there is none yet
	Expires time.Time // zero: there is none yet
	Err     error     // why the last reading or order failed; nil: it did not
}

// warnBefore is the time before the end of a certificate from which the log warns, once a
// day; a certificate of less than eight weeks gets a quarter of its life. Orders are renewed earlier: 30 days before
// the end, or after two thirds of a shorter life.
const warnBefore = 14 * 24 * time.Hour

// ErrBoth means that a Config names files and an ACME authority.
var ErrBoth = errors.New("certificates come from files or from an ACME authority, not from both")

// A source is where certificates come from. Its methods are safe for concurrent use.
type source interface {
	certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error)
	// look reads what has changed, and begins the orders that are due. told is false for the periodic looks, which do not repeat a warning.
	look(ctx context.Context, told bool)
	states() []State
	protocols() []string // of ALPN
	challenges(next http.Handler) http.Handler
	close()
}

// A Keeper has the certificates of a listener. It is safe for concurrent use.
type Keeper struct {
	c      Config
	source source
	warned map[string]time.Time // last warning by source; Run alone uses it
}

// Open reads the files of c, or prepares orders. An error of files is one that a person
// must correct: they are missing, or key and certificate do not belong together.
func Open(c Config) (*Keeper, error) {
	c.Every = cmp.Or(c.Every, 10*time.Second)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	k := &Keeper{c: c, warned: map[string]time.Time{}}
	var err error
	switch {
	case len(c.Hosts) > 0 && (c.Cert != "" || c.Key != ""):
		return nil, ErrBoth
	case len(c.Hosts) > 0:
		k.source, err = newOrders(c)
	default:
		k.source, err = newFiles(c)
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// TLS returns the configuration of a listener: TLS 1.2 or later, HTTP/2 if the client has it.
func (k *Keeper) TLS() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: k.source.protocols(), GetCertificate: k.source.certificate}
}

// Challenges answers the questions of an ACME authority by plain HTTP, and gives all other
// requests to next. Call it before [Keeper.Run].
func (k *Keeper) Challenges(next http.Handler) http.Handler { return k.source.challenges(next) }

// Reload looks at files and orders now, and logs what is wrong with them also if it was logged before.
func (k *Keeper) Reload(ctx context.Context) { k.source.look(ctx, true) }

// States returns the state of each certificate.
func (k *Keeper) States() []State { return k.source.states() }

// Run looks at files and orders until ctx ends, and warns before certificates end. Handshakes
// work after it; orders do not.
func (k *Keeper) Run(ctx context.Context) error {
	defer k.source.close()
	tick := time.NewTicker(k.c.Every)
	defer tick.Stop()
	for {
		_ = round.Do(ctx, time.Minute, func(ctx context.Context) error { k.source.look(ctx, false); return nil })
		k.warn(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// warn logs each certificate that ends soon, once a day.
func (k *Keeper) warn(ctx context.Context) {
	now := k.c.Now()
	for _, s := range k.source.states() {
		left := s.Expires.Sub(now)
		if s.Expires.IsZero() || left > min(warnBefore, s.Expires.Sub(s.Begins)/4) || now.Sub(k.warned[s.Source]) < 24*time.Hour {
			continue
		}
		k.warned[s.Source] = now
		message, level := "the TLS certificate ends soon: renew it", slog.LevelWarn
		if left <= 0 {
			message, level = "the TLS certificate has ended: clients refuse it", slog.LevelError
		}
		k.c.Log.Log(ctx, level, message, slog.String("source", s.Source), slog.Time("expires", s.Expires), slog.Int("left_days", int(left.Hours()/24)))
	}
}

// errNoCertificate is the answer to handshakes before the first order.
var errNoCertificate = errors.New("there is no certificate yet")

// checkPair returns an error that names what is wrong with a chain and its key.
func checkPair(certPEM, keyPEM []byte) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("certificate and key: %w", err)
	}
	return &pair, nil
}
