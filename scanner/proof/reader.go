package proof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
	"tcode/scanner/readback"
)

// A Reader answers all questions of package readback, in child processes of its
// own. It is safe for concurrent use.
type Reader struct {
	config  sandbox.Config
	cache   string
	caveats *sandbox.Pool

	mu      sync.Mutex
	engines *engines // nil until the first question about the display of a page
	closed  bool
}

// engines draw pages: MuPDF, and PDFium where MuPDF cannot draw.
type engines struct {
	mupdf, pdfium *raster.Rasterizer
	first, second *Prover
}

// Defaults of the limits for drawing one page. A request waits for it,
// and a page that takes more is refused.
const (
	Wall        = 8 * time.Second
	MemoryBytes = sandbox.DefaultMemoryBytes
)

// NewReader returns a Reader whose child processes are described by c; NewReader
// sets their roles, and the memory of those that draw nothing. cache is the
// folder of [raster.WithCache], made with the first page that is drawn. The program
// calls sandbox.Main with [Roles] first, and Close last.
func NewReader(c sandbox.Config, cache string) *Reader {
	if c.Wall == 0 {
		c.Wall = Wall
	}
	if c.MemoryBytes == 0 {
		c.MemoryBytes = MemoryBytes
	}
	looking := c
	looking.Role, looking.MemoryBytes = caveatRole, min(c.MemoryBytes, caveatBytes)
	return &Reader{config: c, cache: cache, caveats: sandbox.NewPool(looking)}
}

// Engines returns why this program cannot read stamps back: nil, or [readback.ErrOneEngine] in a build without MuPDF.
func Engines() error {
	if raster.DefaultEngine != raster.MuPDF {
		return readback.ErrOneEngine
	}
	return nil
}

// open returns the engines, or [readback.ErrOneEngine] in a program that has one.
func (r *Reader) open() (*engines, error) {
	if err := Engines(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, sandbox.ErrClosed
	}
	if r.engines == nil {
		e := &engines{
			mupdf:  raster.New(r.config, raster.Limits{}, raster.WithEngine(raster.MuPDF)),
			pdfium: raster.New(r.config, raster.Limits{}, raster.WithEngine(raster.PDFium), raster.WithCache(r.cache)),
		}
		e.first, e.second = New(e.mupdf), New(e.pdfium)
		r.engines = e
	}
	return r.engines, nil
}

// Start starts a child process of each engine, so that the first stamping does not
// wait for it. A child compiles PDFium, which takes seconds, if the cache does not
// have it. The error is [readback.ErrOneEngine] in a build without MuPDF.
func (r *Reader) Start(ctx context.Context) error {
	e, err := r.open()
	if err != nil {
		return err
	}
	for _, engine := range []*raster.Rasterizer{e.mupdf, e.pdfium} {
		if _, err := engine.Protections(ctx); err != nil {
			return fmt.Errorf("start what draws pages: %w", err)
		}
	}
	return nil
}

// Usable returns why stamps cannot be read back now, or the error of [Engines]; see
// [sandbox.Pool.Usable].
func (r *Reader) Usable(ctx context.Context, longest time.Duration) error {
	e, err := r.open()
	if err != nil {
		return err
	}
	return errors.Join(r.caveats.Usable(ctx, longest), e.mupdf.Usable(ctx, longest), e.pdfium.Usable(ctx, longest))
}

// Close ends the child processes.
func (r *Reader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed = true; r.engines != nil {
		r.engines.mupdf.Close()
		r.engines.pdfium.Close()
	}
	r.caveats.Close()
}

// Ground returns the contents of each area of pdf.
func (r *Reader) Ground(ctx context.Context, pdf *io.SectionReader, areas []geometry.Area) ([]readback.Ground, error) {
	return either(ctx, r, func(ctx context.Context, with *Prover) ([]readback.Ground, error) {
		return with.Ground(ctx, pdf, areas)
	})
}

// Read draws pdf and reads the symbol of each target of q, in their order. A symbol
// that is not read is an answer, not an error.
func (r *Reader) Read(ctx context.Context, pdf *io.SectionReader, q readback.Request) ([]readback.Reading, error) {
	return either(ctx, r, func(ctx context.Context, with *Prover) ([]readback.Reading, error) { return with.Read(ctx, pdf, q) })
}

// Picture draws a page of pdf in colour.
func (r *Reader) Picture(ctx context.Context, pdf *io.SectionReader, page int) (readback.Picture, error) {
	return either(ctx, r, func(ctx context.Context, with *Prover) (readback.Picture, error) { return with.Picture(ctx, pdf, page) })
}

// either calls look with MuPDF, and with PDFium for a page that MuPDF cannot draw. Field
// scanners do the same (package scanner).
func either[T any](ctx context.Context, r *Reader, look func(context.Context, *Prover) (T, error)) (out T, err error) {
	e, err := r.open()
	if err != nil {
		return out, err
	}
	with := func(p *Prover) (out T, err error) {
		err = sandbox.Again(ctx, func(ctx context.Context) (err error) {
			out, err = look(ctx, p)
			return err
		})
		return out, err
	}
	out, err = with(e.first)
	if !errors.Is(err, raster.ErrDamaged) {
		return out, blame(err)
	}
	second, errSecond := with(e.second)
	if errSecond != nil {
		return out, blame(err)
	}
	return second, nil
}

// reasons are the errors that a file causes: it cannot be drawn, or it harms its
// child process.
var reasons = []struct {
	err    error
	reason string
}{
	{raster.ErrEncrypted, "asks for a password"},
	{raster.ErrTooLarge, "is too large"},
	{raster.ErrDamaged, "is damaged"},
	{raster.ErrEmpty, "is empty"},
	{raster.ErrUnsupported, "is of a kind that cannot be drawn"},
	{ErrPages, "has fewer pages in some programs than in others"},
	{sandbox.ErrTimeout, "takes too long to draw"},
	{ErrTooLong, "takes too long to draw"},
	{sandbox.ErrMemory, "takes too much memory to draw"},
	{sandbox.ErrCrashed, "is of a kind that cannot be drawn"},
	{sandbox.ErrProtocol, "is of a kind that cannot be drawn"},
}

// blame says of which errors the file is the cause.
func blame(err error) error {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return &readback.NotDrawnError{Reason: r.reason, Err: err}
		}
	}
	return err
}
