package main

import (
	"context"
	"fmt"
	"io"

	"tcode/cmd/internal/cli"
	"tcode/server"
)

type revokeLostCmd struct {
	Stamps []string `arg:"" name:"stamp" help:"The payload of the stamp, as its symbol has it or in Base64; or its reference, if a scanner has sent a scan of it." placeholder:"PAYLOAD"`
}

// lostLine is one stamp as it is printed.
type lostLine struct {
	Reference string `json:"reference"`
	Tenant    string `json:"tenant"`
	Shard     uint16 `json:"shard"`
	Entry     uint16 `json:"entry"`
	Again     bool   `json:"again"` // it was revoked before
}

// Run revokes.
func (r *revokeLostCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		for _, text := range r.Stamps {
			st, err := g.RevokeLost(ctx, text)
			if err != nil {
				return fmt.Errorf("%.40s: %w", text, err)
			}
			line := lostLine{st.Reference.String(), st.Tenant, st.Status.Shard(), st.Status.Entry(), st.Again}
			err = out.Emit(line, func(w io.Writer) {
				done := "is revoked"
				if line.Again {
					done = "was revoked before"
				}
				fmt.Fprintf(w, "%s of %s %s (status entry %d/%d)\n", line.Reference, line.Tenant, done, line.Shard, line.Entry)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
