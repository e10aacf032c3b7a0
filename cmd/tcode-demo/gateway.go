package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"time"

	"tcode/offline/contain"
	"tcode/scanner/web"
	"tcode/server"
	"tcode/server/tenant"
)

// A gateway is a real gateway on loopback that can be switched off and on again
// at the same address, with the issuer's access to it.
type gateway struct {
	data   string // folder
	addr   string // HOST:PORT; port 0 until the first start
	url    string // on this machine
	apiKey string
	issuer string // tenant reference
	root   string // fingerprint

	app    *web.App // nil: none is served
	public string   // address for clients; empty: that of each request

	stop func() error // nil while it is down
}

// newGateway makes a gateway for an address with one issuer, as an operator does by command
// line before the first start.
func newGateway(ctx context.Context, dir, addr string) (*gateway, error) {
	g := &gateway{data: filepath.Join(dir, "gateway"), addr: addr}
	opened, err := server.Open(ctx, server.Config{Init: true, Data: g.data})
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	issuer, err := opened.Tenants.CreateTenant(ctx, "Demo University", "DEMO01")
	if err != nil {
		return nil, err
	}
	key, err := opened.Tenants.CreateKey(ctx, issuer.Reference, tenant.KeyOptions{Name: "demo"})
	if err != nil {
		return nil, err
	}
	g.issuer, g.apiKey, g.root = issuer.Reference, key.Secret, opened.Publisher.Fingerprint().String()
	return g, nil
}

// start starts the gateway and returns when it answers.
func (g *gateway) start(ctx context.Context) error {
	if g.stop != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	ready := make(chan net.Addr, 1)
	cfg := server.Config{
		Init: true,
		Addr: g.addr, Data: g.data, PublicURL: g.public, Drain: 5 * time.Second,
		Ready: func(addr net.Addr) { ready <- addr },
	}
	if g.app != nil {
		cfg.ScannerApp = g.app
	}
	done := contain.Start("gateway", func() error { return server.Run(ctx, cfg) })
	select {
	case addr := <-ready:
		g.addr = addr.String()
		g.url = "http://" + local(g.addr)
	case err := <-done:
		cancel()
		return fmt.Errorf("start gateway: %w", err)
	}
	g.stop = func() error {
		cancel()
		g.stop = nil
		return <-done
	}
	return nil
}

// local returns the address at which this machine reaches a listener.
func local(addr string) string {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().IsUnspecified() {
		return addr
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String()
}

// isLoopback reports whether a host is this machine itself for a browser.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// down stops the gateway and checks that nothing listens any more.
func (g *gateway) down() error {
	if g.stop == nil {
		return nil
	}
	if err := g.stop(); err != nil {
		return fmt.Errorf("stop gateway: %w", err)
	}
	conn, err := net.DialTimeout("tcp", local(g.addr), time.Second)
	if err == nil {
		conn.Close()
		return errors.New("stop gateway: it still listens")
	}
	return nil
}

// A stamped is the gateway's answer to the issuer about a document.
type stamped struct {
	id, reference string
	pdf           []byte
}

// stamp stamps one PDF over the API and downloads it.
func (g *gateway) stamp(ctx context.Context, name, documentType string, pdf []byte) (stamped, error) {
	var created struct {
		Data struct{ ID, Reference string }
	}
	err := g.call(ctx, http.MethodPost, "/v1/tcode/stamps", map[string]any{
		"name": name, "documentTypeCode": documentType, "pdf": base64.StdEncoding.EncodeToString(pdf),
	}, &created)
	if err != nil {
		return stamped{}, err
	}
	var link struct{ Data struct{ URL string } }
	if err := g.call(ctx, http.MethodGet, "/v1/tcode/stamps/"+created.Data.ID+"/download", nil, &link); err != nil {
		return stamped{}, err
	}
	out, err := g.fetch(ctx, http.MethodGet, link.Data.URL, nil)
	return stamped{created.Data.ID, created.Data.Reference, out}, err
}

// revoke revokes a stamp and returns when the trust documents contain it.
func (g *gateway) revoke(ctx context.Context, id string) error {
	const timestamp = "/v1/reference-data/trust-store/timestamp"
	before, err := g.fetch(ctx, http.MethodGet, g.url+timestamp, nil)
	if err != nil {
		return err
	}
	if err := g.call(ctx, http.MethodPost, "/v1/tcode/stamps/"+id+"/revoke", map[string]any{"reason": "issued in error"}, nil); err != nil {
		return err
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		after, err := g.fetch(ctx, http.MethodGet, g.url+timestamp, nil)
		if err != nil {
			return err
		}
		if !bytes.Equal(before, after) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("the revocation was not published within 10 s")
}

// verdict asks the gateway about a reference without a key.
func (g *gateway) verdict(ctx context.Context, reference string) (string, error) {
	var answer struct{ Data struct{ Verdict string } }
	err := g.call(ctx, http.MethodGet, "/v1/tcode/verify/reference/"+reference, nil, &answer)
	return answer.Data.Verdict, err
}

// call sends a JSON request with the issuer's key and decodes the answer.
func (g *gateway) call(ctx context.Context, method, path string, body, into any) error {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return err
		}
	}
	answer, err := g.fetch(ctx, method, g.url+path, raw)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(answer, into)
}

func (g *gateway) fetch(ctx context.Context, method, url string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("x-api-key", g.apiKey)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: %s: %s", method, req.URL.Path, res.Status, answer)
	}
	return answer, nil
}
