package main

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tcode/cmd/internal/pack"
)

//go:embed debian
var debianFiles embed.FS

// A debPackage is one of the Debian packages.
type debPackage struct {
	name        string
	programs    []string
	mupdf       bool // it is made of the build with MuPDF
	depends     string
	description string
	files       map[string]string // name in the package -> file in the folder debian
	configs     []string
	scripts     []string
}

// debPackages are the packages for a server and for a desk.
var debPackages = []debPackage{
	{
		name: "tcode-gateway", programs: []string{"tcode-gateway"}, mupdf: true, depends: "procps",
		description: "gateway that stamps documents and publishes what scanners trust\n" +
			" It stamps PDFs with a signed barcode, verifies them, publishes the documents\n" +
			" that offline scanners trust, and receives their scans. The package has a\n" +
			" systemd service, which is not started before \"tcode-operator init\".",
		files: map[string]string{
			"usr/lib/systemd/system/tcode-gateway.service":        "tcode-gateway.service",
			"usr/lib/systemd/system/tcode-gateway-backup.service": "tcode-gateway-backup.service",
			"usr/lib/systemd/system/tcode-gateway-backup.timer":   "tcode-gateway-backup.timer",
			"usr/lib/sysusers.d/tcode-gateway.conf":               "tcode-gateway.sysusers",
			"usr/sbin/tcode-operator":                             "tcode-operator",
			"usr/share/man/man8/tcode-operator.8.gz":              "tcode-operator.8",
			"etc/tcode/gateway.conf":                              "gateway.conf",
		},
		configs: []string{"etc/tcode/gateway.conf"}, scripts: []string{"postinst", "prerm", "postrm"},
	},
	{
		name: "tcode", programs: []string{"tcode", "tcode-scan"},
		description: "verify stamped documents offline, and stamp them\n" +
			" tcode-scan decides with no connectivity whether a document is genuine. tcode\n" +
			" stamps documents through a gateway.",
	},
}

// maintainer is a placeholder: those who give the packages to others put themselves there.
const maintainer = "The TCode Authors <tcode@localhost>"

// modes are the permissions of files that are not 0644: programs, and settings with secrets.
var modes = map[string]fs.FileMode{"usr/sbin/tcode-operator": 0o755, "etc/tcode/gateway.conf": 0o640}

// debian writes the packages of a target.
func (r *release) debian(t target) error {
	for _, p := range debPackages {
		if p.mupdf != t.cgo {
			continue
		}
		d, err := r.deb(t, p)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s_%s_%s.deb", p.name, r.source.debian(), t.arch)
		if err := r.write(name, func(w io.Writer) error { return d.Write(w, r.source.at) }); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) deb(t target, p debPackage) (pack.Deb, error) {
	d := pack.Deb{
		Control: []pack.Field{
			{Name: "Package", Value: p.name},
			{Name: "Version", Value: r.source.debian()},
			{Name: "Section", Value: "utils"},
			{Name: "Priority", Value: "optional"},
			{Name: "Architecture", Value: t.arch},
			{Name: "Maintainer", Value: maintainer},
		},
		Configs: p.configs, Scripts: map[string]string{},
	}
	if p.depends != "" {
		d.Control = append(d.Control, pack.Field{Name: "Depends", Value: p.depends})
	}
	d.Control = append(d.Control, pack.Field{Name: "Recommends", Value: "ca-certificates"}, pack.Field{Name: "Description", Value: p.description})
	for _, s := range p.scripts {
		text, err := fs.ReadFile(debianFiles, "debian/"+s)
		if err != nil {
			return d, err
		}
		d.Scripts[s] = string(text)
	}
	for name, file := range p.files {
		text, err := fs.ReadFile(debianFiles, "debian/"+file)
		if err != nil {
			return d, err
		}
		if strings.HasSuffix(name, ".gz") {
			text = gzipped(text)
		}
		d.Entries = append(d.Entries, pack.Entry{Name: name, Mode: max(modes[name], 0o400), Data: text})
		if modes[name] == 0 {
			d.Entries[len(d.Entries)-1].Mode = 0o644
		}
	}
	for _, program := range p.programs {
		d.Entries = append(d.Entries, pack.Entry{Name: "usr/bin/" + program, Mode: 0o755, Path: filepath.Join(r.folder(t), program)})
		d.Entries = append(d.Entries, r.debianManual(program)...)
	}
	if p.name == "tcode-gateway" { // it offers its source to everyone who uses it
		d.Entries = append(d.Entries, pack.Entry{Name: "usr/share/tcode-gateway/source.tar.gz", Mode: 0o644, Path: filepath.Join(r.out, r.source.name()+".tar.gz")})
	}
	docs, err := r.debianDocs(t, p)
	d.Entries = append(d.Entries, docs...)
	return d, err
}

// debianManual returns a program's manual page and completion scripts, where Debian has them.
func (r *release) debianManual(program string) (all []pack.Entry) {
	for from, to := range map[string]string{
		"man/man1/" + program + ".1":           "usr/share/man/man1/" + program + ".1.gz",
		"completion/bash/" + program:           "usr/share/bash-completion/completions/" + program,
		"completion/zsh/_" + program:           "usr/share/zsh/vendor-completions/_" + program,
		"completion/fish/" + program + ".fish": "usr/share/fish/vendor_completions.d/" + program + ".fish",
	} {
		for _, e := range r.manual {
			if e.Name == from {
				e.Name = to
				if strings.HasSuffix(to, ".gz") {
					e.Data = gzipped(e.Data)
				}
				all = append(all, e)
			}
		}
	}
	return all
}

// debianChanges is the changelog in Debian's form (deb-changelog(5)). It has this version alone and leads to the project's own.
func (r *release) debianChanges(p debPackage) []byte {
	return fmt.Appendf(nil, "%s (%s) unstable; urgency=medium\n\n  * CHANGELOG.md in this folder has the changes.\n\n -- %s  %s\n",
		p.name, r.source.debian(), maintainer, r.source.at.Format(time.RFC1123Z))
}

// debianDocs returns the folder of documents: licences and changes.
func (r *release) debianDocs(t target, p debPackage) ([]pack.Entry, error) {
	own, err := os.ReadFile(filepath.Join(r.source.top, "LICENSE"))
	if err != nil {
		return nil, err
	}
	texts, err := r.licences(t, p.programs)
	if err != nil {
		return nil, err
	}
	changes, err := os.ReadFile(filepath.Join(r.source.top, ".github", "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	readme, err := os.ReadFile(filepath.Join(r.source.top, "README.md"))
	if err != nil {
		return nil, err
	}
	docs, err := r.docs()
	if err != nil {
		return nil, err
	}
	entries := append([]pack.Entry{
		{Name: "copyright", Mode: 0o644, Data: own},
		{Name: "LICENSE", Mode: 0o644, Data: own},
		{Name: "LICENCES.txt.gz", Mode: 0o644, Data: gzipped(texts)},
		{Name: "changelog.gz", Mode: 0o644, Data: gzipped(r.debianChanges(p))},
		{Name: "CHANGELOG.md", Mode: 0o644, Data: changes},
		{Name: "README.md", Mode: 0o644, Data: readme},
	}, docs...)
	for i := range entries {
		entries[i].Name = "usr/share/doc/" + p.name + "/" + entries[i].Name
	}
	return entries, nil
}
