package logjournal

import (
	"bytes"
	"fmt"
)

// Damage is what does not verify in a log, other than a torn commit at its end.
type Damage struct {
	Header  bool   // a copy of the header
	Places  int    // unreadable places between frames that verify, or in the snapshot
	Bytes   int64  // in those places
	Commits uint64 // commits that are missing between others
}

func (d *Damage) Error() string {
	return fmt.Sprintf("the log is damaged (header %t, places %d, bytes %d, commits %d)", d.Header, d.Places, d.Bytes, d.Commits)
}

// scanner reads the frames of a slot into the index of its log.
type scanner struct {
	*Log
	w       *window
	snapEnd int64
	frames  uint64 // of the snapshot, seen
	bad     int64  // begin of the place that does not verify; -1: none
	torn    bool   // this place can be one commit that was not flushed
	missing bool   // frames of the snapshot
}

// scan reads the slot in use, and cuts a torn tail if nothing is damaged.
func (l *Log) scan() error {
	w, err := newWindow(l.files[l.at])
	if err != nil {
		return err
	}
	l.number = l.head.base
	s := &scanner{Log: l, w: w, snapEnd: headSize + int64(l.head.size), bad: -1}
	for at := int64(headSize); at < w.size; {
		if at, err = s.step(at); err != nil {
			return err
		}
	}
	l.end = w.size
	if s.bad >= 0 {
		l.end = s.bad
		if !s.torn || s.bad < s.snapEnd {
			s.note(w.size)
		}
	}
	if (s.frames != l.head.frames || w.size < s.snapEnd) && !s.missing {
		l.damage.Places++
	}
	if l.damage != (Damage{}) {
		return nil
	}
	l.cut = w.size - l.end
	if l.cut > 0 {
		return l.truncate(l.end)
	}
	return l.files[l.at].Flush() // the last frame may be one whose flush failed: from now on the owner relies on it
}

// step reads what is at a place, and returns the next place to read.
func (s *scanner) step(at int64) (next int64, err error) {
	raw, err := s.w.piece(at, frameHead)
	if err != nil {
		return 0, err
	}
	f, ok := s.head.open(raw)
	if !ok {
		s.fails(at, true)
		return s.find(at + 1)
	}
	next = at + frameHead + int64(f.length)
	body, err := s.w.piece(at+frameHead, f.length)
	if err != nil {
		return 0, err
	}
	if len(body) < f.length {
		s.fails(at, true)
		return s.find(at + 1)
	}
	if s.head.sum(body) != f.sum || !entries(body, func(entry) {}) || !s.follows(f, at) {
		s.fails(at, next == s.w.size)
		return next, nil
	}
	s.note(at)
	if f.kind == kindCommit {
		s.damage.Commits += f.number - s.number - 1
		if f.number > s.number+1 && s.damage.Places == 0 {
			s.damage.Places++
		}
		s.number = f.number
	}
	entries(body, func(e entry) {
		s.apply(string(e.key), place{off: at + frameHead + int64(e.at), n: e.n}, e.removed)
	})
	return next, nil
}

// follows reports whether a frame belongs at a place.
func (s *scanner) follows(f frame, at int64) bool {
	if f.kind == kindCommit {
		return at >= s.snapEnd && f.number > s.number
	}
	ok := at < s.snapEnd && f.number > s.frames && f.number <= s.head.frames
	if ok {
		s.missing = s.missing || f.number > s.frames+1
		s.frames = f.number
	}
	return ok
}

// fails begins a place that does not verify, or continues it. A second failure in it that is not of the same bytes cannot be of
// the same commit.
func (s *scanner) fails(at int64, torn bool) {
	if s.bad < 0 {
		s.bad, s.torn = at, torn
		return
	}
	s.torn = false
}

// note ends the place that does not verify: it is damage.
func (s *scanner) note(at int64) {
	if s.bad >= 0 {
		s.damage.Places++
		s.damage.Bytes += at - s.bad
		s.missing = s.missing || s.bad < s.snapEnd
		s.bad = -1
	}
}

// find returns the next place from at on whose bytes are the head of a frame, or the end of the file.
func (s *scanner) find(at int64) (int64, error) {
	for at < s.w.size {
		raw, err := s.w.piece(at, aheadMin)
		if err != nil {
			return 0, err
		}
		i := bytes.Index(raw, frameMagic[:])
		if i < 0 {
			at += int64(max(1, len(raw)-len(frameMagic)+1))
			continue
		}
		at += int64(i)
		if raw, err = s.w.piece(at, frameHead); err != nil {
			return 0, err
		}
		if _, ok := s.head.open(raw); ok {
			return at, nil
		}
		at++
	}
	return s.w.size, nil
}
