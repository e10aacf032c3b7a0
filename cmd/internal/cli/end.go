package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"time"

	"tcode/offline/contain"
)

// EndTime is the time that a program has to end after the first signal, unless it says
// [EndWithin].
const EndTime = 30 * time.Second

// tellTime bounds the last words: the reader of stderr may have stopped.
const tellTime = 2 * time.Second

type endKey struct{}

// limitEnd returns a context that carries the time that the program has to end once it is done.
func limitEnd(parent context.Context) (context.Context, *atomic.Int64) {
	limit := new(atomic.Int64)
	limit.Store(int64(EndTime))
	return context.WithValue(parent, endKey{}, limit), limit
}

// EndWithin sets the time that the program has to end after the first signal. [Main] ends a
// program that takes longer, with exit code 1 and the list of what still runs on stderr. ctx is
// the context of Main; without Main there is no limit.
func EndWithin(ctx context.Context, limit time.Duration) {
	if l, ok := ctx.Value(endKey{}).(*atomic.Int64); ok {
		l.Store(int64(limit))
	}
}

// forceEnd ends the program: it had its time after the signal, and something hangs.
func forceEnd(limit time.Duration) {
	contain.After(tellTime, "last-words", func() { os.Exit(CodeFailed) })
	tellHanging(os.Stderr, limit)
	os.Exit(CodeFailed)
}

// maxHanging bounds the list of what still runs, in bytes.
const maxHanging = 32 << 10

// tellHanging writes the stacks of all goroutines, each different one once.
func tellHanging(w io.Writer, limit time.Duration) {
	var stacks strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&stacks, 1); err != nil {
		fmt.Fprintln(&stacks, err)
	}
	fmt.Fprintf(w, "%s: it was told to end, did not within %v, and is ended now. What still runs:\n%.*s\n",
		programName(), limit, maxHanging, stacks.String())
}

func programName() string { return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") }
