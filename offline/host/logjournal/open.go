package logjournal

import (
	"crypto/rand"
	"fmt"
)

// slot is what Open finds in a file.
type slot struct {
	size  int64
	head  header
	valid int // copies of the header that are valid and of the highest generation
}

// Open opens the log in two files, and makes it if both are empty. The files belong to the log from now on, also after an error:
// the log's Close closes them, and Open closes them if it fails. A log of a later version is not opened (ErrNewer).
func Open(a, b File) (*Log, error) {
	l := &Log{files: [2]File{a, b}, index: map[string]place{}}
	if err := l.open(); err != nil {
		_ = l.Close() // nothing was committed
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return l, nil
}

func (l *Log) open() error {
	var slots [2]slot
	for i, f := range l.files {
		var err error
		if slots[i], err = readSlot(f); err != nil {
			return err
		}
	}
	if slots[1].before(&slots[0]) {
		l.at = 1
	}
	here, other := slots[l.at], slots[1-l.at]
	l.head = here.head
	if here.valid < 2 && here.size <= headSize && other.size <= headSize {
		return l.begin() // there is no frame
	}
	if here.valid == 0 {
		l.damage = Damage{Header: true, Bytes: here.size + other.size}
		return nil
	}
	l.damage.Header = here.valid < 2
	if err := l.scan(); err != nil {
		return err
	}
	if l.damage == (Damage{}) && other.size > 0 { // a snapshot that did not end, or the slot before it
		return empty(l.files[1-l.at])
	}
	return nil
}

// before reports whether this slot is the one in use. One whose second copy of the header is missing was not flushed, if the other
// slot is still there.
func (s *slot) before(other *slot) bool {
	if s.valid != other.valid {
		return s.valid > other.valid
	}
	return s.valid > 0 && s.head.generation > other.head.generation
}

func readSlot(f File) (s slot, err error) {
	w, err := newWindow(f)
	if err != nil {
		return s, err
	}
	s.size = w.size
	raw, err := w.piece(0, headSize)
	if err != nil {
		return s, err
	}
	for len(raw) > 0 {
		one := raw[:min(copySize, len(raw))]
		raw = raw[len(one):]
		h, ok, err := decodeHeader(one)
		switch {
		case err != nil:
			return s, err
		case !ok:
		case s.valid == 0 || h.generation > s.head.generation:
			s.head, s.valid = h, 1
		case h == s.head:
			s.valid++
		}
	}
	return s, nil
}

// begin makes the first slot of an empty log.
func (l *Log) begin() error {
	h := header{generation: 1}
	_, _ = rand.Read(h.nonce[:]) // never fails
	if err := empty(l.files[1]); err != nil {
		return err
	}
	if err := l.files[0].Truncate(0); err != nil {
		return err
	}
	if _, err := l.files[0].WriteAt(h.encode(), 0); err != nil {
		return err
	}
	l.at, l.head, l.end = 0, h, headSize
	return l.files[0].Flush()
}

// empty makes a file empty, durably.
func empty(f File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	return f.Flush()
}
