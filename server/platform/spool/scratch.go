package spool

import (
	"errors"
	"os"
)

// A Scratch is a file that one task writes and reads. It has no name, so that it
// is gone when it is closed or its process ends.
type Scratch struct {
	*os.File
	named bool // the system keeps the names of open files
}

// forget removes the name, unless the system keeps it until the file is closed.
func (s *Scratch) forget() { s.named = os.Remove(s.Name()) != nil }

// Close lets go of the file. Closing nil does nothing.
func (s *Scratch) Close() error {
	if s == nil {
		return nil
	}
	err := s.File.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.Name()))
	}
	return err
}
