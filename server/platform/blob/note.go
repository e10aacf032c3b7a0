package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"tcode/offline/digest"
	"tcode/server/platform/durable"
)

var (
	// ErrChanged means that a note is not of the version that its writer read.
	ErrChanged = errors.New("the note was changed meanwhile")
	// ErrConditions means that a bucket ignores the conditions of a request.
	ErrConditions = errors.New("the store of files ignores the conditions of requests, without which gateways overwrite each other: use another one")
)

const notesFolder = "notes"

// Note returns a small text of the store by its name, with its version: an empty one means
// that there is none.
func (s *Store) Note(ctx context.Context, name string) (data []byte, version string, err error) {
	if s.dir != "" {
		data, err = os.ReadFile(filepath.Join(s.dir, notesFolder, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", nil
		}
		return data, digest.Of(data).String(), err
	}
	r, err := s.bucket.NewReader(ctx, notesFolder+"/"+name, nil)
	if err != nil && s.cloud.absent(err) {
		if s.cloud.blind {
			_, _, err := s.bucket.ListPage(ctx, blob.FirstPageToken, 1, nil)
			return nil, "", s.unlisted(ctx, err)
		}
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("note %s: %w", name, s.unreachable(ctx, err))
	}
	var out bytes.Buffer
	_, err = r.WriteTo(&out)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, "", fmt.Errorf("note %s: %w", name, s.unreachable(ctx, err))
	}
	if version = s.cloud.version(r); version == "" {
		return nil, "", fmt.Errorf("note %s: the store of files sends no version", name)
	}
	return out.Bytes(), version, nil
}

// SetNote stores a text if the note is still of a version: "" for a new one. Otherwise the
// error is [ErrChanged].
func (s *Store) SetNote(ctx context.Context, name string, data []byte, version string) error {
	var err error
	if s.dir != "" {
		err = s.setFileNote(ctx, name, data, version)
	} else {
		err = s.bucket.Upload(ctx, notesFolder+"/"+name, bytes.NewReader(data), &blob.WriterOptions{
			ContentType: "text/plain; charset=utf-8", IfNotExist: version == "",
			BeforeWrite: func(as func(any) bool) error {
				if version != "" && !s.cloud.match(as, version) {
					return ErrChanged // nothing has this version
				}
				return nil
			},
		})
		if gcerrors.Code(err) == gcerrors.FailedPrecondition || err != nil && (s.cloud.conflict(err) || version != "" && s.cloud.absent(err)) {
			err = ErrChanged
		}
	}
	if err != nil && !errors.Is(err, ErrChanged) {
		err = unwritable(ctx, err)
	}
	if err != nil {
		return fmt.Errorf("note %s: %w", name, err)
	}
	return nil
}

// setFileNote is SetNote in a folder, whose lock it takes.
func (s *Store) setFileNote(ctx context.Context, name string, data []byte, version string) error {
	dir := filepath.Join(s.dir, notesFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for {
		unlock, err := durable.LockDir(dir)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			unlock = func() error { return nil }
		case errors.Is(err, durable.ErrLocked):
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Millisecond):
			}
			continue
		case err != nil:
			return err
		}
		_, now, err := s.Note(ctx, name)
		if err == nil && now != version {
			err = ErrChanged
		}
		if err == nil {
			err = durable.WriteFile(filepath.Join(dir, name), data)
		}
		if err == nil && version == "" {
			err = durable.SyncDir(s.dir)
		}
		return errors.Join(err, unlock())
	}
}

// ProveConditions returns [ErrConditions] for a bucket that overwrites an existing note
// against a condition. It writes what is there.
func (s *Store) ProveConditions(ctx context.Context, name string) error {
	data, version, err := s.Note(ctx, name)
	if err != nil || version == "" {
		return err
	}
	other := "no version"
	if s.cloud != nil {
		other = s.cloud.other
	}
	for _, wrong := range []string{"", other} {
		switch err := s.SetNote(ctx, name, data, wrong); {
		case err == nil:
			return fmt.Errorf("%s: %w", s.place, ErrConditions)
		case !errors.Is(err, ErrChanged):
			return err
		}
	}
	return nil
}
