package sandbox_test

import (
	"errors"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
)

// TestUsable: a pool whose children all work is usable, until no task ends for too long.
func TestUsable(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	if err := p.Usable(t.Context(), time.Hour); err != nil {
		t.Fatalf("idle: %v", err)
	}
	begun, free, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- p.Do(t.Context(), func(*sandbox.Conn) error {
			close(begun)
			<-free
			return nil
		})
	}()
	<-begun
	if err := p.Usable(t.Context(), time.Hour); err != nil {
		t.Errorf("busy: %v", err)
	}
	if err := p.Usable(t.Context(), 0); !errors.Is(err, sandbox.ErrStuck) {
		t.Errorf("stuck: %v", err)
	}
	close(free)
	<-done
	if err := p.Usable(t.Context(), 0); err != nil {
		t.Errorf("free again: %v", err)
	}
	p.Close()
	if err := p.Usable(t.Context(), time.Hour); !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
