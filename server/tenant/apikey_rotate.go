package tenant

import (
	"context"
	"time"

	"tcode/server/fault"
)

// DefaultOverlap is the default time for which a key still works beside its successor.
const DefaultOverlap = 24 * time.Hour

// MaxOverlap is the longest time for which two keys may overlap.
const MaxOverlap = 30 * 24 * time.Hour

// RenewOptions are the options of [Service.RotateKey].
type RenewOptions struct {
	// Overlap is the time for which the old key still works; negative: it ends immediately.
	// Zero: [DefaultOverlap].
	Overlap time.Duration
	// ExpiresAt is the end of the new key. Zero: it has as long a life as the old key had.
	ExpiresAt time.Time
	// Within, Once and Answer are those of [KeyOptions].
	Within []Scope
	Once   *IdempotencyRecord
	Answer func(APIKey) (status int, body []byte, err error)
}

// RotateKey makes the successor of a key, with its name, kind and scopes. The old
// one ends after the overlap, or when it would have expired anyway. The result has the
// only copy of the new key's text. A key that was revoked, has expired or has a
// successor is an INVALID_TRANSITION fault.
func (s *Service) RotateKey(ctx context.Context, tenantRef, prefix string, opt RenewOptions) (NewKey, error) {
	t, err := s.Tenant(ctx, tenantRef)
	if err != nil {
		return NewKey{}, err
	}
	now := s.now().UTC()
	var p fault.Fields
	if opt.Overlap > MaxOverlap {
		p.Add("overlapHours", "must be at most %d", int(MaxOverlap.Hours()))
	}
	if !opt.ExpiresAt.IsZero() && !opt.ExpiresAt.After(now) {
		p.Add("expiresAt", "must be in the future")
	}
	if err := p.Err(); err != nil {
		return NewKey{}, err
	}
	var made NewKey
	err = s.store.RotateAPIKey(ctx, t.Reference, prefix, func(old APIKey) (r KeyRotation, err error) {
		made, r, err = opt.rotate(ctx, old, now)
		return r, err
	})
	if err != nil {
		return NewKey{}, err
	}
	return made, nil
}

// A KeyRotation is the change of one key by [Service.RotateKey].
type KeyRotation struct {
	Made    APIKey
	OldEnds time.Time // when the old key expires
	Once    *IdempotencyRecord
	Audit   *Entry
}

// rotate plans the change of an old key.
func (opt RenewOptions) rotate(ctx context.Context, old APIKey, now time.Time) (made NewKey, r KeyRotation, err error) {
	if state := old.State(now); state != KeyActive {
		return made, r, fault.New(fault.Conflict, fault.CodeInvalidTransition, "the key is %s: make a new one", state)
	}
	if old.Successor != "" {
		return made, r, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"the key has a successor, %s: rotate that one, or make a new key", old.Successor)
	}
	var p fault.Fields
	next := KeyOptions{Name: old.Name, Test: old.Test, Scopes: checkScopes(&p, old.Scopes, opt.Within, old.Test), ExpiresAt: opt.ExpiresAt, Answer: opt.Answer}
	if err := p.Err(); err != nil {
		return made, r, err
	}
	if next.ExpiresAt.IsZero() && !old.ExpiresAt.IsZero() {
		next.ExpiresAt = now.Add(old.ExpiresAt.Sub(old.CreatedAt))
	}
	made = newKey(old.Tenant, next, now)
	overlap := opt.Overlap
	if overlap == 0 {
		overlap = DefaultOverlap
	}
	r.Made, r.OldEnds = made.APIKey, now.Add(max(overlap, 0))
	if !old.ExpiresAt.IsZero() && old.ExpiresAt.Before(r.OldEnds) {
		r.OldEnds = old.ExpiresAt
	}
	r.Audit = keyEntry(ctx, ActionKeyRotate, made.APIKey, old.Prefix, now).With("newKey", made.Prefix).With("overlapUntil", r.OldEnds.Format(time.RFC3339))
	r.Once, err = opt.Once.With(old.Tenant, now, next.answer(made.APIKey))
	return made, r, err
}
