// Command tcode-scan decides in the field, with no connectivity, whether a
// document is genuine, and keeps every decision for the gateway.
//
//	enrol ─▶ trust refresh ─▶ verify FILE... ─▶ sync
//	online     online          offline           online again
//
// Each command has its own file here; package device does the work.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

func main() {
	sandbox.Main(raster.Roles()...)
	collectLater()
	spreadLater()
	cli.Main(func(ctx context.Context, args []string) error {
		return run(ctx, args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	})
}

// collectLater makes the first collection of garbage wait for 32 MiB, if GOGC is not set. With the default of 4 MiB, a
// program that reads one picture collects once or twice, which takes a tenth of its time.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	normal := debug.SetGCPercent(800)
	runtime.SetFinalizer(new([64]byte), func(*[64]byte) { debug.SetGCPercent(normal) }) // the first collection calls it
}

// alone is the time in which this program runs on one processor.
const alone = 50 * time.Millisecond

// spreadLater makes this program use more than one processor only after a while, if GOMAXPROCS is not set. A small picture
// is read by then, in its child and one thread; threads that look for other work would take a tenth of the time.
func spreadLater() {
	if os.Getenv("GOMAXPROCS") != "" {
		return
	}
	runtime.GOMAXPROCS(1)
	time.AfterFunc(alone, runtime.SetDefaultGOMAXPROCS)
}
