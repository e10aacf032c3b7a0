package frame_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/server/console/frame"
	"tcode/server/fault"
)

// services are the packages whose faults a screen can show.
var services = []string{
	"account", "brand", "console", "fault", "issue", "outbound/webhook", "pdfstamp", "picturepdf", "platform/keyring", "privacy", "refdata", "store", "platform/spool", "tenant", "verify",
}

// shown are the kinds of faults whose sentences a screen shows.
var shown = []string{"Invalid", "Conflict", "Forbidden", "Rejected", "TooLarge", "Precondition"}

// text returns a constant text of the source.
func text(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// A source has the sentences of the services.
type source struct {
	keys map[string]string // formats of faults and of problems of fields, to their places
	all  map[string]bool   // all constant texts
}

// read reads the source of the services.
func read(t *testing.T) source {
	t.Helper()
	s := source{map[string]string{}, map[string]bool{}}
	for _, dir := range services {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "console/frame/") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(ast.Expr); ok {
					if said, ok := text(lit); ok {
						s.all[said] = true
					}
				}
				if call, ok := n.(*ast.CallExpr); ok {
					if key := keyOf(call); key != "" {
						s.keys[key] = set.Position(call.Pos()).String()
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// keyOf returns the sentence of a call that makes a fault or a problem, or "".
func keyOf(call *ast.CallExpr) string {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if maker, named := call.Fun.(*ast.Ident); named && maker.Name == "unreadableFault" { // of issue/stamp
		said, _ := text(call.Args[0])
		return said
	}
	if !ok {
		return ""
	}
	at := map[string]int{"Add": 1, "AddCell": 3, "WithField": 1, "Say": 0, "New": 2}[f.Sel.Name]
	switch of, _ := f.X.(*ast.Ident); f.Sel.Name {
	case "Add", "WithField", "AddCell":
		if f.Sel.Name == "Add" && len(call.Args) > 2 { // of bulk/intake
			if _, ok := text(call.Args[1]); ok || !isText(call.Args[1]) {
				if said, ok := text(call.Args[2]); ok && strings.Contains(said, " ") {
					return said
				}
			}
		}
	case "Say", "New":
		if of == nil || of.Name != "fault" {
			return ""
		}
		if kind, ok := call.Args[0].(*ast.SelectorExpr); f.Sel.Name == "New" && (!ok || !slices.Contains(shown, kind.Sel.Name)) {
			return ""
		}
	default:
		return ""
	}
	if len(call.Args) <= at {
		return ""
	}
	said, _ := text(call.Args[at])
	if !strings.Contains(said, " ") { // the number of a counter, or a sentence from elsewhere
		return ""
	}
	return said
}

// isText reports whether e is a constant text.
func isText(e ast.Expr) bool { _, ok := text(e); return ok }

// elsewhere are the sentences that are not translated: of requests that no screen makes, and
// those with parts in English, which a screen shows in English as a whole.
var elsewhere = map[string][]string{
	"api": {
		"another request with this Idempotency-Key was answered meanwhile", "are needed with tdocTemplateId", "is needed with fields", "must be 1 to %d days", "must be 1 to 1000", "must be 1 to 1000000",
		"must be 64 hexadecimal digits", "must be a UUID", "must be after From", "must be before to", "must be fresh, stale, too_old or unknown", "must be ids of records", "no such kind of data", "no such reason", "is always kept for %s", "must be %d to %d days, or forever", "must be stamp or document",
		"must be one of the pages that would be stamped, the first of which is %d", "must be stamped or original", "must be stamped, original, barcode or payload",
		"must be suspend, revoke or reactivate", "must be suspend, revoke, reinstate or expire", "must have a label", "must name at most 64 fields", "must not end before it begins", "needs FieldName",
		"needs externalId or fields", "needs externalId, sha256 or fields", "needs pageScope custom", "needs xNorm", "needs yNorm", "must be %s, a share of the page's %s, not mm or points",
		"must be %s, a share of the page's %s, not mm: %g mm are %.4g of the %g mm of %s", "the key %q must be 1 to 16 characters of a-z, 0-9 and _",
		"the key that makes this one lacks the scope %s itself", "the payload cannot be decoded: %v", "the role %s needs a tenant", "an operator belongs to no tenant", "the row has an outcome",
		"this Idempotency-Key was used for another request", "this device is refused: %s. Its scans stay on it", "this key lacks the scope %s: use or make a key that has it",
		"what the first request with this Idempotency-Key made was erased",
		"the passkey is known already, or there are too many", "the passkey is the only way in; add another one first", "sign in again first", // the screen has its own words
		"users of several tenants have the address %s: name the tenant",
	},
	"english": {
		"cannot be drawn on a page: %v", "cannot be drawn: it %s", "cannot be signed: %v", "caption: %v", "gives no stamp on page %d that can be read: %s; another placement may help", "the file %v",
		"the stamp would change what the document shows: %s", "would look different once it is stamped: %s", "the stamp on page %d cannot be read back at %d dpi: %s",
		"the page cannot be drawn, so the stamp cannot be read back: the PDF %s",
		"%s; the contents of the page are damaged: they cover a stamp beneath them, and MuPDF or PDFium does not draw what follows them",
	},
}

// TestSentences: every sentence of a service that a screen can show is in all languages. The
// table has no sentence that no service says.
func TestSentences(t *testing.T) {
	t.Parallel()
	s := read(t)
	if len(s.keys) < 150 {
		t.Fatalf("only %d sentences were found", len(s.keys))
	}
	left := map[string]bool{}
	for _, keys := range elsewhere {
		for _, key := range keys {
			if left[key] = true; s.keys[key] == "" {
				t.Errorf("no service says %q", key)
			}
		}
	}
	t.Logf("%d sentences, in English alone %d", len(s.keys), len(elsewhere["english"]))
	for key, at := range s.keys {
		for _, language := range []string{"de", "fr", "es", "ar"} {
			if has := frame.Translated(key, language) != ""; has == left[key] {
				t.Errorf("%s: %q in %s: %v", at, key, language, has)
			}
		}
	}
	for _, key := range frame.Keys() {
		if s.keys[key] == "" && !s.all[key] && !s.all[strings.TrimSuffix(key, " (page %d)")] {
			t.Errorf("no service says %q", key)
		}
	}
}

// TestSaid: the translations of a sentence have the same parts of it, and say each. What is
// not translated is in English, and marked so.
func TestSaid(t *testing.T) {
	t.Parallel()
	verbs := regexp.MustCompile(`%[-+# 0]*[0-9]*(\.[0-9]+)?[a-zA-Z]`)
	for _, key := range frame.Keys() {
		text := fault.Text{Key: key}
		for i := range verbs.FindAllString(key, -1) {
			text.Args = append(text.Args, fmt.Sprintf("<%d>", i))
		}
		if got := frame.Say("en", text); got.String() != text.String() || got[0].Lang != "" {
			t.Errorf("%q in English is %+v", key, got)
		}
		var parts []string
		for _, language := range []string{"de", "fr", "es", "ar"} {
			got := frame.Say(language, text)
			if strings.Contains(got.String(), "%!") || got[0].Lang != "" || got.String() == text.String() {
				t.Errorf("%q in %s is %+v", key, language, got)
			}
			var has []string
			for _, a := range text.Args {
				if strings.Contains(got.String(), a) {
					has = append(has, a)
				}
			}
			if parts != nil && !slices.Equal(parts, has) {
				t.Errorf("%q: in %s the parts %v, in another language %v", key, language, has, parts)
			}
			parts = append([]string{}, has...)
		}
	}
	got := frame.Say("de", fault.Say("must not be empty"), fault.Say("is %d of a kind", 1), fault.Say("must be at most %d MiB", 25))
	want := frame.Sentences{{Text: "Darf nicht leer sein"}, {Text: "is 1 of a kind", Lang: "en"}, {Text: "Höchstens 25 MiB"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
