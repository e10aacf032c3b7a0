package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tcode/cmd/internal/about"
)

// licenceFolder has the texts that the programs contain, from the top of the module.
const licenceFolder = "cmd/internal/about/licences"

type licencesCmd struct{}

// Run writes the folder anew: a text for each licence file of each module that
// a program links on one of the systems, and the index.
func (licencesCmd) Run(ctx context.Context) error {
	top, err := moduleFolder(ctx)
	if err != nil {
		return err
	}
	found, err := linkedModules(ctx, top)
	if err != nil {
		return err
	}
	index, texts, err := collect(found, top)
	if err != nil {
		return err
	}
	into := filepath.Join(top, filepath.FromSlash(licenceFolder))
	if err := os.RemoveAll(into); err != nil {
		return err
	}
	if err := os.MkdirAll(into, 0o777); err != nil {
		return err
	}
	texts["index.tsv"] = []byte(index)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if err := os.WriteFile(filepath.Join(into, name), texts[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}

// moduleFolder returns the folder of the module that the current folder is in.
func moduleFolder(ctx context.Context) (string, error) {
	out, err := goCommand(ctx, "", nil, "list", "-m", "-f", "{{.Dir}}")
	return strings.TrimSpace(string(out)), err
}

// goCommand runs the go command and returns its output.
func goCommand(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, said.Bytes())
	}
	return out, nil
}

// A linkedModule is a module of which a program links packages.
type linkedModule struct {
	path    string
	dir     string
	folders map[string]bool // of the packages, below dir
}

// linkedModules returns the modules of others that any program links on any of the systems, with cgo and without, by path,
// and the standard library.
func linkedModules(ctx context.Context, top string) (map[string]*linkedModule, error) {
	found := map[string]*linkedModule{}
	for _, t := range slices.Concat(targets, mupdfTargets) {
		on, err := linkedOn(ctx, top, t)
		if err != nil {
			return nil, err
		}
		for path, m := range on {
			if found[path] == nil {
				found[path] = m
			}
			maps.Copy(found[path].folders, m.folders)
		}
	}
	root, err := goCommand(ctx, top, nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	dir := strings.TrimSpace(string(root))
	found[about.Standard] = &linkedModule{path: about.Standard, dir: dir, folders: map[string]bool{dir: true}}
	return found, nil
}

// linkedOn returns the modules of others that the programs, and this one, link on one system, as in a release.
func linkedOn(ctx context.Context, top string, t target) (map[string]*linkedModule, error) {
	tags := t.tags()
	if t.cgo {
		tags += ",pkcs11"
	}
	out, err := goCommand(ctx, top, t.env(), append([]string{"list", "-deps", "-json=Dir,Module", "-tags", tags}, t.packages(append([]string{"release"}, programs...))...)...)
	if err != nil {
		return nil, err
	}
	found := map[string]*linkedModule{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir    string
			Module *struct {
				Path, Dir string
				Main      bool
				Replace   *struct{ Path string }
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module == nil || p.Module.Main || p.Module.Replace != nil && strings.HasPrefix(p.Module.Replace.Path, ".") {
			continue // the standard library, or the project's own code
		}
		m := found[p.Module.Path]
		if m == nil {
			m = &linkedModule{path: p.Module.Path, dir: p.Module.Dir, folders: map[string]bool{}}
			found[m.path] = m
		}
		for dir := p.Dir; len(dir) >= len(m.dir); dir = filepath.Dir(dir) {
			m.folders[dir] = true
		}
	}
}

// licenceFile matches the names of files with licences and notices.
var licenceFile = regexp.MustCompile(`(?i)^(un)?licen[cs]e([.-][a-z0-9_-]+)?(\.(txt|md))?$|^copying(\.(txt|md))?$|^notice(\.(txt|md))?$|^patents$`)

// collect returns the index and the texts, by the name of their file.
func collect(found map[string]*linkedModule, top string) (index string, texts map[string][]byte, err error) {
	texts = map[string][]byte{}
	var lines []string
	add := func(module, licence, name string, text []byte) {
		text = bytes.TrimRight(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), "\n")
		text = append(text, '\n')
		sum := sha256.Sum256(text)
		file := hex.EncodeToString(sum[:6])
		texts[file] = text
		lines = append(lines, strings.Join([]string{module, licence, name, file}, "\t")+"\n")
	}
	own, err := os.ReadFile(filepath.Join(top, "LICENSE"))
	if err != nil {
		return "", nil, err
	}
	add("tcode", about.OwnLicence, "LICENSE", own)
	var wrong []error
	for _, path := range slices.Sorted(maps.Keys(found)) {
		m, licensed := found[path], false
		for _, dir := range slices.Sorted(maps.Keys(m.folders)) {
			entries, err := os.ReadDir(dir)
			if err != nil {
				return "", nil, err
			}
			for _, e := range entries {
				if e.IsDir() || strings.HasSuffix(e.Name(), ".go") || !licenceFile.MatchString(e.Name()) {
					continue
				}
				text, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil {
					return "", nil, err
				}
				rel, _ := filepath.Rel(m.dir, filepath.Join(dir, e.Name()))
				licence, known := identify(path, filepath.ToSlash(rel), text)
				if !known {
					wrong = append(wrong, fmt.Errorf("%s: the licence in %s is not known: add it to identify", path, rel))
				}
				licensed = licensed || licence != ""
				add(path, licence, filepath.ToSlash(rel), text)
			}
		}
		if !licensed {
			wrong = append(wrong, fmt.Errorf("%s has no licence", path))
		}
	}
	for _, c := range contained {
		text, err := c.read(found)
		if err != nil {
			wrong = append(wrong, err)
		}
		add(c.module, c.licence, c.name, text)
	}
	return strings.Join(lines, ""), texts, errors.Join(wrong...)
}

// read returns the licence text of a component.
func (c component) read(found map[string]*linkedModule) ([]byte, error) {
	module, file, ofModule := strings.Cut(c.text, "//")
	if !ofModule {
		return fs.ReadFile(componentTexts, "components/"+c.text)
	}
	m := found[module]
	if m == nil {
		return nil, fmt.Errorf("%s: no program links %s, which has the text", c.name, module)
	}
	return os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(file)))
}

// phrases are words of licences that no other licence has. The first that fits counts.
var phrases = []struct{ phrase, licence string }{
	{"GNU AFFERO GENERAL PUBLIC LICENSE Version 3, 19 November 2007", "AGPL-3.0-or-later"},
	{"Mozilla Public License Version 2.0", "MPL-2.0"},
	{"Apache License Version 2.0", "Apache-2.0"},
	{"This is free and unencumbered software released into the public domain", "Unlicense"},
	{"Permission is hereby granted, free of charge, to any person obtaining a copy", "MIT"},
	{"Permission to use, copy, modify, and/or distribute this software for any purpose", "ISC"},
	{"Permission to use, copy, modify, and distribute this software for any purpose", "ISC"},
	{"Neither the name of", "BSD-3-Clause"},
	{"names of its contributors may be used to endorse", "BSD-3-Clause"},
	{"Redistributions in binary form must reproduce", "BSD-2-Clause"},
}

// spaces are what licences differ in most.
var spaces = regexp.MustCompile(`[\s#*/>]+`)

// identify returns the SPDX expression of a text, "" for a notice or a grant in addition to a licence.
func identify(module, name string, text []byte) (licence string, known bool) {
	if fixed, ok := identified[module+" "+name]; ok {
		return fixed, true
	}
	if base := strings.ToUpper(filepath.Base(name)); strings.HasPrefix(base, "NOTICE") || base == "PATENTS" {
		return "", true
	}
	plain := strings.ToLower(spaces.ReplaceAllString(string(text), " "))
	for _, p := range phrases {
		if strings.Contains(plain, strings.ToLower(p.phrase)) {
			return p.licence, true
		}
	}
	return "", false
}

// thirdParty is a list of licences in some modules.
const thirdParty = "LICENSE-3RD-PARTY" + ".md"

// identified are texts that phrases do not name.
var identified = map[string]string{
	"modernc.org/sqlite " + thirdParty:                      "BSD-3-Clause AND MIT",
	"modernc.org/libc " + thirdParty:                        "BSD-3-Clause AND MIT",
	"modernc.org/memory LICENSE-LOGO":                       "", // of a picture that no program contains
	"modernc.org/sqlite LICENSE-SQLITE":                     "LicenseRef-SQLite-public-domain",
	"kernel.org/pub/linux/libs/security/libcap/psx License": "BSD-3-Clause OR GPL-2.0-only",
}
