package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tcode/cmd/internal/cli"
	"tcode/server"
)

type beginCmd struct{}

// Help returns the text for --help.
func (beginCmd) Help() string {
	return `A gateway is a new issuer of trust documents: scanners pin the fingerprint of its root, and trust no other.
Therefore no other command begins one, and a folder that is misspelt, or whose disk is not mounted, is an error.

init uses the master keyset in $TCODE_MASTER_KEYSET, or makes one in the folder. Back both up.

Exit code 1: there is a gateway already, or parts of one; nothing was changed.`
}

// A begunLine is the result of init.
type begunLine struct {
	Data        string `json:"data"`
	Fingerprint string `json:"fingerprint"`
}

// Run begins a gateway.
func (beginCmd) Run(ctx context.Context, c *command, std cli.Streams) (err error) {
	g, err := server.Init(ctx, c.config(std))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	line := begunLine{Data: c.Data, Fingerprint: g.Publisher.Fingerprint().String()}
	return c.output(std).Emit(line, func(w io.Writer) {
		fmt.Fprintf(w, "%s\n", line.Fingerprint)
		fmt.Fprintf(std.Err, "A new gateway in %s. Scanners pin its trust root by the fingerprint above.\nNext: tcode-gateway tenant create --name ...\n", line.Data)
	})
}
