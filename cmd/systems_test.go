package cmd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestOtherSystems: the scanner for other systems, without cgo, and the packages for the browser have correct types. That takes a
// tenth of the time of building them. Files for Linux on ARM are those for Android.
func TestOtherSystems(t *testing.T) {
	t.Parallel()
	for target, patterns := range map[string][]string{
		"windows/amd64": {"./tcode-scan"}, "darwin/arm64": {"./tcode-scan"}, "android/arm64": {"./tcode-scan"}, "js/wasm": browserPackages(t),
	} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			wrong, checked := typeErrors(t, target, patterns)
			for _, err := range wrong {
				t.Error(err)
			}
			if checked < 20 {
				t.Errorf("%d packages of the project were checked", checked)
			}
		})
	}
}

// typeErrors checks packages and all that they import for a system ("windows/amd64"), and returns the errors and the number of packages
// of the project. Functions of other modules are declared and not checked.
func typeErrors(t *testing.T, target string, patterns []string) (wrong []packages.Error, checked int) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	system, machine, _ := strings.Cut(target, "/")
	all, err := packages.Load(&packages.Config{
		Context: t.Context(),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes,
		Env: append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+system, "GOARCH="+machine),
		ParseFile: func(set *token.FileSet, name string, source []byte) (*ast.File, error) {
			file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, root+string(filepath.Separator)) {
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		if strings.HasPrefix(p.PkgPath, "tcode/") {
			checked++
			wrong = append(wrong, p.Errors...)
		}
	})
	return wrong, checked
}
