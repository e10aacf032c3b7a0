package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"tcode/cmd/internal/cli"
)

// A target is a system and a machine for which the programs are built.
type target struct {
	os, arch string
	cgo      bool // with MuPDF
}

// targets are those of a release. None needs cgo: PDFium is WebAssembly, and
// SQLite is Go.
var targets = []target{
	{os: "linux", arch: "amd64"},
	{os: "linux", arch: "arm64"},
	{os: "windows", arch: "amd64"},
	{os: "windows", arch: "arm64"},
	{os: "darwin", arch: "amd64"},
	{os: "darwin", arch: "arm64"},
}

// mupdfTargets are the builds with MuPDF, which need a C compiler. A gateway
// draws each stamp with both engines before it delivers it, so only these
// stamp.
var mupdfTargets = []target{
	{os: "linux", arch: "amd64", cgo: true},
	{os: "linux", arch: "arm64", cgo: true},
}

// crossCompilers are the C compilers for another machine than this one, as
// Debian names them.
var crossCompilers = map[string]string{"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc"}

// compiler is the C compiler for the target.
func (t target) compiler() string {
	if t.os == runtime.GOOS && t.arch == runtime.GOARCH {
		return cmp.Or(os.Getenv("CC"), "gcc")
	}
	return crossCompilers[t.arch]
}

// compilable divides the builds with MuPDF of some targets into those whose C
// compiler is here and those whose compiler is not.
func compilable(list []target) (here, missing []target) {
	for _, t := range mupdfTargets {
		if !slices.Contains(list, target{os: t.os, arch: t.arch}) {
			continue
		}
		name, _, _ := strings.Cut(t.compiler(), " ")
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, t)
		} else {
			here = append(here, t)
		}
	}
	return here, missing
}

// programs are the commands of a release.
var programs = []string{"tcode", "tcode-demo", "tcode-gateway", "tcode-scan"}

// String names the target as its archives do.
func (t target) String() string {
	if t.cgo {
		return t.os + "_" + t.arch + "_mupdf"
	}
	return t.os + "_" + t.arch
}

// env is the environment of the go command for the target. It leaves nothing to
// the settings of the machine.
func (t target) env() []string {
	cgo := []string{"CGO_ENABLED=0"}
	if t.cgo {
		cgo = []string{"CGO_ENABLED=1", "CC=" + t.compiler()}
	}
	return append(cgo,
		"GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GODEBUG=", "GOWORK=off", "CGO_CFLAGS=-O2", "CGO_LDFLAGS=",
	)
}

// packages are the import paths of the programs.
func (t target) packages(programs []string) (all []string) {
	for _, p := range programs {
		all = append(all, "./cmd/"+p)
	}
	return all
}

// exe is the name of a program's file.
func (t target) exe(program string) string {
	if t.os == "windows" {
		return program + ".exe"
	}
	return program
}

// build builds programs for the target into a folder, which it makes.
func (t target) build(ctx context.Context, s source, programs []string, into string) error {
	if err := os.MkdirAll(into, 0o777); err != nil {
		return err
	}
	flags := "-s -w -buildid= " + s.stamp()
	if t.cgo { // without the C libraries of the machine, so that it runs on every Linux, and in an empty container
		flags += " -linkmode external -extldflags '-static -Wl,--build-id=none" + t.forOldLibraries(ctx) + "'"
	}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-tags", t.tags(), "-ldflags", flags, "-o", into + string(filepath.Separator)}
	_, err := goCommand(ctx, s.top, t.env(), append(args, t.packages(programs)...)...)
	return err
}

// newNames is a program that needs the names which C libraries have for strtol
// since C23.
const newNames = "long __isoc23_strtol(const char *, char **, int);\nint main(void) { return (int)__isoc23_strtol(\"0\", 0, 10); }\n"

// forOldLibraries returns flags for a C library without names that MuPDF for ARM
// refers to, as that of Debian 12 is. The old functions differ from the new ones in
// numbers such as 0b11 alone, which MuPDF does not read by them.
func (t target) forOldLibraries(ctx context.Context) string {
	if t.arch != "arm64" {
		return ""
	}
	words := append(strings.Fields(t.compiler()), "-static", "-x", "c", "-o", os.DevNull, "-")
	try := exec.CommandContext(ctx, words[0], words[1:]...)
	try.Stdin = strings.NewReader(newNames)
	if try.Run() == nil {
		return ""
	}
	return " -Wl,--defsym=__isoc23_strtol=strtol -Wl,--defsym=__isoc23_strtoul=strtoul"
}

// tags are the build tags of a release: decoders never load a library of the
// system, and names of users and hosts need no C library.
func (t target) tags() string {
	const all = "nodynamic"
	if t.cgo {
		return all + ",netgo,osusergo"
	}
	return all
}

// here is the target of this machine, without cgo.
func here() target { return target{os: runtime.GOOS, arch: runtime.GOARCH} }

// chosen returns the targets with names such as linux/amd64, all for none.
func chosen(names []string) ([]target, error) {
	if len(names) == 0 {
		return targets, nil
	}
	var some []target
	for _, n := range names {
		i := slices.IndexFunc(targets, func(t target) bool { return t.os+"/"+t.arch == n })
		if i < 0 {
			return nil, cli.Usage("--target %s: want a system and a machine, such as linux/amd64", n)
		}
		some = append(some, targets[i])
	}
	return some, nil
}
