package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/trust"
	"tcode/server"
	"tcode/server/ceremony"
	"tcode/server/publish"
)

type rootRotateCmd struct {
	Keys      string   `help:"List of keys that replace all root keys, with their threshold: the root.pub of root init." placeholder:"FILE"`
	AddKeys   string   `name:"add-keys" help:"List of keys to add; its threshold does not count." placeholder:"FILE"`
	RemoveKey []string `name:"remove-key" help:"Name of a key to remove, as root show prints it. May be repeated." placeholder:"NAME"`
	Threshold int      `help:"Number of keys that must sign from then on." placeholder:"N"`
	NewOnline bool     `name:"new-online-key" help:"Make a new online key too, as online-key rotate does."`

	nextFlags `embed:""`
}

// nextFlags are the flags of every command that makes the next root.
type nextFlags struct {
	Forget time.Time `name:"forget-since" help:"With a new online key: scanners also drop every revocation that they remember, and rely on what this gateway publishes. The time names the moment since which documents were forged or lost: of a theft, or of the backup of a restore. The root's keys sign it." placeholder:"TIME"`

	Expires string   `help:"Lifetime of the root, such as 365d. Default: ${default}." default:"365d" placeholder:"DURATION"`
	After   []string `help:"File of the root that the new one follows, if it is missing in the gateway's database; or a file of tcode-scan trust export." placeholder:"FILE"`
	Out     string   `short:"o" help:"New file for the root, which you then sign and publish." placeholder:"FILE"`
}

// A draft is a new root that may lack signatures.
type draft struct {
	raw      []byte
	before   [][]byte // roots that are missing in the database
	progress ceremony.Progress
}

// minNextLife is the least lifetime of a new root: a day for its signatures, and what it must still
// last when it is published.
const minNextLife = publish.MinRootLife + 24*time.Hour

// next makes the next root, and signs it if this gateway holds a root key.
func (n nextFlags) next(ctx context.Context, g *server.Gateway, change ceremony.Change, newOnline bool) (d draft, err error) {
	life, err := parseLife(n.Expires)
	if err != nil {
		return d, cli.Usage("--expires %s: %v", n.Expires, err)
	}
	if life < minNextLife {
		return d, cli.Usage("--expires %s: want at least 2d: people sign the root first, and one that ends within a day is not published", n.Expires)
	}
	if !n.Forget.IsZero() && !newOnline {
		return d, cli.Usage("--forget-since needs a new online key")
	}
	change.Forget = n.Forget.UTC().Truncate(time.Second)
	now, err := g.Publisher.Authority(ctx)
	if err != nil {
		return d, err
	}
	prev := now.Root
	if len(n.After) > 0 {
		if d.before, err = readRoots(ctx, n.After); err != nil {
			return d, err
		}
		if prev, err = trust.ParseRoot(g.Publisher.Fingerprint(), d.before[len(d.before)-1]); err != nil {
			return d, explainRoot(err)
		}
	}
	if newOnline {
		if change.Online, err = g.Publisher.NewOnlineKey(ctx); err != nil {
			return d, err
		}
	}
	change.Expires = time.Now().UTC().Truncate(time.Second).Add(life)
	text, err := ceremony.Next(g.Publisher.Fingerprint(), prev, change)
	if err != nil {
		return d, err
	}
	if d.raw, err = g.Publisher.SignRoot(ctx, text); err != nil {
		return d, err
	}
	d.progress, err = ceremony.ProgressOf(d.raw, &prev)
	return d, err
}

// A draftView is a root of root rotate as it is printed.
type draftView struct {
	File          string   `json:"file"`
	Version       uint64   `json:"version"`
	OnlineKey     string   `json:"onlineKey"`
	SignedBy      []string `json:"signedBy"`
	Missing       int      `json:"missingSignatures"`       // of its own keys
	MissingBefore int      `json:"missingSignaturesBefore"` // of the keys of the root before it
}

// write writes the draft to its file and prints the next step.
func (d draft) write(out cli.Output, path string) error {
	if err := writeOnce(path, d.raw); err != nil {
		return err
	}
	p := d.progress
	v := draftView{path, p.Root.Version, p.Root.Online.String(), keyNames(p.By), p.Missing, p.MissingBefore}
	return out.Emit(v, func(w io.Writer) {
		fmt.Fprintf(w, "%s is root %d\n", path, v.Version)
		if p.Complete() {
			fmt.Fprintf(w, "It is signed. Publish it: tcode-gateway root publish %s\n", path)
			return
		}
		fmt.Fprintf(w, "To be signed by %d of its own keys and %d of those of the root before it; a key of both counts for both:\n", v.Missing, v.MissingBefore)
		fmt.Fprintf(w, "  tcode-gateway root sign %s --key KEYFILE\n  tcode-gateway root publish %s\n", path, path)
	})
}

// Run makes the next root.
func (r *rootRotateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	if r.Out == "" {
		return cli.Usage("--out FILE is missing: where to write the root")
	}
	change := ceremony.Change{Remove: r.RemoveKey, Threshold: r.Threshold}
	if r.Keys != "" {
		list, err := readKeyList(ctx, r.Keys)
		if err != nil {
			return err
		}
		change.Keys = list.Keys
		if change.Threshold == 0 {
			change.Threshold = list.Threshold
		}
	}
	if r.AddKeys != "" {
		list, err := readKeyList(ctx, r.AddKeys)
		if err != nil {
			return err
		}
		change.Add = list.Keys
	}
	if err := cli.MayWrite(r.Out, false); err != nil {
		return err
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		d, err := r.next(ctx, g, change, r.NewOnline)
		if err != nil {
			return err
		}
		return d.write(out, r.Out)
	})
}

func readKeyList(ctx context.Context, path string) (ceremony.KeyList, error) {
	raw, err := readSmall(ctx, path)
	if err != nil {
		return ceremony.KeyList{}, err
	}
	list, err := ceremony.ParseKeyList(raw)
	if err != nil {
		return list, cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: %w", path, err))
	}
	return list, nil
}

type onlineKeyRotateCmd struct {
	nextFlags `embed:""`
}

// Run rotates the online key.
func (o *onlineKeyRotateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	if o.Out != "" {
		if err := cli.MayWrite(o.Out, false); err != nil {
			return err
		}
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		now, err := g.Publisher.Authority(ctx)
		if err != nil {
			return err
		}
		if o.Out == "" && !now.Alone() {
			return cli.Usage("the gateway cannot sign the root alone: give --out FILE, have that signed, and publish it")
		}
		d, err := o.next(ctx, g, ceremony.Change{}, true)
		if err != nil {
			return err
		}
		if o.Out != "" {
			return d.write(out, o.Out)
		}
		return publishRoots(ctx, g, out, append(slices.Clone(d.before), d.raw))
	})
}
