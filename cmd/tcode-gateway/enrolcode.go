package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"strings"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/datamatrix"
	"github.com/boombuler/barcode/qr"
	"golang.org/x/term"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/sync/wire"
)

type enrolCodeCmd struct {
	PublicURL string `name:"public-url" help:"Address of this gateway for scanners." required:"" env:"TCODE_PUBLIC_URL" placeholder:"URL"`
	Output    string `short:"o" help:"Write both codes as one PNG picture to this file, or - for standard output. Default: drawn in characters." placeholder:"FILE"`
	Force     bool   `short:"f" help:"Overwrite the picture."`
}

// Help explains the purpose of the code.
func (*enrolCodeCmd) Help() string {
	return `A scanner that reads the code, from paper or from a trusted screen, knows the gateway's address and the fingerprint of its trust root: no attacker between the scanner and the gateway can replace the root.

The QR code is for a phone's own camera: it opens the gateway's web app, ready to enrol. The Data Matrix symbol is for the camera of an app that is open. tcode-scan takes the text of either: tcode-scan enrol TEXT`
}

// enrolCodeLine is the code as it is printed for machines.
type enrolCodeLine struct {
	Code        string `json:"code"` // the text of the Data Matrix symbol (sync/wire/FORMAT.md)
	Link        string `json:"link"` // the text of the QR code
	Gateway     string `json:"gateway"`
	Fingerprint string `json:"fingerprint"`
	File        string `json:"file,omitempty"` // the picture
}

// Run prints the code.
func (e *enrolCodeCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	gateway, err := wire.BaseURL(e.PublicURL)
	if err != nil {
		return cli.Usage("--public-url: %v", err)
	}
	if e.Output == "-" && (c.JSON || cli.IsTerminal(std.Out)) {
		return cli.Usage("standard output is a terminal or takes JSON, and cannot show a picture: name a file with -o")
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		root, err := newestRoot(ctx, g) // a complete root, or no code
		if err != nil {
			return err
		}
		line := enrolCodeLine{Gateway: gateway, Fingerprint: g.Publisher.Fingerprint().String(), File: e.Output}
		if line.Code, err = wire.EnrolmentCode(gateway, g.Publisher.Fingerprint()); err != nil {
			return err
		}
		if line.Link, err = wire.EnrolmentLink(gateway, g.Publisher.Fingerprint()); err != nil {
			return err
		}
		codes, err := encodeBoth(line)
		if err != nil {
			return err
		}
		if e.Output != "" {
			if err := e.picture(std, codes); err != nil || e.Output == "-" {
				return err
			}
		}
		return out.Emit(line, func(w io.Writer) {
			if e.Output == "" {
				e.draw(w, std, codes)
			}
			fmt.Fprintf(w, "%s\ngateway      %s\nfingerprint  %s, of root version %d\n", line.Code, line.Gateway, line.Fingerprint, root.Version)
		})
	})
}

// A namedCode is a code with a sentence about its use.
type namedCode struct {
	barcode.Barcode
	use string
}

// encodeBoth returns the QR code of the link and the Data Matrix symbol of the code.
func encodeBoth(line enrolCodeLine) (codes [2]namedCode, err error) {
	link, err := qr.Encode(line.Link, qr.M, qr.Auto)
	if err != nil {
		return codes, fmt.Errorf("QR code: %w", err)
	}
	code, err := datamatrix.Encode(line.Code)
	if err != nil {
		return codes, fmt.Errorf("symbol Data Matrix: %w", err)
	}
	return [2]namedCode{{link, "for the phone's own camera:"}, {code, "for the camera of the TCode app:"}}, nil
}

// draw draws the codes in characters, or says why it does not.
func (e *enrolCodeCmd) draw(w io.Writer, std cli.Streams, codes [2]namedCode) {
	for _, code := range codes {
		if !fits(std.Out, code) {
			fmt.Fprintf(std.Err, "The terminal is too narrow to draw the code: make it %d columns wide, or write a picture with -o FILE.\n", width(code))
			return
		}
		fmt.Fprintf(w, "%s\n%s\n\n", code.use, codeText(code, cli.IsTerminal(std.Out) && os.Getenv("NO_COLOR") == ""))
	}
}

// quiet is the light margin around a code, in modules: a QR code needs 4 (ISO/IEC 18004), Data Matrix 1 (ISO/IEC 16022).
const quiet = 4

// picture writes the codes as a PNG of 10 px a module.
func (e *enrolCodeCmd) picture(std cli.Streams, codes [2]namedCode) error {
	const px = 10
	img := codeImage(codes, px)
	if e.Output == "-" {
		return png.Encode(std.Out, img)
	}
	return cli.WriteFile(e.Output, e.Force, func(w io.Writer) error { return png.Encode(w, img) })
}

// fits reports whether the code fits the terminal w, if it is one: no scanner
// reads a code with cut lines.
func fits(w io.Writer, code barcode.Barcode) bool {
	f, ok := w.(*os.File)
	if !ok || !cli.IsTerminal(w) {
		return true
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	return err != nil || columns >= width(code)
}

// width returns the number of columns of the code in characters.
func width(code barcode.Barcode) int { return code.Bounds().Dx() + 2*quiet }

// codeText draws the code in characters, each two modules high. With colour it is
// black on white whatever the terminal's colours are; without, it draws light
// modules, as on a dark background.
func codeText(code barcode.Barcode, colour bool) string {
	b := code.Bounds()
	dark := func(x, y int) bool {
		if x < b.Min.X || y < b.Min.Y || x >= b.Max.X || y >= b.Max.Y {
			return false
		}
		r, _, _, _ := code.At(x, y).RGBA()
		return r == 0
	}
	var text bytes.Buffer
	for y := b.Min.Y - quiet; y < b.Max.Y+quiet; y += 2 {
		var row strings.Builder
		for x := b.Min.X - quiet; x < b.Max.X+quiet; x++ {
			row.WriteString(halves[dark(x, y) == colour][dark(x, y+1) == colour])
		}
		if colour {
			fmt.Fprintf(&text, "\x1b[30;107m%s\x1b[0m\n", row.String())
			continue
		}
		fmt.Fprintln(&text, row.String())
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// halves are the characters whose upper and lower half is drawn or not.
var halves = map[bool]map[bool]string{true: {true: "█", false: "▀"}, false: {true: "▄", false: " "}}

// codeImage draws the codes side by side with their margins, black on white.
func codeImage(codes [2]namedCode, px int) image.Image {
	wide, high := 0, 0
	for _, code := range codes {
		wide += code.Bounds().Dx() + 2*quiet
		high = max(high, code.Bounds().Dy()+2*quiet)
	}
	img := image.NewPaletted(image.Rect(0, 0, wide*px, high*px), color.Palette{color.White, color.Black})
	left := quiet
	for _, code := range codes {
		b := code.Bounds()
		for y := range b.Dy() * px {
			for x := range b.Dx() * px {
				if r, _, _, _ := code.At(b.Min.X+x/px, b.Min.Y+y/px).RGBA(); r == 0 {
					img.SetColorIndex(x+left*px, y+quiet*px, 1)
				}
			}
		}
		left += b.Dx() + 2*quiet
	}
	return img
}
