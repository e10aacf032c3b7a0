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
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// VerifyOptions steer one verification.
type VerifyOptions struct {
	// AllPages reads every page. Otherwise the last page comes first, and a stamp
	// that is bound to the whole file ends reading: the other pages cannot differ
	// from what was stamped. In a file with marks of other stamps all pages are
	// read too: a stamp on a stamp does not hide what became of the first one.
	AllPages bool
	// Compare draws a file that a good stamp is bound to with two engines, unless
	// its issuer vouches that it is plain, and gives it a caveat for each
	// difference, or one if there is no way to compare ([Config.Compare]).
	Compare bool
	// Before, unless nil, is waited for before anything is judged, while pages are
	// drawn already: a refresh of the trust documents.
	Before func()
	// BothEngines reads every page of a PDF as each of two engines draws it, and
	// gives all findings a caveat for each symbol that only one of them shows. With
	// it, Compare draws the file whatever its issuer vouches for.
	BothEngines bool
	Inverted    bool         // look for light symbols on dark ground too
	Context     wire.Context // where the scan is made, in the operator's words
}

// Verify reads a document, judges every TCode on it and records one scan for
// each, unless the device is a copy. When it returns, the scans are on disk: what the
// caller then shows survives a power cut. Without a TCode there is one Finding that says why.
//
// The error is a [*scanner.DocumentError] if the document could not be read; it
// comes with findings if some of its pages could. An error that outbox.IsFull
// knows means that the disk has no room: then there are no findings, because
// nothing could be kept.
func (s *Device) Verify(ctx context.Context, name string, data []byte, opt VerifyOptions) ([]Finding, error) {
	// What does not depend on the pages is found out while they are drawn.
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
			File: name, Code: scanner.FileDamaged, Message: fmt.Sprintf("page %d could not be shown, so nobody knows what it says", r.unseen),
			Advice: "Look at that page yourself, or get the document anew.",
		}
	}
	return r.findings, nil
}

// reading collects what the pages of one document say.
type reading struct {
	dev    *Device
	name   string
	data   []byte
	judge  func() (judge, error) // waits for it
	binder *scanner.Binder
	opt    VerifyOptions

	pages    int  // of the document
	partial  bool // some of the page that was read was not looked at
	unseen   int  // the first page that could not be rendered; 0: none
	findings []Finding
	missing  scanner.Reason   // of the first page that had none
	found    []binding.Mark   // of the file; nil: not looked for
	disputed []caveat.Caveat  // of what only one engine shows
	ends     map[string]int64 // of the part of the file that a symbol's text is bound to
}

func (r *reading) image() bool { return raster.Sniff(r.data) != raster.PDF }

// bound reports whether a stamp vouches for the whole file.
func (r *reading) bound() bool {
	return slices.ContainsFunc(r.findings, func(f Finding) bool { return f.Result.Binding == binding.Match })
}

// others reports whether the file holds stamps that were not seen so far.
func (r *reading) others() bool {
	hidden, more := r.unseenMarks()
	return len(hidden) > 0 || more
}

// readAll reads every page. Where a stamp that was read before vouches for the
// whole file, pages that take too long or are damaged take nothing from that:
// what was found stands, and stamps that were not seen are judged by their bytes.
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

// read goes over the pages anew: the last first and only as far as the first
// symbol, or all of them.
func (r *reading) read(ctx context.Context, stampOnly bool) error {
	r.findings, r.missing, r.unseen, r.partial, r.disputed = nil, scanner.Reason{}, 0, false, nil
	opt := scanner.DocumentOptions{StampOnly: stampOnly, BothEngines: r.opt.BothEngines, Image: scanner.Options{Inverted: r.opt.Inverted}}
	err := r.dev.scanner.Read(ctx, r.name, r.data, opt, r.page)
	if _, unable := r.judge(); unable != nil {
		return unable // also where there was nothing to judge
	}
	return err
}

// judged is what judge says of one symbol. It keeps where the part of the file
// ends that the symbol is bound to.
func (r *reading) judged(judge judge, symbol scanner.Symbol) (offline.Result, []caveat.Caveat) {
	result, bound, caveats := judge(r.binder, symbol)
	if bound.State == binding.Match || bound.State == binding.Appended {
		if r.ends == nil {
			r.ends = map[string]int64{}
		}
		r.ends[symbol.Text] = int64(len(r.data)) - bound.AppendedBytes
	}
	return result, caveats
}

// beside runs fn concurrently with its caller. The function it returns waits for what fn returned, and panics as fn did.
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
	for _, symbol := range page.Reading.Symbols {
		f := Finding{File: r.name, Kind: r.binder.Kind(), Image: r.image(), Page: page.Number, Symbol: symbol, DPI: page.DPI}
		f.Result, f.Caveats = r.judged(judge, symbol)
		if !foreign(f.Result) {
			r.findings = append(r.findings, f)
			continue
		}
		r.missing = scanner.Reason{
			Code:    "foreign_symbol",
			Message: "a Data Matrix symbol that is no TCode",
			Advice:  "Look for the TCode stamp elsewhere on the document.",
		}
	}
	return nil
}

// foreign reports whether the symbol is simply another Data Matrix: no TCode,
// not even a damaged one.
func foreign(r offline.Result) bool {
	for _, c := range r.Checks {
		if c.Code == offline.CodeTextMalformed || c.Code == offline.CodeNotTCode {
			return true
		}
	}
	return false
}

// A judge answers about the symbols of one document. Caveats come only where
// the symbol is bound to the file, and its issuer does not vouch that the very
// file is plain: then nothing needs to be looked for.
type judge func(file *scanner.Binder, symbol scanner.Symbol) (offline.Result, binding.Outcome, []caveat.Caveat)

// judge returns the judge of one document: trust state and clock as of now.
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
	return func(file *scanner.Binder, symbol scanner.Symbol) (offline.Result, binding.Outcome, []caveat.Caveat) {
		var b binding.Outcome
		request := offline.Request{Text: symbol.Text, Binding: binding.NotChecked}
		if raw := payloadOf(symbol.Text); raw != nil {
			if p, err := payload.Parse(raw); err == nil {
				key := fmt.Sprint(symbol.Rows, symbol.Cols, symbol.Text, symbol.Dark)
				known := false
				if b, known = bound[key]; !known {
					b = file.Check(p, symbol)
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

// record makes the findings durable: first what must never turn green again,
// then the scans, in one commit. It fills the findings' scan ids.
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

// scanOf is the outbox row of a finding. Its time is the proven one if there is
// one: the device's clock may be years off.
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
