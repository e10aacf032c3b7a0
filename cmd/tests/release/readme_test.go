package release_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/cmd/internal/world"
)

// readmes are the documents with console sessions, with the smallest number of
// commands in each. The page of the ceremonies has its own test, TestCeremonyPage.
var readmes = map[string]int{
	"README.md":         16,
	"cmd/README.md":     7,
	"scanner/README.md": 6,
	"server/README.md":  7,
	"sync/README.md":    5,
}

// TestReadmes runs every console session of the READMEs, in the order of the page,
// and compares the programs' output with the page. Ids, times, sizes and hashes
// may differ. TCODE_UPDATE_READMES=1 writes the true outputs into the pages.
func TestReadmes(t *testing.T) {
	t.Parallel()
	for name, minimum := range readmes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := os.ReadFile(world.Path(name))
			if err != nil {
				t.Fatal(err)
			}
			blocks, text := consoleBlocks(string(page)), string(page)
			s := newConsole(t, name != "README.md")
			commands := 0
			for _, b := range blocks {
				shown := ""
				for _, c := range b.commands {
					commands++
					got := s.run(c)
					shown += c.text + got
					if diff := cmp.Diff(masked(c.output), masked(got)); diff != "" {
						t.Errorf("$ %s (-page +run):\n%s", strings.TrimSpace(c.input()), diff)
					}
				}
				text = strings.Replace(text, b.text, shown, 1)
			}
			if commands < minimum {
				t.Errorf("%d commands, want at least %d", commands, minimum)
			}
			if os.Getenv("TCODE_UPDATE_READMES") != "" {
				world.WriteFile(t, world.Path(name), []byte(text))
			}
		})
	}
}

// A consoleBlock is one fenced block of the kind console.
type consoleBlock struct {
	text     string // all of it, without the fences
	commands []consoleCommand
}

// A consoleCommand is a command with its prompt, and its output.
type consoleCommand struct{ text, output string }

// input is the command without the prompt.
func (c consoleCommand) input() string { return strings.TrimPrefix(c.text, "$ ") }

// background reports whether the command continues while the next ones run.
func (c consoleCommand) background() bool { return strings.HasSuffix(strings.TrimSpace(c.text), "&") }

func consoleBlocks(page string) (all []consoleBlock) {
	const fence = "```"
	for {
		_, rest, ok := strings.Cut(page, "\n"+fence+"console\n")
		if !ok {
			return all
		}
		var b consoleBlock
		b.text, page, _ = strings.Cut(rest, fence+"\n")
		more := false
		for line := range strings.Lines(b.text) {
			last := len(b.commands) - 1
			switch {
			case strings.HasPrefix(line, "$ "):
				b.commands = append(b.commands, consoleCommand{text: line})
			case more:
				b.commands[last].text += line
			default:
				b.commands[last].output += line
			}
			typed := strings.TrimSpace(line)
			more = (more || strings.HasPrefix(line, "$ ")) && (strings.HasSuffix(typed, "|") || strings.HasSuffix(typed, `\`))
		}
		all = append(all, b)
	}
}
