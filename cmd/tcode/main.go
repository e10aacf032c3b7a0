// Command tcode is the issuer's client of a gateway: it stamps PDFs, issues Trust documents, revokes them and verifies
// them.
//
//	profile (gateway, key) ─▶ stamp | issue | revoke, suspend, reactivate | verify | bulk | list, show, template, key, webhook, ... ─▶ server/client ─▶ gateway
//
// It makes the API convenient for people: files instead of Base64, references instead of ids, an Idempotency-Key with
// each creating request, answers in words.
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
