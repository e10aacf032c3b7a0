package memory_test

import (
	"context"
	"runtime"
	"testing"

	"tcode/offline/host/memory"
)

// TestWatch: the watch sees memory that is in use, and says it once.
func TestWatch(t *testing.T) {
	if runtime.GOOS == "linux" && memory.Default() < 64<<20 {
		t.Errorf("Default() = %d", memory.Default())
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	limit := memory.Used() + 64<<20
	said, done := make(chan uint64, 1), make(chan struct{})
	go func() {
		defer close(done)
		memory.Watch(ctx, limit, func(used uint64) { said <- used })
	}()
	held := make([]byte, 128<<20)
	for i := 0; i < len(held); i += 4096 {
		held[i] = 1
	}
	if used := <-said; used <= limit {
		t.Errorf("%d bytes are used, limit %d", used, limit)
	}
	<-done
	runtime.KeepAlive(held)
	cancel()
	memory.Watch(ctx, 1<<62, func(uint64) { t.Error("called without a cause") })
}
