package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

func main() {
	sandbox.Main(raster.Roles()...)
	spin()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "process:", err)
		os.Exit(1)
	}
}

// options are the options of the command line.
type options struct {
	runs   int
	each   int
	busy   int
	corpus string
	only   string
	exe    string // tcode-scan
}

func parse(args []string, usage io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("process", flag.ContinueOnError)
	fs.SetOutput(usage)
	fs.IntVar(&o.runs, "runs", 5, "runs of each program for each picture; the median counts")
	fs.IntVar(&o.each, "each", 12, "pages of documents, and made pictures of a set")
	fs.IntVar(&o.busy, "busy", 0, "read the images of TCODE_CORPUS while this `number` of processes is busy, instead of measuring")
	fs.StringVar(&o.corpus, "corpus", os.Getenv("TCODE_CORPUS"), "`folder` of real files, default $TCODE_CORPUS; without it the project's own documents, and no images of others")
	fs.StringVar(&o.only, "only", "", "the `set` to measure; empty: all")
	fs.StringVar(&o.exe, "program", "", "`file` of tcode-scan; empty: the command builds it")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 || o.runs < 1 || o.each < 1 || o.busy < 0 {
		return o, errors.New("usage: no arguments, --runs and --each at least 1")
	}
	if o.busy > 0 && o.corpus == "" {
		return o, errors.New("--busy needs the images of TCODE_CORPUS")
	}
	return o, nil
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tcode-process-")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder too
	if o.exe == "" {
		o.exe = filepath.Join(dir, "tcode-scan")
		if msg, err := exec.CommandContext(ctx, "go", "build", "-o", o.exe, "tcode/cmd/tcode-scan").CombinedOutput(); err != nil {
			return fmt.Errorf("build tcode-scan: %w: %s", err, msg)
		}
	}
	if o.busy > 0 {
		return underLoad(ctx, o, out)
	}
	return measure(ctx, o, dir, out)
}
