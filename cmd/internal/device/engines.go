package device

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/scanner/caveat"
	"tcode/scanner/compare"
	"tcode/scanner/raster"
)

// Limits of one comparison. They are generous, because only the comparison can
// say that the file shows the same everywhere.
const (
	maxPagesDrawn  = 1000
	maxTimeDrawing = 2 * time.Minute
	maxDifferences = 8 // that caveats name one by one
)

// Engines draws PDFs with both engines. It starts no process before the first
// comparison.
type Engines struct {
	a, b compare.Engine
	// turns has room for as many comparisons as each engine has children: each
	// comparison holds one child of both, and more comparisons could wait for
	// each other forever.
	turns chan struct{}
}

// NewEngines returns the engines of this program, with options for both.
func NewEngines(log *slog.Logger, with ...raster.Option) *Engines {
	children := runtime.GOMAXPROCS(0)
	engine := func(name string, e raster.Engine) compare.Engine {
		return compare.Engine{Name: name, Raster: raster.New(sandbox.Config{Log: log, Size: children}, raster.Limits{}, append(slices.Clone(with), raster.WithEngine(e))...)}
	}
	return &Engines{engine("MuPDF", raster.MuPDF), engine("PDFium", raster.PDFium), make(chan struct{}, children)}
}

// Close ends the children.
func (e *Engines) Close() {
	e.a.Raster.Close()
	e.b.Raster.Close()
}

// Compare draws all pages of a PDF with both engines. It returns a caveat for
// each difference, with page and place, and one for each part that was not
// compared. It is a [Config.Compare].
func (e *Engines) Compare(ctx context.Context, _ string, data []byte) ([]caveat.Caveat, error) {
	if raster.DefaultEngine != raster.MuPDF {
		return []caveat.Caveat{notCompared("it was not compared in two engines, because this program was built with one")}, nil
	}
	select {
	case e.turns <- struct{}{}:
		defer func() { <-e.turns }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	file := io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
	o := compare.Options{MaxPages: maxPagesDrawn, MaxTime: maxTimeDrawing, Strict: caveat.OwnFonts(data)}
	report, err := compare.Engines(ctx, file, e.a, e.b, o)
	if err != nil {
		return nil, err
	}
	return said(report), nil
}

// said converts a report to caveats.
func said(r compare.Report) []caveat.Caveat {
	var all []caveat.Caveat
	for i, d := range r.Differences {
		if i == maxDifferences {
			all = append(all, caveat.Caveat{Code: caveat.Rendering, Text: fmt.Sprintf("engines draw it differently in %d more places", len(r.Differences)-i)})
			break
		}
		all = append(all, caveat.Caveat{Code: caveat.Rendering, Text: placed(d)})
	}
	for i, s := range r.Skipped {
		if i == maxDifferences {
			all = append(all, notCompared(fmt.Sprintf("%d more runs of its pages were not compared in two engines", len(r.Skipped)-i)))
			break
		}
		pages := fmt.Sprintf("page %d", s.Page)
		if s.To > s.Page {
			pages = fmt.Sprintf("pages %d to %d", s.Page, s.To)
		}
		all = append(all, notCompared(pages+" of it could not be compared in two engines: "+s.Why))
	}
	if len(all) == 0 && len(r.Compared) == 0 {
		all = append(all, notCompared("nothing of it was compared in two engines"))
	}
	return all
}

// placed describes a difference and its place.
func placed(d compare.Difference) string {
	switch {
	case d.Page == 0:
		return d.What
	case d.Box == geometry.Rect{}:
		return fmt.Sprintf("page %d: %s", d.Page, d.What)
	}
	return fmt.Sprintf("page %d, %.0f mm from the left and %.0f mm from the top (%.0f x %.0f mm): %s", d.Page, d.Box.X, d.Box.Y, d.Box.Width, d.Box.Height, d.What)
}

func notCompared(text string) caveat.Caveat {
	return caveat.Caveat{Code: caveat.NotCompared, Text: text}
}
