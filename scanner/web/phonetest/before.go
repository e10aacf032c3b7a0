package phonetest

import (
	_ "embed"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Clock is a script for [Before]. The engine's clock stands still at the time of the last [Phone.SetClock]; before that it goes as the
// machine's.
//
//go:embed clock-worker.js
var Clock string

// Before returns a handler that passes requests to the server of an app, and puts a script before that of the engine, in its worker.
func Before(server, script string) (http.Handler, error) {
	to, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			if worker(r.In) {
				r.Out.Header.Set("Accept-Encoding", "identity")
				r.Out.Header.Del("If-None-Match")
			}
		},
		ModifyResponse: func(res *http.Response) error {
			if !worker(res.Request) || res.StatusCode != http.StatusOK {
				return nil
			}
			engine, err := io.ReadAll(res.Body)
			if err != nil {
				return err
			}
			if err := res.Body.Close(); err != nil {
				return err
			}
			both := script + string(engine)
			res.Body = io.NopCloser(strings.NewReader(both))
			res.Header.Set("Content-Length", strconv.Itoa(len(both)))
			res.ContentLength = int64(len(both))
			res.Header.Del("Etag")
			return nil
		},
	}, nil
}

// worker reports whether a browser asks for the engine's script in order to run it. The service worker, which compares its hash, gets the
// script as it is.
func worker(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/engine-worker.js") && r.Header.Get("Sec-Fetch-Dest") == "worker"
}

// SetClock sets the engine's clock, which [Clock] provides.
func (p *Phone) SetClock(at time.Time) {
	p.t.Helper()
	const script = `new Promise((ok) => { const wire = new BroadcastChannel('tcode-clock'); wire.onmessage = () => { wire.close(); ok(true); }; wire.postMessage({at: AT}); })`
	Eval[bool](p, strings.Replace(script, "AT", strconv.FormatInt(at.UnixMilli(), 10), 1))
}
