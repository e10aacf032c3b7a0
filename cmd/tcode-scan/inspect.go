package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"

	"tcode/cmd/internal/cli"
	"tcode/offline/payload"
	"tcode/offline/trust"
	"tcode/scanner"
	"tcode/sync/wire"
)

type inspectCmd struct {
	What string `arg:"" help:"A document to read, or a payload: the text a barcode reader shows, Base64, or hexadecimal digits." placeholder:"FILE|TEXT"`
}

func (c *inspectCmd) Help() string {
	return "Nothing is judged or recorded: a payload with correct syntax may still be forged. Use verify for a verdict."
}

func (c *inspectCmd) Run(ctx context.Context, a *app) error {
	raws, err := payloadsOf(ctx, a, c.What)
	if err != nil {
		return err
	}
	for _, raw := range raws {
		p, parts, err := dissect(raw)
		if err != nil {
			return cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: not a TCode payload: %w", c.What, err))
		}
		view := inspection{len(raw), payload.EncodeText(raw), p.Reference.String(), parts}
		if err := a.out.Emit(view, view.print); err != nil {
			return err
		}
	}
	return nil
}

// inspection is the answer of inspect.
type inspection struct {
	Length    int    `json:"length"` // bytes
	Text      string `json:"text"`   // the symbol's text
	Reference string `json:"reference"`
	Parts     []part `json:"parts"`
}

func (v inspection) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %d bytes, text of %d characters\n\n", v.Reference, v.Length, len(v.Text))
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "OFFSET\tLEN\tPART\tFIELD\tVALUE\tBYTES")
	group := ""
	for _, p := range v.Parts {
		name := p.Group
		if name == group {
			name = "" // print a part's name once
		}
		group = p.Group
		fmt.Fprintf(tw, "%d\t%d\t%s\t%s\t%s\t%s\n", p.Offset, p.Length, name, p.Field, trust.Escape(p.Value), shorten(p.Hex, 32))
	}
	tw.Flush()
}

// shorten replaces the middle of s to leave about n characters.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n/2] + ".." + s[len(s)-n/2:]
}

// payloadsOf finds payloads in a person's input: a document, or the payload
// itself in any of its written forms.
func payloadsOf(ctx context.Context, a *app, what string) ([][]byte, error) {
	if _, err := os.Stat(what); err == nil {
		return payloadsInFile(ctx, a, what)
	} else if !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "name too long") {
		return nil, cli.Exit(cli.CodeUnreadable, err)
	}
	text := strings.TrimSpace(what)
	if raw, err := payload.DecodeText(text); err == nil && len(raw) > 0 && raw[0] == payload.Magic {
		return [][]byte{raw}, nil
	}
	if raw, err := hex.DecodeString(text); err == nil {
		return [][]byte{raw}, nil
	}
	if raw, err := wire.PayloadBytes(text); err == nil {
		return [][]byte{raw}, nil
	}
	return nil, cli.Exit(cli.CodeUnreadable, errors.New("neither a file nor a payload as text, Base64 or hexadecimal digits"))
}

// payloadsInFile reads the symbols of a document, or a file that holds the
// payload's bytes or text.
func payloadsInFile(ctx context.Context, a *app, name string) ([][]byte, error) {
	data, err := a.readDocument(ctx, name)
	if err != nil {
		return nil, cli.Exit(cli.CodeUnreadable, err)
	}
	if len(data) > 0 && data[0] == payload.Magic {
		return [][]byte{data}, nil
	}
	if raw, err := payload.DecodeText(strings.TrimSpace(string(data))); err == nil && len(raw) > 0 {
		return [][]byte{raw}, nil
	}
	s := scanner.New(scanner.Config{Raster: a.raster(), Budget: a.grammar.DocumentTime, Log: a.grammar.Logger(a.std.Err)})
	defer s.Close()
	pages, err := readPages(ctx, s, name, data, scanner.DocumentOptions{})
	if err != nil {
		return nil, cli.Exit(cli.CodeUnreadable, err)
	}
	var raws [][]byte
	for _, page := range pages {
		for _, s := range page.Symbols {
			if raw, err := payload.DecodeText(s.Text); err == nil && len(raw) > 0 && raw[0] == payload.Magic {
				raws = append(raws, raw)
			}
		}
	}
	if len(raws) == 0 {
		return nil, cli.Exit(cli.CodeFailed, fmt.Errorf("%s: no TCode found", name))
	}
	return raws, nil
}
