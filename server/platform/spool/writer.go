package spool

import (
	"crypto/sha256"
	"fmt"
	"hash"
)

// small is the number of bytes of an upload that stay in memory: most refused files are
// refused before they reach the disk.
const small = 256 << 10

// A Writer receives an upload, with only a small part of it in memory. It is not safe for
// concurrent use.
type Writer struct {
	d    *Folder
	data []byte    // all of it, while it is small
	p    *place    // all of it, from then on
	sum  hash.Hash // SHA-256 of the bytes in p
}

// Writer returns a Writer for an empty upload. The caller calls [Writer.Upload] or
// Close.
func (d *Folder) Writer() *Writer { return &Writer{d: d, sum: sha256.New()} }

// Write adds b. The error is an [ErrUnwritable], after which w is useless.
func (w *Writer) Write(b []byte) (int, error) {
	if w.p == nil && len(w.data)+len(b) <= small {
		w.data = append(w.data, b...)
		return len(b), nil
	}
	if w.p == nil {
		p, err := w.d.place()
		if err != nil {
			return 0, err
		}
		w.p = p
		if err := w.put(w.data); err != nil {
			return 0, err
		}
		w.data = nil
	}
	if err := w.put(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (w *Writer) put(b []byte) error {
	if _, err := w.p.w.WriteAt(b, w.p.end); err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	_, _ = w.sum.Write(b) // never fails
	w.p.end += int64(len(b))
	return nil
}

// Upload returns the written bytes. The caller closes the result instead of w.
func (w *Writer) Upload() (*Upload, error) {
	if w.p == nil {
		return Bytes(w.data), nil
	}
	f, err := w.p.extend(w.sum.(hash.Cloner), nil)
	if err != nil {
		return nil, err
	}
	w.p = nil
	return &Upload{size: f.size, file: f}, nil
}

// Close releases the written bytes, unless they have become an [Upload].
func (w *Writer) Close() error {
	if w.p == nil {
		return nil
	}
	p := w.p
	w.p = nil
	return p.close()
}
