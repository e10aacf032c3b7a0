package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"tcode/server/fault"
)

// params are the parameters of Argon2id. They are stored with each hash, so that older
// hashes stay valid after a change.
type params struct {
	memory  uint32 // KiB
	time    uint32 // passes
	threads uint8
}

// present are the parameters of new hashes: those of the OWASP cheat sheet for password
// storage with the most memory.
var present = params{memory: 46 << 10, time: 1, threads: 1}

// The limits of parameters in stored hashes, whatever is in the database.
const (
	maxMemory = 256 << 10 // KiB
	maxTime   = 10
)

const (
	saltBytes = 16
	hashBytes = 32
)

// A hasher computes hashes of passwords, a bounded number concurrently, so that signing in
// uses a bounded amount of memory. It is safe for concurrent use.
type hasher struct {
	running chan struct{} // a place for each hash that is computed
	waiting chan struct{} // a place for each caller, running or not
}

// With two hashes of 46 MiB, sign-in uses at most 92 MiB.
const (
	maxRunning = 2
	maxWaiting = 32
)

func newHasher() *hasher {
	return &hasher{make(chan struct{}, maxRunning), make(chan struct{}, maxWaiting)}
}

// errBusy means that too many people sign in now.
var errBusy = fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "too many people are signing in; try again in a few seconds")

// key computes the hash of a password. Unicode spellings of one text are one password.
func (h *hasher) key(ctx context.Context, password string, p params, salt []byte, n int) ([]byte, error) {
	select {
	case h.waiting <- struct{}{}:
		defer func() { <-h.waiting }()
	default:
		return nil, errBusy
	}
	select {
	case h.running <- struct{}{}:
		defer func() { <-h.running }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, p.time, p.memory, p.threads, uint32(n)), nil
}

// hash returns a new hash as text, $argon2id$v=19$m=...,t=...,p=...$SALT$HASH. It has the salt of
// like, if that is such a hash with the present parameters, so that one computation compares a
// password with both.
func (h *hasher) hash(ctx context.Context, password, like string) (string, error) {
	salt := make([]byte, saltBytes)
	if was, err := parseHash(like); err == nil && was.params == present {
		salt = was.salt
	} else {
		rand.Read(salt)
	}
	key, err := h.key(ctx, password, present, salt, hashBytes)
	if err != nil {
		return "", err
	}
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, present.memory, present.time, present.threads, b64(salt), b64(key)), nil
}

// check returns the members of list whose password it is. Those of one address mostly have one
// salt: whether there are none, one or several, it does the same work.
func (h *hasher) check(ctx context.Context, list []Member, password string) (right []Member, err error) {
	type work struct {
		params
		salt string
		n    int
	}
	done := map[work][]byte{}
	compute := func(w work) ([]byte, error) {
		if key, ok := done[w]; ok {
			return key, nil
		}
		key, err := h.key(ctx, password, w.params, []byte(w.salt), w.n)
		done[w] = key
		return key, err
	}
	for _, m := range withPassword(list) {
		was, err := parseHash(m.Password)
		if err != nil {
			return nil, err
		}
		key, err := compute(work{was.params, string(was.salt), len(was.key)})
		if err != nil {
			return nil, err
		}
		if subtle.ConstantTimeCompare(key, was.key) == 1 {
			right = append(right, m)
		}
	}
	if len(done) == 0 {
		_, err = compute(work{present, string(make([]byte, saltBytes)), hashBytes})
	}
	return right, err
}

// stored is a parsed hash.
type stored struct {
	params
	salt, key []byte
}

func parseHash(text string) (s stored, err error) {
	var version int
	var rest string
	if _, err := fmt.Sscanf(text, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &s.memory, &s.time, &s.threads, &rest); err != nil {
		return s, fmt.Errorf("stored password: %w", err)
	}
	for i, c := range []byte(rest) {
		if c != '$' {
			continue
		}
		if s.salt, err = base64.RawStdEncoding.DecodeString(rest[:i]); err != nil {
			return s, fmt.Errorf("stored password: salt: %w", err)
		}
		if s.key, err = base64.RawStdEncoding.DecodeString(rest[i+1:]); err != nil {
			return s, fmt.Errorf("stored password: hash: %w", err)
		}
	}
	if version != argon2.Version || s.memory > maxMemory || s.time == 0 || s.time > maxTime || s.threads == 0 || len(s.salt) < 8 || len(s.key) < 16 || len(s.key) > 64 {
		return s, fmt.Errorf("stored password: parameters out of range")
	}
	return s, nil
}
