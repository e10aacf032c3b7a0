package intake

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
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

// Errors of an archive as a whole. Their text is for who made it.
var (
	ErrNotZIP     = errors.New("the file is not a ZIP archive")
	ErrTooMany    = errors.New("the ZIP archive has too many entries")
	ErrZIP64      = errors.New("the ZIP archive is in the ZIP64 form, which archives of this size never need")
	ErrParts      = errors.New("the ZIP archive is one of several parts")
	ErrOverlap    = errors.New("entries of the ZIP archive share bytes")
	ErrSameName   = errors.New("two entries of the ZIP archive have the same name")
	ErrUnsafeName = errors.New("an entry of the ZIP archive has a name that leads out of its folder")
)

// Errors of one file of an archive.
var (
	ErrNoFile     = errors.New("is not in the ZIP archive")
	ErrAmbiguous  = errors.New("is in several folders of the ZIP archive; give the folder too")
	ErrEncrypted  = errors.New("is encrypted in the ZIP archive")
	ErrMethod     = errors.New("is packed in a way other than store or deflate")
	ErrFileLength = errors.New("is too large")
	ErrRatio      = errors.New("is packed more than 100 to 1, which no PDF is")
	ErrDamaged    = errors.New("is damaged in the ZIP archive")
)

// An Archive is a ZIP file of PDFs (APPNOTE 6.3). It is safe for concurrent
// use if its reader is.
type Archive struct {
	limits Limits
	r      io.ReaderAt
	files  []entry
	index  index
}

// OpenArchive reads the directory of a ZIP file of size bytes. Folders, and
// the extra files that macOS and Windows put in, are left out. Entries that
// share bytes, lead out of their folder or have the same name are refused:
// archives that people make have none.
func OpenArchive(r io.ReaderAt, size int64, limits Limits) (*Archive, error) {
	a := &Archive{limits: limits.withDefaults(), r: r}
	if err := checkEnd(r, size, a.limits.Entries); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("%w: %w", ErrNotZIP, err)
	}
	if len(z.File) > a.limits.Entries {
		return nil, ErrTooMany
	}
	entries, err := sideBySide(z.File, size)
	if err != nil {
		return nil, err
	}
	var names []string
	for i, f := range z.File {
		name := nameOf(f)
		if unsafe(name) {
			return nil, ErrUnsafeName
		}
		if !incidental(name) {
			a.files, names = append(a.files, entries[i]), append(names, name)
		}
	}
	if a.index, err = newIndex(names); err != nil {
		return nil, err
	}
	return a, nil
}

// Len returns how many files there are.
func (a *Archive) Len() int { return len(a.files) }

// Name returns the name of the file at position i, in the archive's order.
func (a *Archive) Name(i int) string { return a.index.names[i] }

// Find returns the position of the file that a row calls name. It is found under
// its whole name, or its name without folders if only one file has that; upper
// and lower case and the normal forms of Unicode make no difference, unless two
// files differ in nothing else. Errors: [ErrNoFile], [ErrAmbiguous].
func (a *Archive) Find(name string) (int, error) { return a.index.find(name) }

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
