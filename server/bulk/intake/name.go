package intake

import (
	"archive/zip"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// nameOf returns the name of an entry in NFC, with slashes. Names that are not
// UTF-8 are in code page 437, as APPNOTE appendix D says and Windows does.
func nameOf(f *zip.File) string {
	name := f.Name
	if !utf8.ValidString(name) {
		name, _ = charmap.CodePage437.NewDecoder().String(name) // every byte is a character
	}
	return canonical(name)
}

// canonical returns one form for names that look the same: macOS writes
// accents as characters of their own (NFD), other systems do not (NFC).
func canonical(name string) string {
	name = norm.NFC.String(strings.ReplaceAll(name, `\`, "/"))
	for strings.HasPrefix(name, "./") {
		name = name[2:]
	}
	return name
}

// An index finds files by what a row calls them, the closest way first.
type index struct {
	exact  map[string]int
	folded map[string][]int // case folded
	base   map[string][]int // without folders, case folded
}

func newIndex(files []*zip.File) (index, error) {
	x := index{exact: map[string]int{}, folded: map[string][]int{}, base: map[string][]int{}}
	for i, f := range files {
		name := nameOf(f)
		if _, taken := x.exact[name]; taken {
			return x, fmt.Errorf("%w: %q", ErrSameName, name)
		}
		x.exact[name] = i
		x.folded[fold(name)] = append(x.folded[fold(name)], i)
		x.base[fold(path.Base(name))] = append(x.base[fold(path.Base(name))], i)
	}
	return x, nil
}

func fold(name string) string { return cases.Fold().String(name) }

func (x index) find(name string) (int, error) {
	name = canonical(name)
	if i, ok := x.exact[name]; ok {
		return i, nil
	}
	ways := [][]int{x.folded[fold(name)]}
	if !strings.Contains(name, "/") {
		ways = append(ways, x.base[fold(name)])
	}
	for _, found := range ways {
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		return 0, ErrAmbiguous
	}
	return 0, ErrNoFile
}
