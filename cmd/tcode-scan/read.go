package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/contain"
	"tcode/offline/trust"
	"tcode/scanner"
	"tcode/scanner/answer"
	"tcode/scanner/charset"
	"tcode/scanner/raster"
	"tcode/scanner/sketch"
	"tcode/scanner/symbol"
)

type readCmd struct {
	Files    []string `arg:"" help:"PDFs, images, folders of them, or - for standard input." placeholder:"FILE"`
	Inverted bool     `help:"Look for light symbols on dark ground in PDFs too. In pictures they are always looked for."`
	Thorough bool     `help:"Look everywhere and with all means, also where nothing resembles a symbol. Takes many times as long for a picture without one."`
	Jobs     int      `help:"Number of documents read concurrently. 0: one for each processor." default:"0" env:"TCODE_JOBS"`
	Debug    string   `help:"Write pictures of the reader's steps to DIR, which must be empty or not exist: boxes, candidates and sampled modules, with read.json." placeholder:"DIR" type:"path"`
}

func (c *readCmd) Help() string {
	return `Prints the content of every Data Matrix symbol. Nothing is judged or recorded: use verify for a verdict.

Exit codes: 0 every document has a symbol, 1 one has none, 3 one could not be read. With --engine both, 1 also if only one engine shows a symbol or a page.`
}

// pageReading is the answer about one page (`read --json`).
type pageReading struct {
	File    string         `json:"file"`
	Page    int            `json:"page"`
	Symbols []symbolOnPage `json:"symbols"`
	MS      readTimes      `json:"ms"`
	Reason  string         `json:"reason,omitempty"` // when there is no symbol
	// Disputes lists symbols and pages that only one engine shows; with --engine both.
	Disputes []disputeOnPage `json:"disputes,omitempty"`
}

type disputeOnPage struct {
	Shows  string `json:"shows"`            // the engine that shows it
	Hides  string `json:"hides"`            // the one that does not
	Text   string `json:"text,omitempty"`   // of the symbol; absent: the page
	Reason string `json:"reason,omitempty"` // why the page is not shown
}

type symbolOnPage struct {
	Text string `json:"text"`
	contentOf
	Modules         [2]int        `json:"modules"` // rows, columns
	Corners         [4][2]float64 `json:"corners"` // px
	CorrectedErrors int           `json:"correctedErrors"`
	Erasures        int           `json:"erasures"`
}

// readTimes are wall times in milliseconds.
type readTimes struct {
	Raster float64 `json:"raster"`
	Locate float64 `json:"locate"`
	Decode float64 `json:"decode"`
}

func (c *readCmd) Run(ctx context.Context, a *app) error {
	names, err := expand(c.Files)
	if err != nil {
		return cli.Exit(cli.CodeUnreadable, err)
	}
	both, err := a.both()
	if err != nil {
		return err
	}
	if both && c.Debug != "" {
		return cli.Usage("--debug draws what one engine shows: leave out --engine both")
	}
	config := scanner.Config{Raster: a.raster(), Budget: a.grammar.DocumentTime, Log: a.grammar.Logger(a.std.Err)}
	var pictures *sketch.Folder
	if c.Debug != "" {
		config.Readers = 1 // one page after another, so that the pictures are always the same
		if pictures, err = sketch.New(c.Debug); err != nil {
			return cli.Exit(cli.CodeUsage, err)
		}
	}
	code, err := c.read(ctx, a, config, both, names, pictures)
	if pictures != nil {
		err = errors.Join(err, pictures.Close())
	}
	switch {
	case err != nil:
		return err
	case code != cli.CodeOK:
		return cli.Exit(code, nil)
	}
	return nil
}

// read reads the documents, several at a time, and returns the exit code for them. It prints their answers in the order
// of names.
func (c *readCmd) read(ctx context.Context, a *app, config scanner.Config, both bool, names []string, pictures *sketch.Folder) (code int, err error) {
	s := scanner.New(config)
	defer s.Close()
	if len(names) == 1 {
		spreadLater()
	}
	jobs, started := c.Jobs, 0
	if pictures != nil {
		jobs = 1 // pictures of one document after another
	}
	read := func(ctx context.Context, name string) ([]pageReading, error) {
		opt := symbol.Options{Inverted: c.Inverted, Thorough: c.Thorough, Charset: charset.Decode}
		if pictures != nil {
			prefix := ""
			if started++; len(names) > 1 {
				prefix = fmt.Sprintf("document-%03d-", started)
			}
			opt.Watch = pictures.Watch(prefix, filepath.Base(shown(name)))
		}
		data, err := a.readDocument(ctx, name)
		if err != nil {
			return nil, err
		}
		return readPages(ctx, s, shown(name), data, scanner.DocumentOptions{Image: opt, BothEngines: both})
	}
	code = cli.CodeOK
	err = inOrder(ctx, nil, jobs, names, read, func(name string, pages []pageReading, err error) error {
		symbols, disputes := 0, 0
		for _, p := range pages {
			symbols += len(p.Symbols)
			disputes += len(p.Disputes)
			if err := a.out.Emit(p, p.print); err != nil {
				return err
			}
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			code = cli.CodeUnreadable
			return a.reportUnreadable(shown(name), err)
		case (symbols == 0 || disputes > 0) && code == cli.CodeOK:
			code = cli.CodeFailed
		}
		return nil
	})
	return code, err
}

// alone is the time in which the reading of one document uses one processor, and its child another.
const alone = 50 * time.Millisecond

// spreadLater makes this program use more than one processor only after a while, if GOMAXPROCS is not set. A small picture
// is read by then: threads that look for other work would take a tenth of the time. Call it when the scanner knows the number of
// processors.
func spreadLater() {
	if os.Getenv("GOMAXPROCS") != "" {
		return
	}
	runtime.GOMAXPROCS(1)
	contain.After(alone, "spread", runtime.SetDefaultGOMAXPROCS)
}

// readPages reads every page of one document. With an error it returns the pages that were read.
func readPages(ctx context.Context, s *scanner.Scanner, name string, data []byte, opt scanner.DocumentOptions) (pages []pageReading, err error) {
	err = s.Read(ctx, name, data, opt, func(p scanner.Page) error {
		read := pageReading{
			File: name, Page: p.Number, Symbols: []symbolOnPage{},
			MS: readTimes{ms(p.Raster), ms(p.Reading.Locate), ms(p.Reading.Decode)},
		}
		for _, s := range p.Reading.Symbols {
			read.Symbols = append(read.Symbols, symbolOnPage{s.Text, content(&s), [2]int{s.Rows, s.Cols}, s.Corners, s.CorrectedErrors, s.Erasures})
		}
		if len(read.Symbols) == 0 {
			read.Reason = p.Reading.Reason.Message
			if advice := answer.Advice(p.Reading.Reason); advice != "" {
				read.Reason += ". " + advice
			}
		}
		for _, d := range p.Disputes {
			other, _ := d.Shows.Other()
			read.Disputes = append(read.Disputes, disputeOnPage{string(d.Shows), string(other), d.Text, d.Why})
		}
		pages = append(pages, read)
		return nil
	})
	return pages, err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (p pageReading) print(w io.Writer) {
	for _, s := range p.Symbols {
		fmt.Fprintf(w, "%s, page %d: %dx%d modules\n%s\n", escapePath(p.File), p.Page, s.Modules[0], s.Modules[1], trust.Escape(s.Text))
		s.contentOf.print(w)
	}
	if len(p.Symbols) == 0 {
		fmt.Fprintf(w, "%s, page %d: no symbol. %s\n", escapePath(p.File), p.Page, p.Reason)
	}
	for _, d := range p.Disputes {
		what := "does not show this symbol: " + trust.Escape(d.Text)
		if d.Text == "" {
			what = "does not show the page: " + trust.Escape(d.Reason)
		}
		fmt.Fprintf(w, "%s, page %d: %s %s\n", escapePath(p.File), p.Page, raster.Engine(d.Hides).Name(), what)
	}
}
