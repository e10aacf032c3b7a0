package main

import (
	"errors"
	"fmt"
	"time"

	"tcode/sync/outbox"
)

// A sighting is a state of a file and the time since when it has been so.
type sighting struct {
	file  outbox.WatchedFile
	since time.Time
	first time.Time // since when it is waited for, also in other states
	told  bool      // that it is
	done  bool
	again bool // it may be a part of a file that another program still sends: it is read later
}

// item is the state of the file for the process that started this one.
func (s *sighting) item() string {
	state := fmt.Sprint(s.file.Size, s.file.Modified.UnixNano())
	return s.file.Path + itemSeparator + state
}

// patience is how many times --settle a document is unreadable until that is its outcome: programs
// that send a file in parts may pause between them.
const patience = 10

// errBeingWritten says that another program has a document open, which is thus not complete.
var errBeingWritten = errors.New("another program has the file open")

// errIncomplete says that a PDF has no end.
var errIncomplete = errors.New("the PDF has no end")

// changed returns the sighting of a file that has changed.
func (s sighting) changed(file outbox.WatchedFile) sighting {
	now := time.Now()
	next := sighting{file: file, since: now, first: s.first, told: s.told}
	if s.first.IsZero() || s.done {
		next.first, next.told = now, false
	}
	return next
}

// wait names a document that is not complete after a while, once. With --once it gives the
// document up after --wait: done is true then, and the next run judges it.
func (w *watch) wait(s *sighting) (done bool, err error) {
	waited := time.Since(s.first)
	if w.full || waited < min(patience*w.Settle, w.Wait) {
		return false, nil
	}
	view := watchView{File: s.file.Path, Outcome: watchWaiting, Reason: "another program has it open or changes it"}
	if writing(s.file.Path) {
		view.Reason = "another program has it open for writing"
	}
	if w.Once && waited >= w.Wait {
		view.Outcome = watchUnreadable
		view.Reason += fmt.Sprintf(", still after %v: end that program, or run this again later", w.Wait)
		return true, w.tell(view)
	}
	if s.told {
		return false, nil
	}
	s.told = true
	if w.app.out.JSON {
		err = w.app.out.Emit(view, nil)
	}
	fmt.Fprintf(w.app.std.Err, "tcode-scan: %s is waited for: %s\n", escapePath(view.File), view.Reason)
	return false, err
}
