package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestOtherSystems: the scanner for other systems, without cgo, and the engine for the browser have correct types. That takes a
// tenth of the time of building them. Files for Linux on ARM are those for Android. The second machine of a system has other files
// in few packages.
func TestOtherSystems(t *testing.T) {
	t.Parallel()
	scanner := []string{"tcode/cmd/tcode-scan"}
	few := []string{"tcode/offline/host/sandbox", "tcode/offline/host/cputime", "tcode/cmd/internal/cli"}
	for target, patterns := range map[string][]string{
		"windows/amd64": scanner, "darwin/arm64": scanner, "android/arm64": scanner,
		"js/wasm":       {"tcode/scanner/web/engine/wasm"},
		"windows/arm64": few, "darwin/amd64": few, "linux/arm64": few,
	} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			wrong, checked := typeErrors(t, target, patterns)
			for _, err := range wrong {
				t.Error(err)
			}
			if checked < len(patterns) || len(patterns) == 1 && checked < 20 {
				t.Errorf("%d packages of the project were checked", checked)
			}
		})
	}
}

// typeErrors checks packages and all that they import for a system ("windows/amd64"), and returns the errors and the number of packages
// of the project. Functions of other modules are declared and not checked.
func typeErrors(t *testing.T, target string, patterns []string) (wrong []packages.Error, checked int) {
	t.Helper()
	root, err := filepath.Abs(top)
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

// TestWithoutMuPDF: programs that are built without cgo, or with the tag nomupdf, link nothing of go-fitz, whose MuPDF is under
// the AGPL. A scanner with cgo links it.
func TestWithoutMuPDF(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cgo, tags, program string
		links              bool
	}{
		{"CGO_ENABLED=0", "", "tcode/cmd/...", false},
		{"CGO_ENABLED=1", "nomupdf", "tcode/cmd/tcode-scan", false},
		{"CGO_ENABLED=1", "", "tcode/cmd/tcode-scan", true},
	} {
		cmd := exec.Command("go", "list", "-deps", "-tags", tt.tags, tt.program)
		cmd.Env = append(os.Environ(), tt.cgo, "GOFLAGS=")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if links := strings.Contains(string(out), "gen2brain/go-fitz"); links != tt.links || !strings.Contains(string(out), "klippa-app/go-pdfium") {
			t.Errorf("%s with %s and tags %q links MuPDF: %v, want %v", tt.program, tt.cgo, tt.tags, links, tt.links)
		}
	}
}
