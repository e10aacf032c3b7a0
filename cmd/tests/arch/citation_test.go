package arch_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A citation names a document of the repository, and maybe a heading in it:
//
//	offline/README.md, "Verdict table"
//	[sync](../sync/README.md)
//
// "a FORMAT.md" is a kind of document and not a citation.
var (
	citation = regexp.MustCompile(`(\ba )?([\w./-]+\.md)\b(?:, "([^"]+)")?`)
	linkText = regexp.MustCompile(`\[[^\]]*\]\(`)
	// outside matches documents that a comment may not cite, because readers of
	// the repository do not have them.
	outside     = regexp.MustCompile(`\b(DESIGN|SPEC)\b`)
	lineComment = regexp.MustCompile(`\n\s*// ?`)
	heading     = regexp.MustCompile(`(?m)^#+ +(?:\d+\. +)?(.+?) *$`)
)

// minCitations is the smallest plausible number: fewer mean that the walk, or
// the pattern, finds nothing.
const minCitations = 60

// TestCitations: every cited document and heading is in the repository.
func TestCitations(t *testing.T) {
	cited := 0
	eachText(t, func(rel, text string) { cited += checkCitations(t, rel, unwrap(path.Ext(rel), text)) })
	if cited < minCitations {
		t.Errorf("%d citations found, want at least %d", cited, minCitations)
	}
}

// eachText calls fn with each source file and document of the repository.
func eachText(t *testing.T, fn func(rel, text string)) {
	t.Helper()
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(file, top+string(filepath.Separator)))
		if d.IsDir() {
			if name := d.Name(); name == ".git" || name == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		switch path.Ext(rel) {
		case ".go", ".md", ".sql", ".yaml", ".js", ".mjs", ".html", ".txt":
		default:
			if path.Dir(rel) != ".ci" {
				return nil
			}
		}
		raw, err := os.ReadFile(file)
		if err == nil {
			fn(rel, string(raw))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unwrap joins the lines of a comment, so that a citation may begin on one line
// and end on the next. The text of a link is not a citation, but its address
// is.
func unwrap(ext, text string) string {
	switch ext {
	case ".go":
		return lineComment.ReplaceAllString(text, " ")
	case ".md":
		return linkText.ReplaceAllString(text, "(")
	}
	return text
}

// checkCitations returns the number of citations in text, which is that of file.
func checkCitations(t *testing.T, file, text string) (n int) {
	t.Helper()
	if file == "cmd/tests/arch/citation_test.go" {
		return 0
	}
	if m := outside.FindString(text); m != "" {
		t.Errorf("%s cites %s, which is not in the repository", file, m)
	}
	for _, m := range citation.FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			continue
		}
		raw, ok := citedDocument(file, m[2])
		if !ok {
			t.Errorf("%s cites %s, which is not there", file, m[2])
			continue
		}
		n++
		if m[3] != "" && !hasHeading(raw, m[3]) {
			t.Errorf("%s cites %s, %q, which has no such heading", file, m[2], m[3])
		}
	}
	return n
}

// citedDocument finds a cited document: in the folder of the citing file or the
// one above, at the top of the repository, or where GitHub looks for it.
func citedDocument(file, name string) ([]byte, bool) {
	for _, at := range []string{path.Join(path.Dir(file), name), path.Join(path.Dir(file), "..", name), name, path.Join(".github", name)} {
		if raw, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(at))); err == nil {
			return raw, true
		}
	}
	return nil, false
}

func hasHeading(raw []byte, want string) bool {
	for _, m := range heading.FindAllStringSubmatch(string(raw), -1) {
		if m[1] == want {
			return true
		}
	}
	return false
}
