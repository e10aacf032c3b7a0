package intake

import (
	"cmp"
	"slices"
	"strings"
)

// An index finds files by the name in a row, the closest match first. It stays in
// memory for the whole job, so it is sorted lists and no maps, which take several
// times the memory of their contents.
type index struct {
	names []string // of the files
	keys  []key    // by loose name, then name, the likeliest name of a file first
	bases []int32  // positions in keys, by loose name without folders
}

// A key is one of the names that a file may have.
type key struct {
	loose, name string
	at          int // position of the file
	guess       int // which of its names it is; 0: the likeliest
}

// before orders keys by loose name, then name.
func (k key) before(loose, name string) int {
	return cmp.Or(strings.Compare(k.loose, loose), strings.Compare(k.name, name))
}

// newIndex returns the index of the files of an archive. The error is [ErrSameName].
func newIndex(files []entryName) (index, error) {
	x := index{names: make([]string, 0, len(files)), keys: make([]key, 0, len(files))}
	for at, names := range files {
		x.names = append(x.names, names[0])
		for i, name := range names {
			x.keys = append(x.keys, key{loose(name), name, at, i})
		}
	}
	slices.SortFunc(x.keys, func(a, b key) int {
		return cmp.Or(a.before(b.loose, b.name), cmp.Compare(a.guess, b.guess), cmp.Compare(a.at, b.at))
	})
	for i := 1; i < len(x.keys); i++ {
		if k, before := x.keys[i], x.keys[i-1]; k.name == before.name && k.guess+before.guess == 0 {
			return x, ErrSameName.of(k.name)
		}
	}
	x.bases = make([]int32, len(x.keys))
	for i := range x.bases {
		x.bases[i] = int32(i)
	}
	slices.SortStableFunc(x.bases, func(a, b int32) int { return strings.Compare(base(x.keys[a].loose), base(x.keys[b].loose)) })
	return x, nil
}

// base returns a name without folders.
func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// endings are those that people leave out: file managers hide them.
var endings = []string{".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff"}

// find returns the file that a row calls name, and its name in the encoding that fits.
func (x index) find(name string) (k key, err error) {
	name = canonical(name)
	l := loose(name)
	if i, ok := slices.BinarySearchFunc(x.keys, name, func(k key, name string) int { return k.before(l, name) }); ok && x.keys[i].guess == 0 {
		return x.keys[i], nil
	}
	if base(l) == "" {
		return k, ErrNoFile
	}
	longer := make([]string, len(endings))
	for i, e := range endings {
		longer[i] = l + e
	}
	for _, level := range []struct {
		of    func(string, *[]key)
		names []string
	}{{x.exactly, []string{name}}, {x.like, []string{l}}, {x.like, longer}, {x.elsewhere, []string{l}}, {x.elsewhere, longer}} {
		var found []key
		for _, n := range level.names {
			level.of(n, &found)
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return k, ErrAmbiguous.of(found[0].name, found[1].name)
		}
	}
	return k, ErrNoFile
}

// add adds a key to those found, if it is that of another file. Two tell that a name is
// ambiguous.
func add(found *[]key, k key) {
	if len(*found) < 2 && (len(*found) == 0 || (*found)[0].at != k.at) {
		*found = append(*found, k)
	}
}

// exactly adds the files with a name.
func (x index) exactly(name string, found *[]key) {
	l := loose(name)
	i, _ := slices.BinarySearchFunc(x.keys, name, func(k key, name string) int { return k.before(l, name) })
	for ; i < len(x.keys) && x.keys[i].name == name; i++ {
		add(found, x.keys[i])
	}
}

// like adds the files with a loose name.
func (x index) like(loose string, found *[]key) {
	i, _ := slices.BinarySearchFunc(x.keys, loose, func(k key, loose string) int { return strings.Compare(k.loose, loose) })
	for ; i < len(x.keys) && x.keys[i].loose == loose && len(*found) < 2; i++ {
		add(found, x.keys[i])
	}
}

// elsewhere adds the files with a loose name in more folders than it has, or in fewer if
// no other file has that name without folders.
func (x index) elsewhere(loose string, found *[]key) {
	last := base(loose)
	i, _ := slices.BinarySearchFunc(x.bases, last, func(at int32, last string) int { return strings.Compare(base(x.keys[at].loose), last) })
	var others []key
	fewer := false
	for ; i < len(x.bases) && base(x.keys[x.bases[i]].loose) == last && len(*found) < 2; i++ {
		k := x.keys[x.bases[i]]
		add(&others, k)
		switch {
		case strings.HasSuffix(k.loose, "/"+loose):
			add(found, k)
		case strings.HasSuffix(loose, "/"+k.loose):
			fewer = true
			add(found, k)
		}
	}
	if fewer && len(*found) == 1 {
		for _, k := range others {
			add(found, k)
		}
	}
}
