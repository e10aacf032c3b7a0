package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"tcode/cmd/internal/about"
	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/contain"
	"tcode/offline/dates"
	"tcode/scanner/raster"
	"tcode/sync/outbox"
)

const description = `Verify TCode stamps on documents without connectivity.

Enrol once while online, then verify PDFs, scans and photos anywhere. Every verdict is on disk before it is shown; "sync" sends the history to the gateway when there is a network again.`

// flags are those of every command.
type flags struct {
	Home   string `help:"Folder of this scanner's state: trust documents, scan history, device key. Default: tcode-scan in the user's data directory." env:"TCODE_HOME" placeholder:"DIR" type:"path" group:"Flags of every command:"`
	Engine string `help:"Renderer of PDF pages: mupdf, pdfium, auto for mupdf where it is built in and pdfium elsewhere, or both: verify and read then use the drawings of each, and report differences." enum:"auto,mupdf,pdfium,both" default:"auto" env:"TCODE_ENGINE" group:"Flags of every command:"`
	Cache  string `help:"Cache folder for the machine code of PDFium, which draws PDFs. Keep it private. Default: pdfium in the folder of --home." type:"path" env:"TCODE_CACHE" placeholder:"DIR" group:"Flags of every command:"`
	// DocumentTime bounds the reading of one document.
	DocumentTime time.Duration `help:"Processor time for reading one document, and half a second more for each of its pages. Give a slow machine more. What other programs use does not count, but a document ends after 8 times as long by the wall clock." default:"13s" env:"TCODE_DOCUMENT_TIME" group:"Flags of every command:"`
	JSON         bool          `help:"Print one JSON object a line on standard output." env:"TCODE_JSON" group:"Flags of every command:"`
	cli.LogFlags
}

// grammar is the command line.
type grammar struct {
	flags

	Enrol enrolCmd `cmd:"" help:"Pin a gateway's trust root and fetch its trust documents."`
	Trust struct {
		Refresh trustRefreshCmd `cmd:"" help:"Fetch the gateway's newest trust documents."`
		Show    trustShowCmd    `cmd:"" help:"Show the trust documents and their age."`
		Export  trustExportCmd  `cmd:"" help:"Write all trust documents to one file, for devices without a network."`
		Import  trustImportCmd  `cmd:"" help:"Import such a file, by the same rules as documents from a gateway."`
	} `cmd:"" help:"Refresh, show, export or import the trust documents."`
	Clock struct {
		Show    clockShowCmd    `cmd:"" default:"withargs" help:"Show this scanner's time, where it comes from, and any contradiction."`
		Confirm clockConfirmCmd `cmd:"" help:"Confirm this device's clock, on a device that never reaches the gateway."`
	} `cmd:"" help:"Show this scanner's time and its source, or confirm its clock."`
	Verify  verifyCmd  `cmd:"" help:"Judge the TCode on documents, offline."`
	Read    readCmd    `cmd:"" help:"Read symbols only, without a verdict."`
	Inspect inspectCmd `cmd:"" help:"Name every byte of a payload."`
	Compare compareCmd `cmd:"" help:"Compare the drawings of a PDF by two engines, or two PDFs."`
	Sync    syncCmd    `cmd:"" help:"Send the scan history to the gateway."`
	History historyCmd `cmd:"" help:"List scans and the gateway's answers."`
	Audit   auditCmd   `cmd:"" help:"Prove from receipts alone which scans the gateway has and how it answered."`
	Report  reportCmd  `cmd:"" help:"List scans that were accepted offline although the stamp was revoked already."`
	Watch   watchCmd   `cmd:"" help:"Judge each document that a document scanner puts into a folder."`
	App     appCmd     `cmd:"" help:"Serve the scanner app for phones, in a network without a gateway."`
	Export  exportCmd  `cmd:"" help:"Write a payload as a standard COSE_Sign1 message."`
	cli.About
}

// An app is passed to every command: it has the output streams and opens the device.
type app struct {
	out     cli.Output
	std     cli.Streams
	paint   painter
	grammar *grammar
	slow    sync.Once // the message about a slow start was printed
	worker  *worker   // nil: no other process follows this one
}

func run(ctx context.Context, args []string, std cli.Streams) error {
	var g grammar
	kctx, err := parse(&g, args, std)
	if err != nil {
		return err
	}
	if g.DocumentTime <= 0 {
		return cli.Usage("--document-time must be more than 0")
	}
	g.Version.More = func() []about.Line { return containment(ctx) }
	contain.Observe(func(e contain.Event) { contain.Log(g.Logger(std.Err), e) })
	a := &app{out: cli.Output{W: std.Out, JSON: g.JSON}, std: std, paint: newPainter(std.Out), grammar: &g}
	if a.worker, err = newWorker(ctx); err != nil {
		return err
	}
	err = cli.Run(ctx, kctx, std, a)
	a.worker.report(report{Done: true})
	return err
}

// parse reads args into g. The grammar of all commands takes a millisecond to build, a tenth of the time for a small picture,
// so it is built only if that of the command alone does not fit: for help, and for the words about wrong use.
func parse(g *grammar, args []string, std cli.Streams) (*kong.Context, error) {
	if len(args) > 0 && !slices.ContainsFunc(args, asksForHelp) {
		switch args[0] {
		case "read":
			var alone struct {
				flags
				Read readCmd `cmd:""`
			}
			if kctx, err := cli.Parse("tcode-scan", description, &alone, args, std); err == nil {
				g.flags = alone.flags
				return kctx, nil
			}
		case "verify":
			var alone struct {
				flags
				Verify verifyCmd `cmd:""`
			}
			if kctx, err := cli.Parse("tcode-scan", description, &alone, args, std); err == nil {
				g.flags = alone.flags
				return kctx, nil
			}
		}
	}
	return cli.Parse("tcode-scan", description, g, args, std)
}

// asksForHelp reports whether an argument could be the help flag.
func asksForHelp(arg string) bool { return arg == "-h" || strings.HasPrefix(arg, "--h") }

// home is the name of the scanner's home folder.
func (a *app) home() (string, error) {
	if a.grammar.Home != "" {
		return a.grammar.Home, nil
	}
	return device.DefaultHome()
}

// raster returns options for drawing PDF pages: the engine of the command line,
// and the folder for its machine code, which is that of the command line or in
// the home folder. For a home folder that does not exist it uses the user's
// cache folder.
func (a *app) raster() []raster.Option {
	opts := []raster.Option{raster.WithSlowStart(a.tellSlowStart)}
	if a.grammar.Cache != "" {
		opts = append(opts, raster.WithCache(a.grammar.Cache))
	} else if home, err := a.home(); err == nil {
		if _, err := os.Stat(home); err == nil {
			opts = append(opts, raster.WithCache(filepath.Join(home, "pdfium")))
		}
	}
	if e := a.grammar.Engine; e != "auto" && e != bothEngines {
		opts = append(opts, raster.WithEngine(raster.Engine(e)))
	}
	return opts
}

// tellSlowStart says, once, why nothing happens yet.
func (a *app) tellSlowStart() {
	a.slow.Do(func() {
		fmt.Fprintln(a.std.Err, "The engine that draws PDFs is being prepared. The first time on a machine that takes a few seconds.")
	})
}

// bothEngines is the value of --engine that asks for two.
const bothEngines = "both"

// both reports whether two engines must draw PDFs. The error says that this
// program does not have the requested engine.
func (a *app) both() (bool, error) {
	engine := a.grammar.Engine
	if raster.DefaultEngine != raster.MuPDF && (engine == bothEngines || engine == string(raster.MuPDF)) {
		return false, cli.Usage("--engine %s: this program was built without cgo and has PDFium alone", engine)
	}
	return engine == bothEngines, nil
}

// openDevice opens the scanner's home folder. engines, which may be nil,
// compare files.
func (a *app) openDevice(ctx context.Context, policy offline.Policy, engines *device.Engines) (*device.Device, error) {
	return a.openDeviceFor(ctx, policy, engines, 0)
}

// openDeviceFor is openDevice with a time limit on each refresh; 0:
// feed.DefaultTimeout.
func (a *app) openDeviceFor(ctx context.Context, policy offline.Policy, engines *device.Engines, refresh time.Duration) (*device.Device, error) {
	return a.openConfigured(ctx, device.Config{Policy: policy, RefreshTimeout: refresh}, engines)
}

// openConfigured adds the settings of the command line to c.
func (a *app) openConfigured(ctx context.Context, c device.Config, engines *device.Engines) (_ *device.Device, err error) {
	if c.Home, err = a.home(); err != nil {
		return nil, err
	}
	c.Raster, c.DocumentTime, c.Log = a.raster(), a.grammar.DocumentTime, a.grammar.Logger(a.std.Err)
	if engines != nil {
		c.Compare = engines.Compare
	}
	s, err := device.Open(ctx, c)
	switch {
	case outbox.IsFull(err):
		return nil, fmt.Errorf("the disk is full, so nothing can be kept in %s: free some space first (%w)", c.Home, err)
	case err != nil && !c.Copy && device.NotKept(err):
		return nil, fmt.Errorf("nothing can be kept in %s: %w", c.Home, err)
	case err == nil:
		err = a.tellRepairs(ctx, s)
	}
	return s, err
}

// reading opens the home folder for a command that stores nothing. If the
// folder cannot be written, it opens a copy in memory.
func (a *app) reading(ctx context.Context) (*device.Device, error) {
	s, err := a.openDevice(ctx, offline.Policy{}, nil)
	if err == nil || !device.NotKept(err) {
		return s, err
	}
	home, homeErr := a.home()
	if homeErr != nil {
		return nil, homeErr
	}
	if _, missing := os.Stat(home); missing != nil {
		return nil, err // a copy would be empty
	}
	if s, err2 := a.openConfigured(ctx, device.Config{Copy: true}, nil); err2 == nil {
		fmt.Fprintf(a.std.Err, "tcode-scan: %s; it is only read\n", cli.Printable(err.Error()))
		return s, nil
	} else {
		return nil, err2
	}
}

// tellRepairs describes damage and salvage, until an operator has taken note of
// it.
func (a *app) tellRepairs(ctx context.Context, s *device.Device) error {
	if aside, reason := s.Cache.Repaired(); aside != "" {
		fmt.Fprintf(a.std.Err, "tcode-scan: the trust documents were damaged and are kept as %s: run tcode-scan trust refresh, or import a trust file (%s)\n",
			aside, cli.Printable(reason))
	}
	repairs, err := s.Outbox.Repairs(ctx)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	for _, r := range repairs {
		if !r.Seen {
			fmt.Fprintf(a.std.Err, "tcode-scan: %s; see tcode-scan history, and history --seen to take note\n", cli.Printable(r.String()))
		}
	}
	return nil
}

// A painter colours words for people. Colours only repeat the words.
type painter struct{ on bool }

func newPainter(w io.Writer) painter { return painter{on: cli.Colours(w)} }

const (
	green = "32"
	amber = "33"
	red   = "31"
	faint = "2"
	bold  = "1"
)

func (p painter) in(colour, text string) string {
	if !p.on {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// ago says how long before now t was, in words short enough for one line.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := now.Sub(t).Round(time.Second)
	switch {
	case d < 0:
		return "in the future"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// when returns a time for people, in UTC, so that two devices agree.
func when(t time.Time) string { return dates.Moment(t) }

// progress is a bar of documents, unless there is only one.
func (a *app) progress(documents int) *cli.Progress {
	if documents < 2 {
		return &cli.Progress{}
	}
	return cli.NewProgress(a.std.Err, documents, "documents")
}
