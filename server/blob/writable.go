package blob

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
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
