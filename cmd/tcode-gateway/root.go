package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/openfile"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/server"
	"tcode/server/ceremony"
	"tcode/server/publish"
)

type rootShowCmd struct {
	File string `arg:"" optional:"" help:"A root that root rotate made, to show instead of the gateway's. Needs no gateway." placeholder:"FILE"`
	Out  string `short:"o" help:"Write the gateway's newest root to this file, as scanners receive it." placeholder:"FILE"`
}

// rootLine is a root as it is printed.
type rootLine struct {
	Fingerprint string    `json:"fingerprint"`
	Version     uint64    `json:"version"`
	Expires     time.Time `json:"expires"`
	Threshold   int       `json:"threshold"`
	Keys        int       `json:"keys"`
	OnlineKey   string    `json:"onlineKey"` // C2SP note verifier key
	RootKeys    []string  `json:"rootKeys"`  // likewise
	Forget      time.Time `json:"forgetSince,omitzero"`

	// The gateway's root.
	OnlineHeld *bool   `json:"onlineKeyHeld,omitempty"`
	Embedded   *string `json:"sealedRootKey,omitempty"` // name of the root key that is on the gateway; empty: none
	Alone      *bool   `json:"gatewaySignsAlone,omitempty"`

	// A root in a file.
	SignedBy []string `json:"signedBy,omitempty"`
	Missing  *int     `json:"missingSignatures,omitempty"` // of the root's own keys
}

func rootLineOf(fp trust.Fingerprint, r trust.Root) rootLine {
	line := rootLine{
		Fingerprint: fp.String(), Version: r.Version, Expires: r.Expires.UTC(), Threshold: r.Threshold, Keys: len(r.Keys), OnlineKey: r.Online.String(),
		Forget: r.Forget,
	}
	for _, k := range r.Keys {
		line.RootKeys = append(line.RootKeys, k.String())
	}
	return line
}

func (l rootLine) print(w io.Writer) {
	fmt.Fprintf(w, "fingerprint  %s\nversion      %d\nexpires      %s\nsigned by    %d of %d keys\n",
		l.Fingerprint, l.Version, l.Expires.Format(time.RFC3339), l.Threshold, l.Keys)
	for _, k := range l.RootKeys {
		fmt.Fprintf(w, "root key     %s\n", k)
	}
	fmt.Fprintf(w, "online key   %s\n", l.OnlineKey)
	if !l.Forget.IsZero() {
		fmt.Fprintf(w, "forget       scanners drop every revocation that they remember: documents were lost or forged since %s\n",
			l.Forget.Format(time.RFC3339))
	}
	if l.Missing != nil {
		signed := "none"
		if len(l.SignedBy) > 0 {
			signed = strings.Join(l.SignedBy, ", ")
		}
		fmt.Fprintf(w, "signatures   %s; %d of its own keys must still sign\n", signed, *l.Missing)
	}
	if l.OnlineHeld != nil && !*l.OnlineHeld {
		fmt.Fprintln(w, "This gateway does not hold the online key, so it publishes nothing: see tcode-gateway online-key rotate --help.")
	}
	if l.Alone != nil && *l.Alone {
		fmt.Fprintf(w, "The root key %s is sealed on this gateway: a thief of its data and keyset can make scanners trust anything, permanently.\n"+
			"Keys that are kept apart and offline prevent that: see tcode-gateway root init --help.\n", *l.Embedded)
	}
}

// Run shows the root.
func (r *rootShowCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	if r.File != "" {
		if r.Out != "" {
			return cli.Usage("--out is for the gateway's root: leave out FILE")
		}
		raw, err := readSmall(ctx, r.File)
		if err != nil {
			return err
		}
		line, err := draftLine(raw)
		if err != nil {
			return cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: %w", r.File, err))
		}
		return c.output(std).Emit(line, line.print)
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		now, err := g.Publisher.Authority(ctx)
		if err != nil {
			return err
		}
		if r.Out != "" {
			if err := writeOnce(r.Out, now.Raw); err != nil {
				return err
			}
		}
		line := rootLineOf(g.Publisher.Fingerprint(), now.Root)
		alone := now.Alone()
		line.OnlineHeld, line.Embedded, line.Alone = &now.OnlineHeld, &now.Embedded.Name, &alone
		return out.Emit(line, line.print)
	})
}

// draftLine returns the root in a file for printing.
func draftLine(raw []byte) (rootLine, error) {
	fp, _, err := trust.ReadRoot(raw)
	if err != nil {
		return rootLine{}, err
	}
	p, err := ceremony.ProgressOf(raw, nil)
	if err != nil {
		return rootLine{}, err
	}
	line := rootLineOf(fp, p.Root)
	line.SignedBy, line.Missing = keyNames(p.By), &p.Missing
	return line, nil
}

func keyNames(keys []trust.VerifierKey) []string {
	names := []string{}
	for _, k := range keys {
		names = append(names, k.Name)
	}
	return names
}

// newestRoot returns the gateway's newest root.
func newestRoot(ctx context.Context, g *server.Gateway) (trust.Root, error) {
	now, err := g.Publisher.Authority(ctx)
	return now.Root, err
}

// readSmall reads a root, a key file or a list of keys.
func readSmall(ctx context.Context, path string) ([]byte, error) {
	f, err := openfile.Open(ctx, path)
	if err != nil {
		return nil, cli.Exit(cli.CodeUnreadable, err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, trust.MaxRootLen+1))
	if err == nil && len(raw) > trust.MaxRootLen {
		err = fmt.Errorf("%s: more than %d bytes", path, trust.MaxRootLen)
	}
	if err != nil {
		return nil, cli.Exit(cli.CodeUnreadable, err)
	}
	return raw, nil
}

// readRoots reads the roots of files: one root each, or all roots that a
// scanner exported.
func readRoots(ctx context.Context, paths []string) ([][]byte, error) {
	var roots [][]byte
	for _, path := range paths {
		f, err := openfile.Open(ctx, path)
		if err != nil {
			return nil, cli.Exit(cli.CodeUnreadable, err)
		}
		u, _, err := trustbook.ReadExport(f)
		f.Close()
		if err == nil {
			roots = append(roots, u.Roots...)
			continue
		}
		raw, err := readSmall(ctx, path)
		if err != nil {
			return nil, err
		}
		if _, _, err := trust.ReadRoot(raw); err != nil {
			return nil, cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: neither a root nor an exported trust file: %w", path, err))
		}
		roots = append(roots, raw)
	}
	return roots, nil
}

// writeOnce writes a new file and refuses to replace one.
func writeOnce(path string, data []byte) error {
	return cli.WriteFile(path, false, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	})
}

type rootPublishCmd struct {
	Files []string `arg:"" name:"file" help:"The root; or several that follow each other, to restore roots that are missing in a restored database; or a file of tcode-scan trust export for the same purpose." placeholder:"FILE"`
}

// A publishedLine is the result of publishing roots.
type publishedLine struct {
	New        int       `json:"new"`
	Version    uint64    `json:"version"`
	Expires    time.Time `json:"expires"`
	OnlineKey  string    `json:"onlineKey"`
	NewOnline  bool      `json:"newOnlineKey"`
	RootOnHost bool      `json:"gatewaySignsAlone"`
}

// Run publishes.
func (r *rootPublishCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	raws, err := readRoots(ctx, r.Files)
	if err != nil {
		return err
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		return publishRoots(ctx, g, out, raws)
	})
}

func publishRoots(ctx context.Context, g *server.Gateway, out cli.Output, raws [][]byte) error {
	before, err := g.Publisher.Authority(ctx)
	if err != nil {
		return err
	}
	n, err := g.Publisher.PublishRoots(ctx, raws...)
	if err != nil {
		return explainRoot(err)
	}
	now, err := g.Publisher.Authority(ctx)
	if err != nil {
		return err
	}
	line := publishedLine{
		New: n, Version: now.Root.Version, Expires: now.Root.Expires.UTC(), OnlineKey: now.Root.Online.String(),
		NewOnline: now.Root.Online != before.Root.Online, RootOnHost: now.Alone(),
	}
	return out.Emit(line, func(w io.Writer) {
		if n == 0 {
			fmt.Fprintf(w, "root %d is published already\n", line.Version)
			return
		}
		fmt.Fprintf(w, "root %d is published, until %s\n", line.Version, line.Expires.Format(time.RFC3339))
		if line.NewOnline {
			fmt.Fprintf(w, "online key   %s\nThe key before it is deleted. Scanners accept the new one at their next refresh, or from a file.\n", line.OnlineKey)
		}
	})
}

// explainRoot adds advice to the error of a refused root.
func explainRoot(err error) error {
	hint := ""
	switch {
	case errors.Is(err, trust.ErrThreshold):
		hint = "Have more keys sign it: tcode-gateway root sign FILE --key KEYFILE. Keys of the root before it and keys of its own must both be enough."
	case errors.Is(err, trust.ErrRootChain), errors.Is(err, publish.ErrTaken):
		hint = "tcode-gateway root show says which root is the newest. Make the next one from it: tcode-gateway root rotate."
	case errors.Is(err, trust.ErrForeignRoot):
		hint = "The file is another gateway's: compare the fingerprints of tcode-gateway root show and root show FILE."
	case errors.Is(err, publish.ErrOnlineKey):
		hint = "The key was made for another gateway, or lost with its database. tcode-gateway online-key rotate --after FILE makes the root\n" +
			"after this one, with a key that this gateway holds; have that signed and publish both."
	case errors.Is(err, publish.ErrRootsLost):
		hint = "Give the missing root's file, or a file of tcode-scan trust export, to tcode-gateway root publish."
	}
	if hint == "" {
		return err
	}
	return cli.WithHint(err, hint)
}
