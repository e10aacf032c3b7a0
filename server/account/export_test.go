package account

import "context"

// Memory is the memory of a hash outside of these tests, in KiB.
var Memory = present.memory

// The tests compute many hashes, some under the race detector.
func init() { present.memory = 1 << 10 }

// ErrBusy is the error of a hasher without a place.
var ErrBusy = errBusy

// Hasher is hasher.
type Hasher struct{ h *hasher }

// NewHasher returns a hasher.
func NewHasher() Hasher { return Hasher{newHasher()} }

// Hash returns the hash of a password.
func (h Hasher) Hash(ctx context.Context, password string) (string, error) {
	return h.h.hash(ctx, password)
}

// Check checks a password.
func (h Hasher) Check(ctx context.Context, text, password string) (bool, error) {
	return h.h.check(ctx, text, password)
}
