package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tcode/offline/contain"
	"tcode/scanner"
	"tcode/scanner/answer"
	"tcode/scanner/caveat"
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
// could be stored. A panic or a hang of this program is a DocumentError with the code
// scanner.FileCrashed, without findings, because nothing is known of their scans.
func (s *Device) Verify(ctx context.Context, name string, data []byte, opt VerifyOptions) (findings []answer.Finding, err error) {
	err = contain.Do("verify", func() (err error) {
		findings, err = s.verify(ctx, name, data, opt)
		return err
	})
	if contain.Fault(err) && ctx.Err() == nil {
		return nil, scanner.Failed(name, err)
	}
	return findings, err
}

func (s *Device) verify(ctx context.Context, name string, data []byte, opt VerifyOptions) (findings []answer.Finding, err error) {
	// Work that does not depend on the pages runs while they are drawn.
	judge := beside(func() (*answer.Judge, error) {
		if opt.Before != nil {
			opt.Before()
		}
		return s.judge(ctx)
	})
	r := &reading{Reading: answer.Read(name, data, judge), dev: s, name: name, data: data, opt: opt, judge: judge}
	ahead := r.Ahead()
	defer func() {
		if !errors.Is(err, contain.ErrHung) { // what hung is not awaited again
			_ = r.step(ctx, "answer-end", func(context.Context) error {
				ahead()
				_, err := judge()
				return err
			})
		}
	}()
	if err := r.readPages(ctx); err != nil {
		return nil, err
	}
	var found []answer.Finding
	err = r.step(ctx, "answer", func(ctx context.Context) (err error) {
		found, err = r.Findings(ctx, r.drawing())
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.Keeps() {
		store := answer.Store{Remember: s.Cache.Remember, Record: s.Outbox.Record}
		err := r.step(ctx, "record", func(ctx context.Context) error {
			return answer.Record(ctx, store, found, s.Now(), opt.Context)
		})
		if err != nil {
			return nil, err
		}
	}
	findings = found
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
	alone *time.Timer // of the step in progress; stopped while children draw, which have limits of their own
}

// errStep is the cause when a step of the answer took too long.
var errStep = fmt.Errorf("%w: the time for the answer is over", contain.ErrHung)

// limit is how long a step may take: as long as the reading of a document that makes no progress.
func (r *reading) limit() time.Duration {
	limit := r.dev.scanner.Ceiling()
	if r.opt.Before != nil { // the judge waits for it
		limit += r.dev.cfg.RefreshTimeout
	}
	return limit
}

// step does a part of the answer in this process. It returns an error if the part panics, or takes longer
// than the limit and does not obey the end of its context.
func (r *reading) step(ctx context.Context, kind string, part func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.alone = contain.After(r.limit(), "step-end", func() { cancel(errStep) })
	defer r.alone.Stop()
	//contain:none the callers name the kind by constants
	err := contain.Within(ctx, kind, noLimit, part)
	if err != nil && errors.Is(context.Cause(ctx), errStep) {
		return errStep // also if the part obeyed
	}
	return err
}

// noLimit is longer than anything takes: the part has a limit of its own.
const noLimit = 100_000 * time.Hour

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
	err := r.dev.scanner.Read(ctx, r.name, r.data, opt, func(p scanner.Page) error {
		return r.step(ctx, "page-answer", func(context.Context) error { return r.Page(shown(p)) })
	})
	if errors.Is(err, contain.ErrHung) {
		return err // perhaps the judge
	}
	unable := r.step(ctx, "judge-wait", func(context.Context) error {
		_, err := r.judge()
		return err
	})
	return cmp.Or(unable, err) // unable even if there was nothing to judge
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
	alone, limit := r.alone, r.limit()
	d := answer.Drawing{Plain: r.opt.BothEngines}
	d.CoversNothing = func(ctx context.Context, before, after []byte, pages []int) (bool, error) {
		alone.Stop()
		defer alone.Reset(limit)
		return r.dev.scanner.CoversNothing(ctx, before, after, pages)
	}
	if r.opt.Compare {
		d.Compare = func(ctx context.Context) ([]caveat.Caveat, error) {
			alone.Stop()
			defer alone.Reset(limit)
			return r.differences(ctx)
		}
	}
	return d
}

// beside runs fn concurrently with its caller. wait waits for fn and returns its
// results.
func beside[T any](fn func() (T, error)) (wait func() (T, error)) {
	var value T
	done := contain.Start("judge", func() (err error) {
		value, err = fn()
		return err
	})
	return sync.OnceValues(func() (T, error) {
		err := <-done
		return value, err
	})
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
