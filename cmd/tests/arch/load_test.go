package arch_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

type source struct {
	name    string // package name
	doc     string
	imports map[string]string // import path -> file
	lines   map[string]int    // by file; generated files are left out
}

// load parses every Go file below the module's top in this process. With the go command the test cache could answer for a tree that it never read.
func load(t *testing.T) map[string]*source {
	t.Helper()
	found := map[string]*source{}
	fset := token.NewFileSet()
	walk := func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); file != top && (strings.HasPrefix(name, ".") || name == "node_modules" || hasModule(file)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		return addFile(found, fset, file)
	}
	if err := filepath.WalkDir(top, walk); err != nil {
		t.Fatal(err)
	}
	if len(found) < minPackages {
		t.Fatalf("found %d packages, want at least %d: wrong folder?", len(found), minPackages)
	}
	return found
}

// hasModule reports whether dir is its own module, such as a bench folder.
func hasModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && dir != top
}

func addFile(found map[string]*source, fset *token.FileSet, file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(fset, file, raw, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(top, file)
	if err != nil {
		return err
	}
	rel = filepath.ToSlash(rel)
	dir := path.Dir(rel)
	s := found[dir]
	if s == nil {
		s = &source{imports: map[string]string{}, lines: map[string]int{}}
		found[dir] = s
	}
	if !ast.IsGenerated(f) {
		s.lines[rel] = bytes.Count(raw, []byte("\n"))
	}
	if strings.HasSuffix(rel, "_test.go") {
		return nil // tests may use oracles and peers
	}
	s.name = f.Name.Name
	s.doc += f.Doc.Text()
	for _, spec := range f.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		s.imports[imp] = rel
	}
	return nil
}
