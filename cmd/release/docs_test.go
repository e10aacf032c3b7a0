package main

import (
	"archive/tar"
	"io"
	"path"
	"regexp"
	"strings"
	"testing"
)

// markdownLink is a link from one document to another file.
var markdownLink = regexp.MustCompile(`\]\(([^)#:]+)[)#]`)

// checkLinks: the links of the documents in an archive, which has files of these names, lead to files in it.
func checkLinks(t *testing.T, names map[string]int64, archive string) {
	t.Helper()
	links := 0
	eachFile(t, archive, func(h *tar.Header, r io.Reader) {
		if path.Ext(h.Name) != ".md" {
			return
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range markdownLink.FindAllStringSubmatch(string(text), -1) {
			to, ok := path.Join(path.Dir(h.Name), m[1]), false
			for name := range names {
				ok = ok || name == to || strings.HasPrefix(name, to+"/")
			}
			if links++; !ok {
				t.Errorf("%s links to %s, which is not in the archive", h.Name, m[1])
			}
		}
	})
	if links < 50 {
		t.Errorf("%d links in the archive, want those of the project", links)
	}
}
