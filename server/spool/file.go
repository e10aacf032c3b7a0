package spool

import (
	"errors"
	"hash"
	"io"
	"os"
	"sync"
)

// A File holds bytes that do not change. It takes a descriptor and room on the
// disk until it is closed. It is safe for concurrent use.
type File struct {
	name   string // to be removed when it is closed; "" if it has none any more
	size   int64
	sha256 string
	state  hash.Cloner // SHA-256 of all bytes, to go on from

	file *os.File
	mu   sync.Mutex // guards file's offset, which reading from a place does not use
}

// Size returns the length in bytes.
func (f *File) Size() int64 { return f.size }

// SHA256 returns the hash of the bytes in hex.
func (f *File) SHA256() string { return f.sha256 }

// Section returns a reader of all bytes, each time a new one. It reads from an
// [os.File] that was opened for reading only, so that a child process is passed
// the file and not a copy of it. It is of no use once f is closed.
func (f *File) Section() *io.SectionReader { return io.NewSectionReader(f.file, 0, f.size) }

// copyTo writes all bytes to w; between two files the system copies them.
func (f *File) copyTo(w io.Writer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := io.Copy(w, io.LimitReader(f.file, f.size))
	if err == nil && n < f.size {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Close lets go of the file, which is gone then. Closing nil does nothing.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	var err error
	if f.file != nil {
		err = f.file.Close()
	}
	if f.name != "" {
		err = errors.Join(err, os.Remove(f.name))
	}
	return err
}
