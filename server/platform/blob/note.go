package blob

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"tcode/offline/digest"
)

var (
	// ErrChanged means that a note is not of the version that its writer read.
	ErrChanged = errors.New("the note was changed meanwhile")
	// ErrConditions means that a bucket ignores the conditions of a request.
	ErrConditions = errors.New("the store of files ignores the conditions of requests, " +
		"without which gateways overwrite each other: use another one")
)

const notesFolder = "notes"

// Note returns a small text of the store by its name, with its version: an empty one means
// that there is none.
func (s *Store) Note(ctx context.Context, name string) (data []byte, version string, err error) {
	r, err := s.bucket.Open(ctx, notesFolder+"/"+name, 0)
	if errors.Is(err, ErrNotFound) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("note %s: %w", name, err)
	}
	data, err = io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, "", fmt.Errorf("note %s: %w", name, err)
	}
	return data, cmp.Or(r.Version, digest.Of(data).String()), nil
}

// SetNote stores a text if the note is still of a version: "" for a new one. Otherwise the
// error is [ErrChanged].
func (s *Store) SetNote(ctx context.Context, name string, data []byte, version string) error {
	c := Condition{New: version == "", Version: version}
	err := s.bucket.Put(ctx, notesFolder+"/"+name, bytes.NewReader(data), c)
	if err != nil && !errors.Is(err, ErrChanged) {
		err = unwritable(ctx, err)
	}
	if err != nil {
		return fmt.Errorf("note %s: %w", name, err)
	}
	return nil
}

// otherVersion is one that no note has.
const otherVersion = "00000000000000000000000000000000"

// ProveConditions returns [ErrConditions] for a bucket that overwrites an existing note
// against a condition. It writes what is there.
func (s *Store) ProveConditions(ctx context.Context, name string) error {
	data, version, err := s.Note(ctx, name)
	if err != nil || version == "" {
		return err
	}
	for _, wrong := range []string{"", otherVersion} {
		switch err := s.SetNote(ctx, name, data, wrong); {
		case err == nil:
			return fmt.Errorf("%s: %w", s.place, ErrConditions)
		case !errors.Is(err, ErrChanged):
			return err
		}
	}
	return nil
}
