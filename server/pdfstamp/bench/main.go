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
	"slices"
	"strings"

	"tcode/offline/host/sandbox"
	"tcode/server/pdfstamp"
)

func main() {
	sandbox.Main(pdfstamp.Role())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := play(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// play is the run, or one of the roles that this program has in processes of
// their own.
func play(ctx context.Context, args []string) error {
	switch {
	case len(args) > 0 && (args[0] == ourRole || args[0] == gatewayRole):
		return ours(args[0], args[1:], os.Stdin, os.Stdout)
	case len(args) == 2 && args[0] == largeRole:
		return os.WriteFile(args[1], largeFile(), 0o600)
	}
	return run(ctx, args, os.Stdout, os.Stderr)
}

type options struct {
	corpus string
	files  int // the size of an even sample; 0: all
	pixels int // files whose pixels are compared; 0: all
	passes int
	only   []string
	keep   string
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.corpus, "corpus", os.Getenv("TCODE_CORPUS"), "`folder` with pdf/*.pdf below it")
	f.IntVar(&o.files, "files", 0, "a spread of so many files; 0: all")
	f.IntVar(&o.pixels, "pixels", 40, "files that are rendered before and after; 0: all")
	f.IntVar(&o.passes, "passes", 3, "passes over the files for the CPU of libraries, at least 2")
	f.StringVar(&o.keep, "keep", "", "`folder` for the stamped files; default: a temporary one")
	only := f.String("only", "", "tools that take part, with commas between them; default: all")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.corpus == "" {
		o.corpus = filepath.Join("..", "shared", "corpus")
	}
	if o.passes < 2 {
		return o, errors.New("--passes takes at least 2")
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	b := &bench{options: o, dir: o.keep, log: stderr}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "tcode-stamping-"); err != nil {
			return err
		}
		defer os.RemoveAll(b.dir)
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	var rows, large []row
	for _, t := range b.tools {
		r, err := b.stampAll(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		rows = append(rows, r)
	}
	common := b.common(rows)
	for i, t := range b.tools {
		if err := b.cost(ctx, t, common, &rows[i]); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	for _, t := range slices.Concat(b.tools, b.ways) {
		r := row{Tool: t.name}
		if err := b.cost(ctx, t, []string{b.large}, &r); err != nil {
			return fmt.Errorf("%s on the large file: %w", t.name, err)
		}
		large = append(large, r)
	}
	if err := b.judge(ctx, rows); err != nil {
		return err
	}
	b.report(stdout, rows, large, len(common))
	return nil
}

// bench is one run.
type bench struct {
	options
	dir    string
	log    io.Writer
	tools  []tool
	ways   []tool   // ours and pdfcpu the other way, for the large file
	names  []string // of the files
	large  string   // the file of 500 pages
	symbol string   // the picture that the others stamp with
	text   string   // the text of symbol
	scan   string   // tcode-scan
}

// prepare finds files and tools.
func (b *bench) prepare(ctx context.Context) error {
	for _, d := range []string{"in", "out", "page"} {
		if err := os.MkdirAll(filepath.Join(b.dir, d), 0o700); err != nil {
			return err
		}
	}
	if err := b.drawSymbol(); err != nil {
		return err
	}
	b.scan = filepath.Join(b.dir, "tcode-scan")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", b.scan, "./cmd/tcode-scan").CombinedOutput(); err != nil {
		return fmt.Errorf("build tcode-scan: %w\n%s", err, out)
	}
	all, err := b.allTools(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		if len(b.only) == 0 || slices.Contains(b.only, t.name) {
			b.tools = append(b.tools, t)
		}
	}
	b.ways = b.otherWays(b.tools)
	if len(b.tools) == 0 {
		return fmt.Errorf("no tool of %v", b.only)
	}
	b.large = filepath.Join(b.dir, "in", "500-pages.pdf")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// A process begins with the memory of the one that starts it, so this one
	// stays small until the others have been measured.
	if err := exec.CommandContext(ctx, self, largeRole, b.large).Run(); err != nil {
		return fmt.Errorf("make the large file: %w", err)
	}
	return b.findFiles(ctx)
}

// logf logs the progress of the run.
func (b *bench) logf(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }
