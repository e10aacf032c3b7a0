package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/enrolcode"
	"tcode/offline/trust"
	"tcode/scanner/web"
)

// A builder makes the engine of the scanner app in a folder, as build.Into does.
type builder func(ctx context.Context, to string, told func(done, all int)) error

// phoneApp returns the scanner app for the gateway: that of this program, or one with an engine that make builds in a folder of
// dir. That takes half a minute, and more the first time, so only --keep does it: the story needs no app. The app is never nil;
// the error says why it has no engine.
func phoneApp(ctx context.Context, own *web.App, make builder, dir string, w io.Writer) (*web.App, error) {
	if own.Built() {
		return own, nil
	}
	if cli.IsTerminal(w) {
		fmt.Fprintln(w, "\nThis program was built without the engine of the scanner app. Building it takes half a minute, and more the first time.")
	}
	to := filepath.Join(dir, "app")
	if err := os.MkdirAll(to, 0o700); err != nil {
		return own, err
	}
	bar := cli.NewProgress(w, 0, "steps")
	defer bar.Done()
	if err := make(ctx, to, func(done, all int) { bar.At(int64(done), int64(all)) }); err != nil {
		return own, err
	}
	return web.NewFrom(os.DirFS(to)), nil
}

// keep leaves the gateway up until ctx ends, with the app, or with the reason why there is none. address is that for phones; empty:
// the gateway's own.
func (s *story) keep(ctx context.Context, std cli.Streams, app *web.App, none error, address string) error {
	s.gateway.app, s.gateway.public = app, address
	if err := s.gateway.start(ctx); err != nil {
		return err
	}
	if address == "" {
		address = s.gateway.url
	}
	root, err := trust.ParseFingerprint(s.gateway.root)
	if err != nil {
		return err
	}
	codes, err := enrolcode.New(address, root)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, `
The gateway is up at %s (documentation at %s/docs), until you press ^C.
%s  API key   %s
  data      %s
  scanner   tcode-scan --home %s history
  stamped   %s
`, s.gateway.url, s.gateway.url, appRows(address, codes.Link, none), s.gateway.apiKey, s.gateway.data, s.home(), s.dir)
	if none == nil {
		drawLink(std, codes, address)
	}
	<-ctx.Done()
	return nil
}

// appRows are the lines about the app, or about the reason why there is none.
func appRows(address, link string, none error) string {
	if none == nil {
		return fmt.Sprintf("  app       %s%s\n  enrol     %s\n", address, web.Path, link)
	}
	why, _, _ := strings.Cut(none.Error(), "\n")
	return fmt.Sprintf("  app       none: %s\n            In the source: go generate ./scanner/web, then start again.\n", cli.Printable(why))
}

// drawLink draws the QR code of the link, and says where it works.
func drawLink(std cli.Streams, codes enrolcode.Codes, address string) {
	if codes.QR.Fits(std.Out) {
		fmt.Fprintf(std.Out, "\n%s\n", codes.QR.Text(std.Out))
	} else {
		fmt.Fprintf(std.Err, "The terminal is too narrow to draw the QR code: make it %d columns wide.\n", codes.QR.Width())
	}
	fmt.Fprintf(std.Out, `
The QR code is the link of "enrol": it opens the app, ready to enrol. Then open a stamped PDF in the app, or scan one.
%s
`, reach(address))
}

// reach says which browsers can use the app at an address.
func reach(address string) string {
	u, err := url.Parse(address)
	if err == nil && u.Scheme == "https" {
		return "It works on each phone that reaches this address."
	}
	where := "It opens on a phone that reaches this address, but has no camera and no storage there"
	if err == nil && isLoopback(u.Hostname()) {
		where = fmt.Sprintf(`This one works on this machine, and on an Android phone at its USB port after "adb reverse tcp:%s tcp:%[1]s"`, u.Port())
	}
	return `Browsers give an app a camera and storage at https addresses, and at 127.0.0.1.
` + where + `.
For phones in a network put a TLS proxy in front, and start with --addr HOST:PORT --public-url https://NAME.`
}
