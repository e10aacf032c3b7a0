package tenant

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"sync"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
)

const defaultAlgorithm = payload.Ed25519

// signerCache keeps opened signing keys, because every stamp needs one.
type signerCache struct {
	mu sync.Mutex // guards m only; never held while the store is asked
	m  map[string]crypto.Signer
}

func (c *signerCache) get(id string) crypto.Signer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[id]
}

func (c *signerCache) put(id string, s crypto.Signer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= 1024 { // bounded: many tenants, few busy ones
		c.m = make(map[string]crypto.Signer)
	}
	c.m[id] = s
}

// newSigningKey makes a key pair and seals its private half for tenant and id.
func (s *Service) newSigningKey(tenant string, seq uint8, alg payload.Algorithm, now time.Time) (SigningKey, error) {
	private, err := generate(alg)
	if err != nil {
		return SigningKey{}, err
	}
	public, err := payload.KeyOf(private.Public())
	if err != nil {
		return SigningKey{}, fmt.Errorf("new signing key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return SigningKey{}, fmt.Errorf("new signing key: %w", err)
	}
	sealed, err := s.ring.Seal(der, tenant, KeyID(tenant, seq))
	if err != nil {
		return SigningKey{}, fmt.Errorf("new signing key: %w", err)
	}
	return SigningKey{Tenant: tenant, Seq: seq, Public: public, CreatedAt: now, Sealed: sealed}, nil
}

func generate(alg payload.Algorithm) (crypto.Signer, error) {
	switch alg {
	case payload.Ed25519:
		_, k, err := ed25519.GenerateKey(rand.Reader)
		return k, err
	case payload.ES256:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	var p fault.Fields
	p.Add("algorithm", "must be Ed25519 or ES256")
	return nil, p.Err()
}

// SigningKeys returns a tenant's signing keys by sequence number, or those of
// all tenants if tenantRef is empty.
func (s *Service) SigningKeys(ctx context.Context, tenantRef string) ([]SigningKey, error) {
	if tenantRef != "" {
		t, err := s.Tenant(ctx, tenantRef)
		if err != nil {
			return nil, err
		}
		tenantRef = t.Reference
	}
	return s.store.SigningKeys(ctx, tenantRef)
}

// RotateSigningKey makes a tenant's next signing key. With an announcement it
// is announced now and signs after it, while the present one goes on until
// then; without, the present key turns to verifying at once. The 257th key is
// refused, and so is a second announced key.
func (s *Service) RotateSigningKey(ctx context.Context, tenantRef string, opt RotateOptions) (SigningKey, error) {
	t, err := s.Tenant(ctx, tenantRef)
	if err != nil {
		return SigningKey{}, err
	}
	if opt.Algorithm == 0 {
		opt.Algorithm = defaultAlgorithm
	}
	if opt.Announce == 0 {
		opt.Announce = DefaultAnnounce
	}
	var next SigningKey
	err = s.store.ChangeSigningKeys(ctx, t.Reference, func(have []SigningKey) ([]SigningKey, error) {
		now := s.now().UTC()
		put := advance(have, now)
		for _, k := range have {
			if k.State == KeyAnnounced {
				return nil, fault.New(fault.Conflict, fault.CodeConflict, "key %s is announced already and signs from %s",
					k.ID(), k.ValidFrom.Format(time.RFC3339))
			}
		}
		if len(have) >= MaxSigningKeys {
			return nil, fault.New(fault.Rejected, fault.CodeConfigurationMismatch, "tenant %s has had all %d signing keys it can have",
				t.Reference, MaxSigningKeys)
		}
		if next, err = s.newSigningKey(t.Reference, uint8(len(have)), opt.Algorithm, now); err != nil {
			return nil, err
		}
		next.ValidFrom = now.Truncate(time.Second)
		if opt.Announce > 0 {
			next.State, next.ValidFrom = KeyAnnounced, next.ValidFrom.Add(opt.Announce)
			return append(put, next), nil
		}
		next.State = KeySigning
		return append(put, replaceSigning(have, next.ValidFrom, next)...), nil
	})
	if err != nil {
		return SigningKey{}, err
	}
	s.notify()
	return next, nil
}

// advance opens an announced key whose time has come and closes the one it
// follows. It changes have in place and returns the changed keys.
func advance(have []SigningKey, now time.Time) []SigningKey {
	for i := range have {
		if k := &have[i]; k.State == KeyAnnounced && !now.Before(k.ValidFrom) {
			k.State = KeySigning
			return replaceSigning(have, k.ValidFrom, *k)
		}
	}
	return nil
}

// replaceSigning turns every signing key but next to verifying, in place, and
// returns the changed ones with next at the end. Their windows stay open for a
// minute more: a stamp begun under the old key is still issued under it.
func replaceSigning(have []SigningKey, at time.Time, next SigningKey) []SigningKey {
	var put []SigningKey
	for i := range have {
		if k := &have[i]; k.State == KeySigning && k.Seq != next.Seq {
			k.State, k.ValidUntil = KeyVerifying, at.Add(time.Minute)
			put = append(put, *k)
		}
	}
	return append(put, next)
}

// Advance opens announced signing keys of all tenants whose time has come. The
// publisher calls it before each publication.
func (s *Service) Advance(ctx context.Context) error {
	keys, err := s.store.SigningKeys(ctx, "")
	if err != nil {
		return err
	}
	now := s.now().UTC()
	due := make(map[string]bool)
	for _, k := range keys {
		if k.State == KeyAnnounced && !now.Before(k.ValidFrom) {
			due[k.Tenant] = true
		}
	}
	for tenant := range due {
		err := s.store.ChangeSigningKeys(ctx, tenant, func(have []SigningKey) ([]SigningKey, error) {
			return advance(have, now), nil
		})
		if err != nil {
			return fmt.Errorf("advance keys of %s: %w", tenant, err)
		}
	}
	if len(due) > 0 {
		s.notify()
	}
	return nil
}

// Signer returns the key that signs a tenant's stamps now, and its sequence
// number. It is an Unavailable fault if the tenant has none.
func (s *Service) Signer(ctx context.Context, tenantRef string) (crypto.Signer, uint8, error) {
	if tenantRef == "" { // to the store that would mean every tenant
		return nil, 0, fault.New(fault.NotFound, fault.CodeNotFound, "no tenant given")
	}
	keys, err := s.store.SigningKeys(ctx, tenantRef)
	if err != nil {
		return nil, 0, err
	}
	advance(keys, s.now().UTC())
	for _, k := range keys {
		if k.State != KeySigning {
			continue
		}
		signer, err := s.open(k)
		return signer, k.Seq, err
	}
	return nil, 0, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "tenant %s has no signing key", tenantRef)
}

// open returns the private half of k.
func (s *Service) open(k SigningKey) (crypto.Signer, error) {
	if signer := s.signers.get(k.ID()); signer != nil {
		return signer, nil
	}
	der, err := s.ring.Open(k.Sealed, k.Tenant, k.ID())
	if err != nil {
		return nil, fmt.Errorf("open signing key %s: %w", k.ID(), err)
	}
	private, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("open signing key %s: %w", k.ID(), err)
	}
	signer, ok := private.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("open signing key %s: %T cannot sign", k.ID(), private)
	}
	s.signers.put(k.ID(), signer)
	return signer, nil
}
