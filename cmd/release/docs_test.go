package main

import (
	"archive/tar"
	"io"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"
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

func TestDebianChanges(t *testing.T) {
	t.Parallel()
	r := &release{source: source{version: "v1.2.0-rc.1", at: time.Date(2026, 11, 8, 1, 2, 3, 0, time.UTC)}}
	const want = "tcode (1.2.0~rc.1) unstable; urgency=medium\n\n  * CHANGELOG.md in this folder has the changes.\n\n" +
		" -- The TCode Authors <tcode@localhost>  Sun, 08 Nov 2026 01:02:03 +0000\n"
	if got := string(r.debianChanges(debPackages[1])); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
