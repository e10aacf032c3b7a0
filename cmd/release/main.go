// Command release makes the files of a release of the programs, from a checkout:
//
//	engine of the web app ─▶ go build (6 targets) ─┬▶ archives, packages ─▶ SHA256SUMS
//	                         the same programs ────┼▶ bills of materials
//	                         on this machine ──────┴▶ manual pages, completion
//
// Two runs on one commit make the same bytes: paths are trimmed, all times are
// that of the commit, and archives are sorted. Only the build with MuPDF needs a
// C compiler, and depends on it.
package main

import (
	"context"
	"os"

	"tcode/cmd/internal/cli"
)

const description = `Make what a release consists of: archives, packages, checksums, bills of materials.`

// grammar is the command line.
type grammar struct {
	Build    buildCmd    `cmd:"" default:"withargs" help:"Make all files of a release. This is the default."`
	Rootfs   rootfsCmd   `cmd:"" help:"Make the root file system of the container image of tcode-gateway."`
	Man      manCmd      `cmd:"" help:"Write the manual pages and the completion scripts of all programs."`
	Licences licencesCmd `cmd:"" help:"Collect the licence texts of all that the programs link, for \"version --licences\"."`
}

func main() {
	cli.Main(func(ctx context.Context, args []string) error {
		return run(ctx, args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	})
}

func run(ctx context.Context, args []string, std cli.Streams) error {
	var g grammar
	kctx, err := cli.Parse("release", description, &g, args, std)
	if err != nil {
		return err
	}
	return cli.Run(ctx, kctx, std)
}
