package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/contain"
	"tcode/scanner"
	"tcode/scanner/answer"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

type verifyCmd struct {
	Files             []string      `arg:"" help:"PDFs, images (PNG, JPEG, HEIC, AVIF, TIFF, BMP, GIF, WebP, JPEG 2000, PNM), folders of them, or - for standard input." placeholder:"FILE"`
	Paper             bool          `help:"The files stand for paper: a stamp that is bound to no file counts as valid for the exit code, also on a picture. Compare the document with the printed answer."`
	RequireFresh      bool          `help:"Do not let a valid verdict count when the trust documents are older than --fresh." env:"TCODE_REQUIRE_FRESH"`
	RequireProvenTime bool          `help:"Do not let a valid verdict count when its time comes from this device's clock, without a proof of time by the gateway since the device started (--refresh and sync bring one)." env:"TCODE_REQUIRE_PROVEN_TIME"`
	RequirePlain      bool          `help:"Let a document count only if it is the very file that was stamped and looks the same in every viewer: no scripts, no hidden layers, no parts kept elsewhere, and its issuer signed that two engines draw it alike, or they do so here. Pictures and paper never do." env:"TCODE_REQUIRE_PLAIN"`
	AcceptTest        bool          `help:"Judge test documents as real ones." env:"TCODE_ACCEPT_TEST"`
	Refresh           bool          `help:"Fetch the newest trust documents and a proof of time first, if there is a network."`
	RefreshTimeout    time.Duration `help:"With --refresh: how long verdicts wait for all requests together. After that they use the trust documents on the device." default:"10s" env:"TCODE_REFRESH_TIMEOUT"`
	NoRecord          bool          `help:"Store nothing: no scan goes into the history, and the home folder is only read, so it may be read-only, another user's or on a full disk. Each answer says so, and the exit code is 4 instead of 0." env:"TCODE_NO_RECORD"`
	AllPages          bool          `help:"Read every page even when a stamp already vouches for the whole file."`
	Inverted          bool          `help:"Look for light symbols on dark ground in PDFs too. In pictures they are always looked for."`
	Thorough          bool          `help:"Look everywhere and with all means, also where nothing resembles a symbol. Takes many times as long for a picture without one."`
	Location          string        `help:"Place of the scan, for the scan history." env:"TCODE_LOCATION" placeholder:"TEXT"`
	Note              string        `help:"A remark for the scan history." placeholder:"TEXT"`
	Lang              string        `help:"Language of document type names and field labels." default:"en" env:"TCODE_LANG"`
	Fresh             time.Duration `help:"Age up to which trust documents count as fresh. May only shorten the default." default:"24h" env:"TCODE_FRESH"`
	HardExpiry        time.Duration `help:"Age from which trust documents say nothing any more. May only shorten the default." default:"168h" env:"TCODE_HARD_EXPIRY"`
	Jobs              int           `help:"Number of documents read concurrently. 0: one for each processor." default:"0" env:"TCODE_JOBS"`
}

func (c *verifyCmd) Help() string {
	return `Nothing is sent, and nothing is fetched without --refresh. A verdict is shown once its scan is on disk.

Each answer says where its time comes from: "proven" by the gateway since this device started, or "device_clock". Only a proof of time counts against a wrong clock; documents from a mirror never prove the time. "tcode-scan clock" shows more.

A picture of a genuine stamp proves the stamp, not the document around it: the answer says what to compare, and the exit code is 5. With --paper, where a person compares each document, it is 0, and with --require-plain 1.

With --engine both every page of a PDF is drawn and read with MuPDF and with PDFium, also of a file whose issuer says that it is plain: each difference is a caution, with the page and the place.

Every stamp in a file is judged, also one that no page shows. All of them must be valid, and a stamp with anything added after it is not.

After several documents, a last line on standard error says how many are valid, also after an interruption.

With --no-record nothing is kept: the gateway never hears of these scans, a revocation that is seen is not remembered, and a clock that is set back later is not noticed by them. What the time rests on follows the same rule; what --refresh fetches counts for this run alone.

Exit codes: 0 every document is valid, 1 one is not or has no TCode, 3 one could not be read, 4 every document is valid and no scan is kept (--no-record), 5 every document is valid or a picture of a genuine stamp that a person must compare, 2 wrong use.`
}

func (c *verifyCmd) Run(ctx context.Context, a *app) error {
	if len([]rune(c.Location)) > wire.MaxLocationLen || len([]rune(c.Note)) > wire.MaxNoteLen {
		return cli.Usage("--location takes at most %d characters, --note %d", wire.MaxLocationLen, wire.MaxNoteLen)
	}
	if c.Paper && c.RequirePlain {
		return cli.Usage("--paper and --require-plain exclude each other: paper is bound to no file, so nothing says what else the paper may show")
	}
	if c.Fresh <= 0 || c.Fresh > offline.DefaultFresh || c.HardExpiry <= 0 || c.HardExpiry > offline.DefaultHardExpiry {
		return cli.Usage("--fresh takes up to %v and --hard-expiry up to %v: they may only shorten", offline.DefaultFresh, offline.DefaultHardExpiry)
	}
	if c.RefreshTimeout <= 0 {
		return cli.Usage("--refresh-timeout must be more than 0")
	}
	both, err := a.both()
	if err != nil {
		return err
	}
	names, err := a.worker.names(c.Files)
	if err != nil {
		return cli.Exit(cli.CodeUnreadable, err)
	}
	if a.worker == nil && len(names) > 1 {
		bar := a.progress(len(names))
		a.out.W, a.std.Err = bar.Through(a.out.W), bar.Through(a.std.Err)
		defer bar.Done()
		return a.supervise(ctx, order{Names: names}, bar.Step, func(counts map[string]int) {
			newTally(a, c, counts).sum(len(names))
		})
	}
	return c.judge(ctx, a, names, both)
}

// judge judges the documents, or the rest of them that other workers left.
func (c *verifyCmd) judge(ctx context.Context, a *app, names []string, both bool) error {
	a.boundMemory(ctx, c.Jobs)
	said := a.sayByReport()
	defer func() { a.worker.report(said.with(report{})) }()
	var engines *device.Engines
	if c.RequirePlain || both {
		engines = device.NewEngines(a.grammar.Logger(a.std.Err), a.raster()...)
		defer engines.Close()
	}
	policy := offline.Policy{Fresh: c.Fresh, HardExpiry: c.HardExpiry, AcceptTest: c.AcceptTest, Language: c.Lang}
	open := func() (*device.Device, error) {
		s, err := a.openConfigured(ctx, device.Config{Policy: policy, RefreshTimeout: c.RefreshTimeout, Copy: c.NoRecord}, engines)
		return s, withNoRecord(err)
	}
	dev, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = dev.Close() }()

	refreshed := func() {}
	if c.Refresh {
		refreshed = a.refreshing(ctx, dev)
		defer refreshed()
	}
	opt := device.VerifyOptions{
		Before: refreshed, AllPages: c.AllPages, Compare: c.RequirePlain || both, BothEngines: both, Inverted: c.Inverted, Thorough: c.Thorough,
		Context: wire.Context{Location: c.Location, Note: c.Note},
	}
	verify := func(ctx context.Context, name string) ([]answer.Finding, error) {
		data, err := a.readDocument(ctx, name)
		if err != nil {
			return nil, err
		}
		return dev.Verify(ctx, shown(name), data, opt)
	}
	tally := newTally(a, c, a.worker.counts())
	show := func(name string, findings []answer.Finding, err error) error {
		if outbox.IsDamaged(err) {
			return err // and again below
		}
		err = tally.add(dev.Now(), name, findings, err)
		a.worker.report(said.with(report{Counts: tally.counts(), End: name}))
		return err
	}
	all := func() error {
		if n := a.worker.suspects(names); n > tally.documents {
			if err := oneByOne(ctx, a.worker, names[tally.documents:n], verify, show); err != nil {
				return err
			}
		}
		return inOrder(ctx, a.worker, c.Jobs, names[tally.documents:], verify, show)
	}
	err = all()
	if outbox.IsDamaged(err) {
		// Opening the outbox again repairs it. The scans of the printed
		// verdicts are on record.
		refreshed()
		_ = dev.Close()
		again, openErr := open()
		if err = openErr; err == nil {
			dev = again
			err = all()
		}
	}
	tally.sum(len(names))
	if err != nil {
		return err
	}
	return tally.exit()
}

// withNoRecord adds advice if nothing can be stored.
func withNoRecord(err error) error {
	if !device.NotKept(err) {
		return err
	}
	return cli.WithHint(err, noRecordHint)
}

const noRecordHint = "To judge documents without keeping the scans add --no-record."

// A tally prints each document's answer and keeps the data for the exit code.
type tally struct {
	app *app
	cmd *verifyCmd

	documents, valid, compare, unreadable int
}

// newTally returns a tally that goes on from counts.
func newTally(a *app, c *verifyCmd, counts map[string]int) *tally {
	return &tally{
		app: a, cmd: c,
		documents: counts["documents"], valid: counts["valid"], compare: counts["compare"],
		unreadable: counts["unreadable"],
	}
}

func (t *tally) counts() map[string]int {
	return map[string]int{
		"documents": t.documents, "valid": t.valid, "compare": t.compare, "unreadable": t.unreadable,
	}
}

func (t *tally) add(now time.Time, name string, findings []answer.Finding, err error) error {
	t.documents++
	for _, f := range findings {
		if err := t.app.out.Emit(f, t.app.findingPrinter(f, now)); err != nil {
			return err
		}
	}
	if err != nil {
		return t.failed(name, err)
	}
	want := answer.Requirements{Paper: t.cmd.Paper, Fresh: t.cmd.RequireFresh, Proven: t.cmd.RequireProvenTime, Settled: t.cmd.RequirePlain}
	switch answer.OutcomeOf(findings, want) {
	case answer.Valid:
		t.valid++
		return nil
	case answer.Compare:
		t.compare++
		return nil
	}
	counts := func() bool { return answer.OutcomeOf(findings, want) != answer.NotValid }
	if want.Proven = false; t.cmd.RequireProvenTime && counts() {
		fmt.Fprintf(t.app.std.Err, "tcode-scan: %s: %s\n", escapePath(shown(name)), notProven)
		return nil
	}
	if want.Settled = false; t.cmd.RequirePlain && counts() {
		fmt.Fprintf(t.app.std.Err, "tcode-scan: %s: %s\n", escapePath(shown(name)), notPlain(findings))
	}
	return nil
}

// notProven says why only --require-proven-time prevents a document from counting.
const notProven = "its time rests on this device's clock, so --require-proven-time does not let it count: add --refresh where the gateway can be reached"

// refreshing starts a refresh while documents are read. The returned function
// waits for its end, which its own deadline sets, and reports an error once.
func (a *app) refreshing(ctx context.Context, dev *device.Device) (wait func()) {
	done := contain.Start("refresh", func() error {
		_, err := dev.Refresh(ctx, "")
		return err
	})
	return sync.OnceFunc(func() {
		if err := <-done; err != nil && ctx.Err() == nil {
			fmt.Fprintf(a.std.Err, "tcode-scan: %v; continuing with the trust documents on this device\n", err)
		}
	})
}

// notPlain says why only --require-plain prevents a document from counting.
func notPlain(findings []answer.Finding) string {
	if slices.ContainsFunc(findings, func(f answer.Finding) bool { return f.Image }) {
		return "a picture is bound to no file, so --require-plain does not let it count: ask for the file that the issuer gave out"
	}
	return "viewers may show it differently, so --require-plain does not let it count: see the cautions"
}

// failed reports a document without an answer. A full disk, or a database that
// cannot be written, ends the run, because every further answer would be lost too.
func (t *tally) failed(name string, err error) error {
	var doc *scanner.DocumentError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case outbox.IsFull(err):
		full := fmt.Errorf("the disk is full, so this scan cannot be kept and no verdict is shown: free some space, then scan %s again", shown(name))
		return cli.WithHint(full, noRecordHint)
	case !isFileError(err) && device.NotKept(err):
		return withNoRecord(fmt.Errorf("this scan cannot be kept, so no verdict of %s is shown: %w", shown(name), err))
	case !errors.As(err, &doc) && !isFileError(err):
		return err
	}
	t.unreadable++
	return t.app.reportUnreadable(shown(name), err)
}

// sum prints one line about several documents, also after an interruption.
// asked is their number.
func (t *tally) sum(asked int) {
	if asked < 2 {
		return
	}
	line := fmt.Sprintf("%d documents: %d valid, ", asked, t.valid)
	if t.compare > 0 {
		line += fmt.Sprintf("%d to compare, ", t.compare)
	}
	line += fmt.Sprintf("%d not", t.documents-t.valid-t.compare-t.unreadable)
	if t.unreadable > 0 {
		line += fmt.Sprintf(", %d could not be read", t.unreadable)
	}
	if left := asked - t.documents; left > 0 {
		line += fmt.Sprintf(", %d were not looked at", left)
	}
	fmt.Fprintln(t.app.std.Err, line)
}

// exit returns the error that carries the exit code.
func (t *tally) exit() error {
	switch {
	case t.unreadable > 0:
		return cli.Exit(cli.CodeUnreadable, nil)
	case t.valid+t.compare < t.documents:
		return cli.Exit(cli.CodeFailed, nil)
	case t.compare > 0:
		return cli.Exit(cli.CodeCompare, nil)
	case t.cmd.NoRecord:
		return cli.Exit(cli.CodeNotKept, nil)
	}
	return nil
}
