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

	"tcode/cmd/internal/cli"
	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

func main() {
	sandbox.Main(raster.Roles()...)
	cli.Main(func(ctx context.Context, args []string) error {
		return run(ctx, args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	})
}
