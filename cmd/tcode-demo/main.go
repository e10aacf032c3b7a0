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
	"os"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/sandbox"
	"tcode/scanner/web"
	"tcode/scanner/web/engine/build"
	"tcode/server"
	"tcode/sync/wire"
)

const description = `Stamp, verify offline, attack, sync and revoke: the whole story on this machine, in well under a minute.`

// grammar is the command line.
type grammar struct {
	JSON bool    `name:"json" help:"Print the version as a JSON object." env:"TCODE_JSON" group:"Flags of every command:"`
	Run  demoCmd `cmd:"" default:"withargs" help:"Run the whole story. This is the default."`
	cli.About
}

// demoCmd runs the story.
type demoCmd struct {
	Keep      bool   `help:"Keep the gateway running at the end, until interrupted, and print its address and a QR code that opens the scanner app for phones. A program that was built without the engine of the app builds it for this, where there is Go and the source."`
	Addr      string `help:"HOST:PORT of the gateway. Default: a free port of this machine, which other machines do not reach." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	PublicURL string `name:"public-url" help:"With --keep: address for phones, such as that of a TLS proxy in front of --addr. Default: that of --addr." placeholder:"URL"`
	Dir       string `help:"Folder to work in, kept afterwards. Default: a temporary one, removed at the end." placeholder:"DIR" type:"path"`
}

func main() {
	sandbox.Main(server.Roles()...)
	cli.Main(func(ctx context.Context, args []string) error {
		return run(ctx, args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	})
}

func run(ctx context.Context, args []string, std cli.Streams) error {
	var g grammar
	kctx, err := cli.Parse("tcode-demo", description, &g, args, std)
	if err != nil {
		return err
	}
	return cli.Run(ctx, kctx, std)
}

// Run tells the story.
func (g *demoCmd) Run(ctx context.Context, std cli.Streams) error {
	if g.PublicURL != "" {
		var err error
		if g.PublicURL, err = wire.BaseURL(g.PublicURL); err != nil {
			return cli.Usage("--public-url: %v", err)
		}
	}
	if err := server.CanStamp(); err != nil {
		return fmt.Errorf("the story begins with a stamp: %w", err)
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
	s := &story{dir: dir, table: t, addr: g.Addr}
	defer s.close()
	if err := s.tell(ctx); err != nil {
		return err
	}
	t.sum()
	if g.Keep {
		app, err := phoneApp(ctx, web.New(), build.Into, dir, std.Err)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := s.keep(ctx, std, app, err, g.PublicURL); err != nil {
			return err
		}
	}
	if t.differences > 0 {
		return cli.Exit(cli.CodeFailed, nil)
	}
	return nil
}
