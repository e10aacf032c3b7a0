package spool

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"sync"
)

// A File holds bytes that do not change. It uses space on the disk and, together with
// the data appended to it, two descriptors until it is closed. It is safe for concurrent
// use.
type File struct {
	place  *place
	size   int64
	before int64 // size of the file to which this one was appended
	sha256 string
	state  hash.Cloner // SHA-256 of all bytes, to continue from
	closed bool        // guarded by place.mu
}

// Size returns the length in bytes.
func (f *File) Size() int64 { return f.size }

// SHA256 returns the hash of the bytes in hex.
func (f *File) SHA256() string { return f.sha256 }

// Section returns a new reader of all bytes. It reads from an [os.File] that was opened
// for reading only, so that a child process gets the file and not a copy of it. It must
// not be used after f is closed.
func (f *File) Section() *io.SectionReader { return io.NewSectionReader(f.place.r, 0, f.size) }

// Close releases the file. Closing nil, or closing again, does nothing.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	p := f.place
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	if f.size == p.end { // nothing was appended to it: its own part is free again
		p.end = f.before
	}
	if p.files--; p.files > 0 {
		return nil
	}
	return p.close()
}

// A place is a file of the system without a name, which grows only while a [File] lies in
// it: each File is a number of its first bytes.
type place struct {
	r *os.File
	w *Scratch

	mu    sync.Mutex // guards the rest, and the offsets of r and w, which readers of a File do not use
	files int        // open files
	end   int64      // end of the longest of them
}

// errTaken means that there is something behind the file already.
var errTaken = errors.New("a file was extended already")

// appended returns a file in f's place with f's bytes and then more. The errors are an
// [ErrUnwritable] and errTaken.
func (f *File) appended(more []byte) (*File, error) {
	p := f.place
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case f.closed:
		return nil, fmt.Errorf("%w: %w", ErrUnwritable, os.ErrClosed)
	case p.end != f.size:
		return nil, errTaken
	}
	return p.extend(f.state, more)
}

// extend writes more behind the bytes in p, whose hash is of. It returns all of them as
// a file. The error is an [ErrUnwritable]. It is called under mu, or before p is
// shared.
func (p *place) extend(of hash.Cloner, more []byte) (*File, error) {
	sum, err := of.Clone()
	if err != nil {
		return nil, err // never with SHA-256
	}
	f := &File{place: p, size: p.end + int64(len(more)), before: p.end}
	if _, err := p.w.WriteAt(more, p.end); err != nil {
		_ = p.w.Truncate(p.end) // otherwise the next write replaces the partly written bytes
		return nil, fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	_, _ = sum.Write(more) // never fails
	f.state, f.sha256 = sum, hex.EncodeToString(sum.Sum(nil))
	p.end, p.files = f.size, p.files+1
	return f, nil
}

// copyTo copies the first n bytes to an empty place; the system copies them.
func (p *place) copyTo(to *place, n int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.r.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	done, err := io.Copy(to.w, io.LimitReader(p.r, n))
	if err == nil && done < n {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	to.end = n
	return nil
}

func (p *place) close() error {
	var err error
	if p.r != nil {
		err = p.r.Close()
	}
	err = errors.Join(err, p.w.Close())
	return err
}
