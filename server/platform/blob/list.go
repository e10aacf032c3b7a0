package blob

import (
	"context"
	"fmt"
	"iter"
)

// All lists the files in the store in the order of their names, and ends
// after an error. It leaves out files in the bucket whose names are not the
// store's.
func (s *Store) All(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		// By folder, so that no list is long.
		for n := range 256 {
			if !s.list(ctx, fmt.Sprintf("%02x/", n), yield) {
				return
			}
		}
	}
}

// list yields the files of one folder, and reports whether to continue. The copies of a
// file follow each other.
func (s *Store) list(ctx context.Context, folder string, yield func(Item, error) bool) bool {
	var item Item
	for o, err := range s.bucket.List(ctx, folder) {
		if err != nil {
			yield(Item{}, fmt.Errorf("list files: %w", err))
			return false
		}
		name, copy, ok := parseKey(o.Key)
		if !ok {
			continue
		}
		if item.Name != "" && item.Name != name {
			if !yield(item, nil) {
				return false
			}
			item = Item{}
		}
		item = item.join(o, name, copy)
	}
	return item.Name == "" || yield(item, nil)
}

// Empty reports whether there is nothing in the store, whatever its name.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	for _, err := range s.bucket.List(ctx, "") {
		if err != nil {
			return false, fmt.Errorf("list files: %w", err)
		}
		return false, nil
	}
	return true, nil
}
