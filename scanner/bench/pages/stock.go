package pages

import (
	"context"
	"math/rand/v2"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/simulate"
)

// A Stock has pages of real documents and stamps for them, for sets that draw their own
// images. Close it after use.
type Stock struct {
	pdfs    string
	sources []Source
	raster  *raster.Rasterizer
}

// NewStock returns the stock of the documents of c, in an order that its seed determines.
func NewStock(ctx context.Context, c Config) (*Stock, error) {
	all, err := Sources(ctx, c.PDFs, filepath.Join(c.Cache, "sources.json"), c.Tell)
	if err != nil {
		return nil, err
	}
	return &Stock{c.PDFs, shuffled(all, c.Seed), raster.New(sandbox.Config{Size: max(c.Jobs, 1)}, raster.Limits{})}, nil
}

// Close ends the processes that draw pages.
func (s *Stock) Close() { s.raster.Close() }

// Page returns page i of the stock, drawn at dpi on A4 paper. The pages repeat when there
// are no more.
func (s *Stock) Page(ctx context.Context, i, dpi int) (*gray.Image, error) {
	return render(ctx, s.raster, s.pdfs, s.sources[i%len(s.sources)], dpi)
}

// Stamp returns a symbol of the gateway with a signed payload, and its text.
func Stamp(r *rand.Rand) (simulate.Symbol, string, error) {
	m, err := stamp(r)
	return m.sym, string(m.text), err
}

// Ideal reports whether a reader with the perfect grid would read the symbol s, with the
// method of [Truth.Ideal]. at returns the place in img of a point of the symbol, in modules
// from its own top left.
func Ideal(img *gray.Image, s simulate.Symbol, at func(row, col float64) gray.Point) bool {
	read, _ := idealAt(img, s, at)
	return read
}

// Each calls f for 0 to n-1, jobs of them at the same time, and returns the first error.
func Each(ctx context.Context, n, jobs int, f func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(jobs, 1))
	for i := range n {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return f(ctx, i)
		})
	}
	return g.Wait()
}
