//go:build linux

package seeded_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tcode/cmd/internal/world"
	"tcode/server"
	"tcode/testdata/corpus"
)

// nameAt are the functions of package contain that name a kind of item, with the place of the
// name among their arguments.
var nameAt = map[string]int{
	"Do": 0, "Start": 0, "StartThen": 0, "Seed": 0, "Recovered": 0, "Within": 1, "AfterFunc": 1, "After": 1,
}

// computed are the kinds whose names the code computes, by the text of the expression. Others
// than these fail the test: it must know all kinds.
var computed = map[string]func(t *testing.T) []string{
	`call.op.item`:      requestKinds,
	`item`:              consoleKinds,
	`"child-" + r.Name`: childKinds,
}

// kinds returns all kinds of items of a gateway: the names in the code that it is built from.
func kinds(t *testing.T) (list []string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.Dir}}{{end}}", "tcode/cmd/tcode-gateway").Output()
	must(t, err)
	for dir := range strings.Lines(string(out)) {
		if dir = strings.TrimSpace(dir); strings.HasPrefix(dir, corpus.Root()+"/") &&
			filepath.Base(dir) != "contain" {
			list = append(list, kindsIn(t, dir)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// kindsIn returns the names in the files of a package.
func kindsIn(t *testing.T, dir string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	must(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(file)
		must(t, err)
		if !strings.Contains(string(raw), `"tcode/offline/contain"`) {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, raw, 0)
		must(t, err)
		ast.Inspect(tree, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if name := nameOf(call); name != nil {
					list = append(list, named(t, file, raw, name)...)
				}
			}
			return true
		})
	}
	return list
}

// nameOf returns the argument of call that names a kind, nil if there is none.
func nameOf(call *ast.CallExpr) ast.Expr {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if x, ok := f.X.(*ast.Ident); ok && x.Name == "contain" {
		if at, ok := nameAt[f.Sel.Name]; ok && at < len(call.Args) {
			return call.Args[at]
		}
		return nil
	}
	if f.Sel.Name == "Go" && len(call.Args) == 2 { // of a contain.Group
		return call.Args[0]
	}
	return nil
}

// named returns the kinds that an argument names.
func named(t *testing.T, file string, raw []byte, arg ast.Expr) []string {
	t.Helper()
	if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		name, err := strconv.Unquote(lit.Value)
		must(t, err)
		return []string{name}
	}
	text := string(raw[arg.Pos()-1 : arg.End()-1])
	if of, ok := computed[text]; ok {
		return of(t)
	}
	t.Errorf("%s: a kind of item is named %s, which this test does not know", file, text)
	return nil
}

func childKinds(*testing.T) (list []string) {
	for _, r := range server.Roles() {
		list = append(list, "child-"+r.Name)
	}
	return list
}

// An operation is one of the contract.
type operation struct {
	*openapi3.Operation
	method, path string
	item         *openapi3.PathItem
}

// contract reads the contract once.
var contract = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromFile(world.Path("server/httpapi/api/openapi.yaml"))
})

// operations returns the operations of the contract by their ids.
func operations(t *testing.T) map[string]operation {
	t.Helper()
	doc, err := contract()
	must(t, err)
	all := map[string]operation{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			all[op.OperationID] = operation{op, method, path, item}
		}
	}
	return all
}

func requestKinds(t *testing.T) (list []string) {
	t.Helper()
	for id := range operations(t) {
		list = append(list, "request-"+id)
	}
	return list
}

// area finds the name of an area of the console.
var area = regexp.MustCompile(`frame\.Area\{\s*Name: "([a-z]+)"`)

// consoleKinds are the areas of the console.
func consoleKinds(t *testing.T) (list []string) {
	t.Helper()
	var files []string
	for _, pattern := range []string{"server/console/*.go", "server/console/*/*.go"} {
		more, err := filepath.Glob(world.Path(pattern))
		must(t, err)
		files = append(files, more...)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		must(t, err)
		for _, m := range area.FindAllSubmatch(raw, -1) {
			list = append(list, "console-"+string(m[1]))
		}
	}
	return list
}

// TestKinds: this test knows the name of each kind of item in the code of a gateway.
func TestKinds(t *testing.T) {
	t.Parallel()
	all := kinds(t)
	t.Logf("%d kinds: %v", len(all), all)
}
