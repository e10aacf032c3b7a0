package about

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Standard is the name of Go's standard library in the list of modules.
const Standard = "std"

// The file licences/index.tsv has a line for each text of a module: module,
// SPDX expression, name of the text in the module, name of the file here. The
// files are not in git: "go generate ./cmd/internal/about" collects them, as the
// release command does; a program that was built without them names them. A
// component that a module contains in another form than Go, such as PDFium as
// WebAssembly, has its own lines under the module's name.
//
//go:embed licences
var files embed.FS

// A Text is one licence text.
type Text struct {
	Module  string // that it covers
	Licence string // SPDX expression
	Name    string // of the file in the module, or of the component
	File    string // of the text, in the folder licences
}

// texts are the lines of the index, in order.
var texts = sync.OnceValue(func() []Text {
	raw, _ := files.ReadFile("licences/index.tsv") // it is embedded; a test reads it
	var all []Text
	for line := range strings.Lines(string(raw)) {
		if c := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(c) == 4 {
			all = append(all, Text{c[0], c[1], c[2], c[3]})
		}
	}
	return all
})

// Texts returns the licence texts of a module, none if the index does not have it.
func Texts(module string) []Text {
	var all []Text
	for _, t := range texts() {
		if t.Module == module {
			all = append(all, t)
		}
	}
	return all
}

// Read returns the text.
func (t Text) Read() ([]byte, error) { return files.ReadFile("licences/" + t.File) }

// licenceOf returns the SPDX expression of a module and of the components in it.
func licenceOf(module string) (expression string, known bool) {
	var parts []string
	for _, t := range Texts(module) {
		known = true
		if t.Licence != "" && !slices.Contains(parts, t.Licence) {
			parts = append(parts, t.Licence)
		}
	}
	for i, p := range parts {
		if len(parts) > 1 && strings.Contains(p, " OR ") {
			parts[i] = "(" + p + ")"
		}
	}
	return strings.Join(parts, " AND "), known
}

// noText stands for a text in a program that was built without them.
const noText = `This program was built without the text. The module has it, and so has a program
that was built after "go generate ./cmd/internal/about".`

// own names the texts of the project's own licence in the index.
const own = "tcode"

// Licences prints the licence of the project, and those of all that the
// program links. A text that several modules have is printed once.
func (b Build) Licences(w io.Writer) error {
	return b.licences(w, func(file string) ([]byte, error) {
		text, err := Text{File: file}.Read()
		if err != nil {
			text = []byte(noText)
		}
		return text, nil
	})
}

// LicencesFrom is [Build.Licences] with the texts that are in a folder licences now. A
// program that was built before they were collected does not have them. A missing text is an error.
func (b Build) LicencesFrom(w io.Writer, folder fs.FS) error {
	return b.licences(w, func(file string) ([]byte, error) { return fs.ReadFile(folder, file) })
}

func (b Build) licences(w io.Writer, read func(file string) ([]byte, error)) error {
	names := []string{own}
	for _, m := range b.Modules {
		names = append(names, m.Path)
	}
	var order []string
	covers := map[string][]string{} // by file
	for _, name := range names {
		for _, t := range Texts(name) {
			if covers[t.File] == nil {
				order = append(order, t.File)
			}
			covers[t.File] = append(covers[t.File], fmt.Sprintf("%s: %s (%s)", t.Module, t.Name, t.Licence))
		}
	}
	for _, file := range order {
		text, err := read(file)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n%s\n\n%s\n", strings.Repeat("=", 78), strings.Join(covers[file], "\n"), strings.TrimRight(string(text), "\n")+"\n"); err != nil {
			return err
		}
	}
	for _, m := range b.Unknown {
		if _, err := fmt.Fprintf(w, "%s\n%s: its licence is not in this program\n", strings.Repeat("=", 78), m); err != nil {
			return err
		}
	}
	return nil
}
