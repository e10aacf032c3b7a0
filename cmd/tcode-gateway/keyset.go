package main

import (
	"context"
	"fmt"
	"io"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/platform/keyring"
)

// keysetLine is one key of the master keyset.
type keysetLine struct {
	ID    uint32 `json:"id"`
	Seals bool   `json:"seals"`
}

type keysetListCmd struct{}

// Run shows the keys.
func (*keysetListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		var lines []keysetLine
		for _, k := range g.KeysetKeys() {
			lines = append(lines, keysetLine{k.ID, k.Primary})
		}
		return cli.List(out, lines, "", []string{"key", "use"}, func(l keysetLine) []string {
			use := "opens"
			if l.Seals {
				use = "seals and opens"
			}
			return []string{fmt.Sprint(l.ID), use}
		})
	})
}

// resealed is the answer of the commands that seal again.
type resealed struct {
	Resealed int `json:"resealed"` // secrets
}

type keysetRotateCmd struct{}

// Run rotates the keyset.
func (*keysetRotateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		text, n, err := g.RotateKeyset(ctx)
		if err != nil {
			return err
		}
		if text != nil {
			fmt.Fprintf(std.Err, "Put this into %s of every gateway, then run: tcode-gateway keyset reseal\n", keyring.EnvName)
			_, err := fmt.Fprintf(std.Out, "%s\n", text)
			return err
		}
		return emitResealed(out, n)
	})
}

func emitResealed(out cli.Output, n int) error {
	return out.Emit(resealed{n}, func(w io.Writer) { fmt.Fprintf(w, "%d keys are sealed again\n", n) })
}

type keysetResealCmd struct{}

// Run seals everything again.
func (*keysetResealCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		n, err := g.Reseal(ctx)
		if err != nil {
			return err
		}
		return emitResealed(out, n)
	})
}

type keysetPruneCmd struct{}

// Run prunes the keyset.
func (*keysetPruneCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		text, err := g.PruneKeyset(ctx)
		if err != nil {
			return err
		}
		if text != nil {
			fmt.Fprintf(std.Err, "Put this into %s of every gateway\n", keyring.EnvName)
			_, err := fmt.Fprintf(std.Out, "%s\n", text)
			return err
		}
		keys := g.KeysetKeys()
		return out.Emit(map[string]int{"keys": len(keys)}, func(w io.Writer) { fmt.Fprintf(w, "%d key is left\n", len(keys)) })
	})
}
