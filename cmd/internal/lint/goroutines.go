package main

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// goroutines requires that packages of the programs start goroutines by offline/contain, because a
// panic in any other one ends the process, and names that a metric can have as labels. It looks
// at syntax alone, so that a test applies it to the files for all systems together.
var goroutines = &analysis.Analyzer{
	Name: "goroutines",
	Doc:  "check that goroutines are started by offline/contain",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			if !forTests(pass.Fset.Position(file.Pos()).Filename) {
				checkGoroutines(pass.Fset, file, pass.Reportf)
			}
		}
		return nil, nil
	},
}

// containPath is the package that starts goroutines.
const containPath = "tcode/offline/contain"

// named are the functions of that package that take a name, and its position.
var named = map[string]int{
	"Do": 0, "Start": 0, "StartThen": 0, "Recovered": 0, "Within": 1, "AfterFunc": 1, "After": 1, "Abandon": 0,
}

// itemName is a name of a kind of items.
var itemName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// exempt begins the comment above a line that is right nevertheless, with the reason: a goroutine that
// cannot panic and that offline/contain cannot start, or a name that is a constant of the callers.
const exempt = "//contain:none "

// aids are the names of folders with benches, files for tests and aids for them.
var aids = []string{"bench", "testdata", "harness", "viewers", "powercut", "world"}

// forTests reports whether a file is no part of the programs: a test, or in a folder of benches, of
// files for tests or of aids for them.
func forTests(file string) bool {
	folders := strings.Split(path.Dir(strings.ReplaceAll(file, `\`, "/")), "/")
	return strings.HasSuffix(file, "_test.go") || slices.ContainsFunc(folders, func(name string) bool {
		return strings.HasSuffix(name, "test") || slices.Contains(aids, name)
	}) && !strings.Contains(file, "/lint/testdata/")
}

// checkGoroutines reports what is wrong with the goroutines of a file.
func checkGoroutines(set *token.FileSet, file *ast.File, report func(pos token.Pos, format string, args ...any)) {
	if file.Name.Name == "contain" {
		return
	}
	packages, exempted := importNames(file), exemptions(set, file)
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || exempted[set.Position(n.Pos()).Line-1] {
			return true
		}
		switch n := n.(type) {
		case *ast.GoStmt:
			report(n.Pos(), "a panic in this goroutine ends the process: start it by offline/contain")
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok {
				checkCall(packages, f, n, report)
			}
		}
		return true
	})
}

// importNames returns the paths of a file's imports by their names in it.
func importNames(file *ast.File) map[string]string {
	out := map[string]string{}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		out[name] = imported
	}
	return out
}

// exemptions returns the lines with a comment that exempts the next one.
func exemptions(set *token.FileSet, file *ast.File) map[int]bool {
	out := map[int]bool{}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if reason, ok := strings.CutPrefix(c.Text, exempt); ok && strings.TrimSpace(reason) != "" {
				out[set.Position(c.End()).Line] = true
			}
		}
	}
	return out
}

// checkCall checks a call of f, a function of a package or a method.
func checkCall(packages map[string]string, f *ast.SelectorExpr, call *ast.CallExpr, report func(token.Pos, string, ...any)) {
	from := ""
	if name, ok := f.X.(*ast.Ident); ok {
		from = packages[name.Name]
	}
	switch {
	case f.Sel.Name == "Go" && from == "":
		if len(call.Args) != 2 {
			report(call.Pos(), "a panic in this goroutine ends the process, or comes up elsewhere: use a contain.Group")
			return
		}
		checkName(call.Args[0], report)
	case f.Sel.Name == "AfterFunc" && (from == "time" || from == "context"):
		report(call.Pos(), "a panic in this function ends the process: use contain.AfterFunc or contain.After")
	case from == containPath:
		if at, ok := named[f.Sel.Name]; ok && len(call.Args) > at {
			checkName(call.Args[at], report)
		}
	}
}

// checkName checks the name of a kind of items.
func checkName(arg ast.Expr, report func(token.Pos, string, ...any)) {
	text := ""
	if literal, ok := arg.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		text, _ = strconv.Unquote(literal.Value)
	}
	if !itemName.MatchString(text) {
		report(arg.Pos(), "the name of a kind of items is a constant in lower-case words with hyphens")
	}
}
