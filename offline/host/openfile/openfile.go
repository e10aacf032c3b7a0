// Package openfile opens files that a person named, which may be named pipes.
package openfile

import (
	"context"
	"os"
	"time"

	"tcode/offline/contain"
)

// Open opens a file that a person named. It may be a named pipe: opening one returns when another
// program opens it to write, and reading it when that program writes or ends. Both return when ctx
// ends: Open with its error, reading with [os.ErrDeadlineExceeded].
func Open(ctx context.Context, path string) (*os.File, error) {
	opened := make(chan *os.File, 1) // has room for a file that comes too late
	done := contain.Start("open-file", func() error {
		f, err := os.Open(path)
		opened <- f
		return err
	})
	select {
	case err := <-done:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f := <-opened
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return f, nil // it takes no deadline, and needs none
	}
	contain.AfterFunc(ctx, "file-deadline", func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	return f, nil
}
