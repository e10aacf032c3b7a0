package server

import (
	"context"
	"fmt"
	"slices"

	"tcode/offline/geometry"
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
		Revision: done.Revision, Places: done.Places, Modules: done.Modules, Filled: done.Filled, Warnings: done.Warnings,
		Beneath: !slices.ContainsFunc(done.Places, func(p geometry.Place) bool { return !p.Beneath }),
		Damaged: slices.ContainsFunc(done.Places, func(p geometry.Place) bool { return p.Damaged }),
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
		option := stamp.Option{Places: o.Places}
		if i > 0 { // the first one is as the job says
			option.Anchor = o.Placement.Anchor
		}
		out = append(out, option)
	}
	return out, nil
}

// placeOf returns the geometry of a job: the template's, moved to the chosen
// place, with modules as wide as the template wants, and its scans need, if nothing limits
// the stamp's size.
func placeOf(job stamp.Job) (pdfstamp.Placement, error) {
	pl, err := placed(job.Placement)
	pl.Link = job.Link
	if err != nil {
		return pl, err
	}
	if job.Anchor != "" {
		pl.At, pl.Anchor = nil, job.Anchor
	}
	if t := job.Placement; t != nil && t.ScanSafety != nil && pl.MaxWNorm == 0 && pl.MaxHNorm == 0 {
		least := geometry.LeastModuleMM(geometry.Size{}, t.ScanSafety.TargetDPI)
		if wanted := t.ScanSafety.MinModuleMM; wanted != nil {
			least = max(least, *wanted)
		}
		if size := least * float64(job.Side); size > pdfstamp.SymbolMM(job.Side) {
			pl.SizeMM = size
		}
	}
	return pl, nil
}

// placed turns a template into geometry; nil is the default place. What scan
// safety asks beyond the quiet zone is not geometry.
func placed(t *placement.Spec) (pl pdfstamp.Placement, err error) {
	if t == nil {
		return pl, nil
	}
	pl.Scope, pl.Anchor = t.PageScope, t.Anchor
	if t.PageScope == geometry.CustomPages {
		if pl.Pages, err = placement.ParsePages(t.CustomPages); err != nil {
			return pl, fmt.Errorf("pages of a stored template: %w", err)
		}
	}
	if t.XNorm != nil && t.YNorm != nil {
		pl.At = &geometry.Point{X: *t.XNorm, Y: *t.YNorm}
		if t.Anchor == "" {
			pl.Anchor = geometry.TopLeft // as fractions count, from the top left
		}
	}
	if t.WNorm != nil {
		pl.MaxWNorm = *t.WNorm
	}
	if t.HNorm != nil {
		pl.MaxHNorm = *t.HNorm
	}
	pl.DesignedMM, pl.MarginsMM = t.PageSizeMM, t.SafeMargins
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
		pl.Caption = &pdfstamp.Caption{Text: c.Text, Reference: c.ShowReference, Side: c.Position, FontSizePt: c.FontSizePt}
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
