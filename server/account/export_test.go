package account

import (
	"context"
	"time"
)

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

// MaxWaiting is the maximum of callers, running or not.
const MaxWaiting = maxWaiting

// Occupy takes the places of all hashes that may run. The function that it returns frees them.
func (h Hasher) Occupy() (free func()) {
	for range maxRunning {
		h.h.running <- struct{}{}
	}
	return func() {
		for range maxRunning {
			<-h.h.running
		}
	}
}

// Hash returns the hash of a password.
func (h Hasher) Hash(ctx context.Context, password string) (string, error) {
	return h.h.hash(ctx, password, "")
}

// Check checks a password.
func (h Hasher) Check(ctx context.Context, text, password string) (bool, error) {
	right, err := h.h.check(ctx, []Member{{User: User{Password: text}}}, password)
	return len(right) == 1, err
}

// SignedIn returns a visit whose session begins at a time.
func SignedIn(v Visit, at time.Time) Visit {
	v.session.CreatedAt = at
	return v
}
