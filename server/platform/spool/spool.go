// Package spool holds files in use, so that no process holds them in memory: a stamping
// needs the uploaded file and the stamped one until all pages are drawn, and each of its
// child processes reads one. Call [Open] first.
//
//	body of a request ─▶ Writer ─▶ Upload ─▶ File ─┬─▶ Section ─▶ child processes map it, the blob store copies it
//	                      bytes ─────┘             └─▶ Folder.Append(File, revision) ─▶ File
//
//	one place on the disk    |◀──── File ────▶|             the upload
//	                         |◀──── File: both ──────────▶| with the stamp
//
// A [File] has no name once it is there, so that it is gone when it is closed or
// its process ends, however that comes about. The same holds for a [Scratch],
// which is for bytes that are written and read once. What has to outlive that is copied
// to where it is to stay. The folder is not synced: nothing in it outlives a
// power cut, nor is meant to.
package spool

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"time"
)

// ErrUnwritable means that files cannot be written here, whatever they contain: the disk
// is full or read-only, the folder is gone or belongs to another user, or this process has
// too many files open.
var ErrUnwritable = errors.New("files cannot be worked on")

// A Folder is the folder of the files. It is safe for concurrent use, also by several
// processes on one folder.
type Folder struct {
	dir string

	// Guard, if set, returns an error if there is no space for new files. Set it before the
	// folder is used.
	Guard func() error
}

// Open returns the folder dir, which is made if missing (0700). It removes files of
// processes that were killed.
func Open(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open spool: %w", err)
	}
	d := &Folder{dir: dir}
	d.sweep()
	return d, nil
}

// pattern is the name of files until they lose their names; one older than stale is no
// longer in use.
const (
	pattern = "work-*.tmp"
	stale   = time.Hour
)

// sweep removes old files. Only a process that was killed between two system calls leaves
// one, or any process on a system that keeps the names of open files.
func (d *Folder) sweep() {
	left, _ := filepath.Glob(filepath.Join(d.dir, pattern)) // none if the folder's name is a pattern
	for _, name := range left {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > stale {
			_ = os.Remove(name) // the next sweep tries again
		}
	}
}

// Put returns a file that holds data. The error is an [ErrUnwritable].
func (d *Folder) Put(data []byte) (*File, error) {
	p, err := d.place()
	if err != nil {
		return nil, err
	}
	f, err := p.extend(sha256.New().(hash.Cloner), data)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return f, nil
}

// Append returns a file with the bytes of f and then more. It writes more behind f, in
// the same place, unless something is there already; then the system copies f. It hashes
// only the new bytes. The error is an [ErrUnwritable], and also [os.ErrClosed] if f was
// closed.
func (d *Folder) Append(f *File, more []byte) (*File, error) {
	g, err := f.appended(more)
	if !errors.Is(err, errTaken) {
		return g, err
	}
	p, err := d.place()
	if err != nil {
		return nil, err
	}
	if err = f.place.copyTo(p, f.size); err == nil {
		g, err = p.extend(f.state, more)
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return g, nil
}

// Writable returns an [ErrUnwritable] if files cannot be written to the folder now. It
// writes a small one and removes it.
func (d *Folder) Writable() error {
	f, err := d.Put(make([]byte, 4096))
	if err != nil {
		return err
	}
	return f.Close()
}

// Room returns an [ErrUnwritable] if Guard allows no new file in the
// folder.
func (d *Folder) Room() error {
	if d.Guard == nil {
		return nil
	}
	if err := d.Guard(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	return nil
}

// Scratch returns an empty file. It does not call [Folder.Room], so that work
// continues while no new work may begin. The error is an [ErrUnwritable].
func (d *Folder) Scratch() (*Scratch, error) {
	s, err := d.create()
	if err != nil {
		return nil, err
	}
	s.forget()
	return s, nil
}

// create makes an empty file, which still has its name.
func (d *Folder) create() (*Scratch, error) {
	f, err := os.CreateTemp(d.dir, pattern) // mode 0600
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	return &Scratch{File: f, named: true}, nil
}

// place makes an empty one.
func (d *Folder) place() (*place, error) {
	if err := d.Room(); err != nil {
		return nil, err
	}
	w, err := d.create()
	if err != nil {
		return nil, err
	}
	p := &place{w: w}
	// Opened anew, for reading only: who is passed this descriptor cannot change
	// the file.
	p.r, err = os.Open(w.Name())
	w.forget()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrUnwritable, err), p.close())
	}
	return p, nil
}
