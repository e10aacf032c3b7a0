package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"gocloud.dev/blob"
)

// An Item is one file in a list of the store.
type Item struct {
	Name string // SHA-256 in hex
	Size int64
}

// All lists the files in the store in the order of their names, and ends
// after an error. It leaves out files in the bucket whose names are not the
// store's.
func (s *Store) All(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		// By folder: a bucket of files reads all its files for every page.
		for n := range 256 {
			if !s.list(ctx, fmt.Sprintf("%02x/", n), yield) {
				return
			}
		}
	}
}

// list yields the files of one folder, and reports whether to continue.
func (s *Store) list(ctx context.Context, folder string, yield func(Item, error) bool) bool {
	list := s.bucket.List(&blob.ListOptions{Prefix: folder})
	for {
		o, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			yield(Item{}, fmt.Errorf("list files: %w", err))
			return false
		}
		name := o.Key[len(folder):]
		if !validName(name) || o.Key != key(name) {
			continue
		}
		if !yield(Item{name, o.Size}, nil) {
			return false
		}
	}
}
