// Package prover lends the reader of package tcode/scanner/proof to the gateway,
// which must not know a barcode reader (DESIGN section 2).
//
//	server/stamp ─▶ stamp.Proof ◀── Prover ─┬▶ scanner/proof ─▶ MuPDF in child processes
//	                                        └▶ scanner/caveat in child processes
//
// A program that uses it calls sandbox.Main with its [Roles] first.
package prover

import (
	"context"
	"errors"
	"io"
	"time"

	"tcode/offline/sandbox"
	"tcode/scanner/proof"
	"tcode/scanner/raster"
	"tcode/server/stamp"
)

// A Prover reads stamps back for a gateway. It is safe for concurrent use.
type Prover struct {
	proof   *proof.Prover
	caveats *sandbox.Pool
}

var _ stamp.Proof = (*Prover)(nil)

// What drawing one page may take unless told otherwise. A request waits for it,
// and a page that takes more is refused (DESIGN section 11).
const (
	Wall        = 8 * time.Second
	MemoryBytes = sandbox.DefaultMemoryBytes
)

// New returns a Prover that draws in child processes of its own, described by c;
// their roles are set here, and the memory of those that draw nothing. Close it after the gateway.
func New(c sandbox.Config) *Prover {
	if c.Wall == 0 {
		c.Wall = Wall
	}
	if c.MemoryBytes == 0 {
		c.MemoryBytes = MemoryBytes
	}
	reading := c
	reading.Role, reading.MemoryBytes = caveatRole, min(c.MemoryBytes, caveatBytes)
	return &Prover{proof.New(c), sandbox.NewPool(reading)}
}

// Close ends the child processes.
func (p *Prover) Close() {
	p.proof.Close()
	p.caveats.Close()
}

// Ink measures how much of each area is not empty.
func (p *Prover) Ink(ctx context.Context, pdf *io.SectionReader, areas []stamp.Area) ([]float64, error) {
	list := make([]proof.Area, len(areas))
	for i, a := range areas {
		list[i] = proof.Area{Page: a.Page, Rect: proof.Rect(a.Rect)}
	}
	out, err := p.proof.Ink(ctx, pdf, list)
	return out, blame(err)
}

// Read reads the symbols of q.
func (p *Prover) Read(ctx context.Context, pdf *io.SectionReader, q stamp.Question) ([]stamp.Reading, error) {
	ask := proof.Question{Text: q.Text, DPI: q.DPI}
	for _, at := range q.Places {
		ask.Places = append(ask.Places, proof.Place{Page: at.Page, Symbol: proof.Rect(at.Symbol), Degrade: at.Degrade})
	}
	read, err := p.proof.Read(ctx, pdf, ask)
	if err != nil {
		return nil, blame(err)
	}
	out := make([]stamp.Reading, len(read))
	for i, r := range read {
		out[i] = stamp.Reading(r)
	}
	return out, nil
}

// Picture draws a page.
func (p *Prover) Picture(ctx context.Context, pdf *io.SectionReader, page int) (stamp.Picture, error) {
	out, err := p.proof.Picture(ctx, pdf, page)
	return stamp.Picture(out), blame(err)
}

// reasons are the errors that a file is the cause of: it cannot be drawn, or its
// child process came to harm over it.
var reasons = []struct {
	err    error
	reason string
}{
	{raster.ErrEncrypted, "asks for a password"},
	{raster.ErrTooLarge, "is too large"},
	{raster.ErrDamaged, "is damaged"},
	{raster.ErrEmpty, "is empty"},
	{raster.ErrUnsupported, "is of a kind that cannot be drawn"},
	{proof.ErrPages, "has fewer pages in some programs than in others"},
	{sandbox.ErrTimeout, "takes too long to draw"},
	{proof.ErrTooLong, "takes too long to draw"},
	{sandbox.ErrMemory, "takes too much memory to draw"},
	{sandbox.ErrCrashed, "is of a kind that cannot be drawn"},
	{sandbox.ErrProtocol, "is of a kind that cannot be drawn"},
}

// blame says of which errors the file is the cause.
func blame(err error) error {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return &stamp.NotDrawn{Reason: r.reason, Err: err}
		}
	}
	return err
}
