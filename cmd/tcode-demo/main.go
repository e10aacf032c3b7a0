// Command tcode-demo runs the whole story on one machine: an issuer stamps documents, a scanner verifies them with the
// gateway switched off, forgeries are detected, and the scan history reaches the gateway once.
//
//	gateway up ─▶ stamp ─▶ enrol ─▶ gateway DOWN ─▶ verify, attack ─▶ gateway up ─▶ sync
//	   ─▶ revoke, refresh ─▶ gateway DOWN ─▶ revoked ─▶ days pass: amber, unverified ─▶ clock set back
//
// Each step has an expected and an actual outcome. Any difference makes the
// exit code 1.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/sandbox"
	"tcode/scanner/web"
	"tcode/server"
)

const description = `Stamp, verify offline, attack, sync and revoke: the whole story on this machine, in well under a minute.`

// grammar is the command line.
type grammar struct {
	Keep bool   `help:"Keep the gateway running at the end and print its address, until interrupted."`
	Dir  string `help:"Folder to work in, kept afterwards. Default: a temporary one, removed at the end." placeholder:"DIR" type:"path"`
}

func main() {
	sandbox.Main(server.Roles()...)
	cli.Main(func(ctx context.Context, args []string) error {
		return run(ctx, args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	})
}

func run(ctx context.Context, args []string, std cli.Streams) error {
	var g grammar
	if _, err := cli.Parse("tcode-demo", description, &g, args, std); err != nil {
		return err
	}
	dir := g.Dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "tcode-demo-"); err != nil {
			return err
		}
		if !g.Keep {
			defer os.RemoveAll(dir)
		}
	}
	t := newTable(std.Out)
	s := &story{dir: dir, table: t}
	defer s.close()
	if err := s.tell(ctx); err != nil {
		return err
	}
	t.sum()
	if g.Keep {
		if err := s.keep(ctx, std.Out); err != nil {
			return err
		}
	}
	if t.differences > 0 {
		return cli.Exit(cli.CodeFailed, nil)
	}
	return nil
}

// keep leaves the gateway up until ctx ends.
func (s *story) keep(ctx context.Context, w io.Writer) error {
	if err := s.gateway.start(ctx); err != nil {
		return err
	}
	app := s.gateway.url + web.Path + " (the scanner for phones)"
	if !web.New().Built() {
		app = "none: go generate ./scanner/web builds it, then start again"
	}
	fmt.Fprintf(w, `
The gateway is up at %s (documentation at %s/docs), until you press ^C.
  app       %s
  API key   %s
  data      %s
  scanner   tcode-scan --home %s history
  stamped   %s
`, s.gateway.url, s.gateway.url, app, s.gateway.apiKey, s.gateway.data, s.home(), s.dir)
	<-ctx.Done()
	return nil
}
