// Package prover lends the reader of package tcode/scanner/proof to the gateway,
// which must not know a barcode reader (cmd/arch_test.go).
//
//	server/issue/stamp ─▶ stamp.Proof ◀── Prover ─┬▶ scanner/proof ───▶ MuPDF in child processes
//	                                        ├▶ scanner/compare ─▶ MuPDF and PDFium in child processes
//	                                        └▶ scanner/caveat in child processes
//
// A program that uses it calls sandbox.Main with its [Roles] first.
package prover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/scanner/proof"
	"tcode/scanner/raster"
	"tcode/server/issue/stamp"
)

// A Prover reads stamps back for a gateway. It is safe for concurrent use.
type Prover struct {
	mupdf, pdfium *raster.Rasterizer
	proof, second *proof.Prover // with MuPDF, and with PDFium where MuPDF cannot draw
	caveats       *sandbox.Pool
}

var _ stamp.Proof = (*Prover)(nil)

// What drawing one page may take unless told otherwise. A request waits for it,
// and a page that takes more is refused.
const (
	Wall        = 8 * time.Second
	MemoryBytes = sandbox.DefaultMemoryBytes
)

// New returns a Prover that draws in child processes of its own, described by c;
// New sets their roles, and the memory of those that draw nothing. cache is the
// folder of [raster.WithCache]. Close the Prover after the gateway.
func New(c sandbox.Config, cache string) *Prover {
	if c.Wall == 0 {
		c.Wall = Wall
	}
	if c.MemoryBytes == 0 {
		c.MemoryBytes = MemoryBytes
	}
	reading := c
	reading.Role, reading.MemoryBytes = caveatRole, min(c.MemoryBytes, caveatBytes)
	p := &Prover{
		mupdf:   raster.New(c, raster.Limits{}, raster.WithEngine(raster.MuPDF)),
		pdfium:  raster.New(c, raster.Limits{}, raster.WithEngine(raster.PDFium), raster.WithCache(cache)),
		caveats: sandbox.NewPool(reading),
	}
	p.proof, p.second = proof.New(p.mupdf), proof.New(p.pdfium)
	return p
}

// Start starts a child process of each engine, so that the first stamping need not
// wait for it. A child compiles PDFium, which takes seconds, if the cache does not
// have it.
func (p *Prover) Start(ctx context.Context) error {
	for _, r := range []*raster.Rasterizer{p.mupdf, p.pdfium} {
		if _, err := r.Protections(ctx); err != nil {
			return fmt.Errorf("start what draws pages: %w", err)
		}
	}
	return nil
}

// Close ends the child processes.
func (p *Prover) Close() {
	p.mupdf.Close()
	p.pdfium.Close()
	p.caveats.Close()
}

// Ground looks at what stands in each area.
func (p *Prover) Ground(ctx context.Context, pdf *io.SectionReader, areas []geometry.Area) ([]stamp.Ground, error) {
	list := make([]geometry.Area, len(areas))
	for i, a := range areas {
		list[i] = a
	}
	found, err := either(func(with *proof.Prover) ([]proof.Ground, error) { return with.Ground(ctx, pdf, list) }, p)
	out := make([]stamp.Ground, len(found))
	for i, g := range found {
		out[i].Ink = g.Ink
		for _, s := range g.Symbols {
			out[i].Symbols = append(out[i].Symbols, s.Text)
		}
	}
	return out, err
}

// Read reads the symbols of q.
func (p *Prover) Read(ctx context.Context, pdf *io.SectionReader, q stamp.ReadRequest) ([]stamp.Reading, error) {
	ask := proof.Question{Text: q.Text, DPI: q.DPI}
	for _, at := range q.Places {
		ask.Places = append(ask.Places, proof.Place{Page: at.Page, Symbol: at.Symbol, Degrade: at.Degrade})
	}
	read, err := either(func(with *proof.Prover) ([]proof.Reading, error) { return with.Read(ctx, pdf, ask) }, p)
	if err != nil {
		return nil, err
	}
	out := make([]stamp.Reading, len(read))
	for i, r := range read {
		out[i] = stamp.Reading(r)
	}
	return out, nil
}

// Picture draws a page.
func (p *Prover) Picture(ctx context.Context, pdf *io.SectionReader, page int) (stamp.Picture, error) {
	out, err := either(func(with *proof.Prover) (proof.Picture, error) { return with.Picture(ctx, pdf, page) }, p)
	return stamp.Picture(out), err
}

// either looks with MuPDF, and with PDFium at what MuPDF cannot draw. Field
// scanners do the same (package scanner).
func either[T any](look func(*proof.Prover) (T, error), p *Prover) (T, error) {
	out, err := look(p.proof)
	if !errors.Is(err, raster.ErrDamaged) {
		return out, blame(err)
	}
	second, errSecond := look(p.second)
	if errSecond != nil {
		return out, blame(err)
	}
	return second, nil
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
