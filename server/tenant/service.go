package tenant

import (
	"context"
	"time"

	"tcode/server/fault"
)

// Store is what this package needs kept. Package store implements it. Every
// change to tenants and signing keys also counts as a change to the published
// trust documents, in the same transaction.
type Store interface {
	// InsertTenant stores a tenant and its first signing key in one
	// transaction. It returns false if the reference is taken.
	InsertTenant(ctx context.Context, t Tenant, first SigningKey) (bool, error)
	// Tenant returns a NotFound fault for an unknown reference.
	Tenant(ctx context.Context, reference string) (Tenant, error)
	Tenants(ctx context.Context) ([]Tenant, error)
	// SetTenantState returns a NotFound fault for an unknown reference.
	SetTenantState(ctx context.Context, reference string, s State, now time.Time) error

	InsertAPIKey(ctx context.Context, k APIKey) error
	// APIKey returns the key with the prefix and its tenant, or a NotFound
	// fault.
	APIKey(ctx context.Context, prefix string) (APIKey, Tenant, error)
	APIKeys(ctx context.Context, tenant string) ([]APIKey, error)
	// RevokeAPIKey returns a NotFound fault if tenant has no such key; a key
	// revoked before stays revoked as it was.
	RevokeAPIKey(ctx context.Context, tenant, prefix string, now time.Time) error
	TouchAPIKey(ctx context.Context, prefix string, now time.Time) error

	// SigningKeys returns the keys of one tenant, or of all if tenant is "",
	// by tenant and sequence number.
	SigningKeys(ctx context.Context, tenant string) ([]SigningKey, error)
	// ChangeSigningKeys runs plan on all keys of a tenant and stores the keys
	// it returns (new or changed), in one transaction.
	ChangeSigningKeys(ctx context.Context, tenant string, plan func(have []SigningKey) (put []SigningKey, err error)) error
}

// Ring seals private keys. Package keyring implements it.
type Ring interface {
	Seal(plain []byte, tenant, keyID string) ([]byte, error)
	Open(sealed []byte, tenant, keyID string) ([]byte, error)
}

// Service is the tenant domain. It is safe for concurrent use.
type Service struct {
	store  Store
	ring   Ring
	notify func()
	now    func() time.Time

	signers signerCache
}

// New returns the service. notify is called after each change that devices
// must learn of (the publisher's Notify); now may be nil for [time.Now].
func New(store Store, ring Ring, notify func(), now func() time.Time) *Service {
	if notify == nil {
		notify = func() {}
	}
	if now == nil {
		now = time.Now
	}
	return &Service{store: store, ring: ring, notify: notify, now: now}
}

// CreateTenant makes a tenant and its first signing key (Ed25519), which signs
// at once. An empty reference is drawn at random. A taken or malformed
// reference, or a bad name, is a fault.
func (s *Service) CreateTenant(ctx context.Context, name, reference string) (Tenant, error) {
	var p fault.Fields
	checkName(&p, "name", name)
	ref, given := "", reference != ""
	if given {
		var ok bool
		if ref, ok = ParseReference(reference); !ok {
			p.Add("reference", "must be 6 characters of 0-9 and A-Z")
		}
	}
	if err := p.Err(); err != nil {
		return Tenant{}, err
	}
	now := s.now().UTC()
	for range 16 { // a drawn reference collides once in two thousand million
		if !given {
			ref = newReference()
		}
		key, err := s.newSigningKey(ref, 0, defaultAlgorithm, now)
		if err != nil {
			return Tenant{}, err
		}
		key.State, key.ValidFrom = KeySigning, now.Truncate(time.Second)
		t := Tenant{Reference: ref, Name: name, State: Active, CreatedAt: now, UpdatedAt: now}
		ok, err := s.store.InsertTenant(ctx, t, key)
		switch {
		case err != nil:
			return Tenant{}, err
		case ok:
			s.notify()
			return t, nil
		case given:
			return Tenant{}, fault.New(fault.Conflict, fault.CodeDuplicate, "the tenant reference %s is taken", ref).WithReference(ref)
		}
	}
	return Tenant{}, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "no free tenant reference found")
}

// Tenants returns all tenants by reference.
func (s *Service) Tenants(ctx context.Context) ([]Tenant, error) { return s.store.Tenants(ctx) }

// Tenant returns one tenant, or a NotFound fault.
func (s *Service) Tenant(ctx context.Context, reference string) (Tenant, error) {
	ref, ok := ParseReference(reference)
	if !ok {
		return Tenant{}, fault.New(fault.NotFound, fault.CodeNotFound, "no tenant %q", reference)
	}
	return s.store.Tenant(ctx, ref)
}

// Suspend stops a tenant: its keys are refused and its stamps are suspended
// until it is active again.
func (s *Service) Suspend(ctx context.Context, reference string) error {
	return s.setState(ctx, reference, Suspended)
}

// Activate undoes [Service.Suspend].
func (s *Service) Activate(ctx context.Context, reference string) error {
	return s.setState(ctx, reference, Active)
}

func (s *Service) setState(ctx context.Context, reference string, state State) error {
	t, err := s.Tenant(ctx, reference)
	if err != nil {
		return err
	}
	if err := s.store.SetTenantState(ctx, t.Reference, state, s.now().UTC()); err != nil {
		return err
	}
	s.notify()
	return nil
}
