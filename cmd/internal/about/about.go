// Package about says what a program is: its version, the commit that it was
// built from, the engines and modules that it links, and their licences. Call
// [Read], then print the Build with [Build.Text], or as JSON.
//
//	debug.BuildInfo ──┐
//	-ldflags "-X" ────┼─▶ Read ─▶ Build ─▶ PROGRAM version [--json]
//	licences/ ────────┘             └────▶ PROGRAM version --licences
//
// The modules are those of the running binary, so a build without MuPDF does
// not name it. The texts of the licences are in the folder licences, which
// "go generate ./cmd/internal/about" makes of the module cache.
package about

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

//go:generate go run ../../release licences

// OwnLicence is the licence of the project's code (file LICENSE).
const OwnLicence = "AGPL-3.0-or-later"

// These are set by "go run ./cmd/release" with -ldflags -X. Otherwise the go
// command's stamp of the version control system counts.
var (
	version string // such as v1.2.0
	commit  string // full hash
	date    string // of the commit, RFC 3339
)

// A Build describes the running program.
type Build struct {
	Program   string   `json:"program"`
	Version   string   `json:"version"`             // such as v1.2.0; "devel" if no version is known
	Commit    string   `json:"commit,omitempty"`    // full hash
	Changed   bool     `json:"changed,omitempty"`   // the tree had changes that are not in the commit
	Date      string   `json:"date,omitempty"`      // of the commit, RFC 3339
	Go        string   `json:"goVersion"`           // such as go1.26.8
	System    string   `json:"os"`                  // GOOS
	Machine   string   `json:"arch"`                // GOARCH
	Engines   []Engine `json:"engines"`             // that draw PDFs; empty for a program that draws none
	Licence   string   `json:"licence"`             // SPDX expression of the project's code
	OtherAGPL []string `json:"otherAgplModules"`    // linked modules of others under the AGPL
	Modules   []Module `json:"modules,omitempty"`   // linked modules of others, by path
	Unknown   []string `json:"unknown,omitempty"`   // linked modules without a text in licences
	Settings  []string `json:"buildTags,omitempty"` // -tags
}

// An Engine draws PDFs.
type Engine struct {
	Name    string `json:"name"`    // MuPDF or PDFium
	Module  string `json:"module"`  // that contains it
	Version string `json:"version"` // of that module
}

// A Module is linked into the program.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Licence string `json:"licence"` // SPDX expression of the module and of the components in it
	Sum     string `json:"-"`       // as in go.sum; empty for the standard library
}

// A Line is an addition to the answer of "version", such as the containment of
// child processes: a line for people and a member of the JSON object.
type Line struct {
	Name  string // of the line, at most 10 characters
	Text  string // of the line
	Key   string // of the member; empty: the line has none
	Value any    // of the member
}

// engines are the modules that contain an engine, and its name.
var engines = map[string]string{
	"github.com/gen2brain/go-fitz":    "MuPDF",
	"github.com/klippa-app/go-pdfium": "PDFium",
}

// Read describes the running program, which is called program.
func Read(program string) Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	b := FromInfo(program, info)
	b.Version, b.Commit, b.Date = cmp.Or(version, b.Version), cmp.Or(commit, b.Commit), cmp.Or(date, b.Date)
	b.Changed = b.Changed && commit == ""
	return b
}

// FromInfo describes a program by the information in its file. Values that
// -ldflags set are not in it.
func FromInfo(program string, info *debug.BuildInfo) Build {
	stamp := map[string]string{}
	for _, s := range info.Settings {
		stamp[s.Key] = s.Value
	}
	b := Build{
		Program: program, Version: cmp.Or(strings.Trim(info.Main.Version, "()"), "devel"), Commit: stamp["vcs.revision"],
		Date: stamp["vcs.time"], Changed: stamp["vcs.modified"] == "true",
		Go: info.GoVersion, System: cmp.Or(stamp["GOOS"], runtime.GOOS), Machine: cmp.Or(stamp["GOARCH"], runtime.GOARCH),
		Licence: OwnLicence, Engines: []Engine{}, OtherAGPL: []string{},
	}
	if stamp["-tags"] != "" {
		b.Settings = strings.Split(stamp["-tags"], ",")
	}
	for _, m := range linked(info) {
		if name := engines[m.Path]; name != "" {
			b.Engines = append(b.Engines, Engine{name, m.Path, m.Version})
		}
		l, known := licenceOf(m.Path)
		if !known {
			b.Unknown = append(b.Unknown, m.Path)
		}
		if strings.Contains(l, "AGPL") {
			b.OtherAGPL = append(b.OtherAGPL, m.Path)
		}
		b.Modules = append(b.Modules, Module{m.Path, m.Version, l, m.Sum})
	}
	return b
}

// linked returns the modules of others in the program, by path, and Go's
// standard library as the first one. A module that is replaced by a folder of
// the project is the project's code.
func linked(info *debug.BuildInfo) []debug.Module {
	all := []debug.Module{{Path: Standard, Version: info.GoVersion}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if !strings.HasPrefix(m.Path, ".") {
			all = append(all, *m)
		}
	}
	slices.SortStableFunc(all[1:], func(a, b debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// Text prints the build for people, with more lines.
func (b Build) Text(w io.Writer, more []Line) {
	line := func(name, value string) { fmt.Fprintf(w, "   %-10s %s\n", name, value) }
	fmt.Fprintf(w, "%s %s\n", b.Program, b.Version)
	if b.Commit != "" {
		line("commit", b.Commit+map[bool]string{true: ", with changes"}[b.Changed])
	}
	if at, err := time.Parse(time.RFC3339, b.Date); err == nil {
		line("date", at.UTC().Format("2006-01-02 15:04 UTC"))
	}
	line("built by", b.Go+" for "+b.System+"/"+b.Machine)
	line("engines", b.engineNames())
	for _, l := range more {
		line(l.Name, l.Text)
	}
	line("licence", b.Licence)
	switch {
	case len(b.Unknown) > 0:
		line("links", fmt.Sprintf("%d modules of others; no licence is known of %s", len(b.Modules), strings.Join(b.Unknown, ", ")))
	case len(b.OtherAGPL) == 0:
		line("links", fmt.Sprintf("%d modules of others, none of them under the AGPL", len(b.Modules)))
	default:
		line("links", fmt.Sprintf("%d modules of others; under the AGPL: %s", len(b.Modules), strings.Join(b.OtherAGPL, ", ")))
	}
	line("", fmt.Sprintf("%q prints all licences", b.Program+" version --licences"))
}

// engineNames names the engines and the modules that contain them.
func (b Build) engineNames() string {
	if len(b.Engines) == 0 {
		return "none: this program draws no PDFs"
	}
	var names []string
	for _, e := range b.Engines {
		names = append(names, fmt.Sprintf("%s (%s %s)", e.Name, e.Module[strings.LastIndexByte(e.Module, '/')+1:], e.Version))
	}
	text := strings.Join(names, " and ")
	if len(b.Engines) == 1 && b.Engines[0].Name == "PDFium" {
		text += " alone, without MuPDF"
	}
	return text
}

// Members returns the build as the members of a JSON object, with those of more.
func (b Build) Members(more []Line) (map[string]any, error) {
	raw, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	members := map[string]any{}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	for _, l := range more {
		if l.Key == "" {
			continue
		}
		if _, taken := members[l.Key]; taken {
			return nil, fmt.Errorf("version has a member %q already", l.Key)
		}
		members[l.Key] = l.Value
	}
	return members, nil
}
