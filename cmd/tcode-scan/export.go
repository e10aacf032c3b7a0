package main

import (
	"context"
	"fmt"
	"io"

	"tcode/cmd/internal/cli"
	"tcode/offline/payload"
)

type exportCmd struct {
	What  string `arg:"" help:"A document with one TCode, or a payload as text, Base64 or hexadecimal digits." placeholder:"FILE|TEXT"`
	COSE  bool   `help:"Write a tagged COSE_Sign1 message (RFC 9052), which any COSE library verifies with the issuer's public key and external data \"TCode/1\"." required:""`
	Out   string `short:"o" help:"File to write, or - for standard output." default:"-" placeholder:"FILE"`
	Force bool   `short:"f" help:"Overwrite the file."`
}

func (c *exportCmd) Run(ctx context.Context, a *app) error {
	raws, err := payloadsOf(ctx, a, c.What)
	if err != nil {
		return err
	}
	if len(raws) != 1 {
		return cli.Exit(cli.CodeFailed, fmt.Errorf("%s holds %d TCodes: export them one by one, as tcode-scan read prints them", c.What, len(raws)))
	}
	p, err := payload.Parse(raws[0])
	if err != nil {
		return cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: not a TCode payload: %w", c.What, err))
	}
	message, err := payload.AppendCOSE(nil, p)
	if err != nil {
		return err
	}
	return a.writeFile(c.Out, c.Force, func(w io.Writer) error {
		_, err := w.Write(message)
		return err
	})
}

// writeFile writes a file and says so, or standard output for "-".
func (a *app) writeFile(name string, force bool, write func(io.Writer) error) error {
	switch {
	case name != stdin:
		var size int64
		err := cli.WriteFile(name, force, func(w io.Writer) error {
			counted := &counter{w: w}
			err := write(counted)
			size = counted.n
			return err
		})
		if err != nil {
			return err
		}
		return a.out.Emit(map[string]any{"file": name, "sizeBytes": size}, func(w io.Writer) {
			fmt.Fprintf(w, "✓ %s  %d bytes\n", cli.Printable(name), size)
		})
	case a.out.JSON:
		return cli.Usage("with --json the answer goes to standard output: name a file")
	case cli.IsTerminal(a.std.Out):
		return cli.Usage("standard output is a terminal, which cannot show the file: name one, or send the output on")
	}
	return write(a.std.Out)
}

// counter counts the bytes that go through it.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
