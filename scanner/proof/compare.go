package proof

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner/compare"
	"tcode/scanner/readback"
)

// Limits of a comparison. A request waits for it; a document of which not all
// pages are compared is stamped and is not plain.
const (
	maxCompared  = 200 // pages
	maxComparing = 8 * time.Second
)

// Compare draws a file before and after it is stamped with MuPDF and with PDFium.
func (r *Reader) Compare(ctx context.Context, before, after *io.SectionReader, c readback.Comparison) (readback.Compared, error) {
	e, err := r.open()
	if err != nil {
		return readback.Compared{}, err
	}
	ask := compare.Stamping{Before: before, After: after, Boxes: c.Boxes, Least: c.Least, All: c.All}
	mupdf, pdfium := compare.Engine{Name: "MuPDF", Raster: e.mupdf}, compare.Engine{Name: "PDFium", Raster: e.pdfium}
	o := compare.Options{MaxPages: maxCompared, MaxTime: maxComparing}
	if c.All {
		if o.Strict, err = r.ownFonts(ctx, before); err != nil {
			return readback.Compared{}, err
		}
	}
	var found compare.Stamped
	err = sandbox.Again(ctx, func(ctx context.Context) (err error) {
		found, err = compare.Stamp(ctx, ask, mupdf, pdfium, o)
		return err
	})
	if err != nil {
		return readback.Compared{}, blame(err)
	}
	out := readback.Compared{Changed: differences(found.Changed)}
	if c.All {
		out.Rendering = readback.Rendering{
			Engines: []string{mupdf.Name, pdfium.Name}, Pages: found.Pages, Compared: len(found.Compared),
			NotCompared: skipped(found.Skipped), Differences: differences(found.Differences), Blank: found.Blank,
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

// differences returns those of package compare as records keep them.
func differences(list []compare.Difference) []readback.Difference {
	out := make([]readback.Difference, len(list))
	for i, d := range list {
		out[i] = readback.Difference{Page: d.Page, Area: d.Box, Detail: d.What}
	}
	return out
}
