package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// archiveReadme begins the README of an archive: what the build can do, and under which licences.
var archiveReadme = template.Must(template.New("").Parse(`# TCode {{.Version}} for {{.System}}
{{if .MuPDF}}
These programs draw PDFs with two engines, MuPDF and PDFium, so ` + "`tcode-gateway`" + ` of this archive stamps, and ` + "`tcode-demo`" + ` runs.

They contain MuPDF, which is under the AGPL-3.0-or-later, as TCode is. ` + "`LICENSE`" + ` is the text of that licence, and ` + "`LICENCES.txt`" + ` has those of everything in the programs.
You have a right to their source: that of TCode is ` + "`source.tar.gz`" + ` in this archive; ` + "`SBOM.cdx.json`" + ` names all modules with their versions and places, and the source
of MuPDF itself is at <https://mupdf.com/releases>. A gateway offers ` + "`source.tar.gz`" + ` at ` + "`/source`" + ` to everyone who uses it: leave the file beside the program.
{{else}}
` + "**`tcode-gateway` of this archive does not stamp**" + `, and ` + "`tcode-demo`" + ` does not run: a gateway draws each stamp with two engines before it delivers it, and these programs
have one, PDFium. They do everything else, and contain no code of others under the AGPL. ` + "`LICENCES.txt`" + ` has the licences of everything in them. A gateway that stamps is in
{{range .Stamping}}
- ` + "`{{.}}`" + `{{end}}
- the Debian package ` + "`tcode-gateway`" + ` and the container image.
{{end}}
The README of the project:

`))

// readme is the README of a target's archive.
func (r *release) readme(t target) ([]byte, error) {
	own, err := os.ReadFile(filepath.Join(r.source.top, "README.md"))
	if err != nil {
		return nil, err
	}
	about := struct {
		Version, System string
		MuPDF           bool
		Stamping        []string
	}{Version: r.source.version, System: t.os + "/" + t.arch, MuPDF: t.cgo}
	for _, m := range mupdfTargets {
		about.Stamping = append(about.Stamping, r.archive(m))
	}
	var b bytes.Buffer
	if err := archiveReadme.Execute(&b, about); err != nil {
		return nil, err
	}
	b.WriteString(strings.TrimLeft(string(own), "\n"))
	return b.Bytes(), nil
}

// archive is the name of a target's archive.
func (r *release) archive(t target) string {
	name := "tcode_" + r.source.version + "_" + t.String()
	if t.os == "windows" {
		return name + ".zip"
	}
	return name + ".tar.gz"
}
