package tenant

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"tcode/offline/statuslist"
	"tcode/server/fault"
)

// keyAction is a transition of a signing key.
type keyAction string

const (
	keyOpen       keyAction = "open"       // its announced time is reached
	keyRetire     keyAction = "retire"     // it must not sign any more
	keyCompromise keyAction = "compromise" // others may have it
)

// keyNext is the state machine of signing keys: all other transitions are forbidden.
var keyNext = map[KeyState]map[keyAction]KeyState{
	KeyAnnounced: {keyOpen: KeySigning, keyRetire: KeyVerifying, keyCompromise: KeyCompromised},
	KeySigning:   {keyRetire: KeyVerifying, keyCompromise: KeyCompromised},
	KeyVerifying: {keyCompromise: KeyCompromised},
}

// move returns the state that an action leads to, or a CONFLICT fault.
func (k SigningKey) move(a keyAction) (KeyState, error) {
	to, ok := keyNext[k.State][a]
	if !ok {
		return "", fault.New(fault.Conflict, fault.CodeConflict, "key %s is %s: it cannot %s", k.ID(), k.State, a)
	}
	return to, nil
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

// RotateSigningKey makes a tenant's next signing key. With an announcement the key is
// announced now and signs after that time, while the present one signs until then.
// Otherwise the present key changes to verifying immediately. The 257th key is refused,
// and so is a second announced key.
func (s *Service) RotateSigningKey(ctx context.Context, tenantRef string, opt RotateOptions) (SigningKey, error) {
	if opt.Announce == 0 {
		opt.Announce = DefaultAnnounce
	}
	var next SigningKey
	err := s.changeKeys(ctx, tenantRef, func(c *keyChange) (err error) {
		if k := c.inState(KeyAnnounced); k != nil {
			return fault.New(fault.Conflict, fault.CodeConflict, "key %s is announced already and signs from %s",
				k.ID(), k.ValidFrom.Format(time.RFC3339))
		}
		next, err = s.nextKey(ctx, c, opt)
		if err != nil {
			return err
		}
		c.audit = NewEntry(ctx, c.tenant, ActionSigningKeyRotate, next.ID(), c.now).With("state", string(next.State))
		return nil
	})
	return next, err
}

// RetireSigningKey ends a key's signing now; its existing stamps stay good. If it is the
// key that signs, the announced key takes its place, or a new one. Retiring an announced
// key withdraws it. A key that does not sign any more is a CONFLICT.
func (s *Service) RetireSigningKey(ctx context.Context, tenantRef string, seq int) (retired SigningKey, next *SigningKey, err error) {
	err = s.changeKeys(ctx, tenantRef, func(c *keyChange) error {
		next = nil // this may run again
		k, err := c.key(seq)
		if err != nil {
			return err
		}
		was := k.State
		if k.State, err = k.move(keyRetire); err != nil {
			return err
		}
		c.end(k, was)
		if was == KeySigning {
			if next, err = s.successor(ctx, c, *k); err != nil {
				return err
			}
		}
		retired = *k
		c.audit = NewEntry(ctx, c.tenant, ActionSigningKeyRetire, k.ID(), c.now)
		if next != nil {
			c.audit.With("next", next.ID())
		}
		return nil
	})
	return retired, next, err
}

// A Compromise is the result of [Service.CompromiseSigningKey].
type Compromise struct {
	Key       SigningKey
	Survivors int         // stamps on the list that stay good
	Omitted   int         // the oldest stamps, for which the list has no room: unverified from now on
	Next      *SigningKey // signs now; nil if the key did not sign
}

// CompromiseSigningKey records that others may have a key since a time. From now on only
// its stamps in the gateway's own rows stay good: they are its survivor list, published
// with the next bundle. If it is the key that signs, the announced key takes its place
// immediately, or a new one.
func (s *Service) CompromiseSigningKey(ctx context.Context, tenantRef string, seq int, since time.Time) (Compromise, error) {
	var out Compromise
	var p fault.Fields
	switch since = since.UTC().Truncate(time.Second); {
	case since.After(s.now()):
		p.Add("since", "must not be in the future")
	case since.Year() < 2020:
		p.Add("since", "must be a time since 2020")
	}
	if err := p.Err(); err != nil {
		return out, err
	}
	err := s.changeKeys(ctx, tenantRef, func(c *keyChange) error {
		k, err := c.key(seq)
		if err != nil {
			return err
		}
		was := k.State
		if k.State, err = k.move(keyCompromise); err != nil {
			return err
		}
		c.end(k, was)
		marks, err := c.marks(k.Seq)
		if err != nil {
			return err
		}
		if out.Omitted = max(0, len(marks)-statuslist.MaxSurvivors); out.Omitted > 0 {
			marks = marks[out.Omitted:] // oldest first
		}
		c.survivors = append(statuslist.Survivors{}, statuslist.NewSurvivors(marks)...) // empty is a list, too
		k.CompromisedSince, k.SurvivorList = since, c.survivors.Hash().String()
		out.Survivors, out.Next = len(c.survivors), nil
		if was == KeySigning {
			if out.Next, err = s.successor(ctx, c, *k); err != nil {
				return err
			}
		}
		out.Key = *k
		c.audit = NewEntry(ctx, c.tenant, ActionSigningKeyCompromise, k.ID(), c.now).
			With("since", since.Format(time.RFC3339)).With("survivors", strconv.Itoa(out.Survivors))
		if out.Next != nil {
			c.audit.With("next", out.Next.ID())
		}
		return nil
	})
	return out, err
}

// keyChange is one transaction on a tenant's keys. Keys are changed in place;
// those that differ at its end are stored.
type keyChange struct {
	tenant string
	now    time.Time
	keys   []SigningKey
	marks  func(seq uint8) ([]statuslist.Mark, error)

	survivors statuslist.Survivors
	audit     *Entry
}

// changeKeys opens announced keys that are due, calls do with a tenant's keys, and stores
// the changes.
func (s *Service) changeKeys(ctx context.Context, tenantRef string, do func(c *keyChange) error) error {
	t, err := s.Tenant(ctx, tenantRef)
	if err != nil {
		return err
	}
	err = s.store.ChangeSigningKeys(ctx, t.Reference, func(have []SigningKey, marks func(uint8) ([]statuslist.Mark, error)) (KeyChange, error) {
		c := &keyChange{tenant: t.Reference, now: s.now().UTC(), keys: append([]SigningKey(nil), have...), marks: marks}
		advance(c.keys, c.now)
		if err := do(c); err != nil {
			return KeyChange{}, err
		}
		return KeyChange{Put: changed(have, c.keys), Survivors: c.survivors, Audit: c.audit}, nil
	})
	if err != nil {
		return err
	}
	s.notify()
	return nil
}

// changed returns the keys that differ between was and is, beginning with those that stop
// signing: the database allows one signing key at a time.
func changed(was, is []SigningKey) []SigningKey {
	var stop, rest []SigningKey
	for i, k := range is {
		switch {
		case i < len(was) && was[i].State == k.State && was[i].ValidFrom.Equal(k.ValidFrom) && was[i].ValidUntil.Equal(k.ValidUntil):
		case k.State == KeySigning || k.State == KeyAnnounced:
			rest = append(rest, k)
		default:
			stop = append(stop, k)
		}
	}
	return append(stop, rest...)
}

// key returns one of the tenant's keys, or a NotFound fault.
func (c *keyChange) key(seq int) (*SigningKey, error) {
	for i := range c.keys {
		if int(c.keys[i].Seq) == seq {
			return &c.keys[i], nil
		}
	}
	return nil, fault.New(fault.NotFound, fault.CodeNotFound, "tenant %s has no signing key %d", c.tenant, seq)
}

func (c *keyChange) inState(s KeyState) *SigningKey {
	for i := range c.keys {
		if c.keys[i].State == s {
			return &c.keys[i]
		}
	}
	return nil
}

// overlap is the time for which a key's window stays open after it stops signing: a stamp
// begun under it is still issued under it.
const overlap = time.Minute

// end closes the window of a key that was in a state and stops signing. A key
// that never signed gets the window of its announcement, in which it signed
// nothing.
func (c *keyChange) end(k *SigningKey, was KeyState) {
	switch now := c.now.Truncate(time.Second); was {
	case KeySigning:
		k.ValidUntil = now.Add(overlap)
	case KeyAnnounced:
		k.ValidFrom = k.CreatedAt.Truncate(time.Second)
		k.ValidUntil = now.Add(time.Second)
	}
}

// successor makes another key sign from now on: the announced one, or a new one of the
// same kind. It returns nil if the tenant can have no more.
func (s *Service) successor(ctx context.Context, c *keyChange, after SigningKey) (*SigningKey, error) {
	if k := c.inState(KeyAnnounced); k != nil {
		k.State, k.ValidFrom = KeySigning, c.now.Truncate(time.Second)
		return k, nil
	}
	next, err := s.nextKey(ctx, c, RotateOptions{Algorithm: after.Public.Algorithm(), Announce: -1})
	if fault.Is(err, fault.Invalid) { // not in the present vault
		next, err = s.nextKey(ctx, c, RotateOptions{Announce: -1})
	}
	if fault.Is(err, fault.Rejected) {
		// All 256 are used up. That must not prevent the compromise of a key that others have: no
		// signing key is better than that one.
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &next, nil
}

// nextKey makes the tenant's next key, announced or signing according to opt.
func (s *Service) nextKey(ctx context.Context, c *keyChange, opt RotateOptions) (SigningKey, error) {
	if opt.Algorithm == 0 {
		opt.Algorithm = s.vault.Default()
	}
	if len(c.keys) >= MaxSigningKeys {
		return SigningKey{}, fault.New(fault.Rejected, fault.CodeConfigurationMismatch, "tenant %s has had all %d signing keys it can have",
			c.tenant, MaxSigningKeys)
	}
	next, err := s.newSigningKey(ctx, c.tenant, uint8(len(c.keys)), opt.Algorithm, c.now)
	if err != nil {
		return SigningKey{}, err
	}
	next.State, next.ValidFrom = KeySigning, c.now.Truncate(time.Second)
	if opt.Announce > 0 {
		next.State, next.ValidFrom = KeyAnnounced, next.ValidFrom.Add(opt.Announce)
	} else {
		closeSigning(c.keys, next.ValidFrom)
	}
	c.keys = append(c.keys, next)
	return next, nil
}

// advance opens an announced key that is due and closes the one before it, in place. It
// returns the opened key, or nil.
func advance(keys []SigningKey, now time.Time) *SigningKey {
	for i := range keys {
		if k := &keys[i]; k.State == KeyAnnounced && !now.Before(k.ValidFrom) {
			closeSigning(keys, k.ValidFrom)
			k.State = keyNext[k.State][keyOpen]
			return k
		}
	}
	return nil
}

// closeSigning changes the signing key to verifying, in place.
func closeSigning(keys []SigningKey, at time.Time) {
	for i := range keys {
		if k := &keys[i]; k.State == KeySigning {
			k.State, k.ValidUntil = keyNext[k.State][keyRetire], at.Add(overlap)
		}
	}
}

// Advance opens announced signing keys of all tenants that are due. The publisher calls it
// before each publication.
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
	var failed error
	for tenant := range due { // one that fails does not hold up the others
		err := s.store.ChangeSigningKeys(ctx, tenant, func(have []SigningKey, _ func(uint8) ([]statuslist.Mark, error)) (KeyChange, error) {
			keys := append([]SigningKey(nil), have...)
			opened := advance(keys, now)
			if opened == nil { // another gateway did it first
				return KeyChange{}, nil
			}
			audit := NewEntry(WithBy(ctx, By{Actor: ActorSystem}), tenant, ActionSigningKeyOpen, opened.ID(), now)
			return KeyChange{Put: changed(have, keys), Audit: audit}, nil
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("advance keys of %s: %w", tenant, err))
		}
	}
	if len(due) > 0 {
		s.notify()
	}
	return failed
}
