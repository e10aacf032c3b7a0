package main

import (
	"context"
	"fmt"
	"image/png"
	"io"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/enrolcode"
	"tcode/server"
	"tcode/sync/wire"
)

type enrolCodeCmd struct {
	PublicURL string `name:"public-url" help:"Address of this gateway for scanners." required:"" env:"TCODE_PUBLIC_URL" placeholder:"URL"`
	Output    string `short:"o" help:"Write both codes as one PNG picture to this file, or - for standard output. Default: drawn in characters." placeholder:"FILE"`
	Force     bool   `short:"f" help:"Overwrite the picture."`
}

// Help explains the purpose of the code.
func (*enrolCodeCmd) Help() string {
	return `A scanner that reads the code, from paper or from a trusted screen, knows the gateway's address and the fingerprint of its trust root: no attacker between the scanner and the gateway can replace the root.

The QR code is for a phone's own camera: it opens the gateway's web app, ready to enrol. The Data Matrix symbol is for the camera of an app that is open. tcode-scan takes the text of either: tcode-scan enrol TEXT`
}

// enrolCodeLine is the code as it is printed for machines.
type enrolCodeLine struct {
	Code        string `json:"code"` // the text of the Data Matrix symbol (sync/wire/FORMAT.md)
	Link        string `json:"link"` // the text of the QR code
	Gateway     string `json:"gateway"`
	Fingerprint string `json:"fingerprint"`
	File        string `json:"file,omitempty"` // the picture
}

// Run prints the code.
func (e *enrolCodeCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	gateway, err := wire.BaseURL(e.PublicURL)
	if err != nil {
		return cli.Usage("--public-url: %v", err)
	}
	if e.Output == "-" && (c.JSON || cli.IsTerminal(std.Out)) {
		return cli.Usage("standard output is a terminal or takes JSON, and cannot show a picture: name a file with -o")
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		root, err := newestRoot(ctx, g) // a complete root, or no code
		if err != nil {
			return err
		}
		line := enrolCodeLine{Gateway: gateway, Fingerprint: g.Publisher.Fingerprint().String(), File: e.Output}
		codes, err := enrolcode.New(gateway, g.Publisher.Fingerprint())
		if err != nil {
			return err
		}
		line.Code, line.Link = codes.Code, codes.Link
		if e.Output != "" {
			if err := e.picture(std, codes); err != nil || e.Output == "-" {
				return err
			}
		}
		return out.Emit(line, func(w io.Writer) {
			if e.Output == "" {
				e.draw(w, std, codes)
			}
			fmt.Fprintf(w, "%s\ngateway      %s\nfingerprint  %s, of root version %d\n", line.Code, line.Gateway, line.Fingerprint, root.Version)
		})
	})
}

// draw draws the codes in characters, or says why it does not.
func (e *enrolCodeCmd) draw(w io.Writer, std cli.Streams, codes enrolcode.Codes) {
	for _, code := range []struct {
		enrolcode.Drawing
		use string
	}{{codes.QR, "for the phone's own camera:"}, {codes.Symbol, "for the camera of the TCode app:"}} {
		if !code.Fits(std.Out) {
			fmt.Fprintf(std.Err, "The terminal is too narrow to draw the code: make it %d columns wide, or write a picture with -o FILE.\n", code.Width())
			return
		}
		fmt.Fprintf(w, "%s\n%s\n\n", code.use, code.Text(std.Out))
	}
}

// picture writes the codes as a PNG of 10 px a module.
func (e *enrolCodeCmd) picture(std cli.Streams, codes enrolcode.Codes) error {
	const px = 10
	img := enrolcode.Image(px, codes.QR, codes.Symbol)
	if e.Output == "-" {
		return png.Encode(std.Out, img)
	}
	return cli.WriteFile(e.Output, e.Force, func(w io.Writer) error { return png.Encode(w, img) })
}
