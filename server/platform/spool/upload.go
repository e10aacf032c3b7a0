package spool

import (
	"fmt"
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

// A Kind is a kind of documents that are uploaded.
type Kind struct {
	ContentType string
	Extension   string // of file names, with its dot
}

// PDF is the kind of documents that need not become one.
var PDF = Kind{"application/pdf", ".pdf"}

var documents = map[filekind.Kind]Kind{
	filekind.PDF:  PDF,
	filekind.PNG:  {"image/png", ".png"},
	filekind.JPEG: {"image/jpeg", ".jpg"},
	filekind.TIFF: {"image/tiff", ".tif"},
}

// Document returns the kind of the document that the upload is, which may still be damaged. problem
// says for people why it is none, behind words such as "the file"; it is empty for a document.
func (u *Upload) Document() (k Kind, problem string) {
	bytes := u.decisive()
	kind := filekind.Of(bytes)
	if k, ok := documents[kind]; ok {
		return k, ""
	}
	name, advice := filekind.Describe(bytes)
	if name == "" {
		return k, NoDocument
	}
	if advice != "" {
		name += "; " + advice
	}
	return k, fmt.Sprintf("is neither a PDF nor a PNG, JPEG or TIFF picture: it is %s", name)
}

// NoDocument begins the problem of an upload that is no document.
const NoDocument = "is neither a PDF nor a PNG, JPEG or TIFF picture"

// decisive returns the bytes that decide the kind: the first ones of a PDF, otherwise all.
func (u *Upload) decisive() []byte {
	if u == nil {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.file == nil || u.closed {
		return u.data
	}
	head := u.first(filekind.HeadLen)
	if filekind.Of(head) == filekind.PDF {
		return head
	}
	return u.first(u.size)
}

// first returns n bytes of the file, fewer if it has fewer or cannot be read.
func (u *Upload) first(n int64) []byte {
	b := make([]byte, min(n, u.size))
	n2, _ := u.file.Section().ReadAt(b, 0)
	return b[:n2]
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
