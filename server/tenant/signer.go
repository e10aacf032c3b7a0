package tenant

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
)

// A Vault makes and uses private signing keys: in memory, or in a token that never
// releases them (package keyring has one for PKCS #11).
type Vault interface {
	// New makes a key pair. kept opens it again; it is sealed before it is stored, so it
	// may be the private key itself. label names the key for people who look into a
	// token.
	New(ctx context.Context, alg payload.Algorithm, label string) (signer crypto.Signer, kept []byte, err error)
	// Open returns false if kept does not belong to a key of this vault.
	Open(kept []byte) (signer crypto.Signer, mine bool, err error)
	// Default returns the algorithm of keys that are requested without one.
	Default() payload.Algorithm
}

// Memory is the vault of keys that live in the process and are stored sealed,
// as PKCS #8.
type Memory struct{}

// Default returns Ed25519.
func (Memory) Default() payload.Algorithm { return payload.Ed25519 }

// New makes a key pair in memory.
func (Memory) New(_ context.Context, alg payload.Algorithm, _ string) (crypto.Signer, []byte, error) {
	var private crypto.Signer
	var err error
	switch alg {
	case payload.Ed25519:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	case payload.ES256:
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		var p fault.Fields
		p.Add("algorithm", "must be Ed25519 or ES256")
		return nil, nil, p.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	return private, der, err
}

// Open reads PKCS #8, whose first byte is that of an ASN.1 SEQUENCE.
func (Memory) Open(kept []byte) (crypto.Signer, bool, error) {
	if len(kept) == 0 || kept[0] != 0x30 {
		return nil, false, nil
	}
	private, err := x509.ParsePKCS8PrivateKey(kept)
	if err != nil {
		return nil, true, err
	}
	signer, ok := private.(crypto.Signer)
	if !ok {
		return nil, true, fmt.Errorf("%T cannot sign", private)
	}
	return signer, true, nil
}

// signerCache keeps opened signing keys, because every stamp needs one.
type signerCache struct {
	mu sync.Mutex // guards m only; never held during a call to the store
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

// newSigningKey makes a key pair and seals its stored part for tenant and id.
func (s *Service) newSigningKey(ctx context.Context, tenant string, seq uint8, alg payload.Algorithm, now time.Time) (SigningKey, error) {
	id := KeyID(tenant, seq)
	signer, kept, err := s.vault.New(ctx, alg, id)
	if err != nil {
		return SigningKey{}, fmt.Errorf("new signing key %s: %w", id, err)
	}
	public, err := payload.KeyOf(signer.Public())
	if err != nil {
		return SigningKey{}, fmt.Errorf("new signing key %s: %w", id, err)
	}
	sealed, err := s.ring.Seal(kept, tenant, id)
	if err != nil {
		return SigningKey{}, fmt.Errorf("new signing key %s: %w", id, err)
	}
	return SigningKey{Tenant: tenant, Seq: seq, Public: public, CreatedAt: now, Sealed: sealed}, nil
}

// Signer returns the key that signs a tenant's stamps now, and its sequence number, or an
// Unavailable fault if the tenant has none.
func (s *Service) Signer(ctx context.Context, tenantRef string) (crypto.Signer, uint8, error) {
	if tenantRef == "" { // the store would return the keys of every tenant
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
		if err != nil {
			return nil, 0, err
		}
		// The public key on record verifies the key's signatures.
		if public, err := payload.KeyOf(signer.Public()); err != nil || public != k.Public {
			return nil, 0, fmt.Errorf("signing key %s: %w", k.ID(), errOtherHalf)
		}
		return signer, k.Seq, nil
	}
	return nil, 0, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "tenant %s has no signing key", tenantRef)
}

// open returns the private half of k.
func (s *Service) open(k SigningKey) (crypto.Signer, error) {
	if signer := s.signers.get(k.ID()); signer != nil {
		return signer, nil
	}
	kept, err := s.ring.Open(k.Sealed, k.Tenant, k.ID())
	if err != nil {
		return nil, fmt.Errorf("open signing key %s: %w", k.ID(), err)
	}
	for _, v := range []Vault{s.vault, Memory{}} {
		signer, mine, err := v.Open(kept)
		if err != nil {
			return nil, fmt.Errorf("open signing key %s: %w", k.ID(), err)
		}
		if mine {
			s.signers.put(k.ID(), signer)
			return signer, nil
		}
	}
	return nil, fmt.Errorf("open signing key %s: %w", k.ID(), errElsewhere)
}

// errOtherHalf means that private and public half do not belong together.
var errOtherHalf = errors.New("the public key on record is another")

// errElsewhere means that the private half is in a token that is not configured in this
// gateway.
var errElsewhere = errors.New("the key is kept in a token that is not configured")
