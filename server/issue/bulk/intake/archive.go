package intake

import (
	"archive/zip"
	"cmp"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
)

// Limits bound what an archive may hold. Zero fields are the defaults
// named here.
type Limits struct {
	Entries   int   // 10,000
	FileBytes int64 // of one file, inflated: 25 MiB
	Ratio     int64 // of inflated to packed: 100, where more than a MiB comes out
}

func (l Limits) withDefaults() Limits {
	l.Entries = cmp.Or(l.Entries, 10_000)
	l.FileBytes = cmp.Or(l.FileBytes, 25<<20)
	l.Ratio = cmp.Or(l.Ratio, 100)
	return l
}

// An Archive is a ZIP file of PDFs (APPNOTE 6.3). It is safe for concurrent
// use if its reader is.
type Archive struct {
	limits Limits
	r      io.ReaderAt
	files  []entry
	index  index
	office *Refusal // of it as a CSV file; only with ErrOffice
}

// OpenArchive reads the directory of a ZIP file of size bytes. Folders, and
// the extra files that macOS and Windows put in, are left out. Entries that
// share bytes, lead out of their folder or have the same name are refused:
// archives that people make have none. The error of a file that is not taken is a
// [Refusal].
func OpenArchive(r io.ReaderAt, size int64, limits Limits) (*Archive, error) {
	a := &Archive{limits: limits.withDefaults(), r: r}
	if err := checkEnd(r, size, a.limits.Entries); errors.Is(err, ErrNotZIP) {
		return nil, notZIP(r, size)
	} else if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, ErrNotZIP
	}
	if len(z.File) > a.limits.Entries {
		return nil, ErrTooMany.of(a.limits.Entries)
	}
	entries, err := sideBySide(z.File, size)
	if err != nil {
		return nil, err
	}
	var names []entryName
	for i, f := range z.File {
		name := nameOf(f)
		if unsafe(name[0]) {
			return nil, ErrUnsafeName.of(name[0])
		}
		if !incidental(name[0]) {
			a.files, names = append(a.files, entries[i]), append(names, name)
		}
	}
	if a.index, err = newIndex(names); err != nil {
		return nil, err
	}
	if a.office = officeOf(a.index.names); a.office != nil {
		return a, ErrOffice
	}
	return a, nil
}

// Len returns how many files there are.
func (a *Archive) Len() int { return len(a.files) }

// Name returns the name of the file at position i, in the archive's order.
func (a *Archive) Name(i int) string { return a.index.names[i] }

// Find returns the position of the file that a row calls name: the one with that whole
// name, or else the only one whose name is like it. Upper and lower case, the normal
// forms of Unicode, the forms of apostrophes, hyphens and spaces, the ending .pdf and the
// folders that only one of the two has make no difference then. Errors: [ErrNoFile],
// [ErrAmbiguous].
//
// as is the file's name in the encoding that fits the row, with which Find returns the
// same file.
func (a *Archive) Find(name string) (at int, as string, err error) {
	k, err := a.index.find(name)
	return k.at, k.name, err
}

// Read returns the bytes of the file at position i. Errors: [ErrEncrypted],
// [ErrMethod], [ErrFileLength], [ErrRatio], [ErrDamaged].
func (a *Archive) Read(i int) ([]byte, error) {
	if err := a.files[i].check(a.limits); err != nil {
		return nil, err
	}
	return a.files[i].read(a.r)
}

// unsafe reports whether a name, used as a path, would leave its folder. None
// is used so; an archive with one was made to attack.
func unsafe(name string) bool {
	if strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':' || strings.ContainsRune(name, 0) {
		return true
	}
	return slices.Contains(strings.Split(name, "/"), "..")
}

// incidental reports whether a name is a folder's, or of a file that systems
// put beside those of a person.
func incidental(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(name, "/") || strings.HasPrefix(name, "__MACOSX/") ||
		strings.HasPrefix(base, "._") || base == ".DS_Store" || strings.EqualFold(base, "Thumbs.db") || strings.EqualFold(base, "desktop.ini")
}
