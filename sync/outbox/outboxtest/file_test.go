//go:build !js

package outboxtest_test

import (
	"context"
	"path/filepath"
	"testing"

	"tcode/sync/outbox"
	"tcode/sync/outbox/outboxtest"
)

// file is a place in a file.
type file string

func (f file) Open(ctx context.Context) (outboxtest.Store, error) {
	return outbox.Open(ctx, string(f))
}

func TestFile(t *testing.T) {
	t.Parallel()
	outboxtest.Run(t, func(t *testing.T) outboxtest.Place { return file(filepath.Join(t.TempDir(), "outbox.db")) })
}
