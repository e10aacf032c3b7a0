package apitest

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
	"tcode/server/privacy"
	"tcode/server/tenant"
)

// actionAt are the functions that take the action of an audit row, and its place among their
// arguments.
var actionAt = map[string]int{"NewEntry": 2, "Entry": 0, "changeTask": 2, "keyEntry": 1}

// written returns the actions that a file writes: constants, and literals where rows are made.
func written(t *testing.T, path string) (actions []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	must(t, err)
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, _ := strconv.Unquote(lit.Value); strings.Contains(s, ".") {
				actions = append(actions, s)
			}
		}
	}
	name := func(e ast.Expr) string {
		if sel, ok := e.(*ast.SelectorExpr); ok {
			return sel.Sel.Name
		}
		return fmt.Sprint(e)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if strings.HasPrefix(n.Names[0].Name, "Action") && len(n.Values) > 0 {
				add(n.Values[0])
			}
		case *ast.KeyValueExpr:
			if name(n.Key) == "Action" {
				add(n.Value)
			}
		case *ast.CallExpr:
			if at, ok := actionAt[name(n.Fun)]; ok && at < len(n.Args) {
				add(n.Args[at])
			}
		}
		return true
	})
	return actions
}

// TestAuditActions: every action that the gateway writes is in the table, in the contract and in
// the guide.
//
//engine:sqlite no rows are read
func TestAuditActions(t *testing.T) {
	t.Parallel()
	known, want := map[string]bool{}, map[string]bool{}
	for _, a := range tenant.Actions() {
		known[a.Name] = true
	}
	for _, a := range []stamp.Action{stamp.ActionSuspend, stamp.ActionReactivate, stamp.ActionRevoke} {
		want["stamp."+string(a)] = true
	}
	for _, a := range []trustdoc.Action{trustdoc.ActionSuspend, trustdoc.ActionReinstate, trustdoc.ActionRevoke, trustdoc.ActionExpire} {
		want["document."+string(a)] = true
	}
	for _, a := range []trustdoc.TemplateAction{trustdoc.ActionArchive, trustdoc.ActionUnarchive} {
		want["trust_template."+string(a)] = true
	}
	for _, a := range []tdoc.Action{tdoc.ActionArchive, tdoc.ActionUnarchive} {
		want["tdoc."+string(a)] = true
	}
	for _, noun := range []string{"placement", "tdoc", "trust_template"} {
		for _, verb := range []string{".create", ".update", ".delete"} {
			want[noun+verb] = true
		}
	}
	for _, a := range []string{
		"placement.duplicate", "trust_template.duplicate", "trust_template.placement", "bulk." + string(bulk.Cancel), "bulk." + string(bulk.Retry),
		privacy.ActionErase(privacy.Stamp), privacy.ActionErase(privacy.Document),
	} {
		want[a] = true
	}
	for _, folder := range []string{"../../server", "../../cmd"} {
		must(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && e.Name() == "node_modules" {
				return fs.SkipDir
			}
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".gen.go") {
				for _, a := range written(t, path) {
					want[a] = true
				}
			}
			return err
		}))
	}
	for a := range want {
		if !known[a] {
			t.Errorf("%s is in no row of tenant.Actions", a)
		}
	}
	for a := range known {
		if !want[a] {
			t.Errorf("nothing writes %s", a)
		}
	}
}

// TestAuditActionsShown: the contract and the guide have the actions of tenants, and others are
// refused with near names.
//
//engine:sqlite no rows are read
func TestAuditActionsShown(t *testing.T) {
	t.Parallel()
	var doc struct {
		Components struct {
			Schemas struct {
				AuditAction struct {
					Enum        []string
					Description string
				}
			}
		}
	}
	r := harness.Start(t)
	must(t, json.Unmarshal(r.Want(r.Get("", "/openapi.json"), http.StatusOK).Raw, &doc))
	got := doc.Components.Schemas.AuditAction
	r.Tenant("ACME01")
	guide := html.UnescapeString(string(r.Want(r.Get("", "/docs/"), http.StatusOK).Raw))
	var names []string
	for _, a := range tenant.Actions() {
		if a.Gateway {
			continue
		}
		names = append(names, a.Name)
		if !strings.Contains(got.Description, "- `"+a.Name+"`: "+a.Text+"\n") {
			t.Errorf("the contract does not say %q of %s", a.Text, a.Name)
		}
		if !strings.Contains(guide, "<td><code>"+a.Name+"</code></td><td>"+a.Text+"</td>") {
			t.Errorf("the guide does not say %q of %s", a.Text, a.Name)
		}
	}
	if !slices.Equal(got.Enum, names) {
		t.Errorf("the contract has %s\nwant %s", got.Enum, names)
	}
	made, err := r.Admin.Tenants.CreateKey(t.Context(), "ACME01", tenant.KeyOptions{Name: "auditor", Scopes: []tenant.Scope{tenant.ScopeManage}})
	must(t, err)
	for action, near := range map[string]string{"stamp.revoked": "did you mean stamp.revoke?", "api_key.": "did you mean key.?", "nope": "such as stamp.revoke"} {
		a := r.WantCode(r.Get(made.Secret, "/v1/audit?Action="+action), http.StatusBadRequest, "VALIDATION_FAILED")
		if !strings.Contains(string(a.Raw), near) {
			t.Errorf("%s: %s", action, a.Raw)
		}
	}
	r.Want(r.Get(made.Secret, "/v1/audit?Action=key."), http.StatusOK)
	r.Want(r.Get(made.Secret, "/v1/audit?Action=key.create"), http.StatusOK)
}
