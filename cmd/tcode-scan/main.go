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

	"tcode/cmd/internal/cli"
	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

func main() {
	sandbox.Main(raster.Roles()...)
	collectLater()
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
