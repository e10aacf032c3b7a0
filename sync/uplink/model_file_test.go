//go:build !js

package uplink_test

import (
	"context"

	"tcode/sync/outbox"
)

func init() {
	openFile = func(ctx context.Context, path string) (queue, error) { return outbox.Open(ctx, path) }
}
