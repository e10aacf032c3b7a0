package device_test

import (
	"context"
	"errors"
	"testing"

	"tcode/cmd/internal/device"
	"tcode/offline/contain"
	"tcode/scanner"
)

// TestBeside: each call of wait returns the result, or the panic of the function as an error.
func TestBeside(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	start, runs := make(chan struct{}), 0
	wait := device.Beside(func() (int, error) {
		<-start
		runs++
		return 7, broken
	})
	close(start)
	for range 3 {
		if n, err := wait(); n != 7 || !errors.Is(err, broken) {
			t.Errorf("%d, %v; want 7 and its error", n, err)
		}
	}
	if runs != 1 {
		t.Errorf("ran %d times, want once", runs)
	}
	wait = device.Beside(func() (int, error) { panic("fault") })
	for range 2 {
		if _, err := wait(); !contain.Fault(err) {
			t.Errorf("%v, want the panic", err)
		}
	}
}

// TestVerifyWithoutTrustState: if the trust state is not readable, Verify says nothing about a document, not even that
// it is unreadable too.
func TestVerifyWithoutTrustState(t *testing.T) {
	t.Parallel()
	s, err := device.Open(t.Context(), device.Config{Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	verify := func(ctx context.Context) error {
		findings, err := s.Verify(ctx, "empty.pdf", nil, device.VerifyOptions{})
		if findings != nil {
			t.Errorf("findings %v with the error %v", findings, err)
		}
		return err
	}
	if de, ok := errors.AsType[*scanner.DocumentError](verify(t.Context())); !ok || de.Code != scanner.FileEmpty {
		t.Errorf("empty file: %v, want that it is empty", de)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := verify(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v, want that it was canceled", err)
	}
	if err := s.Cache.Close(); err != nil {
		t.Fatal(err)
	}
	err = verify(t.Context())
	if _, isDocument := errors.AsType[*scanner.DocumentError](err); err == nil || isDocument {
		t.Errorf("closed trust state: %v, want that it cannot be read", err)
	}
}
