package device

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"tcode/scanner"
	"tcode/scanner/answer"
	"tcode/scanner/symbol"
	"tcode/sync/wire"
)

// VerifyOptions control one verification.
type VerifyOptions struct {
	// AllPages reads every page. Otherwise the last page comes first, and reading ends
	// with a stamp that is bound to the whole file: the other pages cannot differ from
	// the stamped ones. In a file with marks of other stamps all pages are read, so
	// that a stamp on a stamp does not hide the verdict of the first one.
	AllPages bool
	// Compare has two engines draw a file to which a good stamp is bound,
	// unless its issuer vouches that it is plain. The file gets a caveat for
	// each difference, or one if the device cannot compare ([Config.Compare]).
	Compare bool
	// Before, if not nil, is called while pages are drawn, and its end is
	// awaited before anything is judged: it refreshes the trust documents.
	Before func()
	// BothEngines reads every page of a PDF as each of two engines draws it, and
	// adds to all findings a caveat for each symbol that only one of them shows.
	// With it, Compare draws the file even if its issuer vouches that it is plain.
	BothEngines bool
	Inverted    bool         // look for light symbols on dark ground in PDFs too
	Thorough    bool         // look also where nothing resembles a symbol
	Context     wire.Context // where the scan is made, in the operator's words
}

// Verify reads a document, judges every TCode on it and records one scan for each,
// unless the device is a copy. When it returns, the scans are on disk and survive
// a power cut. If there is no TCode, it returns one answer.Finding with the reason.
//
// The error is a [*scanner.DocumentError] if the document could not be read; it
// comes with findings if some of its pages could. If outbox.IsFull is true for
// the error, the disk has no room, and there are no findings because nothing
// could be stored.
func (s *Device) Verify(ctx context.Context, name string, data []byte, opt VerifyOptions) ([]answer.Finding, error) {
	// Work that does not depend on the pages runs while they are drawn.
	judge := beside(func() (*answer.Judge, error) {
		if opt.Before != nil {
			opt.Before()
		}
		return s.judge(ctx)
	})
	defer func() { _, _ = judge() }()
	r := reading{answer.Read(name, data, judge), s, name, data, opt, judge}
	defer r.Ahead()()
	if err := r.readPages(ctx); err != nil {
		return nil, err
	}
	findings, err := r.Findings(ctx, r.drawing())
	if err != nil {
		return nil, err
	}
	if s.Keeps() {
		store := answer.Store{Remember: s.Cache.Remember, Record: s.Outbox.Record}
		if err := answer.Record(ctx, store, findings, s.Now(), opt.Context); err != nil {
			return nil, err
		}
	}
	for i := range findings {
		findings[i].NotKept = !s.Keeps()
	}
	if page := r.Unseen(); page > 0 && !r.Bound() {
		return findings, &scanner.DocumentError{
			File: name, Code: scanner.FileDamaged, Message: fmt.Sprintf("page %d could not be shown, so its content is unknown", page),
			Advice: "Look at that page yourself, or get the document again.",
		}
	}
	return findings, nil
}

// A reading draws and reads the pages of one document.
type reading struct {
	*answer.Reading
	dev   *Device
	name  string
	data  []byte
	opt   VerifyOptions
	judge func() (*answer.Judge, error)
}

// readPages reads as many pages as the answer needs.
func (r *reading) readPages(ctx context.Context) error {
	all := r.opt.AllPages || r.opt.BothEngines
	if !all {
		if err := r.read(ctx, true); err != nil {
			return err
		}
		all = !r.Enough()
	}
	if all {
		return r.readAll(ctx)
	}
	return nil
}

// readAll reads every page. If a stamp that was read before vouches for the
// whole file, pages that take too long or are damaged do not change that: the
// findings remain, and stamps that no page showed are judged by their bytes.
func (r *reading) readAll(ctx context.Context) error {
	bound := r.Bound()
	first := r.Restart()
	err := r.read(ctx, false)
	if _, isDocument := errors.AsType[*scanner.DocumentError](err); !bound || !isDocument {
		return err
	}
	r.Keep(first)
	return nil
}

// read reads the pages: all of them, or the last first and only up to the
// first symbol.
func (r *reading) read(ctx context.Context, stampOnly bool) error {
	opt := scanner.DocumentOptions{StampOnly: stampOnly, BothEngines: r.opt.BothEngines, Image: symbol.Options{Inverted: r.opt.Inverted, Thorough: r.opt.Thorough}}
	err := r.dev.scanner.Read(ctx, r.name, r.data, opt, func(p scanner.Page) error { return r.Page(shown(p)) })
	if _, unable := r.judge(); unable != nil {
		return unable // even if there was nothing to judge
	}
	return err
}

// shown converts a page that was read.
func shown(p scanner.Page) answer.Page {
	return answer.Page{
		Number: p.Number, Count: p.Count, Unseen: p.WidthPx == 0, Partial: p.Partial, DPI: p.DPI,
		Reading: p.Reading, Caveats: disputed(p),
	}
}

// drawing tells what the drawings of this device's engines show.
func (r *reading) drawing() answer.Drawing {
	d := answer.Drawing{CoversNothing: r.dev.scanner.CoversNothing, Plain: r.opt.BothEngines}
	if r.opt.Compare {
		d.Compare = r.differences
	}
	return d
}

// beside runs fn concurrently with its caller. wait waits for fn, returns its
// results, and panics if fn did.
func beside[T any](fn func() (T, error)) (wait func() (T, error)) {
	wait = sync.OnceValues(fn)
	go func() {
		defer func() { _ = recover() }() // the caller of wait gets it
		_, _ = wait()
	}()
	return wait
}

// judge returns the judge of one document with the present trust state and clock.
func (s *Device) judge(ctx context.Context) (*answer.Judge, error) {
	snapshot, err := s.Cache.Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("read trust state: %w", err)
	}
	clock, err := s.clock().Reading(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	return answer.NewJudge(snapshot, s.cfg.Policy, clock), nil
}
