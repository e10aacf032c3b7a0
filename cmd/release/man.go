package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"tcode/cmd/internal/pack"
)

// shells are the shells for which there are completion scripts, and the names of the files.
var shells = []struct{ name, file string }{
	{"bash", "bash/%s"}, {"zsh", "zsh/_%s"}, {"fish", "fish/%s.fish"}, {"powershell", "powershell/%s.ps1"},
}

// manuals returns the manual pages and completion scripts that programs in a
// folder print about themselves.
func manuals(ctx context.Context, folder string) ([]pack.Entry, error) {
	var all []pack.Entry
	for _, p := range programs {
		exe := filepath.Join(folder, here().exe(p))
		page, err := output(ctx, exe, "man")
		if err != nil {
			return nil, err
		}
		all = append(all, pack.Entry{Name: "man/man1/" + p + ".1", Mode: 0o644, Data: page})
		for _, s := range shells {
			script, err := output(ctx, exe, "completion", s.name)
			if err != nil {
				return nil, err
			}
			all = append(all, pack.Entry{Name: "completion/" + fmt.Sprintf(s.file, p), Mode: 0o644, Data: script})
		}
	}
	return all, nil
}

// output runs a program and returns its standard output.
func output(ctx context.Context, exe string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"} // no variable is a default in the texts
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil || len(out) == 0 {
		return nil, fmt.Errorf("%s %v: %w: %s", filepath.Base(exe), args, errors.Join(err, errEmpty(out)), said.Bytes())
	}
	return out, nil
}

func errEmpty(out []byte) error {
	if len(out) == 0 {
		return errors.New("no output")
	}
	return nil
}

// gzipped compresses without a name and a time.
func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = z.Write(data) // a buffer takes all
	_ = z.Close()
	return b.Bytes()
}

type manCmd struct {
	Out string `short:"o" required:"" help:"Folder for the pages and scripts." type:"path" placeholder:"DIR"`
}

// Run builds the programs for this machine and writes what they print about themselves.
func (c *manCmd) Run(ctx context.Context) error {
	src, err := readSource(ctx, "")
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := here().build(ctx, src, programs, work); err != nil {
		return err
	}
	entries, err := manuals(ctx, work)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	return pack.Unpack(c.Out, entries)
}
