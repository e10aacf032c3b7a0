// Command tcode-gateway is the gateway: it stamps, verifies, publishes the
// documents that devices trust, and receives their scans.
//
//	tcode-gateway serve              the HTTP service, docs at /docs
//	tcode-gateway tenant|key|...     operator's work on the same data folder
//
// The operator's commands work on the data folder itself, whether a gateway
// serves it or not; a serving gateway publishes the change within a second.
package main

import (
	"context"
	"os"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/sandbox"
	"tcode/server"
	_ "tcode/server/platform/blob/s3" // files in a bucket
)

func main() {
	sandbox.Main(server.Roles()...)
	cli.Main(func(ctx context.Context, args []string) error {
		return run(ctx, args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	})
}
