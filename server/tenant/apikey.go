package tenant

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
	"time"

	"tcode/server/fault"
)

const (
	livePrefix = "tck_live_"
	testPrefix = "tck_test_"
	visibleLen = 8
	secretLen  = 32

	keyAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

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
	if opt.Scopes, err = s.CheckKey(opt); err != nil {
		return NewKey{}, err
	}
	made := newKey(t.Reference, opt, now)
	audit := keyEntry(ctx, ActionKeyCreate, made.APIKey, made.Prefix, now)
	once, err := opt.Once.With(t.Reference, now, opt.answer(made.APIKey))
	if err != nil {
		return NewKey{}, err
	}
	if err := s.store.InsertAPIKey(ctx, made.APIKey, once, audit); err != nil {
		return NewKey{}, err
	}
	return made, nil
}

// CheckKey returns the scopes of a new key, or a fault with all problems of opt.
func (s *Service) CheckKey(opt KeyOptions) ([]Scope, error) {
	var p fault.Fields
	p.Name("name", opt.Name)
	scopes := checkScopes(&p, opt.Scopes, opt.Within, opt.Test)
	if !opt.ExpiresAt.IsZero() && !opt.ExpiresAt.After(s.now()) {
		p.Add("expiresAt", "must be in the future")
	}
	return scopes, p.Err()
}

// newKey draws a key.
func newKey(tenantRef string, opt KeyOptions, now time.Time) NewKey {
	head := livePrefix
	if opt.Test {
		head = testPrefix
	}
	prefix := randomText(visibleLen) // 62^8: a collision fails the insert, as an internal fault
	secret := head + prefix + "_" + randomText(secretLen)
	return NewKey{Secret: secret, APIKey: APIKey{
		Tenant: tenantRef, Prefix: prefix, Name: opt.Name, Test: opt.Test, Scopes: opt.Scopes,
		SecretHash: sha256.Sum256([]byte(secret)), CreatedAt: now, ExpiresAt: opt.ExpiresAt,
	}}
}

// keyEntry returns the audit row of a new key.
func keyEntry(ctx context.Context, action string, k APIKey, subject string, now time.Time) *Entry {
	audit := NewEntry(ctx, k.Tenant, action, subject, now).With("scopes", joined(k.Scopes))
	if k.Test {
		audit.With("kind", "test")
	}
	if !k.ExpiresAt.IsZero() {
		audit.With("expires", k.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return audit
}

// Key returns one of a tenant's API keys, or a NotFound fault.
func (s *Service) Key(ctx context.Context, tenantRef, prefix string) (APIKey, error) {
	t, err := s.Tenant(ctx, tenantRef)
	if err != nil {
		return APIKey{}, err
	}
	k, _, err := s.store.APIKey(ctx, prefix)
	if fault.Is(err, fault.NotFound) || err == nil && k.Tenant != t.Reference {
		err = errNoKey
	}
	if err != nil {
		return APIKey{}, err
	}
	return k, nil
}

// errNoKey is the fault of an unknown key, and of another tenant's.
var errNoKey = fault.New(fault.NotFound, fault.CodeNotFound, "no such API key")

// Keys returns a tenant's API keys, newest first.
func (s *Service) Keys(ctx context.Context, tenantRef string) ([]APIKey, error) {
	t, err := s.Tenant(ctx, tenantRef)
	if err != nil {
		return nil, err
	}
	return s.store.APIKeys(ctx, t.Reference)
}

// RevokeKey ends an API key permanently, and with it the bulk jobs and orders that were
// begun with it ([Service.Left] lists them before). tenantRef may be empty for an operator,
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

// Authenticate is [Service.AuthenticateFrom] without a network address.
func (s *Service) Authenticate(ctx context.Context, secret string) (Identity, error) {
	return s.AuthenticateFrom(ctx, secret, "")
}

// AuthenticateFrom returns the holder of the key text secret, and notes the use, with the
// network address from if it is not "". Its Unauthorized faults tell a key that was revoked or
// has expired only to a sender who has the whole key. For a suspended tenant it returns a Forbidden fault with the
// reason tenant_suspended, together with the identity, for logs.
func (s *Service) AuthenticateFrom(ctx context.Context, secret, from string) (Identity, error) {
	prefix, test, ok := splitKey(secret)
	switch {
	case secret == "":
		return Identity{}, errMissingKey
	case !ok:
		return Identity{}, errMalformedKey
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
	switch {
	case subtle.ConstantTimeCompare(hash[:], k.SecretHash[:]) != 1, k.Test != test:
		return Identity{}, errUnknownKey
	case !k.RevokedAt.IsZero():
		return Identity{}, fault.New(fault.Unauthorized, fault.CodeUnauthorized,
			"this API key was revoked at %s: make a new one", k.RevokedAt.UTC().Format(time.RFC3339))
	case k.Expired(now):
		return Identity{}, fault.New(fault.Unauthorized, fault.CodeUnauthorized, "this API key expired at %s: make a new one", k.ExpiresAt.UTC().Format(time.RFC3339))
	}
	id := Identity{Tenant: t, KeyPrefix: prefix, Test: test, Scopes: k.Scopes}
	if t.State == Suspended {
		return id, errSuspended
	}
	s.used.note(KeyUse{Prefix: prefix, At: now, Count: 1, From: from})
	return id, nil
}

// The faults of requests whose key is not known. The second one tells what is to be seen in the
// text alone; the third one is the same for a known prefix, so that a secret cannot be guessed.
var (
	errMissingKey = fault.New(fault.Unauthorized, fault.CodeUnauthorized,
		"the x-api-key header is missing: send an API key in it")
	errMalformedKey = fault.New(fault.Unauthorized, fault.CodeUnauthorized,
		"the x-api-key header does not hold a whole API key: one begins with tck_live_ or tck_test_"+
			" and has 50 characters")
	errUnknownKey = fault.New(fault.Unauthorized, fault.CodeUnauthorized,
		"this gateway does not know the API key: check the key and the address of the gateway")
)
