package blob

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"tcode/server/platform/durable"
)

// The time for which [Store.Writable] keeps its result: any client may ask whether a
// gateway is ready.
const (
	proofFor       = time.Second
	bucketProofFor = 5 * time.Second
)

// proof is the result of the last try to write.
type proof struct {
	mu  sync.Mutex // guards all; held while the disk is tried, so that one caller does it for all
	at  time.Time
	err error
}

// Writable returns an [ErrUnwritable] if files cannot be stored now. It stores a small one
// and removes it, at most once a second. In a bucket it looks for a note that does not exist, at
// most once in five seconds.
func (s *Store) Writable(ctx context.Context) error {
	keep, try := proofFor, func() error { return tryWrite(string(s.dir)) }
	if s.dir == "" {
		keep, try = bucketProofFor, func() error {
			_, _, err := s.Note(ctx, "proof")
			return err
		}
	}
	p := &s.proof
	p.mu.Lock()
	defer p.mu.Unlock()
	if age := time.Since(p.at); p.at.IsZero() || age < 0 || age >= keep {
		p.err = unwritable(ctx, try())
		p.at = time.Now()
	}
	return p.err
}

// tryWrite writes a block in the folder of the files. After a crash, the sweep removes it
// as a half-written file.
func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, "proof.tmp*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 4096))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// Room returns an [ErrUnwritable] if the disk has less free space than bytes. Other processes
// may use the space a moment later: Room only avoids work that would most likely fail.
func (s *Store) Room(bytes int64) error {
	if s.dir == "" {
		return nil
	}
	free, _, err := durable.Free(string(s.dir))
	if err != nil || free >= bytes { // an error means that the system does not report the free space
		return nil
	}
	return fmt.Errorf("%w: %d bytes are needed, and the disk has room for %d", ErrUnwritable, bytes, free)
}

// Withdraw removes a file that only one request can have put, because its name depends on
// random data. It does nothing if the file does not exist.
func (s *Store) Withdraw(ctx context.Context, name string) error {
	return s.Remove(ctx, name, 0)
}
