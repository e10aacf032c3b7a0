package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/trust"
	"tcode/server"
)

type rootCmd struct {
	Show rootShowCmd `cmd:"" help:"Show the root's fingerprint, which scanners pin: tcode-scan enrol --root FINGERPRINT."`
}

type rootShowCmd struct{}

// rootLine is the trust root as it is printed.
type rootLine struct {
	Fingerprint string    `json:"fingerprint"`
	Version     uint64    `json:"version"`
	Expires     time.Time `json:"expires"`
	Threshold   int       `json:"threshold"`
	Keys        int       `json:"keys"`
	OnlineKey   string    `json:"onlineKey"` // C2SP note verifier key
}

// Run shows the root.
func (*rootShowCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		root, err := newestRoot(ctx, g)
		if err != nil {
			return err
		}
		line := rootLine{
			Fingerprint: g.Publisher.Fingerprint().String(), Version: root.Version, Expires: root.Expires.UTC(),
			Threshold: root.Threshold, Keys: len(root.Keys), OnlineKey: g.Publisher.PublicKey().Note,
		}
		return out.Emit(line, func(w io.Writer) {
			fmt.Fprintf(w, "fingerprint  %s\nversion      %d\nexpires      %s\nsigned by    %d of %d keys\nonline key   %s\n",
				line.Fingerprint, line.Version, line.Expires.Format(time.RFC3339), line.Threshold, line.Keys, line.OnlineKey)
		})
	})
}

// newestRoot walks the chain of root versions to its end, checking each.
func newestRoot(ctx context.Context, g *server.Gateway) (trust.Root, error) {
	fp := g.Publisher.Fingerprint()
	var chain [][]byte
	for version := uint64(1); ; version++ {
		raw, err := g.Publisher.Root(ctx, version)
		if err != nil {
			if version == 1 {
				return trust.Root{}, err
			}
			break
		}
		chain = append(chain, raw)
	}
	state, err := trust.Pin(chain, &fp)
	return state.Root, err
}
