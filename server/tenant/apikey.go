package tenant

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
	"sync"
	"time"

	"tcode/server/fault"
)

const (
	livePrefix = "tck_live_"
	testPrefix = "tck_test_"
	visibleLen = 8
	secretLen  = 32

	keyAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	// lastUsedStep is the resolution of LastUsedAt, so that a busy key costs one write a
	// minute and not one for each request.
	lastUsedStep = time.Minute
	// useEvery is the interval for writing last uses, all in one transaction.
	useEvery = 10 * time.Second
	// maxUses bounds the last uses that wait for writing.
	maxUses = 10_000
)

// lastUses are the last uses of keys that are not written yet: a request does not wait for
// a write that only operators read.
type lastUses struct {
	mu sync.Mutex // guards m only; never held during a call to the store
	m  map[string]time.Time
}

func (u *lastUses) note(prefix string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.m == nil {
		u.m = make(map[string]time.Time)
	}
	if _, have := u.m[prefix]; have || len(u.m) < maxUses {
		u.m[prefix] = at
	}
}

func (u *lastUses) take() map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	m := u.m
	u.m = nil
	return m
}

// FlushUses writes the last uses of API keys that [Service.Authenticate] has
// recorded.
func (s *Service) FlushUses(ctx context.Context) error {
	used := s.used.take()
	if len(used) == 0 {
		return nil
	}
	err := s.store.TouchAPIKeys(ctx, used, lastUsedStep)
	if err != nil {
		for prefix, at := range used {
			s.used.note(prefix, at)
		}
	}
	return err
}

// randomText returns n characters of [A-Za-z0-9], each equally likely: it discards bytes
// that would favour the first letters.
func randomText(n int) string {
	out := make([]byte, 0, n)
	var b [64]byte
	for len(out) < n {
		rand.Read(b[:])
		for _, c := range b {
			if c < 248 && len(out) < n { // 248 = 4*62
				out = append(out, keyAlphabet[c%62])
			}
		}
	}
	return string(out)
}

// splitKey returns the visible prefix of a key text. ok is false unless the
// text has the shape tck_(live|test)_<8>_<32>.
func splitKey(secret string) (prefix string, test, ok bool) {
	rest, live := strings.CutPrefix(secret, livePrefix)
	if !live {
		if rest, test = strings.CutPrefix(secret, testPrefix); !test {
			return "", false, false
		}
	}
	if len(rest) != visibleLen+1+secretLen || rest[visibleLen] != '_' {
		return "", false, false
	}
	for i := range len(rest) {
		if i != visibleLen && strings.IndexByte(keyAlphabet, rest[i]) < 0 {
			return "", false, false
		}
	}
	return rest[:visibleLen], test, true
}

// CreateKey makes an API key for a tenant. The result has the only copy of its
// text.
func (s *Service) CreateKey(ctx context.Context, tenantRef string, opt KeyOptions) (NewKey, error) {
	t, err := s.Tenant(ctx, tenantRef)
	if err != nil {
		return NewKey{}, err
	}
	now := s.now().UTC()
	var p fault.Fields
	p.Name("name", opt.Name)
	if !opt.ExpiresAt.IsZero() && !opt.ExpiresAt.After(now) {
		p.Add("expiresAt", "must be in the future")
	}
	if err := p.Err(); err != nil {
		return NewKey{}, err
	}
	head := livePrefix
	if opt.Test {
		head = testPrefix
	}
	prefix := randomText(visibleLen) // 62^8: a collision fails the insert, as an internal fault
	secret := head + prefix + "_" + randomText(secretLen)
	k := APIKey{
		Tenant: t.Reference, Prefix: prefix, Name: opt.Name, Test: opt.Test,
		SecretHash: sha256.Sum256([]byte(secret)), CreatedAt: now, ExpiresAt: opt.ExpiresAt,
	}
	audit := NewEntry(ctx, t.Reference, ActionKeyCreate, prefix, now)
	if opt.Test {
		audit.With("kind", "test")
	}
	if !opt.ExpiresAt.IsZero() {
		audit.With("expires", opt.ExpiresAt.UTC().Format(time.RFC3339))
	}
	if err := s.store.InsertAPIKey(ctx, k, audit); err != nil {
		return NewKey{}, err
	}
	return NewKey{APIKey: k, Secret: secret}, nil
}

// Keys returns a tenant's API keys, newest first.
func (s *Service) Keys(ctx context.Context, tenantRef string) ([]APIKey, error) {
	t, err := s.Tenant(ctx, tenantRef)
	if err != nil {
		return nil, err
	}
	return s.store.APIKeys(ctx, t.Reference)
}

// RevokeKey ends an API key permanently. tenantRef may be empty for an operator,
// who may revoke any key by its prefix.
func (s *Service) RevokeKey(ctx context.Context, tenantRef, prefix string) error {
	if tenantRef == "" {
		k, _, err := s.store.APIKey(ctx, prefix)
		if err != nil {
			return err
		}
		tenantRef = k.Tenant
	}
	now := s.now().UTC()
	return s.store.RevokeAPIKey(ctx, tenantRef, prefix, now, NewEntry(ctx, tenantRef, ActionKeyRevoke, prefix, now))
}

// Authenticate returns the holder of the key text secret. For a missing, malformed,
// unknown, expired or revoked key it returns one and the same Unauthorized fault. For a
// suspended tenant it returns a Forbidden fault with the reason tenant_suspended, together
// with the identity, for logs.
func (s *Service) Authenticate(ctx context.Context, secret string) (Identity, error) {
	prefix, test, ok := splitKey(secret)
	if !ok {
		return Identity{}, ErrBadKey
	}
	k, t, err := s.store.APIKey(ctx, prefix)
	if fault.Is(err, fault.NotFound) {
		// This spends the same hashing as for a known prefix.
		k, err = APIKey{}, nil
	}
	if err != nil {
		return Identity{}, err
	}
	hash := sha256.Sum256([]byte(secret))
	now := s.now().UTC()
	if subtle.ConstantTimeCompare(hash[:], k.SecretHash[:]) != 1 || k.Test != test ||
		!k.RevokedAt.IsZero() || (!k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt)) {
		return Identity{}, ErrBadKey
	}
	id := Identity{Tenant: t, KeyPrefix: prefix, Test: test}
	if t.State == Suspended {
		return id, errSuspended
	}
	if now.Sub(k.LastUsedAt) >= lastUsedStep {
		s.used.note(prefix, now)
	}
	return id, nil
}

// ErrBadKey is the answer to every invalid key, and to a missing one. It is one value, so
// that the causes cannot be distinguished.
var ErrBadKey = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "the x-api-key header is missing, malformed or unknown")
