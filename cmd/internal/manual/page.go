package manual

import (
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Page returns the manual page of a program, section 1, as text for man. date,
// in RFC 3339 or empty, is that of the version.
func Page(app *kong.Application, version, date string) string {
	var b strings.Builder
	all := flatten(app)
	day := ""
	if at, err := time.Parse(time.RFC3339, date); err == nil {
		day = at.UTC().Format("2006-01-02")
	}
	fmt.Fprintf(&b, ".TH %s 1 %q %q \"TCode\"\n", quoted(strings.ToUpper(app.Name)), day, version)
	title, _, _ := strings.Cut(app.Help, "\n")
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escaped(app.Name), escaped(strings.TrimSuffix(title, ".")))
	b.WriteString(".SH SYNOPSIS\n.nf\n")
	for _, c := range all {
		if len(c.node.Children) == 0 || c.path == "" {
			fmt.Fprintf(&b, "%s\n", escaped(synopsis(app, c)))
		}
	}
	b.WriteString(".fi\n.SH DESCRIPTION\n")
	paragraphs(&b, app.Help)
	for i, c := range all {
		if i == 0 {
			b.WriteString(".SH OPTIONS\nThese flags may be given with every command.\n")
		} else {
			if i == 1 {
				b.WriteString(".SH COMMANDS\n")
			}
			fmt.Fprintf(&b, ".SS %s\n", quoted(c.path))
			paragraphs(&b, c.help)
		}
		for _, arg := range c.node.Positional {
			tagged(&b, arg.Summary(), arg.Help)
		}
		for _, f := range c.flags {
			if i > 0 && f.name == "--help" {
				continue // every command has it
			}
			name := f.name
			if f.short != "" {
				name = f.short + ", " + name
			}
			if f.value != "" {
				name += "=" + f.value
			}
			help := f.help
			if len(f.envs) > 0 {
				help += " Environment: " + strings.Join(f.envs, ", ") + "."
			}
			tagged(&b, name, help)
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, code := range [][2]string{
		{"0", "done"},
		{"1", "the answer is no, or the command could not do its task"},
		{"2", "wrong use: flags, arguments"},
		{"3", "a file could not be read"},
		{"4", "the answer is yes, but nothing of it was stored"},
		{"130", "interrupted"},
	} {
		tagged(&b, code[0], code[1])
	}
	return b.String()
}

// synopsis is the command with its arguments.
func synopsis(app *kong.Application, c command) string {
	text := strings.TrimSpace(app.Name + " " + c.path)
	if c.path == "" && len(c.node.Children) > 0 {
		text += " <command>"
	}
	for _, f := range c.node.Flags {
		if f.Required {
			text += " --" + f.Name
			if !f.IsBool() {
				text += "=" + f.FormatPlaceHolder()
			}
		}
	}
	for _, arg := range c.node.Positional {
		text += " " + arg.Summary()
	}
	return text + " [flags]"
}

// paragraphs writes a text. Indented lines stay as they are.
func paragraphs(b *strings.Builder, text string) {
	literal := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "  ")
		if indented != literal {
			b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n"}[indented])
			literal = indented
		}
		switch {
		case line == "":
			b.WriteString(".PP\n")
		default:
			b.WriteString(escaped(line) + "\n")
		}
	}
	if literal {
		b.WriteString(".fi\n")
	}
}

// tagged writes a term and its description.
func tagged(b *strings.Builder, term, text string) {
	fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s\n", escaped(term), escaped(strings.ReplaceAll(text, "\n", " ")))
}

// escaped makes a line that man prints as it is.
func escaped(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`, `"`, `\(dq`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}

// quoted is an argument of a macro.
func quoted(s string) string { return `"` + escaped(s) + `"` }
