//go:build !js

package uplink_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"tcode/sync/outbox"
)

var files atomic.Int64

func init() {
	stores["file"] = func(t *testing.T) place {
		path := filepath.Join(modelDir(t), strconv.FormatInt(files.Add(1), 10)+".db")
		return place{open: func(ctx context.Context) (queue, error) { return outbox.Open(ctx, path) }}
	}
}

// modelDir returns a folder in memory if the system has one, because the
// scripts make thousands of durable commits.
func modelDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "tcode-model-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
