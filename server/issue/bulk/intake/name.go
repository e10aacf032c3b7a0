package intake

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
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

// An index finds files by the name in a row, the closest match first. It stays in
// memory for the whole job, so it is two sorted lists and no maps, which take several
// times the memory of their contents.
type index struct {
	names  []string // of the files
	whole  []key    // of all names
	nested []key    // without folders, of the files in a folder
}

// A key is a name, case folded, and the position of the file that has it.
type key struct {
	folded string
	at     int
}

// newIndex takes canonical names. The error is [ErrSameName].
func newIndex(names []string) (index, error) {
	x := index{names: names, whole: make([]key, 0, len(names))}
	for i, name := range names {
		x.whole = append(x.whole, keyOf(name, i))
		if base := path.Base(name); base != name {
			x.nested = append(x.nested, keyOf(base, i))
		}
	}
	slices.SortFunc(x.whole, func(a, b key) int { return x.compare(a, b.folded, names[b.at]) })
	slices.SortFunc(x.nested, func(a, b key) int { return strings.Compare(a.folded, b.folded) })
	for i := 1; i < len(x.whole); i++ {
		if name := names[x.whole[i].at]; name == names[x.whole[i-1].at] {
			return x, fmt.Errorf("%w: %q", ErrSameName, name)
		}
	}
	return x, nil
}

// compare orders whole names: case folded, then as they are.
func (x index) compare(k key, folded, name string) int {
	return cmp.Or(strings.Compare(k.folded, folded), strings.Compare(x.names[k.at], name))
}

// keyOf shares the memory of a name that folding does not change.
func keyOf(name string, at int) key {
	folded := fold(name)
	if folded == name {
		folded = name
	}
	return key{folded, at}
}

func fold(name string) string { return cases.Fold().String(name) }

// find looks among the names without folders last. A file in no folder was
// found before, if it is to be.
func (x index) find(name string) (int, error) {
	name = canonical(name)
	folded := fold(name)
	exact, ok := slices.BinarySearchFunc(x.whole, name, func(k key, name string) int { return x.compare(k, folded, name) })
	if ok {
		return x.whole[exact].at, nil
	}
	at, err := only(x.whole, folded)
	if errors.Is(err, ErrNoFile) && !strings.Contains(name, "/") {
		return only(x.nested, folded)
	}
	return at, err
}

// only returns the position of the one file with a key. Errors: [ErrNoFile],
// [ErrAmbiguous].
func only(keys []key, folded string) (int, error) {
	i, ok := slices.BinarySearchFunc(keys, folded, func(k key, folded string) int { return strings.Compare(k.folded, folded) })
	switch {
	case !ok:
		return 0, ErrNoFile
	case i+1 < len(keys) && keys[i+1].folded == folded:
		return 0, ErrAmbiguous
	}
	return keys[i].at, nil
}
