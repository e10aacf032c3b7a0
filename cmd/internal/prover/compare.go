package prover

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"tcode/offline/geometry"
	"tcode/scanner/compare"
	"tcode/server/issue/stamp"
)

// What a comparison may take. A request waits for it; a document of which not all
// pages are compared is stamped and is not plain.
const (
	maxCompared  = 200 // pages
	maxComparing = 8 * time.Second
)

// Compare draws a file before and after it is stamped with MuPDF and with PDFium.
func (p *Prover) Compare(ctx context.Context, before, after *io.SectionReader, c stamp.Comparison) (stamp.Compared, error) {
	ask := compare.Stamping{Before: before, After: after, Least: c.Least, All: c.All}
	for _, at := range c.Places {
		ask.Boxes = append(ask.Boxes, geometry.Area{Page: at.Page, Rect: at.Box})
	}
	mupdf, pdfium := compare.Engine{Name: "MuPDF", Raster: p.mupdf}, compare.Engine{Name: "PDFium", Raster: p.pdfium}
	o := compare.Options{MaxPages: maxCompared, MaxTime: maxComparing}
	if c.All {
		var err error
		if o.Strict, err = p.ownFonts(ctx, before); err != nil {
			return stamp.Compared{}, err
		}
	}
	found, err := compare.Stamp(ctx, ask, mupdf, pdfium, o)
	if err != nil {
		return stamp.Compared{}, blame(err)
	}
	out := stamp.Compared{Changed: differences(found.Changed)}
	if c.All {
		out.Rendering = stamp.Rendering{
			Engines: []string{mupdf.Name, pdfium.Name}, Pages: found.Pages, Compared: len(found.Compared),
			NotCompared: skipped(found.Skipped), Differences: differences(found.Differences),
		}
	}
	return out, nil
}

// skipped says why pages were not compared.
func skipped(list []compare.Skip) string {
	var words []string
	for _, s := range list[:min(len(list), 3)] {
		if s.To > s.Page {
			words = append(words, fmt.Sprintf("pages %d to %d: %s", s.Page, s.To, s.Why))
		} else {
			words = append(words, fmt.Sprintf("page %d: %s", s.Page, s.Why))
		}
	}
	if more := len(list) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, "; ")
}

// differences are those of package compare in the words of package stamp.
func differences(list []compare.Difference) []stamp.Difference {
	out := make([]stamp.Difference, len(list))
	for i, d := range list {
		out[i] = stamp.Difference{Page: d.Page, Area: d.Box, Detail: d.What}
	}
	return out
}
