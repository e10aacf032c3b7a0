package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/alecthomas/kong"
)

// Streams are the standard streams of a program. Tests pass buffers.
type Streams struct {
	In  io.Reader
	Out io.Writer // answers only
	Err io.Writer // logs, progress, errors
}

// A usageError is wrong use of the command line. Its hint names the help text
// of the command.
type usageError struct {
	err     error
	command string // full path, for example "tcode-gateway tenant create"
	group   bool   // the command has subcommands, and none was given
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }
func (e *usageError) Hint() string {
	what := "the flags and their meaning"
	if e.group {
		what = "the commands and flags"
	}
	return fmt.Sprintf("Run %q for %s.", e.command+" --help", what)
}

// Parse reads args into grammar, a pointer to a kong struct, and returns the
// chosen command; run it with [Run]. Flags with env tags in the grammar have
// environment variables. Help goes to std.Out and returns an [ExitError] with
// code 0; the error for wrong use has code 2.
func Parse(name, description string, grammar any, args []string, std Streams, opts ...kong.Option) (kctx *kong.Context, err error) {
	if versionAsked(args) {
		out := Output{W: std.Out, JSON: slices.Contains(args, "--json")}
		if err := printVersion(out, name, nil); err != nil {
			return nil, err
		}
		return nil, Exit(CodeOK, nil)
	}
	opts = append([]kong.Option{
		kong.Name(name),
		kong.Description(description),
		kong.Writers(std.Out, std.Err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Exit(func(code int) { panic(exitPanic(code)) }),
	}, opts...)
	parser, err := kong.New(grammar, opts...)
	if err != nil {
		return nil, fmt.Errorf("command line grammar: %w", err)
	}
	// kong calls its exit function after it has printed help, and expects it
	// not to return; the panic carries the code up to here.
	defer func() {
		switch code := recover().(type) {
		case nil:
		case exitPanic:
			kctx, err = nil, Exit(int(code), nil)
		default:
			panic(code)
		}
	}()
	kctx, err = parser.Parse(args)
	if err != nil {
		return nil, Exit(CodeUsage, wrongUse(err, parser.Model.Node))
	}
	return kctx, nil
}

// wrongUse describes the wrong arguments of the program root, and names the
// command if one was chosen.
func wrongUse(err error, root *kong.Node) *usageError {
	at := root
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if node := parse.Context.Selected(); node != nil {
			at = node
		}
	}
	missing := slices.ContainsFunc(at.Children, func(n *kong.Node) bool { return n.Type == kong.CommandNode })
	return &usageError{err, at.FullPath(), missing}
}

// Run calls the Run method of the chosen command with ctx, std and bindings,
// which it passes by type.
func Run(ctx context.Context, kctx *kong.Context, std Streams, bindings ...any) error {
	kctx.BindTo(ctx, (*context.Context)(nil))
	kctx.Bind(std)
	return kctx.Run(bindings...)
}

type exitPanic int
