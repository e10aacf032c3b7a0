package server

import (
	"context"
	"fmt"

	"tcode/server/pdfstamp"
	"tcode/server/placement"
	"tcode/server/stamp"
)

// barcodePixels is the width of a module in a downloaded barcode image.
const barcodePixels = 8

// stamper lends package pdfstamp to package stamp, which knows no PDF.
type stamper struct{ pdf *pdfstamp.Stamper }

var _ stamp.Stamper = stamper{}

// Stamp stamps where the job's placement template says.
func (s stamper) Stamp(ctx context.Context, job stamp.Job) (stamp.Drawn, error) {
	pl, err := placed(job.Placement)
	if err != nil {
		return stamp.Drawn{}, err
	}
	done, err := s.pdf.Stamp(ctx, job.PDF, pl, job.Reference, job.Side, job.Seal)
	if err != nil {
		return stamp.Drawn{}, err
	}
	first := done.Places[0]
	return stamp.Drawn{
		PDF: done.PDF, Page: done.Page(), Pages: done.Pages(), Modules: done.Modules, ModuleMM: first.ModuleMM,
		SizeMM: first.Symbol.Width, BoxMM: first.Quiet.Width, Warnings: done.Warnings,
	}, nil
}

// placed turns a template into geometry; nil is the default place. White box,
// caption and the rest of scan safety have no geometry of their own yet.
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
			pl.Anchor = pdfstamp.TopLeft // as fractions count, from the top left
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
	if t.ScanSafety != nil {
		pl.QuietModules = t.ScanSafety.QuietZoneModules
	}
	return pl, nil
}

// BarcodePNG draws the symbol alone.
func (s stamper) BarcodePNG(text string) ([]byte, error) {
	return pdfstamp.BarcodePNG(text, barcodePixels)
}
