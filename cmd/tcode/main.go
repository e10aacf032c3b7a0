// Command tcode is the issuer's client of a gateway: stamp PDFs, issue Trust
// documents, take them back, verify them.
//
//	profile (gateway, key) ─▶ stamp | issue | revoke, suspend, reactivate | verify | bulk ─▶ server/client ─▶ gateway
//
// It adds to the API what hands need: files instead of Base64, references
// instead of ids, an Idempotency-Key on all that creates, answers in words.
package main

import (
	"context"
	"os"

	"tcode/cmd/internal/cli"
)

func main() {
	cli.Main(func(ctx context.Context, args []string) error {
		return run(ctx, args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	})
}
