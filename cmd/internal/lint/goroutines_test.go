package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestGoroutines(t *testing.T) {
	t.Parallel()
	analysistest.Run(t, analysistest.TestData(), goroutines, "b")
}

// TestNoBareGoroutine applies the analyzer to all files of the programs, also to those for other systems.
func TestNoBareGoroutine(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".") && strings.Trim(name, ".") != ""):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || forTests(path):
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		checkGoroutines(set, file, func(pos token.Pos, format string, args ...any) {
			at := set.Position(pos)
			t.Errorf("%s:%d: %s", strings.TrimPrefix(path, "../../../"), at.Line, fmt.Sprintf(format, args...))
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 600 {
		t.Errorf("only %d files were checked", files)
	}
}
