package main

import (
	"os"
	"path/filepath"

	"tcode/cmd/internal/about"
	"tcode/cmd/internal/cli"
	"tcode/server/httpapi"
)

// sourceFlags are the flags about the offer of the source code.
type sourceFlags struct {
	Source string `help:"Source code of this gateway, which the public pages offer at /source (AGPL, section 13): an https address, or a file. Give it if you changed the program. Default: the file source.tar.gz beside the program, or in share/tcode-gateway, if there is one." env:"TCODE_SOURCE" placeholder:"URL|FILE"`
}

// offer returns the offer of the source code.
func (f sourceFlags) offer() (httpapi.Source, error) {
	b := about.Read("tcode-gateway")
	s := httpapi.Source{Location: f.Source, Program: b.Program + " " + b.Version}
	if b.Commit != "" {
		s.Program += ", commit " + b.Commit
	}
	if s.Location == "" {
		s.Location = sourceBeside()
	}
	if s.Location != "" && !s.Remote() {
		if _, err := os.Stat(s.Location); err != nil {
			return s, cli.Usage("--source: %v", err)
		}
	}
	return s, nil
}

// sourceBeside returns the source archive that was installed with the program; "": there is none.
func sourceBeside() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	dir := filepath.Dir(exe)
	for _, name := range []string{filepath.Join(dir, "source.tar.gz"), filepath.Join(dir, "..", "share", "tcode-gateway", "source.tar.gz")} {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}
