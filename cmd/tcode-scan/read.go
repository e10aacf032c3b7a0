package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/trust"
	"tcode/scanner"
)

type readCmd struct {
	Files    []string `arg:"" help:"PDFs, images, folders of them, or - for standard input." placeholder:"FILE"`
	Inverted bool     `help:"Look for light symbols on dark ground too."`
}

func (c *readCmd) Help() string {
	return `Prints what every Data Matrix symbol says. Nothing is judged or recorded: use verify for a verdict.

Exit codes: 0 every document has a symbol, 1 one has none, 3 one could not be read.`
}

// pageReading is the answer about one page (DESIGN section 12, `read --json`).
type pageReading struct {
	File    string         `json:"file"`
	Page    int            `json:"page"`
	Symbols []symbolOnPage `json:"symbols"`
	MS      readTimes      `json:"ms"`
	Reason  string         `json:"reason,omitempty"` // when there is no symbol
}

type symbolOnPage struct {
	Text            string        `json:"text"`
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
	code := cli.CodeOK
	for _, name := range names {
		symbols := 0
		data, err := readFile(a.std.In, name)
		if err == nil {
			err = readPages(ctx, a, shown(name), data, c.Inverted, func(p pageReading) error {
				symbols += len(p.Symbols)
				return a.out.Emit(p, p.print)
			})
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			code = cli.CodeUnreadable
			if err := a.reportUnreadable(shown(name), err); err != nil {
				return err
			}
		case symbols == 0 && code == cli.CodeOK:
			code = cli.CodeFailed
		}
	}
	if code != cli.CodeOK {
		return cli.Exit(code, nil)
	}
	return nil
}

// readPages reads every page of one document and hands each to yield.
func readPages(ctx context.Context, a *app, name string, data []byte, inverted bool, yield func(pageReading) error) error {
	s := scanner.New(scanner.Config{Log: a.grammar.Logger(a.std.Err)})
	defer s.Close()
	return s.Read(ctx, name, data, scanner.DocumentOptions{Image: scanner.Options{Inverted: inverted}}, func(p scanner.Page) error {
		answer := pageReading{
			File: name, Page: p.Number, Symbols: []symbolOnPage{},
			MS: readTimes{ms(p.Raster), ms(p.Reading.Locate), ms(p.Reading.Decode)},
		}
		for _, s := range p.Reading.Symbols {
			answer.Symbols = append(answer.Symbols, symbolOnPage{s.Text, [2]int{s.Rows, s.Cols}, s.Corners, s.CorrectedErrors, s.Erasures})
		}
		if len(answer.Symbols) == 0 {
			answer.Reason = p.Reading.Reason.Message
			if advice := p.Reading.Reason.Advice; advice != "" {
				answer.Reason += ". " + advice
			}
		}
		return yield(answer)
	})
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (p pageReading) print(w io.Writer) {
	for _, s := range p.Symbols {
		fmt.Fprintf(w, "%s, page %d: %dx%d modules\n%s\n", trust.Escape(p.File), p.Page, s.Modules[0], s.Modules[1], trust.Escape(s.Text))
	}
	if len(p.Symbols) == 0 {
		fmt.Fprintf(w, "%s, page %d: no symbol. %s\n", trust.Escape(p.File), p.Page, p.Reason)
	}
}
