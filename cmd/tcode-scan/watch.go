package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/contain"
	"tcode/scanner"
	"tcode/scanner/answer"
	"tcode/scanner/filekind"
	"tcode/sync/outbox"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

type watchCmd struct {
	Dir               string        `arg:"" help:"The folder that a document scanner writes to. Folders below it are ignored." placeholder:"DIR" type:"path"`
	Move              string        `help:"Move each judged document to valid, compare, not-valid, unreadable or set-aside below this folder, as the very bytes that were judged. Default: nothing is moved." placeholder:"DIR" type:"path"`
	Once              bool          `help:"End when every document in the folder has been judged."`
	Settle            time.Duration `help:"A document is complete when no program has it open for writing, and neither its size nor its time changes for this time. One that cannot be read then is read again after ten times as long." default:"2s" env:"TCODE_WATCH_SETTLE"`
	Wait              time.Duration `help:"With --once: the longest wait for a document that another program has open or changes. It is unreadable then, stays where it is, and is judged by the next run." default:"10m" env:"TCODE_WATCH_WAIT"`
	Sync              bool          `help:"Send new scans and refresh the trust documents, as sync --follow does."`
	Gateway           string        `help:"With --sync: address of the gateway. Default: the one enrolled with." env:"TCODE_GATEWAY" placeholder:"URL"`
	APIKey            string        `help:"With --sync: API key, for attribution only." env:"TCODE_API_KEY" placeholder:"KEY"`
	Paper             bool          `help:"The documents stand for paper: a stamp that is bound to no file counts as valid, also on a picture. Without it a picture of a genuine stamp has the outcome compare."`
	RequireFresh      bool          `help:"Do not let a valid verdict count when the trust documents are older than 24 h." env:"TCODE_REQUIRE_FRESH"`
	RequireProvenTime bool          `help:"Do not let a valid verdict count when its time comes from this device's clock." env:"TCODE_REQUIRE_PROVEN_TIME"`
	AcceptTest        bool          `help:"Judge test documents as real ones." env:"TCODE_ACCEPT_TEST"`
	Location          string        `help:"Place of the scan, for the scan history." env:"TCODE_LOCATION" placeholder:"TEXT"`
	Note              string        `help:"A remark for the scan history." placeholder:"TEXT"`
	Lang              string        `help:"Language of document type names and field labels." default:"en" env:"TCODE_LANG"`
}

func (c *watchCmd) Help() string {
	return `Judges each PDF and picture in the folder once it is complete, and prints one line for it: outcome, file, reference, reason. With --json the line is an object with all findings. A document that changes later is judged again; one that was judged is not, also after a restart, a crash or a power cut.

A picture of a genuine stamp proves the stamp, not the document around it: its outcome is compare, and never valid without --paper.

A document on which a part of this program fails is unreadable, and the next one is judged. The documents are judged in a process of their own, which is started again when it ends. A document that ended it twice is set aside: it is named once, and not tried again until it changes.

A document that another program has open for writing, or changes, is waited for. After ten times --settle standard error names it, once; with --json a line with the outcome waiting does, before the line of its outcome.

Nothing is moved or changed without --move. Nothing is sent without --sync: "sync" does that at any time.

Ctrl-C ends it; a last line on standard error says how many documents were valid.

Exit codes: 0 it was ended, or with --once every document was valid, 1 with --once one was not, 3 with --once one could not be read, 5 with --once one is a picture to compare and the others are valid, 2 wrong use.`
}

// Outcomes of a document, which are also names of folders below --move.
const (
	watchValid       = string(answer.Valid)
	watchCompare     = string(answer.Compare)
	watchNotValid    = string(answer.NotValid)
	watchUnreadable  = "unreadable"
	watchSetAside    = "set-aside"   // it ended the process that judges documents twice
	watchInterrupted = "interrupted" // its scans are on record, but its line may not have been printed
	watchWaiting     = "waiting"     // no outcome: it is not complete
)

func (c *watchCmd) Run(ctx context.Context, a *app) error {
	if len([]rune(c.Location)) > wire.MaxLocationLen || len([]rune(c.Note)) > wire.MaxNoteLen {
		return cli.Usage("--location takes at most %d characters, --note %d", wire.MaxLocationLen, wire.MaxNoteLen)
	}
	if c.Settle < 100*time.Millisecond {
		return cli.Usage("--settle must be at least 100ms")
	}
	if c.Once && c.Wait <= c.Settle {
		return cli.Usage("--wait must be longer than --settle")
	}
	if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
		return cli.Usage("%s is not a readable folder", c.Dir)
	}
	if a.worker == nil {
		return a.supervise(ctx, order{}, func() {}, func(counts map[string]int) {
			(&watch{app: a, counts: counts}).sum()
		})
	}
	return c.judgeAll(ctx, a)
}

// judgeAll judges documents until ctx ends, or with --once until all have been.
func (c *watchCmd) judgeAll(ctx context.Context, a *app) error {
	a.boundMemory(ctx, 1)
	w := &watch{watchCmd: c, app: a, counts: a.worker.counts(), seen: map[string]sighting{}}
	var err error
	for try := range 3 {
		if err = w.run(ctx); !outbox.IsDamaged(err) || ctx.Err() != nil {
			break
		}
		if try < 2 { // opening the outbox again repairs it
			fmt.Fprintf(a.std.Err, "tcode-scan: %v; repairing\n", err)
		}
	}
	w.sum()
	if ctx.Err() != nil {
		return nil // the usual end
	}
	switch {
	case err != nil:
		return err
	case w.counts[watchUnreadable]+w.counts[watchSetAside] > 0:
		return cli.Exit(cli.CodeUnreadable, nil)
	case w.counts[watchValid]+w.counts[watchCompare] < w.documents():
		return cli.Exit(cli.CodeFailed, nil)
	case w.counts[watchCompare] > 0:
		return cli.Exit(cli.CodeCompare, nil)
	}
	return nil
}

// watch is a running watchCmd.
type watch struct {
	*watchCmd
	app    *app
	dev    *device.Device
	counts map[string]int
	seen   map[string]sighting
	full   bool // the message about the full disk was printed
}

func (w *watch) documents() (n int) {
	for _, count := range w.counts {
		n += count
	}
	return n
}

func (w *watch) run(ctx context.Context) (err error) {
	policy := offline.Policy{AcceptTest: w.AcceptTest, Language: w.Lang}
	if w.dev, err = w.app.openDevice(ctx, policy, nil); err != nil {
		return err
	}
	defer w.dev.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.Sync {
		up, err := w.dev.Uplink(ctx, w.Gateway, w.APIKey)
		if err != nil {
			return err
		}
		sent := contain.Start("send", func() error {
			w.send(ctx, up)
			return nil
		})
		defer func() { cancel(); <-sent }()
	}
	for name := range w.seen {
		w.seen[name] = sighting{} // checked again
	}
	if w.Move != "" {
		if err := putBack(w.Dir); err != nil {
			return err
		}
	}
	for {
		left, err := w.look(ctx)
		if err != nil || w.Once && left == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(w.Settle/4, 50*time.Millisecond)):
		}
	}
}

// send sends and refreshes as sync --follow does. It logs its results, because
// standard output is for answers about documents.
func (w *watch) send(ctx context.Context, up *uplink.Uplink) {
	log := w.app.grammar.Logger(w.app.std.Err)
	s := &syncCmd{Gateway: w.Gateway, Every: 30 * time.Second}
	err := s.both(ctx, w.app, w.dev, up, func(r uplink.Report, err error) error {
		if err == nil && r.Sent > 0 {
			log.InfoContext(ctx, "scans sent", slog.Int("sent", r.Sent), slog.Int("held", r.Done), slog.Int("rejected", r.Dead))
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		log.ErrorContext(ctx, "scans are no longer sent", slog.Any("err", err))
	}
}

// look judges the complete documents, and returns the number of the others.
func (w *watch) look(ctx context.Context) (left int, err error) {
	entries, err := os.ReadDir(w.Dir)
	if err != nil {
		return 0, err
	}
	here := map[string]bool{}
	for _, e := range entries {
		if !extensions[strings.ToLower(filepath.Ext(e.Name()))] || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(w.Dir, e.Name())
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		here[path] = true
		now := outbox.WatchedFile{
			Path: path, Size: info.Size(), Modified: info.ModTime(), Changed: changeTime(info),
		}
		s := w.seen[path]
		if !s.file.Same(now) {
			s = s.changed(now)
		} else if !s.done && time.Since(s.since) >= w.Settle {
			if s.done, err = w.settled(ctx, &s); err != nil {
				return 0, err
			}
		}
		if !s.done {
			if s.done, err = w.wait(&s); err != nil {
				return 0, err
			}
		}
		if w.seen[path] = s; !s.done {
			left++
		}
	}
	for path := range w.seen {
		if !here[path] {
			delete(w.seen, path)
			if err := w.dev.Outbox.ForgetWatched(ctx, path); err != nil && !outbox.IsFull(err) {
				return 0, err
			}
		}
	}
	return left, nil
}

// settled judges a complete file unless that has happened. done is false if it
// must be tried again because there is no room for the scan.
func (w *watch) settled(ctx context.Context, s *sighting) (done bool, err error) {
	file := s.file
	kept, ok, err := w.dev.Outbox.Watched(ctx, file.Path)
	if err != nil {
		return false, err
	}
	if ok && (kept.Same(file) || kept.Alike(file) && holds(file.Path, kept.Digest)) {
		switch {
		case kept.Outcome != "":
			w.move(kept)
			return true, nil
		case kept.Recorded:
			view := watchView{File: file.Path, Outcome: watchInterrupted, Reason: "it was judged before an interruption: see tcode-scan history"}
			return w.finish(ctx, view, nil)
		case w.app.worker.ended(s.item()):
			view := watchView{File: file.Path, Outcome: watchSetAside, Reason: setAside}
			return w.finish(ctx, view, nil)
		}
	}
	early := time.Since(s.since) < patience*w.Settle
	if s.again && early {
		return false, nil
	}
	defer w.app.worker.begin(s.item())()
	if writing(file.Path) {
		return false, nil
	}
	view, digest, err := w.judge(ctx, file, early)
	if outbox.IsFull(err) {
		if !w.full {
			fmt.Fprintln(w.app.std.Err, "tcode-scan: the disk is full, so no scan can be kept and no verdict is shown: free some space; watching continues")
		}
		w.full = true
		return false, nil
	}
	if s.again = errors.Is(err, errIncomplete); s.again || errors.Is(err, errBeingWritten) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	w.full = false
	if s.again = view.Outcome == watchUnreadable && early; s.again {
		return false, nil
	}
	return w.finish(ctx, view, digest)
}

// complete reports whether a PDF ends with its last line (ISO 32000-1, 7.5.5). Some complete ones
// have other bytes after it.
func complete(data []byte) bool {
	return filekind.Of(data) != filekind.PDF ||
		bytes.HasSuffix(bytes.TrimRight(data, "\x00\t\n\f\r "), []byte("%%EOF"))
}

// judge verifies one file. Its scans are on disk when it returns. With an error there is no
// outcome, such as for a PDF without an end that was changed a short time ago (early). digest is
// that of the bytes that were judged, nil if the file could not be read.
func (w *watch) judge(
	ctx context.Context, file outbox.WatchedFile, early bool,
) (v watchView, digest []byte, err error) {
	v = watchView{File: file.Path, Outcome: watchNotValid}
	if err := w.dev.Outbox.BeginWatched(ctx, file); err != nil {
		return v, nil, err
	}
	found, digest, err := w.verify(ctx, file.Path, early)
	v.Findings = found
	var doc *scanner.DocumentError
	switch {
	case err == nil:
	case errors.As(err, &doc):
		v.Outcome, v.Reason = watchUnreadable, doc.Message
		return v, digest, nil
	case isFileError(err) && !cli.InUse(err):
		v.Outcome, v.Reason = watchUnreadable, err.Error()
		return v, digest, nil
	default:
		if cli.InUse(err) {
			return v, nil, errBeingWritten
		}
		return v, nil, err
	}
	v.Outcome = string(answer.OutcomeOf(v.Findings, answer.Requirements{
		Paper: w.Paper, Fresh: w.RequireFresh, Proven: w.RequireProvenTime,
	}))
	return v, digest, nil
}

// verify reads and judges one file.
func (w *watch) verify(
	ctx context.Context, path string, early bool,
) (found []answer.Finding, digest []byte, err error) {
	a := one(ctx, path, func(ctx context.Context, path string) ([]answer.Finding, error) {
		data, err := w.app.readDocument(ctx, path)
		if err != nil {
			return nil, err
		}
		if early && !complete(data) {
			return nil, errIncomplete
		}
		sum := sha256.Sum256(data)
		digest = sum[:]
		return w.dev.Verify(ctx, path, data, device.VerifyOptions{Context: wire.Context{Location: w.Location, Note: w.Note}})
	})
	return a.value, digest, a.err
}

// tell prints the line of a document.
func (w *watch) tell(v watchView) error {
	w.counts[v.Outcome]++
	if err := w.app.out.Emit(v, v.print(w.app)); err != nil {
		return err
	}
	w.app.worker.report(report{Counts: w.counts})
	return nil
}

// finish prints the line, keeps the outcome and moves the file.
func (w *watch) finish(ctx context.Context, v watchView, digest []byte) (done bool, err error) {
	if err := w.tell(v); err != nil {
		return false, err
	}
	// Ctrl-C does not undo this: the line is printed.
	err = w.dev.Outbox.FinishWatched(context.WithoutCancel(ctx), v.File, v.Outcome, digest)
	if err != nil && !outbox.IsFull(err) {
		return false, err
	}
	w.move(outbox.WatchedFile{Path: v.File, Outcome: v.Outcome, Digest: digest})
	return true, nil
}
