package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"tcode/scanner/answer"
	"tcode/scanner/pageimage"
	"tcode/scanner/symbol"
	"tcode/scanner/web/engine/still"
)

// fileBudget is the time for the pages of a PDF. Afterwards no other page begins.
const fileBudget = 30 * time.Second

// Questions that only drawing could answer, for [Answer.Undrawn].
const (
	undrawnPages   = "pages"   // there are pages whose content only drawing shows, or which were not looked at
	undrawnPicture = "picture" // there are pages with a picture in a coding that is not decoded here
)

// pages reads the pages of a PDF that are pictures alone. It returns codes of what the other pages leave open. The error
// is that of ctx, or of the stores.
func (e *Engine) pages(ctx context.Context, r *answer.Reading, data []byte) (undrawn []string, err error) {
	leave := func(code string) {
		if !slices.Contains(undrawn, code) {
			undrawn = append(undrawn, code)
		}
	}
	doc, end := pageimage.Open(data), time.Now().Add(fileBudget)
	if doc.Pages() == 0 {
		leave(undrawnPages)
	}
	for n := 1; n <= doc.Pages(); n++ {
		page, err := e.page(ctx, doc, n, end)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, pageimage.ErrContents), errors.Is(err, still.ErrTime), errors.Is(err, still.ErrReader):
			leave(undrawnPages)
		case err != nil: // it has no other meaning if a decoder fails
			leave(undrawnPicture)
		default:
			if err := r.Page(page); err != nil {
				return nil, err
			}
		}
	}
	if !r.Found() && len(undrawn) > 0 {
		r.WithoutPages(symbol.Reason{
			Code:    "no_mark",
			Message: "no TCode in the bytes of the file, and its pages are not drawn here",
			Advice:  "Photograph the page with the stamp.",
		})
	}
	return undrawn, nil
}

// page reads page n of a PDF until end. Its errors are those of [pageimage.Document.Show] and [still.Read].
func (e *Engine) page(ctx context.Context, doc *pageimage.Document, n int, end time.Time) (answer.Page, error) {
	left := time.Until(end)
	if left <= 0 {
		return answer.Page{}, still.ErrTime
	}
	shown, err := doc.Show(ctx, n, e.cfg.Decode)
	if err != nil {
		return answer.Page{}, err
	}
	seen, err := still.Read(ctx, (*still.Memory)(shown.Image), shown.DPI, symbol.Options{Budget: left})
	return answer.Page{Number: n, Count: doc.Pages(), DPI: seen.DPI, Reading: seen.Reading}, err
}
