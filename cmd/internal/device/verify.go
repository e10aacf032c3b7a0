package device

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/scanner"
	"tcode/scanner/caveat"
	"tcode/scanner/raster"
	"tcode/scanner/symbol"
	"tcode/sync/outbox"
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
// a power cut. If there is no TCode, it returns one Finding with the reason.
//
// The error is a [*scanner.DocumentError] if the document could not be read; it
// comes with findings if some of its pages could. If outboxdb.IsFull is true for
// the error, the disk has no room, and there are no findings because nothing
// could be stored.
func (s *Device) Verify(ctx context.Context, name string, data []byte, opt VerifyOptions) ([]Finding, error) {
	// Work that does not depend on the pages runs while they are drawn.
	judge := beside(func() (judge, error) {
		if opt.Before != nil {
			opt.Before()
		}
		return s.judge(ctx)
	})
	defer func() { _, _ = judge() }()
	binder := scanner.NewBinder(data)
	defer binder.Ahead()()
	r := &reading{dev: s, name: name, data: data, judge: judge, binder: binder, opt: opt}
	opt.AllPages = opt.AllPages || opt.BothEngines
	if !opt.AllPages {
		if err := r.read(ctx, true); err != nil {
			return nil, err
		}
	}
	if opt.AllPages || (!r.bound() || r.others()) && (r.pages > 1 || r.partial) {
		if err := r.readAll(ctx); err != nil {
			return nil, err
		}
	}
	if len(r.findings) == 0 {
		r.findings = []Finding{{File: name, Kind: binder.Kind(), Image: r.image(), Missing: r.missing}}
	}
	if err := r.judgeHidden(); err != nil {
		return nil, err
	}
	if err := r.examine(ctx); err != nil {
		return nil, err
	}
	if s.Keeps() {
		if err := s.record(ctx, r.findings, opt.Context); err != nil {
			return nil, err
		}
	}
	for i := range r.findings {
		r.findings[i].NotKept = !s.Keeps()
	}
	if r.unseen > 0 && !r.bound() {
		return r.findings, &scanner.DocumentError{
			File: name, Code: scanner.FileDamaged, Message: fmt.Sprintf("page %d could not be shown, so its content is unknown", r.unseen),
			Advice: "Look at that page yourself, or get the document again.",
		}
	}
	return r.findings, nil
}

// A reading collects the results of the pages of one document.
type reading struct {
	dev    *Device
	name   string
	data   []byte
	judge  func() (judge, error) // waits for it
	binder *scanner.Binder
	opt    VerifyOptions

	pages    int  // of the document
	partial  bool // some of the page that was read was not searched
	unseen   int  // the first page that could not be rendered; 0: none
	findings []Finding
	missing  symbol.Reason    // of the first page without a symbol
	found    []binding.Mark   // of the file; nil: not searched yet
	disputed []caveat.Caveat  // about symbols that only one engine shows
	ends     map[string]int64 // end of the part of the file to which a symbol's text is bound
}

func (r *reading) image() bool { return raster.Sniff(r.data) != raster.PDF }

// bound reports whether a stamp vouches for the whole file.
func (r *reading) bound() bool {
	return slices.ContainsFunc(r.findings, func(f Finding) bool { return f.Result.Binding == binding.Match })
}

// others reports whether the file holds stamps that no page has shown so far.
func (r *reading) others() bool {
	hidden, more := r.unseenMarks()
	return len(hidden) > 0 || more
}

// readAll reads every page. If a stamp that was read before vouches for the
// whole file, pages that take too long or are damaged do not change that: the
// findings remain, and stamps that no page showed are judged by their bytes.
func (r *reading) readAll(ctx context.Context) error {
	first, bound := r.findings, r.bound()
	err := r.read(ctx, false)
	if _, isDocument := errors.AsType[*scanner.DocumentError](err); !bound || !isDocument {
		return err
	}
	for _, f := range first {
		again := func(g Finding) bool { return g.Page == f.Page && g.Result.Reference == f.Result.Reference }
		if !slices.ContainsFunc(r.findings, again) {
			r.findings = append(r.findings, f)
		}
	}
	return nil
}

// read reads the pages again: all of them, or the last first and only up to the
// first symbol.
func (r *reading) read(ctx context.Context, stampOnly bool) error {
	r.findings, r.missing, r.unseen, r.partial, r.disputed = nil, symbol.Reason{}, 0, false, nil
	opt := scanner.DocumentOptions{StampOnly: stampOnly, BothEngines: r.opt.BothEngines, Image: symbol.Options{Inverted: r.opt.Inverted, Thorough: r.opt.Thorough}}
	err := r.dev.scanner.Read(ctx, r.name, r.data, opt, r.page)
	if _, unable := r.judge(); unable != nil {
		return unable // even if there was nothing to judge
	}
	return err
}

// judged returns the answer of judge about one symbol. It records the end of
// the part of the file to which the symbol is bound.
func (r *reading) judged(judge judge, sym symbol.Symbol) (offline.Result, []caveat.Caveat) {
	result, bound, caveats := judge(r.binder, sym)
	if bound.State == binding.Match || bound.State == binding.Appended {
		if r.ends == nil {
			r.ends = map[string]int64{}
		}
		r.ends[sym.Text] = int64(len(r.data)) - bound.AppendedBytes
	}
	return result, caveats
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

func (r *reading) page(page scanner.Page) error {
	judge, err := r.judge()
	if err != nil {
		return err
	}
	r.pages = page.Count
	r.disputed = append(r.disputed, disputed(page)...)
	r.partial = r.partial || page.Partial
	if page.WidthPx == 0 && r.unseen == 0 {
		r.unseen = page.Number
	}
	if len(page.Reading.Symbols) == 0 && r.missing.Code == "" {
		r.missing = page.Reading.Reason
	}
	for _, sym := range page.Reading.Symbols {
		f := Finding{File: r.name, Kind: r.binder.Kind(), Image: r.image(), Page: page.Number, Symbol: sym, DPI: page.DPI}
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

// foreign reports whether the symbol is another Data Matrix: not a TCode, not
// even a damaged one.
func foreign(r offline.Result) bool {
	for _, c := range r.Checks {
		if c.Code == offline.CodeTextMalformed || c.Code == offline.CodeNotTCode {
			return true
		}
	}
	return false
}

// A judge answers about the symbols of one document. It returns caveats only if
// the symbol is bound to the file and its issuer does not vouch that this file
// is plain; otherwise there is nothing to search for.
type judge func(file *scanner.Binder, sym symbol.Symbol) (offline.Result, binding.Outcome, []caveat.Caveat)

// judge returns the judge of one document with the present trust state and clock.
func (s *Device) judge(ctx context.Context) (judge, error) {
	snapshot, err := s.Cache.Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("read trust state: %w", err)
	}
	clock, err := s.clock(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	verifier := offline.New(snapshot, s.cfg.Policy)
	bound := map[string]binding.Outcome{} // a stamp on all pages is hashed once
	return func(file *scanner.Binder, sym symbol.Symbol) (offline.Result, binding.Outcome, []caveat.Caveat) {
		var b binding.Outcome
		request := offline.Request{Text: sym.Text, Binding: binding.NotChecked}
		if raw := payloadOf(sym.Text); raw != nil {
			if p, err := payload.Parse(raw); err == nil {
				key := fmt.Sprint(sym.Rows, sym.Cols, sym.Text, sym.Dark)
				known := false
				if b, known = bound[key]; !known {
					b = file.Check(p, sym)
					bound[key] = b
				}
				request.Payload, request.Text = raw, ""
				request.Binding, request.BindingDetail = b.State, b.Detail
			}
		}
		result := verifier.Verify(clock(), request)
		if b.State == binding.Appended || b.State == binding.Match && !result.Plain {
			return result, b, file.Caveats()
		}
		return result, b, nil
	}, nil
}

// record makes the findings durable: first the revocations to remember, then
// the scans, in one commit. It fills the findings' scan ids.
func (s *Device) record(ctx context.Context, findings []Finding, where wire.Context) error {
	var revoked []digest.SHA256
	var scans []*outbox.Scan
	for _, f := range findings {
		if f.Result.Remember {
			revoked = append(revoked, f.Result.CoreHash)
		}
		if f.recorded() {
			scans = append(scans, scanOf(f, s.Now(), where))
		}
	}
	if len(scans) == 0 {
		return nil
	}
	if len(revoked) > 0 {
		if err := s.Cache.Remember(ctx, revoked...); err != nil {
			return fmt.Errorf("remember revocation: %w", err)
		}
	}
	if err := s.Outbox.Record(ctx, scans...); err != nil {
		return fmt.Errorf("record scan: %w", err)
	}
	for i := range findings {
		if findings[i].recorded() {
			findings[i].ScanID, scans = scans[0].ScanID, scans[1:]
		}
	}
	return nil
}

// scanOf returns the outbox row of a finding. Its time is the proven one if
// there is one, because the device's clock may be years off.
func scanOf(f Finding, now time.Time, where wire.Context) *outbox.Scan {
	r := f.Result
	if r.Basis == offline.Proven {
		now = r.Now
	}
	raw := payloadOf(f.Symbol.Text)
	if raw == nil {
		raw = []byte(f.Symbol.Text) // kept as evidence; the gateway refuses it by name
	}
	return &outbox.Scan{
		Payload:      raw,
		ScannedAt:    now,
		Verdict:      string(r.Verdict),
		Assurance:    string(r.Assurance),
		Binding:      string(r.Binding),
		TrustVersion: r.TrustVersion,
		StatusAsOf:   r.StatusAsOf,
		Stale:        r.Stale,
		ClockSuspect: r.ClockSuspect,
		Proven:       r.Basis == offline.Proven,
		Test:         r.Test,
		Context:      where,
		Source:       f.File,
		Page:         f.Page,
	}
}
