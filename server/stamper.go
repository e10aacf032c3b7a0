package server

import (
	"context"
	"fmt"
	"slices"

	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/pdfstamp"
)

// barcodePixels is the width of a module in a downloaded barcode image.
const barcodePixels = 8

// stamper adapts package pdfstamp to package stamp, which knows no PDF.
type stamper struct{ pdf *pdfstamp.Stamper }

var _ stamp.Stamper = stamper{}

// Stamp stamps at the job's place.
func (s stamper) Stamp(ctx context.Context, job stamp.Job) (stamp.Drawn, error) {
	pl, err := placeOf(job)
	if err != nil {
		return stamp.Drawn{}, err
	}
	pl.Beneath, pl.Over = job.Beneath, job.Over
	done, err := s.pdf.Append(ctx, job.PDF, pl, job.Reference, job.Side, job.Seal)
	if err != nil {
		return stamp.Drawn{}, err
	}
	return stamp.Drawn{
		Revision: done.Revision, Places: places(done.Places), Modules: done.Modules, Warnings: done.Warnings,
		Beneath: !slices.ContainsFunc(done.Places, func(p pdfstamp.Place) bool { return !p.Beneath }),
		Damaged: slices.ContainsFunc(done.Places, func(p pdfstamp.Place) bool { return p.Damaged }),
	}, nil
}

// Survey returns the possible places of the job's stamp.
func (s stamper) Survey(ctx context.Context, job stamp.Job) ([]stamp.Option, error) {
	pl, err := placeOf(job)
	if err != nil {
		return nil, err
	}
	found, err := s.pdf.Survey(ctx, job.PDF, pl, job.Reference, job.Side)
	if err != nil {
		return nil, err
	}
	out := make([]stamp.Option, 0, len(found))
	for i, o := range found {
		option := stamp.Option{Places: places(o.Places)}
		if i > 0 { // the first one is the job's own
			option.Anchor = placement.Anchor(o.Placement.Anchor)
		}
		out = append(out, option)
	}
	return out, nil
}

// placeOf returns the geometry of a job: the template's, moved to the chosen
// place, with modules as wide as the template wants if nothing limits the stamp's
// size.
func placeOf(job stamp.Job) (pdfstamp.Placement, error) {
	pl, err := placed(job.Placement)
	if err != nil {
		return pl, err
	}
	if job.Anchor != "" {
		pl.At, pl.Anchor = nil, pdfstamp.Corner(job.Anchor)
	}
	if t := job.Placement; t != nil && t.ScanSafety != nil && t.ScanSafety.MinModuleMM != nil && pl.MaxWNorm == 0 && pl.MaxHNorm == 0 {
		if least := *t.ScanSafety.MinModuleMM * float64(job.Side); least > pdfstamp.SymbolMM(job.Side) {
			pl.SizeMM = least
		}
	}
	return pl, nil
}

func places(list []pdfstamp.Place) []stamp.Place {
	out := make([]stamp.Place, 0, len(list))
	for _, p := range list {
		to := stamp.Place{
			Page: p.Page, Width: p.PageMM.Width, Height: p.PageMM.Height, ModuleMM: p.ModuleMM,
			Box: stamp.Rect(p.Box), Symbol: stamp.Rect(p.Symbol), Quiet: stamp.Rect(p.Quiet), Caption: stamp.Rect(p.Caption),
		}
		for _, o := range p.Under {
			to.Under = append(to.Under, stamp.Obstacle{Kind: o.Kind, Name: o.Name, Area: stamp.Rect(o.Area)})
		}
		out = append(out, to)
	}
	return out
}

// placed converts a template to geometry; nil is the default place. Requirements of scan
// safety beyond the quiet zone are not part of it.
func placed(t *placement.Spec) (pl pdfstamp.Placement, err error) {
	if t == nil {
		return pl, nil
	}
	pl.Scope, pl.Anchor = pdfstamp.Scope(t.PageScope), pdfstamp.Corner(t.Anchor)
	if t.PageScope == placement.ScopeCustom {
		if pl.Pages, err = placement.ParsePages(t.CustomPages); err != nil {
			return pl, fmt.Errorf("pages of a stored template: %w", err)
		}
	}
	if t.XNorm != nil && t.YNorm != nil {
		pl.At = &pdfstamp.Point{X: *t.XNorm, Y: *t.YNorm}
		if t.Anchor == "" {
			pl.Anchor = pdfstamp.TopLeft // fractions count from the top left
		}
	}
	if t.WNorm != nil {
		pl.MaxWNorm = *t.WNorm
	}
	if t.HNorm != nil {
		pl.MaxHNorm = *t.HNorm
	}
	if z := t.PageSizeMM; z != nil {
		pl.DesignedMM = &pdfstamp.Size{Width: z.Width, Height: z.Height}
	}
	if m := t.SafeMargins; m != nil {
		pl.MarginsMM = &pdfstamp.Margins{Top: m.Top, Right: m.Right, Bottom: m.Bottom, Left: m.Left}
	}
	if t.Rotation != nil {
		pl.Rotation = *t.Rotation
	}
	if w := t.WhiteBox; w != nil {
		pl.PaddingMM, pl.Opacity = w.PaddingMM, w.Opacity
		if pl.NoWhiteBox = !w.Enabled || w.Opacity == 0; pl.NoWhiteBox {
			pl.PaddingMM, pl.Opacity = 0, 0
		}
	}
	if c := t.Caption; c != nil && c.Enabled && (c.Text != "" || c.ShowReference) {
		pl.Caption = &pdfstamp.Caption{Text: c.Text, Reference: c.ShowReference, Side: pdfstamp.Side(c.Position), FontSizePt: c.FontSizePt}
	}
	if t.ScanSafety != nil {
		pl.QuietModules = t.ScanSafety.QuietZoneModules
	}
	return pl, nil
}

// BarcodePNG draws only the symbol.
func (s stamper) BarcodePNG(text string) ([]byte, error) {
	return pdfstamp.BarcodePNG(text, barcodePixels)
}
