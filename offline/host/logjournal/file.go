package logjournal

import (
	"errors"
	"io"
)

// A File is one of the two files of a log. Nothing else uses it.
type File interface {
	// ReadAt reads len(b) bytes at off. It returns fewer only with an error: io.EOF at the end of the file.
	ReadAt(b []byte, off int64) (int, error)
	// WriteAt writes b at off; bytes between the end of the file and off become zero. An error that is journal.ErrFull means that
	// there is no room.
	WriteAt(b []byte, off int64) (int, error)
	// Truncate makes the file that long.
	Truncate(size int64) error
	Size() (int64, error)
	// Flush returns nil when everything before survives the end of the machine.
	Flush() error
	Close() error
}

const (
	aheadMin = 4 << 10
	aheadMax = 256 << 10
)

// window reads pieces of a file. Pieces that follow one another cost few reads.
type window struct {
	f     File
	size  int64
	buf   []byte
	off   int64 // of buf in the file
	ahead int
}

func newWindow(f File) (*window, error) {
	size, err := f.Size()
	return &window{f: f, size: size, ahead: aheadMin}, err
}

// piece returns up to n bytes at off, fewer at the end of the file. They are valid until the next call.
func (w *window) piece(off int64, n int) ([]byte, error) {
	if off >= w.size {
		return nil, nil
	}
	n = int(min(int64(n), w.size-off))
	if off >= w.off && off+int64(n) <= w.off+int64(len(w.buf)) {
		from := int(off - w.off)
		return w.buf[from : from+n], nil
	}
	end := w.off + int64(len(w.buf))
	if off >= w.off && off <= end+aheadMin {
		w.ahead = min(2*w.ahead, aheadMax)
	} else {
		w.ahead = aheadMin
	}
	want := int(min(int64(max(n, w.ahead)), w.size-off))
	if cap(w.buf) < want {
		w.buf = make([]byte, max(want, aheadMax))
	}
	w.buf, w.off = w.buf[:want], off
	got, err := w.f.ReadAt(w.buf, off)
	if got < want {
		w.buf = w.buf[:0]
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return w.buf[:n], nil
}
