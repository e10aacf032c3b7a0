package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"golang.org/x/term"

	"tcode/offline/jsontext"
)

// An Output prints the answers of a command: one JSON object a line, or text
// for people. It is not safe for concurrent use.
type Output struct {
	W    io.Writer
	JSON bool
}

// Emit prints v as one line of JSON, or calls text.
func (o Output) Emit(v any, text func(w io.Writer)) error {
	if !o.JSON {
		text(o.W)
		return nil
	}
	if err := jsontext.Encoder(o.W).Encode(v); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}

// List prints each item as a JSON object on a line, or all as a table: the header in
// capitals, then one row for each. It prints empty for people if there are no items.
func List[T any](o Output, items []T, empty string, header []string, row func(T) []string) error {
	if o.JSON {
		for _, item := range items {
			if err := o.Emit(item, nil); err != nil {
				return err
			}
		}
		return nil
	}
	if len(items) == 0 {
		_, err := fmt.Fprintln(o.W, empty)
		return err
	}
	tw := tabwriter.NewWriter(o.W, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.ToUpper(strings.Join(header, "\t")))
	for _, item := range items {
		cells := row(item)
		for i := range cells {
			cells[i] = Printable(cells[i])
		}
		fmt.Fprintln(tw, strings.Join(cells, "\t"))
	}
	return tw.Flush()
}

// Printable replaces invisible characters in s, line breaks included, so that
// text from outside can neither move the cursor nor reverse the line.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// LogFlags is embedded in a grammar by kong's embed tag.
type LogFlags struct {
	LogLevel  slog.Level `help:"Lowest level that is logged: debug, info, warn or error. Default: ${default}." default:"info" env:"TCODE_LOG_LEVEL" placeholder:"LEVEL" group:"Flags of every command:"`
	LogFormat string     `help:"Form of log lines: text for people, json for collectors, auto for text on a terminal and json elsewhere. Default: ${default}." enum:"auto,text,json" default:"auto" env:"TCODE_LOG_FORMAT" placeholder:"FORMAT" group:"Flags of every command:"`
}

// Logger returns the logger that the flags describe, writing to w.
func (f LogFlags) Logger(w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: f.LogLevel}
	if f.LogFormat == "text" || f.LogFormat != "json" && IsTerminal(w) {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	return slog.New(slog.NewJSONHandler(w, opts))
}

// IsTerminal reports whether w is a terminal, which a person may be reading.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
