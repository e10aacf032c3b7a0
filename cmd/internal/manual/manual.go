// Package manual makes manual pages and the scripts that complete command
// lines, both of a program's grammar, so that they have the same commands,
// flags and words as --help.
//
//	kong's model ─▶ flatten ─▶ commands ─▶ Page        for man
//	                               └─────▶ Completion  for bash, zsh, fish and PowerShell
package manual

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A command is a node of the grammar, without hidden ones.
type command struct {
	path  string // without the program, such as "tenant create"; empty: the program itself
	help  string
	node  *kong.Node
	flags []flag   // of the command itself
	words []choice // the commands below it, or the values of its first argument
	file  bool     // an argument may be a file
}

// A choice is a word that may be next.
type choice struct{ name, help string }

// A flag is a flag of a command.
type flag struct {
	name    string // with the dashes
	short   string // likewise; empty: none
	help    string
	value   string   // placeholder of its value; empty: it has none
	values  []string // the possible values, if they are few
	envs    []string
	heading string // group of the flag in the help text
}

// flatten returns all commands of a program, the program itself first, each followed by those below it.
func flatten(app *kong.Application) []command {
	var all []command
	var walk func(n *kong.Node, path string)
	walk = func(n *kong.Node, path string) {
		c := command{path: path, help: n.Help, node: n}
		for _, f := range n.Flags {
			if !f.Hidden {
				c.flags = append(c.flags, flagOf(f))
			}
		}
		for _, child := range n.Children {
			if !child.Hidden {
				c.words = append(c.words, choice{child.Name, firstSentence(child.Help)})
			}
		}
		if n.DefaultCmd != nil { // its flags and arguments may follow the name of its parent
			for _, f := range n.DefaultCmd.Flags {
				c.flags = append(c.flags, flagOf(f))
			}
		}
		for i, arg := range n.Positional {
			c.file = c.file || arg.Enum == ""
			if i == 0 && arg.Enum != "" {
				for _, v := range arg.EnumSlice() {
					c.words = append(c.words, choice{v, ""})
				}
			}
		}
		all = append(all, c)
		for _, child := range n.Children {
			if !child.Hidden {
				walk(child, strings.TrimSpace(path+" "+child.Name))
			}
		}
	}
	walk(app.Node, "")
	return all
}

func flagOf(f *kong.Flag) flag {
	out := flag{name: "--" + f.Name, help: f.Help, envs: f.Envs}
	if f.Short != 0 {
		out.short = "-" + string(f.Short)
	}
	if f.Group != nil {
		out.heading = f.Group.Title
	}
	if !f.IsBool() && !f.IsCounter() {
		out.value = f.FormatPlaceHolder()
		if f.Enum != "" {
			out.values = slices.DeleteFunc(f.EnumSlice(), func(v string) bool { return v == "" })
		}
	}
	return out
}

// firstSentence returns the beginning of a help text, which is short enough for a list.
func firstSentence(help string) string {
	for i, r := range help {
		switch {
		case r == '\n', (r == ':' || r == ';') && strings.HasPrefix(help[i+1:], " "):
			return help[:i]
		case r == '.' && (i+1 == len(help) || help[i+1] == ' ' && i+2 < len(help) && strings.ToUpper(help[i+2:i+3]) == help[i+2:i+3]):
			return help[:i]
		}
	}
	return help
}

// upward returns the commands on the way from the program to the command at path, itself last.
func upward(all []command, path string) []command {
	var way []command
	for _, c := range all {
		if c.path == "" || c.path == path || strings.HasPrefix(path, c.path+" ") {
			way = append(way, c)
		}
	}
	return way
}

// allFlags returns the flags that may follow the command at path: its own, and those of the commands above it.
func allFlags(all []command, path string) []flag {
	var flags []flag
	seen := map[string]bool{}
	for _, c := range slices.Backward(upward(all, path)) {
		for _, f := range c.flags {
			if !seen[f.name] {
				seen[f.name] = true
				flags = append(flags, f)
			}
		}
	}
	return flags
}
