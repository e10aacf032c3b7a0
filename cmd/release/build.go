package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/pack"
)

type buildCmd struct {
	Out     string   `short:"o" help:"Folder for the files. It must not exist, or be empty. Default: ${default}." default:"dist" type:"path" placeholder:"DIR"`
	Version string   `name:"set-version" help:"Version of the release. Default: the tag of the commit, or a version of date and commit." placeholder:"VERSION"`
	Target  []string `help:"Build for this system and machine only, such as linux/amd64. May be repeated. Default: all six." placeholder:"OS/ARCH"`
	MuPDF   bool     `name:"mupdf" help:"Also build for Linux with MuPDF, which is under the AGPL: gateways that stamp. Each machine needs a C compiler for it (Debian: gcc, gcc-aarch64-linux-gnu, gcc-x86-64-linux-gnu), on which the bytes depend, and is left out without one."`
	Changed bool     `name:"changed" help:"Build although there are changes that are not committed. The version then ends with +changed."`
	NoWeb   bool     `name:"keep-engine" help:"Use the engine of the web app that is there, instead of building it first."`
}

// Run makes all files.
func (c *buildCmd) Run(ctx context.Context, std cli.Streams) error {
	list, err := chosen(c.Target)
	if err != nil {
		return err
	}
	if c.MuPDF {
		able, missing := compilable(list)
		for _, t := range missing {
			fmt.Fprintf(std.Err, "no %s, because there is no %s\n", t, t.compiler())
		}
		if len(able) == 0 {
			return cli.Usage("--mupdf is for Linux, and needs a C compiler")
		}
		list = slices.Concat(list, able)
	}
	src, err := readSource(ctx, c.Version)
	if err != nil {
		return err
	}
	if src.changed && !c.Changed {
		return cli.WithHint(errors.New("there are changes that are not committed"), "Commit them, or build with --changed.")
	}
	if entries, err := os.ReadDir(c.Out); err == nil && len(entries) > 0 {
		return cli.Usage("%s is not empty: remove it, or name another folder with -o", c.Out)
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &release{source: src, out: c.Out, work: work, told: std.Err, began: time.Now()}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	r.tell("licence texts and engine of the web app")
	if err := generate(ctx, src.top, !c.NoWeb); err != nil {
		return err
	}
	if err := r.make(ctx, list); err != nil {
		return err
	}
	r.tell("done: " + c.Out)
	return nil
}

// A release is what a run makes.
type release struct {
	source source
	out    string       // folder of the files
	work   string       // temporary folder: the programs of each target
	manual []pack.Entry // manual pages and completion scripts, below "man" and "completion"
	told   io.Writer
	began  time.Time
}

// tell prints a step, and the seconds since the start.
func (r *release) tell(step string) {
	fmt.Fprintf(r.told, "== %s (%d s)\n", step, int(time.Since(r.began).Seconds()))
}

// make builds the targets and writes all files.
func (r *release) make(ctx context.Context, list []target) error {
	var err error
	r.tell("manual pages and completion of " + r.source.version)
	if !slices.Contains(list, here()) {
		if err := here().build(ctx, r.source, programs, r.folder(here())); err != nil {
			return err
		}
	}
	for _, t := range list {
		r.tell("build " + t.String())
		if err := t.build(ctx, r.source, programs, r.folder(t)); err != nil {
			return err
		}
		if r.manual == nil && (t == here() || !slices.Contains(list, here())) {
			if r.manual, err = manuals(ctx, r.folder(here())); err != nil {
				return err
			}
		}
	}
	if r.manual == nil {
		if r.manual, err = manuals(ctx, r.folder(here())); err != nil {
			return err
		}
	}
	if err := r.sourceArchive(ctx); err != nil {
		return err
	}
	for _, t := range list {
		r.tell("pack " + t.String())
		if err := r.pack(t); err != nil {
			return err
		}
	}
	return r.sums()
}

// folder has the programs of a target.
func (r *release) folder(t target) string { return filepath.Join(r.work, t.String()) }

// pack writes the archive, the bill of materials and the Debian packages of a target.
func (r *release) pack(t target) error {
	bill, err := r.bill(t)
	if err != nil {
		return err
	}
	name := "tcode_" + r.source.version + "_" + t.String()
	if err := r.write(name+".cdx.json", func(w io.Writer) error { _, err := w.Write(bill); return err }); err != nil {
		return err
	}
	entries, err := r.contents(t, bill)
	if err != nil {
		return err
	}
	for i := range entries {
		entries[i].Name = name + "/" + entries[i].Name
	}
	if t.os == "windows" {
		err = r.write(r.archive(t), func(w io.Writer) error { return pack.Zip(w, entries, r.source.at) })
	} else {
		err = r.write(r.archive(t), func(w io.Writer) error { return pack.TarGz(w, entries, r.source.at) })
	}
	if err == nil && t.os == "linux" {
		err = r.debian(t)
	}
	return err
}

// contents are the entries of an archive: programs, documents, licences, manual pages and completion.
func (r *release) contents(t target, bill []byte) ([]pack.Entry, error) {
	texts, err := r.licences(t, programs)
	if err != nil {
		return nil, err
	}
	entries := append([]pack.Entry{
		{Name: "LICENCES.txt", Mode: 0o644, Data: texts},
		{Name: "SBOM.cdx.json", Mode: 0o644, Data: bill},
	}, r.manual...)
	readme, err := r.readme(t)
	if err != nil {
		return nil, err
	}
	docs, err := r.docs()
	if err != nil {
		return nil, err
	}
	entries = append(append(entries, pack.Entry{Name: "README.md", Mode: 0o644, Data: readme}), docs...)
	if t.cgo { // the gateway finds it beside itself, and offers it at /source
		entries = append(entries, pack.Entry{Name: "source.tar.gz", Mode: 0o644, Path: filepath.Join(r.out, r.source.name()+".tar.gz")})
	}
	for name, file := range map[string]string{"LICENSE": "LICENSE", "CHANGELOG.md": ".github/CHANGELOG.md"} {
		entries = append(entries, pack.Entry{Name: name, Mode: 0o644, Path: filepath.Join(r.source.top, filepath.FromSlash(file))})
	}
	for _, p := range programs {
		entries = append(entries, pack.Entry{Name: t.exe(p), Mode: 0o755, Path: filepath.Join(r.folder(t), t.exe(p))})
	}
	return entries, nil
}

// write writes a file of the release.
func (r *release) write(name string, write func(io.Writer) error) error {
	return cli.WriteFile(filepath.Join(r.out, name), false, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<20)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// sourceArchive writes the source of the commit, for everyone who gets a program of it.
func (r *release) sourceArchive(ctx context.Context) error {
	return r.write(r.source.name()+".tar.gz", func(w io.Writer) error { return r.source.archive(ctx, w) })
}

// sumsName is the file of checksums, which "sha256sum --check" reads.
const sumsName = "SHA256SUMS"

// sums writes the checksums of all files.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, e := range entries {
		f, err := os.Open(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", h.Sum(nil), e.Name())
	}
	return r.write(sumsName, func(w io.Writer) error { _, err := io.WriteString(w, list.String()); return err })
}

// generate makes the files that programs embed and that are not in git: the licence texts
// and, with web, the engine of the web app.
func generate(ctx context.Context, top string, web bool) error {
	args := []string{"generate", "./cmd/internal/about"}
	if web {
		args = append(args, "./scanner/web")
	}
	_, err := goCommand(ctx, top, []string{"GOFLAGS="}, args...)
	return err
}
