package spool

import (
	"crypto/sha256"
	"fmt"
	"hash"
)

// small is how many bytes of an upload are kept in memory: most files that are
// refused are refused before the disk has seen them.
const small = 256 << 10

// A Writer takes an upload as it comes, so that no more than a small part of it
// is ever in memory. It is not safe for concurrent use.
type Writer struct {
	d    *Folder
	data []byte    // all of it, while it is small
	p    *place    // all of it, from then on
	sum  hash.Hash // SHA-256 of what is in p
}

// Writer returns a Writer of an empty upload. It is closed, or [Writer.Upload] is
// called.
func (d *Folder) Writer() *Writer { return &Writer{d: d, sum: sha256.New()} }

// Write adds b. The error is an [ErrUnwritable], after which w is of no more use.
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

// Upload returns what was written. It is closed in w's place.
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

// Close lets go of what was written, unless it is an [Upload] by now.
func (w *Writer) Close() error {
	if w.p == nil {
		return nil
	}
	p := w.p
	w.p = nil
	return p.close()
}
