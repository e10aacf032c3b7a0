package server

import (
	"context"

	"tcode/offline/host/sandbox"
	"tcode/scanner/proof"
	"tcode/server/issue/stamp"
	"tcode/server/pdfstamp"
	"tcode/server/picturepdf"
)

// Roles are what the child processes of a gateway do: make PDFs of pictures, stamp PDFs, and read
// stamps back. A program that opens a gateway calls sandbox.Main with them first thing in
// main.
func Roles() []sandbox.Role { return append(proof.Roles(), pdfstamp.Role(), picturepdf.Role()) }

// readback returns what reads stamps back: the one of the Config, or the gateway's
// own, which starts no child process before it is asked.
func (g *Gateway) readback() stamp.Readback {
	if g.c.Readback != nil {
		return g.c.Readback
	}
	g.reader = proof.NewReader(sandbox.Config{Size: g.c.Stampers, Wall: g.c.PageTime, Log: g.c.Log}, g.c.Cache)
	return g.reader
}

// CanStamp returns why gateways of this program refuse to stamp: nil, or an error in a build without MuPDF.
func CanStamp() error { return proof.Engines() }

// StartReadback starts the children that read stamps back, so that the first
// stamping need not wait for them: the first start with a new [Config.Cache]
// compiles for seconds. With [Config.Readback] there are none to start.
func (g *Gateway) StartReadback(ctx context.Context) error {
	g.recordFaults() // Serve may not have begun
	if g.reader == nil {
		return nil
	}
	return g.reader.Start(ctx)
}
