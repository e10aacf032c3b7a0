package tenant

import (
	"context"

	"tcode/server/fault"
)

// ErrAuthor ends work whose author was refused since it was ordered.
var ErrAuthor = fault.New(fault.Forbidden, fault.CodeForbidden, "its author may no longer issue")

// KeyAuthor returns the holder of an API key for work that was ordered with it, as the holder
// is now. It returns [ErrAuthor] if the key was revoked, has expired, or lacks
// [ScopeStamp], and a Forbidden fault if the tenant is suspended. Work of a key that has
// expired after a rotation passes to its successor, in the name of the old key: a rotation
// changes the secret of a caller, and not the caller.
func (s *Service) KeyAuthor(ctx context.Context, tenantRef, prefix string) (Identity, error) {
	for at := prefix; ; {
		k, t, err := s.store.APIKey(ctx, at)
		if fault.Is(err, fault.NotFound) || err == nil && k.Tenant != tenantRef {
			err = ErrAuthor
		}
		id := Identity{Tenant: t, KeyPrefix: prefix, Test: k.Test, Scopes: k.Scopes}
		state := k.State(s.now())
		switch {
		case err != nil:
			return Identity{}, err
		case state == KeyExpired && k.Successor != "":
			at = k.Successor // which is newer, so that this ends
			continue
		case state != KeyActive, !id.Has(ScopeStamp):
			return Identity{}, ErrAuthor
		}
		return id, AdmitTo(t.State, Plan{}, "")
	}
}

// LeftKind is a kind of things that an author leaves behind.
type LeftKind string

// The kinds. The words are in the contract.
const (
	LeftBulkJob LeftKind = "bulk-job"
	LeftOrder   LeftKind = "order" // of package batch
	LeftKey     LeftKind = "key"
	LeftWebhook LeftKind = "webhook"
	LeftUser    LeftKind = "user"
)

// Ends reports whether things of the kind end with the right of their author. All others
// belong to the tenant: they work until they are ended by themselves.
func (k LeftKind) Ends() bool { return k == LeftBulkJob || k == LeftOrder }

// A Left is one thing that a key or a user has begun or made, and that still runs or works.
type Left struct {
	Kind LeftKind
	ID   string // of a key its prefix
	Name string // for people; of a webhook its address, of a user the address of e-mail; may be ""
}

// MaxLeft is the maximum number of things of one kind that [Service.Left] returns.
const MaxLeft = 500

// Left returns what an author, as [Identity.Author] spells it, leaves behind if it is refused
// now: work that ends with it, then things that it made and that go on. tenantRef may be empty
// for an operator who asks about a key.
func (s *Service) Left(ctx context.Context, tenantRef, author string) ([]Left, error) {
	by := Identity{}.WithAuthor(author).By()
	if tenantRef == "" {
		k, _, err := s.store.APIKey(ctx, by.Name)
		if err != nil {
			return nil, err
		}
		tenantRef = k.Tenant
	}
	return s.store.Left(ctx, tenantRef, by, s.now())
}
