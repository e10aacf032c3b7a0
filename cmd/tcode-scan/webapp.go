package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/contain"
	"tcode/scanner/web"
)

type appCmd struct {
	Addr   string `help:"HOST:PORT to listen on. The default is reachable from this machine only. Phones need https, so put a TLS proxy in front. Default: ${default}." default:"127.0.0.1:8090" env:"TCODE_APP_ADDR" placeholder:"HOST:PORT"`
	Hashes bool   `help:"Print the SHA-256 of each file of the app, in the form that sha256sum --check reads, and serve nothing."`
}

// Help explains what the app is and what it cannot do here.
func (c *appCmd) Help() string {
	return `Serves the app that every gateway serves at /scan/, for a closed network that no gateway is in. A phone that has opened it once needs no server again.

The app takes its trust documents by file ("trust export" writes one), and gives its scans as a file. It sends nothing: a browser lets it talk to the server that it came from only.

Browsers give a camera and storage to https addresses, and to this machine itself.

With --hashes, a program that was built from source says what a gateway of the same version must serve.

Ctrl-C ends it.`
}

// Run serves until ctx is done.
func (c *appCmd) Run(ctx context.Context, a *app) error {
	page := web.New()
	if !page.Built() {
		return cli.WithHint(errors.New("this program was built without the engine of the scanner app"), "build the engine, then the program again: go generate ./scanner/web")
	}
	if c.Hashes {
		return c.hashes(page, a)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", c.Addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle(web.Path, page)
	mux.Handle("GET /{$}", http.RedirectHandler(web.Path, http.StatusSeeOther))
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	stopped := contain.AfterFunc(ctx, "app-end", func() { _ = srv.Close() })
	defer stopped()
	url := "http://" + listener.Addr().String() + web.Path
	if err := a.out.Emit(map[string]string{"url": url}, func(w io.Writer) { fmt.Fprintln(w, url) }); err != nil {
		return errors.Join(err, srv.Close(), listener.Close())
	}
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// hashes prints those of the app.
func (c *appCmd) hashes(page *web.App, a *app) error {
	m, err := page.Manifest()
	if err != nil {
		return err
	}
	return a.out.Emit(m, func(w io.Writer) {
		fmt.Fprintf(w, "# version %s, engine %s\n", m.Version, m.Engine)
		for _, name := range slices.Sorted(maps.Keys(m.Files)) {
			fmt.Fprintf(w, "%s  %s\n", m.Files[name], name)
		}
	})
}
