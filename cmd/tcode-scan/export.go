package main

import (
	"context"
	"fmt"

	"tcode/cmd/internal/cli"
	"tcode/offline/payload"
)

type exportCmd struct {
	What string `arg:"" help:"A document with one TCode, or a payload as text, Base64 or hexadecimal digits." placeholder:"FILE|TEXT"`
	COSE bool   `help:"As a tagged COSE_Sign1 message (RFC 9052), which any COSE library verifies with the issuer's public key and external data \"TCode/1\"." required:""`
	Out  string `short:"o" help:"File to write, or - for standard output." default:"-" placeholder:"FILE"`
}

func (c *exportCmd) Run(ctx context.Context, a *app) error {
	raws, err := payloadsOf(ctx, a, c.What)
	if err != nil {
		return err
	}
	if len(raws) != 1 {
		return cli.Exit(cli.CodeFailed, fmt.Errorf("%s holds %d TCodes: export them one by one, as tcode-scan read prints them", c.What, len(raws)))
	}
	p, err := payload.Parse(raws[0])
	if err != nil {
		return cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: not a TCode payload: %w", c.What, err))
	}
	message, err := payload.AppendCOSE(nil, p)
	if err != nil {
		return err
	}
	return writeBytes(a, c.Out, message)
}
