package blob

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gocloud.dev/blob"
)

// Each calls each for every file in the store, in the order of names. What lies
// in the bucket under other names than the store gives is left out.
func (s *Store) Each(ctx context.Context, each func(name string, size int64) error) error {
	list := s.bucket.List(&blob.ListOptions{})
	for {
		o, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list files: %w", err)
		}
		if len(o.Key) < 3 || !validName(o.Key[3:]) || o.Key != key(o.Key[3:]) {
			continue
		}
		if err := each(o.Key[3:], o.Size); err != nil {
			return err
		}
	}
}
