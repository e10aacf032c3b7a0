// Package pack writes archives that depend on their contents alone: entries are
// sorted, belong to root and have one time, and no name of a user or a machine
// is in them.
//
//	[]Entry ─▶ Complete (folders, order) ─┬▶ TarGz
//	                                      ├▶ Zip
//	                                      └▶ Deb (ar: debian-binary, control.tar.gz, data.tar.gz)
package pack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// An Entry is a file or a folder of an archive.
type Entry struct {
	Name string      // with slashes, relative, without "." and ".."
	Mode fs.FileMode // permissions; fs.ModeDir for a folder
	Data []byte      // content, unless Path is set
	Path string      // file on this machine that has the content
	Link string      // target of a symbolic link
}

// open returns the content and its size.
func (e Entry) open() (io.ReadCloser, int64, error) {
	if e.Path == "" {
		return io.NopCloser(bytes.NewReader(e.Data)), int64(len(e.Data)), nil
	}
	f, err := os.Open(e.Path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// copyTo copies the content to w and returns its size.
func (e Entry) copyTo(w io.Writer) (n int64, err error) {
	r, size, err := e.open()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if n, err = io.Copy(w, r); err == nil && n != size {
		err = fmt.Errorf("%s changed while it was read", e.Name)
	}
	return n, err
}

// Complete returns the entries in order, with the folders that they are in. The
// error names an entry whose name is not allowed or not the only one.
func Complete(entries []Entry) ([]Entry, error) {
	byName := map[string]Entry{}
	for _, e := range entries {
		if !fs.ValidPath(e.Name) || e.Name == "." || strings.Contains(e.Name, `\`) {
			return nil, fmt.Errorf("%q is no name for an archive", e.Name)
		}
		if _, twice := byName[e.Name]; twice {
			return nil, fmt.Errorf("%s is twice in the archive", e.Name)
		}
		byName[e.Name] = e
	}
	for name := range byName {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if in, ok := byName[dir]; !ok {
				byName[dir] = Entry{Name: dir, Mode: fs.ModeDir | 0o755}
			} else if !in.Mode.IsDir() {
				return nil, fmt.Errorf("%s is a file and a folder", dir)
			}
		}
	}
	all := make([]Entry, 0, len(byName))
	for _, e := range byName {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// TarGz writes the entries as a compressed tar archive.
func TarGz(w io.Writer, entries []Entry, at time.Time) error {
	return tarGz(w, entries, at, "")
}

// tarGz writes names with a prefix.
func tarGz(w io.Writer, entries []Entry, at time.Time, prefix string) error {
	all, err := Complete(entries)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	if prefix != "" {
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: prefix, Mode: 0o755, ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}); err != nil {
			return err
		}
	}
	for _, e := range all {
		if err := e.tar(t, at, prefix); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func (e Entry) tar(t *tar.Writer, at time.Time, prefix string) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: prefix + e.Name, Mode: int64(e.Mode.Perm()), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
	switch {
	case e.Mode.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		return t.WriteHeader(h)
	case e.Link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.Link, 0o777
		return t.WriteHeader(h)
	}
	r, size, err := e.open()
	if err != nil {
		return err
	}
	defer r.Close()
	h.Size = size
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(t, r)
	return err
}

// Zip writes the entries, none of which may be a link, as a ZIP archive.
func Zip(w io.Writer, entries []Entry, at time.Time) error {
	all, err := Complete(entries)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, e := range all {
		if e.Link != "" {
			return fmt.Errorf("%s: a link in a ZIP archive", e.Name)
		}
		h := &zip.FileHeader{Name: e.Name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(e.Mode)
		if e.Mode.IsDir() {
			h.Name, h.Method = h.Name+"/", zip.Store
		}
		into, err := z.CreateHeader(h)
		if err == nil && !e.Mode.IsDir() {
			_, err = e.copyTo(into)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}
