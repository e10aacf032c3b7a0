package server

import (
	"context"

	"tcode/server/pdfstamp"
	"tcode/server/stamp"
)

// barcodePixels is the width of a module in a downloaded barcode image.
const barcodePixels = 8

// stamper lends package pdfstamp to package stamp, which knows no PDF.
type stamper struct{ pdf *pdfstamp.Stamper }

var _ stamp.Stamper = stamper{}

// Stamp stamps at the default place.
func (s stamper) Stamp(ctx context.Context, job stamp.Job) (stamp.Drawn, error) {
	done, err := s.pdf.Stamp(ctx, job.PDF, pdfstamp.Placement{}, job.Reference, job.Side, job.Seal)
	if err != nil {
		return stamp.Drawn{}, err
	}
	return stamp.Drawn{
		PDF: done.PDF, Page: done.Page, Modules: done.Modules, ModuleMM: done.ModuleMM,
		SizeMM: done.SizeMM, BoxMM: done.BoxMM, Warnings: done.Warnings,
	}, nil
}

// BarcodePNG draws the symbol alone.
func (s stamper) BarcodePNG(text string) ([]byte, error) {
	return pdfstamp.BarcodePNG(text, barcodePixels)
}
