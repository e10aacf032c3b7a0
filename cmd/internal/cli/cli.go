// Package cli is the common part of the mains of this module: a context that
// signals cancel, exit codes, the command line grammar and the two kinds of
// output. Start with [Main] and [Parse].
//
//	main ─▶ cli.Main(run) ─▶ run(ctx, args) ─▶ cli.Parse(&grammar, args) ─▶ command
//	           │   ▲                                                          │
//	 SIGINT ───┘   └──────────────── error ─▶ exit code, one line on stderr ◀─┘
//
// Output for machines goes to stdout through [Output], everything else to
// stderr, so that a pipe never receives a log line.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"tcode/offline/contain"
)

// Exit codes that all programs of this module share.
const (
	CodeOK          = 0
	CodeFailed      = 1   // the command could not do its task, or the answer is "no"
	CodeUsage       = 2   // wrong use: flags, arguments
	CodeUnreadable  = 3   // an input file could not be read
	CodeNotKept     = 4   // the answer is "yes", but nothing of it was stored
	CodeCompare     = 5   // the answer is for a person to find: the input cannot say it
	CodeConfig      = 78  // EX_CONFIG: there is no gateway where the settings say; trying again cures nothing
	CodeInterrupted = 130 // ended by SIGINT or SIGTERM before it was done
)

// An ExitError ends the program with Code. If Err is nil, Main prints nothing,
// because the command has printed everything already.
type ExitError struct {
	Code int
	Err  error
}

// Exit returns an error that makes [Main] exit with code. err may be nil.
func Exit(code int, err error) error { return &ExitError{Code: code, Err: err} }

// Usage returns an error of wrong use: exit code 2.
func Usage(format string, args ...any) error {
	return Exit(CodeUsage, fmt.Errorf(format, args...))
}

// WithHint returns err with a line below it with advice for people. nil
// stays nil.
func WithHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &hinted{err, hint}
}

type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }
func (e *hinted) Hint() string  { return e.hint }

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the reason, nil if there is none.
func (e *ExitError) Unwrap() error { return e.Err }

// Code returns the exit code for an error of run: 0 for nil, the code of an
// [ExitError], 130 if the cause is a cancelled context, otherwise 1.
func Code(err error) int {
	var exit *ExitError
	switch {
	case err == nil:
		return CodeOK
	case errors.As(err, &exit):
		return exit.Code
	case errors.Is(err, context.Canceled):
		return CodeInterrupted
	}
	return CodeFailed
}

// Main runs run with the program's arguments and exits. The first SIGINT,
// SIGTERM or SIGHUP cancels ctx so that run can finish its work; a second one
// ends the program immediately, and without one it ends after 30 s, or the time
// of [EndWithin], whatever hangs. An ignored SIGHUP stays ignored, as under
// nohup, and [Hangups] takes it. Main prints an error on stderr as "program: message".
func Main(run func(ctx context.Context, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, h := takeHangups(ctx)
	ctx, limit := limitEnd(ctx)
	// After the first signal the default action applies again: a second ^C must
	// work even when run hangs in its clean-up.
	contain.AfterFunc(ctx, "signal", func() {
		stop()
		h.stop()
		wait := time.Duration(limit.Load())
		contain.After(wait, "forced-end", func() { forceEnd(wait) })
	})
	err := run(ctx, os.Args[1:])
	stop()
	Report(os.Stderr, err)
	os.Exit(Code(err))
}

// Report prints err on w as [Main] does. It prints nothing for nil, for an
// [ExitError] without a reason and for an interruption.
func Report(w io.Writer, err error) {
	var exit *ExitError
	if err == nil || errors.As(err, &exit) && exit.Err == nil || Code(err) == CodeInterrupted {
		return
	}
	fmt.Fprintf(w, "%s: ", programName())
	for line := range strings.Lines(err.Error() + "\n") {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "  ") // some errors of other packages use tabs to indent
		fmt.Fprintln(w, Printable(line))
	}
	var hint interface{ Hint() string }
	if errors.As(err, &hint) {
		fmt.Fprintln(w, hint.Hint())
	}
}
