package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// key returns the key of a copy of a file: the first has number 0. The files are spread
// over 256 folders.
func key(name string, copy int) string {
	k := name[:2] + "/" + name
	if copy > 0 {
		k += "." + strconv.Itoa(copy)
	}
	return k
}

// parseKey returns the file and the copy that a key is of.
func parseKey(k string) (name string, copy int, ok bool) {
	folder, rest, _ := strings.Cut(k, "/")
	name, number, more := strings.Cut(rest, ".")
	if more {
		copy, _ = strconv.Atoi(number)
	}
	return name, copy, validName(name) && len(folder) == 2 && k == key(name, copy)
}

// An Item is one file in a list of the store.
type Item struct {
	Name    string    // SHA-256 in hex
	Size    int64     // of the newest copy
	Copy    int       // the newest copy
	Changed time.Time // when one of its copies was put last
}

// join adds a copy.
func (i Item) join(o *blob.ListObject, name string, copy int) Item {
	if i.Name == "" || copy >= i.Copy {
		i.Name, i.Copy, i.Size = name, copy, o.Size
	}
	if o.ModTime.After(i.Changed) {
		i.Changed = o.ModTime
	}
	return i
}

// Stat returns a file without reading it; a zero Item means that there is none.
func (s *Store) Stat(ctx context.Context, name string) (item Item, err error) {
	if !validName(name) {
		return Item{}, nil
	}
	if s.dir != "" {
		return s.statFolder(name)
	}
	list := s.bucket.List(&blob.ListOptions{Prefix: key(name, 0)})
	for {
		o, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			return item, nil
		}
		if err != nil {
			return Item{}, fmt.Errorf("look for file %s: %w", name, s.unlisted(ctx, err))
		}
		if of, copy, ok := parseKey(o.Key); ok && of == name {
			item = item.join(o, name, copy)
		}
	}
}

// statFolder is Stat in a folder, where a list of the bucket would look at every file next to
// it.
func (s *Store) statFolder(name string) (item Item, err error) {
	folder := name[:2]
	entries, err := os.ReadDir(s.path(folder))
	if err != nil {
		return item, missing(err)
	}
	for _, e := range entries {
		of, copy, ok := parseKey(folder + "/" + e.Name())
		if !ok || of != name {
			continue
		}
		info, err := e.Info()
		if err == nil {
			item = item.join(&blob.ListObject{Size: info.Size(), ModTime: info.ModTime()}, name, copy)
		} else if missing(err) != nil {
			return Item{}, err
		}
	}
	return item, nil
}

// Remove removes all copies of a file up to one. Condemn them first: a request may be about
// to name the file.
func (s *Store) Remove(ctx context.Context, name string, copy int) error {
	if !validName(name) {
		return ErrNotFound
	}
	for n := range copy + 1 {
		if err := s.remove(ctx, key(name, n)); err != nil {
			return fmt.Errorf("remove file %s: %w", name, s.unreachable(ctx, err))
		}
	}
	return nil
}

func (s *Store) remove(ctx context.Context, key string) error {
	err := s.bucket.Delete(ctx, key)
	if s.cloud == nil && gcerrors.Code(err) == gcerrors.NotFound || s.cloud != nil && s.cloud.absent(err) {
		return nil
	}
	return err
}

// read opens a file from some byte on: its first copy, which it nearly always has, or its
// newest.
func (s *Store) read(ctx context.Context, name string, from int64) (*blob.Reader, error) {
	r, err := s.bucket.NewRangeReader(ctx, key(name, 0), from, -1, nil)
	if gcerrors.Code(err) != gcerrors.NotFound {
		return r, err
	}
	item, lookErr := s.Stat(ctx, name)
	if lookErr != nil || item.Copy == 0 {
		return nil, errors.Join(err, lookErr)
	}
	return s.bucket.NewRangeReader(ctx, key(name, item.Copy), from, -1, nil)
}
