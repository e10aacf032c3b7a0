//go:build !js

package uplink_test

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"testing"

	"tcode/sync/transport"
	"tcode/sync/transport/nethttp"
	"tcode/sync/transport/transporttest"
	"tcode/sync/uplink"
)

// TestCut: over net/http.
func TestCut(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	srv := httptest.NewServer(transporttest.Cut(g))
	defer srv.Close()
	refusesCuts(t, nethttp.New(nil), srv.URL)
	judgeCuts(t, g)
}

// judgeCuts checks that each scan that was sent twice had one effect.
func judgeCuts(t *testing.T, g *gateway) {
	t.Helper()
	if len(g.effects) < 10 || len(g.heard) < 10 {
		t.Errorf("%d scans and %d clock events reached the gateway", len(g.effects), len(g.heard))
	}
	for id, n := range g.effects {
		if n != 1 {
			t.Errorf("scan %s has %d effects", id, n)
		}
	}
}

// a prefix is a transport that loses the end of an answer and reports no fault.
type prefix struct {
	transport.Transport
	at   int // bytes that it gives; negative: all
	body []byte
}

func (p *prefix) Do(ctx context.Context, r transport.Request) (transport.Response, error) {
	res, err := p.Transport.Do(ctx, r)
	if p.body = res.Body; err == nil && p.at >= 0 && p.at < len(res.Body) {
		res.Body = bytes.Clone(res.Body[:p.at])
	}
	return res, err
}

// TestEveryCut cuts the answer about scans at every byte, without a fault of the transport.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	srv := httptest.NewServer(g)
	defer srv.Close()
	p := &prefix{Transport: nethttp.New(nil), at: 0}
	b, u := cutDevice(t, p, srv.URL)
	for whole := 1; p.at < whole; p.at++ {
		_, err := u.FlushNow(t.Context())
		if c, err2 := b.Counts(t.Context()); !errors.Is(err, uplink.ErrUnreachable) || err2 != nil || c.Queued != 2 {
			t.Fatalf("cut after %d of %d bytes: %v; %+v, %v", p.at, whole, err, c, err2)
		}
		whole = len(bytes.TrimSpace(p.body))
	}
	if p.at < 300 {
		t.Errorf("the answer has %d bytes", p.at)
	}
	p.at = -1
	if _, err := u.FlushNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c, err := b.Counts(t.Context()); err != nil || c.Done != 1 || c.Dead != 1 {
		t.Errorf("after the whole answer %+v, %v", c, err)
	}
}
