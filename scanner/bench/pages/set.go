package pages

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// version is part of the name of the cache's folder. Change it with every change of the
// pages that a seed gives.
const version = 1

// Resolutions are the resolutions of base pages, dpi, which take turns.
var Resolutions = [4]int{100, 150, 200, 300}

// Truth is the known facts about a page.
type Truth struct {
	ID      string // "p007-skew", unique within a seed
	Base    int    // number of the page beneath, from 0
	Variant string
	Source  Source
	DPI     int    // of the base page
	Maker   string // one of the Maker constants; empty: no symbol on it
	Text    []byte // text of the symbol
	Side    int    // modules, finder included
	SizeMM  float64
	// ModulePx is the module side in the finished image, in its coarser direction as it was
	// taken (a fax shows each line twice).
	ModulePx float64
	Corners  [4]gray.Point // px of the finished image, the symbol's top left first
	Param    string        // the variant's figures
	// Ideal means that a reader with the true grid and plain Reed-Solomon would read the symbol.
	Ideal        bool
	WrongModules int // data modules that the true grid shows wrongly
}

// Config describes a set of pages.
type Config struct {
	PDFs     string // folder of real documents
	Cache    string // folder for pages made before
	Seed     uint64
	Pages    int // base pages
	Variants []Variant
	Jobs     int // base pages made at the same time
	Tell     func(string)
}

// folder returns the folder of the images of a seed.
func (c *Config) folder() string {
	return filepath.Join(c.Cache, fmt.Sprintf("v%d-seed%d", version, c.Seed))
}

// File returns the file of a page's image, a gzipped PGM.
func (c *Config) File(id string) string { return filepath.Join(c.folder(), id+".pgm.gz") }

// Make returns the truth about all pages of the set, by base page, then variant. It makes
// the pages that are not in the cache.
func Make(ctx context.Context, c Config) ([]Truth, error) {
	all, err := Sources(ctx, c.PDFs, filepath.Join(c.Cache, "sources.json"), c.Tell)
	if err != nil {
		return nil, err
	}
	m := maker{Config: c, sources: shuffled(all, c.Seed), raster: raster.New(sandbox.Config{Size: max(c.Jobs, 1)}, raster.Limits{})}
	defer m.raster.Close()
	out := make([][]Truth, c.Pages)
	errs := make([]error, c.Pages)
	var wait sync.WaitGroup
	slots := make(chan struct{}, max(c.Jobs, 1))
	for i := range c.Pages {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		c.Tell(fmt.Sprintf("make pages %d/%d", i+1, c.Pages))
		wait.Go(func() {
			defer func() { <-slots }()
			out[i], errs[i] = m.page(ctx, i)
		})
	}
	wait.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	var flat []Truth
	for _, t := range out {
		flat = append(flat, t...)
	}
	return flat, nil
}

type maker struct {
	Config
	sources []Source
	raster  *raster.Rasterizer
}

// A base is a page with its symbol, the source of all variants.
type base struct {
	dpi   int
	turn  float64 // of the page, degrees clockwise
	mm    float64 // side of the symbol
	scene scene
	truth Truth
}

func (b *base) target() target {
	w, _ := b.scene.size()
	return target{b.scene.x, b.scene.y, w, float64(b.dpi) / 25.4}
}

// page makes all variants of base page i.
func (m *maker) page(ctx context.Context, i int) ([]Truth, error) {
	out := make([]Truth, 0, len(m.Variants))
	var b *base // made when the first variant is missing
	for _, v := range m.Variants {
		id := fmt.Sprintf("p%03d-%s", i, v.Name)
		var t Truth
		note := filepath.Join(m.folder(), id+".json")
		if raw, err := os.ReadFile(note); err == nil && json.Unmarshal(raw, &t) == nil && t.ID == id {
			out = append(out, t)
			continue
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if b == nil {
			made, err := m.base(ctx, i)
			if err != nil {
				return nil, err
			}
			b = &made
		}
		img, t, err := m.variant(b, v, id)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		if err := Save(m.File(id), img); err != nil {
			return nil, err
		}
		raw, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("encode truth: %w", err)
		}
		if err := write(note, raw); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// base draws page i of the seed: a random real page and one symbol of 10 to 25 mm, four
// times in five in a corner.
func (m *maker) base(ctx context.Context, i int) (base, error) {
	r := rand.New(rand.NewPCG(m.Seed, uint64(i)+1))
	b := base{dpi: Resolutions[i%4], turn: float64(90 * r.IntN(4)), mm: between(r, 10, 25)}
	src := m.sources[i%len(m.sources)]
	page, err := render(ctx, m.raster, m.PDFs, src, b.dpi)
	if err != nil {
		return b, err
	}
	sym, err := makeSymbol(ctx, r, (i+i/4)%2 == 0)
	if err != nil {
		return b, err
	}
	turns, unit := r.IntN(4), float64(b.dpi)/25.4
	side, margin := b.mm*unit, between(r, 5, 15)*unit
	w, h := float64(page.Width)-2*margin-side, float64(page.Height)-2*margin-side
	u, v := float64(r.IntN(2)), float64(r.IntN(2))
	if r.IntN(5) == 0 {
		u, v = r.Float64(), r.Float64()
	}
	b.scene = scene{
		page: page, sym: sym.sym.Turned(turns), turns: turns, px: side / float64(sym.sym.Rows),
		x: margin + u*w + r.Float64(), y: margin + v*h + r.Float64(), quiet: float64(1 + r.IntN(3)),
	}
	b.truth = Truth{
		Base: i, Source: src, DPI: b.dpi, Maker: sym.maker, Text: sym.text, Side: sym.sym.Rows, SizeMM: b.mm,
	}
	return b, nil
}

// variant makes one variant of b and returns its image and the truth about it.
func (m *maker) variant(b *base, v Variant, id string) (*gray.Image, Truth, error) {
	h := uint64(14695981039346656037)
	for _, c := range []byte(id) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	s, err := v.draw(b, rand.New(rand.NewPCG(m.Seed, h)))
	if err != nil {
		return nil, Truth{}, err
	}
	t := b.truth
	t.ID, t.Variant, t.Param = id, v.Name, s.param
	if v.Name == Empty {
		t.Maker, t.Text, t.Side, t.SizeMM = "", nil, 0, 0
		return s.img, t, nil
	}
	t.Corners = b.scene.corners(s.view)
	t.ModulePx = modulePx(t.Corners, t.Side, s.lines)
	img := s.img
	if v.Inverted {
		img = img.Clone()
		img.Invert()
	}
	t.Ideal, t.WrongModules = ideal(img, &b.scene, s.view)
	return s.img, t, nil
}

// modulePx returns the mean module side in px. If lines are doubled, it is the one of the
// coarser direction, as taken.
func modulePx(q [4]gray.Point, side, lines int) float64 {
	if lines > 1 {
		lo, hi := q[0], q[0]
		for _, p := range q {
			lo = gray.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
			hi = gray.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
		}
		return min(hi.X-lo.X, (hi.Y-lo.Y)/float64(lines)) / float64(side)
	}
	var sum float64
	for i, p := range q {
		sum += q[(i+1)%4].Sub(p).Len()
	}
	return sum / 4 / float64(side)
}

// Save writes m as a gzipped PGM.
func Save(name string, m *gray.Image) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	_, err = z.Write(PGM(m))
	if err := errors.Join(err, z.Close()); err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	return write(name, b.Bytes())
}

// PGM returns m as a PGM file.
func PGM(m *gray.Image) []byte {
	out := fmt.Appendf(nil, "P5\n%d %d\n255\n", m.Width, m.Height)
	for y := range m.Height {
		out = append(out, m.Row(y)...)
	}
	return out
}

// Load reads an image that [Save] wrote into m, reusing its memory.
func Load(name string, m *gray.Image) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	in := bufio.NewReaderSize(z, 1<<16) // Fscanf must be able to unread
	var w, h, top int
	if _, err := fmt.Fscanf(in, "P5\n%d %d\n%d\n", &w, &h, &top); err != nil || top != 255 || w <= 0 || h <= 0 {
		return fmt.Errorf("%s: not a PGM: %w", name, err)
	}
	m.Reset(w, h)
	if _, err := io.ReadFull(in, m.Pix[:w*h]); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
