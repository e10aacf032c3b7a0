package server

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"tcode/offline/contain"
	"tcode/server/platform/certs"
	"tcode/server/platform/metrics"
)

// acmeFolder is the folder in the data folder for the account and the certificates of an ACME authority.
const acmeFolder = "acme"

// openCertificates prepares the certificates of [Config.TLS], if it names any.
func (g *Gateway) openCertificates() (err error) {
	c := g.c.TLS
	if !c.Enabled() {
		return nil
	}
	c.Cache = cmp.Or(c.Cache, filepath.Join(g.c.Data, acmeFolder))
	c.Now, c.Log = g.c.Now, g.c.Log
	g.certs, err = certs.Open(c)
	return err
}

// keepCertificates runs until ctx ends.
func (g *Gateway) keepCertificates(ctx context.Context) error {
	if g.certs == nil {
		return nil
	}
	done := contain.Start("certificates", func() error { return g.certs.Run(ctx) })
	for {
		select {
		case err := <-done:
			return err
		case <-g.c.Reload:
			_ = contain.Do("certificate-reload", func() error { g.certs.Reload(ctx); return nil })
		}
	}
}

// certificates returns the state of the certificates for the metrics.
func (g *Gateway) certificates() (list []metrics.Certificate) {
	if g.certs == nil {
		return nil
	}
	for _, s := range g.certs.States() {
		list = append(list, metrics.Certificate{Source: s.Source, Expires: s.Expires, Failing: s.Err != nil})
	}
	return list
}

// secured tells browsers to use HTTPS only, for half a year, at hosts with a name.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=15768000") // browsers ignore it at an address
		next.ServeHTTP(w, r)
	})
}

// redirect leads browsers that come by plain HTTP to the address of the gateway, and answers the
// authority of certificates. port is that of the TLS listener.
func (g *Gateway) redirect(port int) http.Handler {
	return g.certs.Challenges(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A request with a secret, or with a body, must fail: a client that is led on sends it
		// in plain text each time, and its owner learns nothing of it.
		if r.Method != http.MethodGet && r.Method != http.MethodHead || r.Header.Get("x-api-key") != "" || r.Header.Get("Authorization") != "" {
			http.Error(w, "This gateway takes requests over HTTPS only. If this one had an API key, replace the key: it was sent in plain text.", http.StatusForbidden)
			return
		}
		to, ok := g.secureAddress(r.Host, port)
		if !ok {
			http.Error(w, "The request names no host.", http.StatusBadRequest)
			return
		}
		to.Path, to.RawPath, to.RawQuery = r.URL.Path, r.URL.RawPath, r.URL.RawQuery
		http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
	}))
}

// secureAddress returns the HTTPS address of the gateway: the public one, or that of the
// host which a request names.
func (g *Gateway) secureAddress(host string, port int) (*url.URL, bool) {
	if public, err := url.Parse(g.c.PublicURL); err == nil && public.Scheme == "https" {
		return &url.URL{Scheme: "https", Host: public.Host}, true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if host == "" || net.ParseIP(host) == nil && certs.CheckHost(host+".example") != nil {
		return nil, false
	}
	return &url.URL{Scheme: "https", Host: hostPort(host, port)}, true
}

// httpsPort is the port of https addresses without one.
const httpsPort = 443

// hostPort leaves out the port that https has by itself.
func hostPort(host string, port int) string {
	if port != httpsPort {
		return net.JoinHostPort(host, strconv.Itoa(port))
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
