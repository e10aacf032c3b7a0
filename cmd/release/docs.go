package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tcode/cmd/internal/pack"
)

// linkTarget is the target of a link or a picture in Markdown, without the place in the file.
var linkTarget = regexp.MustCompile(`(?:\]\(|(?:src|href)=")([^)"#\s]+)`)

// docs returns what README.md links to in the checkout, what those documents link to, and so on, in order of their names. The
// README itself and the licence, which each archive has, are not among them.
func (r *release) docs() ([]pack.Entry, error) {
	const begin = "README.md"
	found := map[string][]byte{}
	for queue := []string{begin}; len(queue) > 0; queue = queue[1:] {
		name := queue[0]
		if _, ok := found[name]; ok {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.source.top, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		found[name] = data
		if path.Ext(name) != ".md" {
			continue
		}
		for _, link := range linkTarget.FindAllStringSubmatch(string(data), -1) {
			files, err := r.linked(name, link[1])
			if err != nil {
				return nil, err
			}
			queue = append(queue, files...)
		}
	}
	delete(found, begin)
	delete(found, "LICENSE")
	var out []pack.Entry
	for name, data := range found {
		out = append(out, pack.Entry{Name: name, Mode: 0o644, Data: data})
	}
	slices.SortFunc(out, func(a, b pack.Entry) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// linked returns the files that a link in the document from leads to: one, those of a folder, or none for a link out of the
// checkout.
func (r *release) linked(from, link string) (files []string, err error) {
	if strings.Contains(link, ":") || path.IsAbs(link) {
		return nil, nil
	}
	top := os.DirFS(r.source.top)
	name := path.Join(path.Dir(from), link)
	err = fs.WalkDir(top, name, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s links to %s: %w", from, link, err)
	}
	return files, nil
}
