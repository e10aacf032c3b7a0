package tenant

import (
	"context"
	"time"

	"tcode/offline/contain"
	"tcode/offline/statuslist"
	"tcode/server/fault"
	"tcode/server/platform/round"
)

// Store stores tenants. Package store implements it. Every change to tenants and signing
// keys also counts as a change to the published trust documents, and writes its audit row,
// in the same transaction.
type Store interface {
	// InsertTenant stores a tenant and its first signing key in one
	// transaction. It returns false if the reference is taken.
	InsertTenant(ctx context.Context, t Tenant, first SigningKey, audit *Entry) (bool, error)
	// Tenant returns a NotFound fault for an unknown reference. It leaves out quotas; use Plan
	// for them.
	Tenant(ctx context.Context, reference string) (Tenant, error)
	Tenants(ctx context.Context) ([]Tenant, error)
	// SetTenantState returns a NotFound fault for an unknown reference. It does not change a
	// tenant that is already in that state, and writes no audit row for it.
	SetTenantState(ctx context.Context, reference string, s State, now time.Time, audit *Entry) error
	// SetTenantLanguage returns a NotFound fault for an unknown reference. It does not change
	// a tenant that already has that language, and writes no audit row for it.
	SetTenantLanguage(ctx context.Context, reference, language string, now time.Time, audit *Entry) error
	// Plan returns a tenant's plan with its quotas.
	Plan(ctx context.Context, reference string) (Plan, error)
	// ChangePlan stores a tenant's plan as change changes it, in one transaction. A change to
	// the same plan writes nothing.
	ChangePlan(ctx context.Context, reference string, change func(*Plan) error, now time.Time, audit *Entry) (Plan, error)
	// Usage returns the counts of a month, of one tenant or of all if reference is "", by
	// tenant and kind.
	Usage(ctx context.Context, reference string, m Month) ([]Usage, error)
	// AddUsage adds to counts, in one transaction, and returns the new ones, in add's
	// order.
	AddUsage(ctx context.Context, add []Usage) (totals []int64, err error)
	// Audit returns rows newest first; f has been checked.
	Audit(ctx context.Context, f AuditFilter) ([]Entry, error)

	// UsageDays returns the counts of a tenant's days from first to last.
	UsageDays(ctx context.Context, tenant string, first, last Day) ([]DayCount, error)
	// AuditPage returns one page of the rows that f selects, newest first.
	AuditPage(ctx context.Context, f AuditFilter, page, size int) (AuditPage, error)

	// InsertAPIKey returns a Conflict fault if the tenant has [MaxKeys] active keys.
	InsertAPIKey(ctx context.Context, k APIKey, once *IdempotencyRecord, audit *Entry) error
	// RotateAPIKey stores the new key that rotate returns for one of the tenant's, and the end
	// of the old one. It returns a NotFound fault if the tenant has no such key.
	RotateAPIKey(ctx context.Context, tenant, prefix string, rotate func(old APIKey) (KeyRotation, error)) error
	// APIKey returns the key with the prefix and its tenant, with the quota of
	// requests in its plan, or a NotFound fault.
	APIKey(ctx context.Context, prefix string) (APIKey, Tenant, error)
	APIKeys(ctx context.Context, tenant string) ([]APIKey, error)
	// RevokeAPIKey returns a NotFound fault if the tenant has no such key. It does not change
	// a key that was revoked before, and writes no audit row for it. It also ends the work
	// that was ordered with the key.
	RevokeAPIKey(ctx context.Context, tenant, prefix string, now time.Time, audit *Entry) error
	// Left returns the things that by has begun or made and that still run or work at now, by
	// kind, at most [MaxLeft] of each.
	Left(ctx context.Context, tenant string, by By, now time.Time) ([]Left, error)
	// TouchAPIKeys records uses, in their order. The time of a last use stays if it is within
	// step of the recorded one.
	TouchAPIKeys(ctx context.Context, used []KeyUse, step time.Duration) error

	// SigningKeys returns the keys of one tenant, or of all if tenant is "",
	// by tenant and sequence number.
	SigningKeys(ctx context.Context, tenant string) ([]SigningKey, error)
	// ChangeSigningKeys calls plan with all keys of a tenant and stores the result, in one
	// transaction; no stamp of that tenant is stored concurrently. marks returns the marks of
	// all stamps that a key signed.
	ChangeSigningKeys(ctx context.Context, tenant string,
		plan func(have []SigningKey, marks func(seq uint8) ([]statuslist.Mark, error)) (KeyChange, error)) error
}

// A KeyChange is a change of a tenant's signing keys. Without keys it changes nothing.
type KeyChange struct {
	Put       []SigningKey         // new or changed
	Survivors statuslist.Survivors // a list to be published; nil: none
	Audit     *Entry
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
	vault  Vault
	notify func()
	now    func() time.Time

	signers signerCache
	used    keyUses
	meter   meter
}

// An Option changes a [Service].
type Option func(*Service)

// WithVault makes new signing keys in v instead of in memory. Existing keys keep working
// where they are.
func WithVault(v Vault) Option { return func(s *Service) { s.vault = v } }

// New returns the service. notify is called after each change that devices
// must learn of (the publisher's Notify); now may be nil for [time.Now].
func New(store Store, ring Ring, notify func(), now func() time.Time, opts ...Option) *Service {
	if notify == nil {
		notify = func() {}
	}
	if now == nil {
		now = time.Now
	}
	s := &Service{store: store, ring: ring, vault: Memory{}, notify: notify, now: now}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Run writes the last uses of API keys and the counts of requests until ctx ends. Without
// it keys work as well, but seem unused.
func (s *Service) Run(ctx context.Context) error {
	both, ctx := contain.WithContext(ctx) // one that panics ends the other, and both start again
	both.Go("key-uses", func() error {
		return flushEvery(round.Part(ctx, "key uses"), useEvery, s.FlushUses)
	})
	both.Go("request-counts", func() error {
		return flushEvery(round.Part(ctx, "requests"), meterEvery, s.FlushRequests)
	})
	return both.Wait()
}

// flushTime bounds one writing.
const flushTime = time.Minute

// flushEvery calls flush until ctx ends, and once after that. What cannot be written,
// on a full disk for instance, is kept, and the next round tries again. It is in memory only, and has
// numbers and names of keys alone, so none of it can end a gateway again and again.
func flushEvery(ctx context.Context, every time.Duration, flush func(context.Context) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
			defer cancel()
			return flush(last)
		case <-tick.C:
			_ = round.Do(ctx, flushTime, flush)
		}
	}
}

// CreateTenant makes a tenant with the plan [Unlimited] and its first signing key, which
// signs immediately. An empty reference is replaced by a random one. A used or malformed
// reference, or an invalid name, is a fault.
func (s *Service) CreateTenant(ctx context.Context, name, reference string) (Tenant, error) {
	var p fault.Fields
	p.Name("name", name)
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
	for range 16 { // a random reference collides once in two thousand million
		if !given {
			ref = newReference()
		}
		key, err := s.newSigningKey(ctx, ref, 0, s.vault.Default(), now)
		if err != nil {
			return Tenant{}, err
		}
		key.State, key.ValidFrom = KeySigning, now.Truncate(time.Second)
		t := Tenant{Reference: ref, Name: name, State: Active, CreatedAt: now, UpdatedAt: now, Language: DefaultLanguage, Plan: Unlimited()}
		ok, err := s.store.InsertTenant(ctx, t, key, NewEntry(ctx, ref, ActionTenantCreate, ref, now))
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
	return s.setState(ctx, reference, Suspended, ActionTenantSuspend)
}

// Activate undoes [Service.Suspend].
func (s *Service) Activate(ctx context.Context, reference string) error {
	return s.setState(ctx, reference, Active, ActionTenantActivate)
}

func (s *Service) setState(ctx context.Context, reference string, state State, action string) error {
	t, err := s.Tenant(ctx, reference)
	if err != nil {
		return err
	}
	now := s.now().UTC()
	if err := s.store.SetTenantState(ctx, t.Reference, state, now, NewEntry(ctx, t.Reference, action, t.Reference, now)); err != nil {
		return err
	}
	s.notify()
	return nil
}
