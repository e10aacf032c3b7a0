// Package manualtest checks the manual page and the completion scripts of a
// program: each command and each flag is in them, bash completes them, and the
// tools that are on the machine find no fault.
package manualtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"tcode/cmd/internal/manual"
)

// Check checks the program with a grammar, a pointer to a kong struct.
func Check(t *testing.T, program, description string, grammar any) {
	t.Helper()
	parser, err := kong.New(grammar, kong.Name(program), kong.Description(description))
	if err != nil {
		t.Fatal(err)
	}
	app := parser.Model
	page := manual.Page(app, "v1.2.0", "2026-11-28T04:02:49Z")
	scripts := map[string]string{}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		scripts[shell] = manual.Completion(app, shell)
	}
	plain := strings.NewReplacer(`\-`, "-", `\e`, `\`).Replace(page)
	leaves := app.Leaves(true)
	if len(leaves) < 2 {
		t.Fatalf("%d commands, want at least 2", len(leaves))
	}
	for _, n := range leaves {
		path := strings.TrimPrefix(n.FullPath(), program+" ")
		if !strings.Contains(plain, ".SS \""+path+"\"\n") {
			t.Errorf("the manual page has no command %q", path)
		}
		for shell, script := range scripts {
			if !strings.Contains(script, n.Name) {
				t.Errorf("%s: no command %q", shell, path)
			}
		}
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				if !strings.Contains(plain, "--"+f.Name) {
					t.Errorf("the manual page has no flag --%s", f.Name)
				}
				for shell, script := range scripts {
					if !strings.Contains(script, "--"+f.Name) && !(shell == "fish" && strings.Contains(script, "-l "+f.Name)) {
						t.Errorf("%s: no flag --%s of %q", shell, f.Name, path)
					}
				}
				for _, env := range f.Envs {
					if !strings.Contains(plain, env) {
						t.Errorf("the manual page has no variable %s", env)
					}
				}
			}
		}
	}
	bashCompletes(t, app, scripts["bash"])
	lint(t, program, page, scripts)
}

// A question is a command line, and a word that must be among the answers.
type question struct {
	words []string
	want  string
}

// bashCompletes asks a real bash about each command and each flag.
func bashCompletes(t *testing.T, app *kong.Application, script string) {
	t.Helper()
	var all []question
	for _, n := range app.Leaves(true) {
		path := strings.Fields(strings.TrimPrefix(n.FullPath(), app.Name))
		for i := range path {
			all = append(all, question{append(append([]string{}, path[:i]...), path[i][:1]), path[i]})
		}
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				all = append(all, question{append(append([]string{}, path...), "--"+f.Name[:1]), "--" + f.Name})
				if f.Enum != "" {
					value := slices.MaxFunc(f.EnumSlice(), func(a, b string) int { return len(a) - len(b) })
					all = append(all, question{append(append([]string{}, path...), "--"+f.Name, ""), value}, question{append(append([]string{}, path...), "--"+f.Name, "=", ""), value})
				}
			}
		}
	}
	function := "_" + strings.ReplaceAll(app.Name, "-", "_")
	var b strings.Builder
	b.WriteString("set -u\n" + script)
	for _, q := range all {
		fmt.Fprintf(&b, "COMP_WORDS=(%s", app.Name)
		for _, w := range q.words {
			fmt.Fprintf(&b, " '%s'", w)
		}
		fmt.Fprintf(&b, ")\nCOMP_CWORD=%d\n%s\n[[ ${#COMPREPLY[@]} -gt 0 && \" ${COMPREPLY[*]} \" == *' %s '* ]] || echo \"no %s after ${COMP_WORDS[*]}: ${COMPREPLY[*]-}\"\n", len(q.words), function, q.want, q.want)
	}
	// The word after the value of a flag is complete as well, and is no value.
	fmt.Fprintf(&b, "complete -p %s\n", app.Name)
	cmd := exec.Command("bash", "--norc", "--noprofile")
	cmd.Stdin, cmd.Dir = strings.NewReader(b.String()), t.TempDir()
	out, err := cmd.CombinedOutput()
	if want := "complete -F " + function + " " + app.Name + "\n"; err != nil || string(out) != want {
		t.Errorf("bash, %d questions: %v\n%.2000s", len(all), err, out)
	}
}

// lint runs the checkers that are on this machine: none of them must be.
func lint(t *testing.T, program, page string, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, program+".1")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	tools := [][]string{{"groff", "-man", "-Tutf8", "-ww", "-z", file}, {"mandoc", "-T", "lint", "-W", "warning", file}}
	for shell, script := range scripts {
		name := filepath.Join(dir, "script."+shell)
		if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		if shell != "powershell" {
			tools = append(tools, []string{shell, "-n", name})
		}
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool[0]); err != nil {
			continue
		}
		var said bytes.Buffer
		cmd := exec.Command(tool[0], tool[1:]...)
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil || said.Len() > 0 {
			t.Errorf("%s: %v\n%.1500s", strings.Join(tool[:len(tool)-1], " "), err, said.String())
		}
	}
}
