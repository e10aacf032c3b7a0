package spool

import (
	"bytes"
	"os"
	"sync"

	"tcode/scanner/filekind"
)

// An Upload is an uploaded file. If it is small, or was in memory anyway, it is bytes
// until it is known to be used; otherwise it is a [File]. The code that makes an
// Upload closes it. It is safe for concurrent use, and nil is an upload without
// bytes.
type Upload struct {
	size int64

	mu     sync.Mutex // guards the rest; held while the file is written, so that it is written once
	data   []byte     // nil once there is a file
	file   *File
	closed bool
}

// Bytes returns an Upload of data, which must not change any more. A caller that wants to
// free the memory early must drop data, too.
func Bytes(data []byte) *Upload { return &Upload{size: int64(len(data)), data: data} }

// Size returns the length in bytes.
func (u *Upload) Size() int64 {
	if u == nil {
		return 0
	}
	return u.size
}

// headerWithin is the number of first bytes in which readers look for the header of a PDF
// (ISO 32000-1, annex H, note 13).
const headerWithin = 1024

// IsPDF reports whether the upload begins as a PDF does. The rest may still be damaged.
func (u *Upload) IsPDF() bool { return bytes.Contains(u.head(), []byte("%PDF-")) }

// A Kind is a kind of documents that are uploaded.
type Kind struct {
	ContentType string
	Extension   string // of file names, with its dot
}

// PDF is the kind of documents that need not become one.
var PDF = Kind{"application/pdf", ".pdf"}

var pictures = map[filekind.Kind]Kind{
	filekind.PNG:  {"image/png", ".png"},
	filekind.JPEG: {"image/jpeg", ".jpg"},
	filekind.TIFF: {"image/tiff", ".tif"},
}

// Picture returns the kind of picture that the upload begins as. ok is false if it is none. The rest may still be damaged.
func (u *Upload) Picture() (k Kind, ok bool) {
	k, ok = pictures[filekind.Of(u.head())]
	return k, ok
}

// IsDocument reports whether the upload begins as a PDF or as one of these pictures does.
func (u *Upload) IsDocument() bool {
	_, ok := u.Picture()
	return ok || u.IsPDF()
}

// NoDocument is the sentence for people about an upload that is no document.
const NoDocument = "is not a PDF, and not a PNG, JPEG or TIFF picture"

// head returns the first bytes.
func (u *Upload) head() []byte {
	if u == nil {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	head := u.data[:min(len(u.data), headerWithin)]
	if u.file != nil && !u.closed {
		head = make([]byte, min(u.size, headerWithin))
		n, err := u.file.Section().ReadAt(head, 0)
		if head = head[:n]; err != nil && n == 0 {
			return nil
		}
	}
	return head
}

// File returns the bytes as a file in d, the same one each time, and frees them at the
// first call. The file is closed with u. The error is an [ErrUnwritable], after which it
// can be tried again, or [os.ErrClosed].
func (u *Upload) File(d *Folder) (*File, error) {
	if u == nil {
		return nil, os.ErrInvalid
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return nil, os.ErrClosed
	}
	if u.file == nil {
		f, err := d.Put(u.data)
		if err != nil {
			return nil, err
		}
		u.file, u.data = f, nil
	}
	return u.file, nil
}

// Close releases bytes and file.
func (u *Upload) Close() error {
	if u == nil {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return nil
	}
	u.closed, u.data = true, nil
	return u.file.Close()
}
