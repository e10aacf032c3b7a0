// Command mkvectors writes the test vectors under testdata/vectors. The same
// program gives the same bytes every time: keys, references and times are
// constants, and ES256 signatures are made by RFC 6979.
//
//	areas ─▶ generator ─▶ name -> file ─▶ testdata/vectors/<area>/<name>
//
// Run it from anywhere inside the module, or by go generate. A vector that is
// no longer generated is removed. The test in this folder regenerates all and
// compares byte for byte with what is committed.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// files maps the names of an area's vectors to their contents.
type files map[string][]byte

// area is one folder of testdata/vectors.
type area struct {
	name     string
	generate func() (files, error)
}

// areas is the table of everything that this program makes.
func areas() []area {
	return []area{
		{"binding", bindingVectors},
		{"clock", clockVectors},
		{"document", documentVectors},
		{"export", exportVectors},
		{"payload", payloadVectors},
		{"status", statusVectors},
		{"sync", syncVectors},
		{"trust", trustVectors},
		{"verdict", verdictVectors},
	}
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mkvectors:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	for _, a := range areas() {
		made, err := a.generate()
		if err != nil {
			return fmt.Errorf("make vectors of %s: %w", a.name, err)
		}
		if err := replace(filepath.Join(root, "testdata", "vectors", a.name), made); err != nil {
			return fmt.Errorf("write vectors of %s: %w", a.name, err)
		}
	}
	return nil
}

// moduleRoot returns the nearest folder upwards with a go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not inside the module")
		}
		dir = parent
	}
}

// replace makes dir hold exactly the files made. Unchanged ones keep their
// time, so that a run that changes nothing is invisible to build caches.
func replace(dir string, made files) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, ok := made[e.Name()]; !ok && e.Type().IsRegular() {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	for name, content := range made {
		path := filepath.Join(dir, name)
		old, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && bytes.Equal(old, content) {
			continue
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
