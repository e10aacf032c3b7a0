package answer

import (
	"context"
	"slices"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/binder"
	"tcode/scanner/caveat"
	"tcode/scanner/filekind"
	"tcode/scanner/symbol"
)

// A Page is what was seen on one page of a document.
type Page struct {
	Number, Count int     // from 1; pages of the document
	Unseen        bool    // the page could not be drawn
	Partial       bool    // the rest of the page was not searched
	DPI           float64 // of the image that was read; 0: not known
	Reading       symbol.Reading
	Caveats       []caveat.Caveat // about the drawing of the page
}

// A Reading collects the results of the pages of one document. Add the pages with
// [Reading.Page], then take the [Reading.Findings]. It is not safe for concurrent
// use; the file must not change.
type Reading struct {
	name   string
	data   []byte
	judge  func() (*Judge, error) // waits for it
	binder *binder.Binder

	pages    int  // of the document
	partial  bool // some of the page that was read was not searched
	unseen   int  // the first page that could not be rendered; 0: none
	findings []Finding
	missing  symbol.Reason    // of the first page without a symbol
	found    []binding.Mark   // of the file; nil: not searched yet
	disputed []caveat.Caveat  // about the drawings of pages
	ends     map[string]int64 // end of the part of the file to which a symbol's text is bound
	doubted  bool             // a later stamp may be harmless
	undrawn  bool             // no page is drawn
	changed  func() string    // how the file was changed as text on its way, a clause; empty: it was not
}

// Read returns the reading of a document. name is the file's, as the answer names
// it. judge is called when the first symbol was read, and may wait for the trust
// state.
func Read(name string, data []byte, judge func() (*Judge, error)) *Reading {
	b := binder.New(data)
	return &Reading{name: name, data: data, judge: judge, binder: b, changed: b.Changed}
}

// adviceChanged says what to do about a file that was changed as text.
const adviceChanged = "have it sent again as it is: as an attachment, or in binary mode"

// Ahead searches for caveats concurrently, as [binder.Binder.Ahead] does.
func (r *Reading) Ahead() (wait func()) { return r.binder.Ahead() }

// Kind is the kind of the document, by its content.
func (r *Reading) Kind() filekind.Kind { return r.binder.Kind() }

// Image reports whether the document is a picture, so that there is no file to
// bind to.
func (r *Reading) Image() bool { return r.Kind() != filekind.PDF }

// Bound reports whether a stamp vouches for the whole file.
func (r *Reading) Bound() bool {
	return slices.ContainsFunc(r.findings, func(f Finding) bool { return f.Result.Binding == binding.Match })
}

// Enough reports whether the pages that were read answer for the document: a stamp
// vouches for the whole file and no mark of another one is in it, or there is
// nothing more to read.
func (r *Reading) Enough() bool {
	return r.Bound() && !r.others() || r.pages <= 1 && !r.partial
}

// Unseen returns the first page that could not be drawn; 0: none.
func (r *Reading) Unseen() int { return r.unseen }

// Doubted reports whether [Reading.Findings] left open that a later stamp is
// harmless, because nothing was drawn.
func (r *Reading) Doubted() bool { return r.doubted }

// Found reports whether a page has shown a TCode so far.
func (r *Reading) Found() bool { return len(r.findings) > 0 }

// WithoutPages says that no page is drawn, instead of [Reading.Page]: the stamps in the bytes
// are the answer, as hidden ones. missing is the reason if there is none.
func (r *Reading) WithoutPages(missing symbol.Reason) { r.undrawn, r.missing = true, missing }

// others reports whether the file holds stamps that no page has shown so far.
func (r *Reading) others() bool {
	hidden, more := r.unseenMarks()
	return len(hidden) > 0 || more
}

// Restart forgets the pages, before they are read again, and returns the findings
// so far for [Reading.Keep].
func (r *Reading) Restart() []Finding {
	first := r.findings
	r.findings, r.missing, r.unseen, r.partial, r.disputed = nil, symbol.Reason{}, 0, false, nil
	return first
}

// Keep adds those findings of an earlier reading of the pages that this one lacks.
func (r *Reading) Keep(first []Finding) {
	for _, f := range first {
		again := func(g Finding) bool { return g.Page == f.Page && g.Result.Reference == f.Result.Reference }
		if !slices.ContainsFunc(r.findings, again) {
			r.findings = append(r.findings, f)
		}
	}
}

// Page judges the symbols on a page. The error is that of the judge.
func (r *Reading) Page(page Page) error {
	judge, err := r.judge()
	if err != nil {
		return err
	}
	r.pages = page.Count
	r.disputed = append(r.disputed, page.Caveats...)
	r.partial = r.partial || page.Partial
	if page.Unseen && r.unseen == 0 {
		r.unseen = page.Number
	}
	if len(page.Reading.Symbols) == 0 && r.missing.Code == "" {
		r.missing = page.Reading.Reason
	}
	for _, sym := range page.Reading.Symbols {
		f := Finding{File: r.name, Kind: r.Kind(), Image: r.Image(), Page: page.Number, Symbol: sym, DPI: page.DPI}
		f.Result, f.Caveats = r.judged(judge, sym)
		if !foreign(f.Result) {
			r.findings = append(r.findings, f)
			continue
		}
		r.missing = symbol.Reason{
			Code:    "foreign_symbol",
			Message: "a Data Matrix symbol that is not a TCode",
			Advice:  "Look for the TCode stamp elsewhere on the document.",
		}
	}
	return nil
}

// judged returns the answer of judge about one symbol. It records the end of
// the part of the file to which the symbol is bound.
func (r *Reading) judged(judge *Judge, sym symbol.Symbol) (offline.Result, []caveat.Caveat) {
	result, bound, caveats := judge.About(r.binder, sym)
	if bound.State == binding.Match || bound.State == binding.Appended {
		if r.ends == nil {
			r.ends = map[string]int64{}
		}
		r.ends[sym.Text] = int64(len(r.data)) - bound.AppendedBytes
	}
	return result, caveats
}

// Findings returns the answer: one finding for each stamp on the pages and in the
// bytes of the file, or one with the reason why there is none. The error is that
// of ctx, or of the judge.
func (r *Reading) Findings(ctx context.Context, by Drawing) ([]Finding, error) {
	none := []Finding{{File: r.name, Kind: r.Kind(), Image: r.Image(), Missing: r.missing}}
	if len(r.findings) == 0 && !r.undrawn {
		r.findings = none
	}
	if err := r.judgeHidden(); err != nil {
		return nil, err
	}
	if len(r.findings) == 0 {
		r.findings = none
	}
	for i := range r.findings {
		if f := &r.findings[i]; !f.Found() && r.changed() != "" {
			f.Missing = symbol.Reason{Code: "changed_as_text", Message: r.changed(), Advice: adviceChanged}
		}
	}
	if err := r.examine(ctx, by); err != nil {
		return nil, err
	}
	return r.findings, nil
}
