package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
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
func (i Item) join(o Entry, name string, copy int) Item {
	if i.Name == "" || copy >= i.Copy {
		i.Name, i.Copy, i.Size = name, copy, o.Size
	}
	if o.Changed.After(i.Changed) {
		i.Changed = o.Changed
	}
	return i
}

// Stat returns a file without reading it; a zero Item means that there is none.
func (s *Store) Stat(ctx context.Context, name string) (item Item, err error) {
	if !validName(name) {
		return Item{}, nil
	}
	for o, err := range s.bucket.List(ctx, key(name, 0)) {
		if err != nil {
			return Item{}, fmt.Errorf("look for file %s: %w", name, err)
		}
		if of, copy, ok := parseKey(o.Key); ok && of == name {
			item = item.join(o, name, copy)
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
		if err := s.bucket.Remove(ctx, key(name, n)); err != nil {
			return fmt.Errorf("remove file %s: %w", name, err)
		}
	}
	return nil
}

// read opens a file from some byte on: its first copy, which it nearly always has, or its
// newest.
func (s *Store) read(ctx context.Context, name string, from int64) (*Object, error) {
	r, err := s.bucket.Open(ctx, key(name, 0), from)
	if !errors.Is(err, ErrNotFound) {
		return r, err
	}
	item, lookErr := s.Stat(ctx, name)
	if lookErr != nil || item.Copy == 0 {
		return nil, cmp.Or(lookErr, err)
	}
	return s.bucket.Open(ctx, key(name, item.Copy), from)
}
