package blob

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"gocloud.dev/gcerrors"

	"tcode/server/platform/durable"
)

// proofFor is how long [Store.Writable] believes what it found: anyone may ask
// whether a gateway is ready.
const proofFor = time.Second

// proof is what the last try to write came to.
type proof struct {
	mu  sync.Mutex // guards all; held while the disk is tried, so that one does it for all
	at  time.Time
	err error
}

// Writable is an [ErrUnwritable] if files cannot be stored now. It stores a small
// one and takes it away, at most once a second.
func (s *Store) Writable(ctx context.Context) error {
	if s.dir == "" {
		return nil
	}
	p := &s.proof
	p.mu.Lock()
	defer p.mu.Unlock()
	if age := time.Since(p.at); p.at.IsZero() || age < 0 || age >= proofFor {
		p.err = unwritable(ctx, tryWrite(s.dir))
		p.at = time.Now()
	}
	return p.err
}

// tryWrite writes a block where files are written. What is left of it after a
// crash is swept as a half-written file.
func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, "proof.tmp*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 4096))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// Room is an [ErrUnwritable] if the disk has less room than so many bytes. Others
// may take it the next moment: it saves the work that would most likely fail.
func (s *Store) Room(bytes int64) error {
	if s.dir == "" {
		return nil
	}
	free, _, err := durable.Free(s.dir)
	if err != nil || free >= bytes { // an error is that of a system that does not tell
		return nil
	}
	return fmt.Errorf("%w: %d bytes are needed, and the disk has room for %d", ErrUnwritable, bytes, free)
}

// Withdraw removes a file that a request has put and that no other can put, for
// its name follows from something random. It does nothing where there is none.
func (s *Store) Withdraw(ctx context.Context, name string) error {
	if s.dir == "" {
		if err := s.bucket.Delete(ctx, key(name)); gcerrors.Code(err) != gcerrors.NotFound {
			return err
		}
		return nil
	}
	_, err := s.Discard(name, time.Now().Add(time.Hour))
	return err
}
