package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/alecthomas/kong"

	"tcode/cmd/internal/about"
	"tcode/cmd/internal/manual"
)

// About is embedded in the grammar of a program: the commands about the program itself.
type About struct {
	// [Parse] answers it, before the grammar is built.
	ShowVersion bool          `name:"version" help:"Print version, commit, engines and licence of this program." group:"Flags of every command:"`
	Version     VersionCmd    `cmd:"" help:"Show version, commit, engines and licences of this program."`
	Completion  completionCmd `cmd:"" help:"Print a script that completes commands and flags in a shell."`
	Man         manCmd        `cmd:"" hidden:"" help:"Print the manual page of this program, for man."`
}

// versionAsked reports whether args have --version, whatever else is in them.
func versionAsked(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--version")
}

// VersionCmd is the command "version". A program may add lines to its answer.
type VersionCmd struct {
	Licences bool                `help:"Print the licence texts of everything that this program links."`
	More     func() []about.Line `kong:"-"` // nil: no more lines
}

// Run prints the version or the licences.
func (c *VersionCmd) Run(kctx *kong.Context, std Streams) error {
	if c.Licences {
		return about.Read(kctx.Model.Name).Licences(std.Out)
	}
	return printVersion(Output{W: std.Out, JSON: jsonAsked(kctx)}, kctx.Model.Name, c.More)
}

func printVersion(out Output, program string, more func() []about.Line) error {
	b, lines := about.Read(program), []about.Line(nil)
	if more != nil {
		lines = more()
	}
	members, err := b.Members(lines)
	if err != nil {
		return err
	}
	return out.Emit(members, func(w io.Writer) { b.Text(w, lines) })
}

// jsonAsked reports whether the program has a flag --json and it is set.
func jsonAsked(kctx *kong.Context) bool {
	for _, f := range kctx.Model.Flags {
		if f.Name == "json" {
			on, _ := kctx.FlagValue(f).(bool)
			return on
		}
	}
	return false
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"The shell: bash, zsh, fish or powershell."`
}

// Run prints the script.
func (c *completionCmd) Run(kctx *kong.Context, std Streams) error {
	_, err := io.WriteString(std.Out, manual.Completion(kctx.Model, c.Shell))
	return err
}

type manCmd struct{}

// Run prints the page.
func (c *manCmd) Run(kctx *kong.Context, std Streams) error {
	b := about.Read(kctx.Model.Name)
	_, err := fmt.Fprint(std.Out, manual.Page(kctx.Model, b.Version, b.Date))
	return err
}
