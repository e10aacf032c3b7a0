// Package mkvectors_test makes the test vectors under testdata/vectors, and compares
// them with the committed ones. The same program gives the same bytes every
// time: keys, references and times are constants, and ES256 signatures are made by
// RFC 6979.
//
//	areas ─▶ generator ─▶ name -> file ─▶ testdata/vectors/<area>/<name>
//
// go generate ./offline/payload writes them (TestCommitted with -update). A vector
// that is no longer generated is removed.
package mkvectors_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
)

// update has TestCommitted write the vectors instead of comparing them.
var update = flag.Bool("update", false, "write testdata/vectors")

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
