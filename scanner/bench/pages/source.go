package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// ErrNoPages means that no page of the corpus can carry a stamp.
var ErrNoPages = errors.New("no page of the corpus is fit for a stamp")

const (
	perDocument = 4    // at most, from one document, so that no book dominates the figures
	lookDPI     = 72.0 // resolution of the pages that documentLike looks at
)

// A Source is one page of a real document.
type Source struct {
	File string // below the corpus's pdf folder
	Page int    // from 1
}

// Sources returns the pages of the PDFs in dir that look like documents: about A4 in size,
// neither empty nor black. It leaves out files that cannot be rendered, because the corpus
// holds bombs. It keeps its result in cacheFile.
func Sources(ctx context.Context, dir, cacheFile string, tell func(string)) ([]Source, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	var kept struct {
		Files   int
		Sources []Source
	}
	if raw, err := os.ReadFile(cacheFile); err == nil && json.Unmarshal(raw, &kept) == nil && kept.Files == len(names) && len(kept.Sources) > 0 {
		return kept.Sources, nil
	}
	kept.Sources = nil // of another folder
	r := raster.New(sandbox.Config{Size: 1}, raster.Limits{MaxPages: 100})
	defer r.Close()
	slices.Sort(names)
	for i, name := range names {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		tell(fmt.Sprintf("look at the corpus %d/%d", i+1, len(names)))
		kept.Sources = append(kept.Sources, fit(ctx, r, name)...)
	}
	if len(kept.Sources) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoPages)
	}
	kept.Files = len(names)
	raw, err := json.Marshal(kept)
	if err != nil {
		return nil, fmt.Errorf("encode sources: %w", err)
	}
	return kept.Sources, write(cacheFile, raw)
}

// fit returns the pages of one file that can carry a stamp. A file that ends its renderer
// has none.
func fit(ctx context.Context, r *raster.Rasterizer, name string) []Source {
	file, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	var out []Source
	_ = r.Open(ctx, file, func(d *raster.Document) error { // the pages found before an error count
		for n := 1; n <= d.Pages && n <= 5*perDocument && len(out) < perDocument; n++ {
			p, err := d.Page(n, lookDPI)
			if err != nil {
				return err
			}
			if documentLike(p.Image) && p.DPI == lookDPI {
				out = append(out, Source{filepath.Base(name), n})
			}
		}
		return nil
	})
	return out
}

// documentLike reports whether a page at [lookDPI] is 60 to 150 % of A4 wide
// and high, in either orientation, and has ink on 1.5 to 45 % of it.
func documentLike(m *gray.Image) bool {
	w, h := float64(min(m.Width, m.Height)), float64(max(m.Width, m.Height))
	if w < 0.6*8.27*lookDPI || w > 1.5*8.27*lookDPI || h < 0.6*11.69*lookDPI || h > 1.5*11.69*lookDPI {
		return false
	}
	ink := 0
	for y := range m.Height {
		for _, v := range m.Row(y) {
			if v < 190 {
				ink++
			}
		}
	}
	share := float64(ink) / float64(m.Width*m.Height)
	return share > 0.015 && share < 0.45
}

// render returns a page of the corpus at dpi, upright, on A4 paper.
func render(ctx context.Context, r *raster.Rasterizer, dir string, s Source, dpi int) (*gray.Image, error) {
	file, err := os.ReadFile(filepath.Join(dir, s.File))
	if err != nil {
		return nil, err
	}
	var page *gray.Image
	err = r.Open(ctx, file, func(d *raster.Document) error {
		p, err := d.Page(s.Page, float64(dpi))
		page = p.Image
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("render %s page %d: %w", s.File, s.Page, err)
	}
	if page.Width > page.Height {
		page = quarter(page)
	}
	a4 := gray.New(a4Size(dpi))
	a4.Fill(255)
	for y := range min(a4.Height, page.Height) {
		copy(a4.Row(y), page.Row(y))
	}
	return a4, nil
}

// a4Size returns the size of an A4 page in px.
func a4Size(dpi int) (w, h int) {
	return int(8.27*float64(dpi) + 0.5), int(11.69*float64(dpi) + 0.5)
}

// quarter returns m after a quarter turn clockwise.
func quarter(m *gray.Image) *gray.Image {
	out := gray.New(m.Height, m.Width)
	for y := range m.Height {
		for x, v := range m.Row(y) {
			out.Pix[x*out.Stride+m.Height-1-y] = v
		}
	}
	return out
}

// shuffled returns the sources in an order that the seed determines.
func shuffled(s []Source, seed uint64) []Source {
	out := slices.Clone(s)
	r := rand.New(rand.NewPCG(seed, 0x736f7572636573))
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// write writes a file, and its folder, completely or not at all.
func write(name string, raw []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(raw)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, os.Remove(f.Name())))
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
