package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A tool stamps files: a library in a process of its own, or a command for each
// file.
type tool struct {
	name string
	// library is the command that stamps all files; its last argument is the
	// number of passes.
	library func(dir string) []string
	// command stamps one file.
	command func(in, out string) []string
}

// The tools that the bars compare, ours and pdfcpu, each in two ways: ours works from
// file to file and pdfcpu in memory, unless the name says otherwise. Our other way is
// that of the gateway.
const (
	ourName    = "tcode"
	ourGateway = "tcode, gateway"
	theirName  = "pdfcpu"
	theirFiles = "pdfcpu, files"
)

// allTools returns the tools that can take part.
func (b *bench) allTools(ctx context.Context) ([]tool, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	here := filepath.Join("server", "pdfstamp", "bench")
	if _, err := os.Stat(here); err != nil {
		return nil, errors.New("run it from the root of the project")
	}
	pdfcpu := filepath.Join(b.dir, "pdfcpu")
	build := exec.CommandContext(ctx, "go", "build", "-o", pdfcpu, ".")
	build.Dir = filepath.Join(here, "pdfcpu")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build pdfcpu: %w\n%s", err, out)
	}
	overlay := filepath.Join(b.dir, "overlay.pdf")
	page, err := symbolPage(b.text)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(overlay, page, 0o600); err != nil {
		return nil, err
	}
	return []tool{
		{name: ourName, library: func(dir string) []string { return []string{self, ourRole, dir} }},
		{name: theirName, library: func(dir string) []string { return []string{pdfcpu, b.symbol, dir} }},
		{name: "pdf-lib", library: func(dir string) []string {
			return []string{"node", filepath.Join(here, "pdflib", "stamp.mjs"), b.symbol, dir}
		}},
		{name: "qpdf", command: func(in, out string) []string {
			return []string{"qpdf", "--warning-exit-0", in, "--overlay", overlay, "--to=z", "--", out}
		}},
		{name: "mutool", command: func(in, out string) []string {
			return []string{"mutool", "run", filepath.Join(here, "mutool", "stamp.js"), in, out, b.symbol}
		}},
	}, nil
}

// otherWays are ours as in the gateway and pdfcpu from file to file, if list has them.
func (b *bench) otherWays(list []tool) (out []tool) {
	for _, t := range list {
		same := t.library
		switch t.name {
		case ourName:
			out = append(out, tool{name: ourGateway, library: func(dir string) []string {
				return []string{same(dir)[0], gatewayRole, dir}
			}})
		case theirName:
			out = append(out, tool{name: theirFiles, library: func(dir string) []string {
				return append(same(dir), "files")
			}})
		}
	}
	return out
}

// usage holds the cost of processes.
type usage struct {
	cpu    time.Duration
	memory int64 // bytes, of all processes that it takes, at most
	sets   int64 // bytes, the same with shared memory counted in each
}

// perFile bounds a command, and with the number of files a library.
const perFile = 60 * time.Second

// play runs a tool over names and returns those that it stamped into dir.
func (t tool) play(ctx context.Context, names []string, dir string, passes int) (stamped []string, u usage, err error) {
	if t.library == nil {
		for _, name := range names {
			out := filepath.Join(dir, filepath.Base(name))
			one, _, err := measured(ctx, perFile, t.command(name, out), "")
			u.cpu += one.cpu
			u.memory, u.sets = max(u.memory, one.memory), max(u.sets, one.sets)
			if err == nil {
				stamped = append(stamped, name)
			}
		}
		return stamped, u, ctx.Err()
	}
	args := append(t.library(dir), fmt.Sprint(passes))
	u, out, err := measured(ctx, perFile*time.Duration(len(names)), args, strings.Join(names, "\n")+"\n")
	if err != nil {
		return nil, u, err
	}
	if at := bytes.LastIndex(out, []byte(memoryLine+" ")); at >= 0 {
		if _, err := fmt.Sscan(string(out[at+len(memoryLine):]), &u.memory, &u.sets); err != nil {
			return nil, u, err
		}
	}
	for _, name := range names {
		if bytes.Contains(out, []byte("ok "+filepath.Base(name)+"\n")) {
			stamped = append(stamped, name)
		}
	}
	return stamped, u, nil
}

// measured runs a command to its end.
func measured(ctx context.Context, limit time.Duration, args []string, stdin string) (usage, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s: %w: %.500s", args[0], err, errs.String())
	}
	if cmd.ProcessState == nil {
		return usage{}, nil, err
	}
	u := usage{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.memory = r.Maxrss << 10
		u.sets = u.memory
	}
	return u, out.Bytes(), err
}

// stampAll has a tool stamp all files once.
func (b *bench) stampAll(ctx context.Context, t tool) (row, error) {
	dir := b.outputs(t.name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return row{}, err
	}
	stamped, _, err := t.play(ctx, b.names, dir, 1)
	b.logf("%s stamped %d of %d files", t.name, len(stamped), len(b.names))
	return row{Tool: t.name, stamped: stamped}, err
}

func (b *bench) outputs(tool string) string { return filepath.Join(b.dir, "out", tool) }

// common are the files that every tool stamped.
func (b *bench) common(rows []row) []string {
	return slices.DeleteFunc(slices.Clone(b.names), func(name string) bool {
		return slices.ContainsFunc(rows, func(r row) bool { return !slices.Contains(r.stamped, name) })
	})
}

// cost measures a tool over files that it stamps: several passes less one, or
// the processes of one.
func (b *bench) cost(ctx context.Context, t tool, names []string, r *row) error {
	if len(names) == 0 {
		return errors.New("no file that all tools stamp")
	}
	dir := filepath.Join(b.dir, "out", "timed-"+t.name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b.logf("%s: cost of %d files", t.name, len(names))
	stamped, first, err := t.play(ctx, names, dir, 1)
	if err != nil {
		return err
	}
	r.Memory, r.Sets, r.CPU = first.memory, first.sets, first.cpu/time.Duration(len(names))
	if len(stamped) < len(names) {
		r.CPU = 0
		return nil
	}
	if t.library == nil {
		return nil
	}
	passes := b.passes
	if len(names) == 1 {
		passes = 1 + 10*(b.passes-1) // one file takes more passes to be told from noise
	}
	_, many, err := t.play(ctx, names, dir, passes)
	r.CPU = (many.cpu - first.cpu) / time.Duration((passes-1)*len(names))
	r.Memory, r.Sets = max(r.Memory, many.memory), max(r.Sets, many.sets)
	return err
}
