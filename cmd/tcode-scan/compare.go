package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/scanner/caveat"
	"tcode/scanner/compare"
	"tcode/scanner/raster"
)

type compareCmd struct {
	A       string        `arg:"" help:"A PDF." placeholder:"A"`
	B       string        `arg:"" optional:"" help:"Another PDF, to compare with A in each engine." placeholder:"B"`
	Debug   string        `help:"Write a picture of each page with a difference to DIR: both drawings, differences framed." placeholder:"DIR" type:"path"`
	DPI     float64       `help:"Resolution of the drawings, 20 to 600, which compares no page strictly. 0: 96, and 120 for strict pages." default:"0" name:"dpi"`
	Pages   int           `help:"Largest number of pages to compare." default:"500"`
	MaxTime time.Duration `help:"Time after which no further page begins." default:"10m"`
}

func (c *compareCmd) Help() string {
	return `Draws every page of A in two engines, MuPDF and PDFium, and shows where they differ. With B, draws A and B in each engine, and shows where B differs from A.

Pages of A whose fonts are all in the file are compared strictly: both engines draw the same outlines there, so the comparison nearly always finds a single different digit or sign. In text of other fonts it finds about half to three quarters of them.

Exit codes: 0 no difference on the pages that were compared, 1 a difference, 2 wrong use, 3 a file could not be read.`
}

// comparisonOf is the answer of one comparison.
type comparisonOf struct {
	Engines []string `json:"engines"`
	Files   []string `json:"files"`
	compare.Report
}

func (v comparisonOf) print(w io.Writer) {
	subject := fmt.Sprintf("%s in %s", v.Files[0], v.Engines[0])
	if len(v.Files) > 1 {
		subject = fmt.Sprintf("%s and %s in %s", v.Files[0], v.Files[1], v.Engines[0])
	} else {
		subject += " and " + v.Engines[1]
	}
	strictly := ""
	if n := len(v.Strict); n > 0 {
		strictly = fmt.Sprintf(", %d of them strictly", n)
	}
	fmt.Fprintf(w, "%s: %d of %d pages compared%s, %d differences\n", subject, len(v.Compared), v.Pages, strictly, len(v.Differences))
	for _, d := range v.Differences {
		switch {
		case d.Page == 0:
			fmt.Fprintf(w, "  file: %s\n", d.What)
		case d.Box == (geometry.Rect{}):
			fmt.Fprintf(w, "  page %d: %s\n", d.Page, d.What)
		default:
			fmt.Fprintf(w, "  page %d, %.1f x %.1f mm at %.1f mm from the left and %.1f mm from the top: %s\n",
				d.Page, d.Box.Width, d.Box.Height, d.Box.X, d.Box.Y, d.What)
		}
	}
	for _, s := range v.Skipped {
		if s.Page == s.To {
			fmt.Fprintf(w, "  page %d not compared: %s\n", s.Page, s.Why)
		} else {
			fmt.Fprintf(w, "  pages %d to %d not compared: %s\n", s.Page, s.To, s.Why)
		}
	}
}

func (c *compareCmd) Run(ctx context.Context, a *app) error {
	if raster.DefaultEngine != raster.MuPDF {
		return cli.Exit(cli.CodeUsage, errors.New("this build has one engine only: compare needs a build with cgo"))
	}
	if c.DPI != 0 && !(c.DPI >= 20 && c.DPI <= 600) || c.Pages < 1 || c.MaxTime <= 0 {
		return cli.Exit(cli.CodeUsage, errors.New("--dpi must be 0 or 20 to 600, --pages and --max-time positive"))
	}
	if c.Debug != "" {
		if err := os.MkdirAll(c.Debug, 0o700); err != nil {
			return cli.Exit(cli.CodeUsage, err)
		}
	}
	var engines []compare.Engine
	for _, e := range []raster.Engine{raster.MuPDF, raster.PDFium} {
		// Two files are open in one engine at the same time.
		r := raster.New(sandbox.Config{Size: 2}, raster.Limits{}, append(a.raster(), raster.WithEngine(e))...)
		defer r.Close()
		engines = append(engines, compare.Engine{Name: string(e), Raster: r})
	}
	answers, err := c.compare(ctx, engines)
	if err != nil {
		return err
	}
	code := cli.CodeOK
	for _, v := range answers {
		if !v.Same() {
			code = cli.CodeFailed
		}
		if err := a.out.Emit(v, v.print); err != nil {
			return err
		}
	}
	if code != cli.CodeOK {
		return cli.Exit(code, nil)
	}
	return nil
}

// compare compares the engines on one file, or the files in each engine.
func (c *compareCmd) compare(ctx context.Context, engines []compare.Engine) (out []comparisonOf, err error) {
	before, size, err := openPDF(c.A)
	if err != nil {
		return nil, err
	}
	defer before.Close()
	section := func(f *os.File, size int64) *io.SectionReader { return io.NewSectionReader(f, 0, size) }
	if c.B == "" {
		o := c.options("engines")
		if o.DPI == 0 {
			data, err := io.ReadAll(section(before, size))
			if err != nil {
				return nil, cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: %w", c.A, err))
			}
			o.Strict = caveat.OwnFonts(data)
		}
		report, err := compare.Engines(ctx, section(before, size), engines[0], engines[1], o)
		if err != nil {
			return nil, cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: %w", c.A, err))
		}
		return []comparisonOf{{[]string{engines[0].Name, engines[1].Name}, []string{c.A}, report}}, nil
	}
	after, afterSize, err := openPDF(c.B)
	if err != nil {
		return nil, err
	}
	defer after.Close()
	for _, e := range engines {
		report, err := compare.Files(ctx, section(before, size), section(after, afterSize), e, c.options(e.Name))
		if err != nil {
			return nil, cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: %w", c.A, err))
		}
		out = append(out, comparisonOf{[]string{e.Name}, []string{c.A, c.B}, report})
	}
	return out, nil
}

func openPDF(name string) (*os.File, int64, error) {
	info, err := os.Stat(name) // opening a pipe may never end
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file: a comparison reads its files in any order, so copy it to one first", name)
	}
	if err != nil {
		return nil, 0, cli.Exit(cli.CodeUnreadable, err)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, cli.Exit(cli.CodeUnreadable, err)
	}
	info, err = f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, cli.Exit(cli.CodeUnreadable, err)
	}
	return f, info.Size(), nil
}

// options returns the options of a comparison whose pictures have names that
// begin with prefix.
func (c *compareCmd) options(prefix string) compare.Options {
	o := compare.Options{DPI: c.DPI, MaxPages: c.Pages, MaxTime: c.MaxTime}
	if c.Debug == "" {
		return o
	}
	o.Show = func(p compare.Picture) error {
		if len(p.Boxes) == 0 {
			return nil
		}
		f, err := os.OpenFile(filepath.Join(c.Debug, fmt.Sprintf("%s-page-%03d.png", prefix, p.Page)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(p.WritePNG(f), f.Close())
	}
	return o
}
