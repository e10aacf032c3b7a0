package account

import (
	"context"
	"time"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// Once is something that works once.
type Once struct {
	Hash      Hash
	ExpiresAt time.Time // it does not work later anyway
}

// A Change is the work of one transaction on a user, in addition to the user's own
// members. Zero members change nothing.
type Change struct {
	Link    *Link // a new one-time link, which replaces those before
	UseLink *Hash // a live link of the user, which is used up

	Recovery    []Hash // the new recovery codes, in place of those before
	UseRecovery *Hash  // an unused recovery code of the user, which is used up

	Passkey       *Passkey  // a new one
	UsePasskey    *Passkey  // whose counter is now this one, which must have gone up
	ClonedPasskey string    // id of one that is refused from now on
	DropPasskey   string    // id of one to remove
	Identity      *Identity // account at a provider, if the user has none yet
	Use           *Once     // what is used up

	TakeLink    bool     // the one-time link, which must be live, is used up
	DropFactor  bool     // recovery codes, passkeys and the account at a provider
	EndSessions bool     // all of the user
	EndSession  *Hash    // one, which must exist
	EndOthers   *Hash    // all of the user but this one
	Session     *Session // a new one

	Audit *tenant.Entry
}

// The errors of [Store.ChangeUser] if a condition of a [Change] does not hold. Nothing is
// changed then.
var (
	ErrLink      = fault.New(fault.NotFound, fault.CodeNotFound, "the link is unknown, was used, or has expired")
	ErrRecovery  = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "the code is wrong")
	ErrPasskey   = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "the passkey is unknown or refused")
	ErrPasskeys  = fault.New(fault.Conflict, fault.CodeDuplicate, "the passkey is known already, or there are too many")
	ErrNotFresh  = fault.New(fault.Forbidden, fault.CodeForbidden, "sign in again first")
	ErrIdentity  = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "the account at the provider does not belong to the user")
	ErrLastWay   = fault.New(fault.Conflict, fault.CodeConflict, "the passkey is the only way in; add another one first")
	ErrUsed      = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "this sign-in was used already; begin again")
	ErrLastOwner = fault.New(fault.Conflict, fault.CodeInvalidTransition, "the organisation must keep an owner who can sign in")
	ErrNoSession = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "there is no such session; sign in")
)

// Store keeps users. Package store implements it. Every change writes its audit entry in
// the same transaction.
type Store interface {
	// InsertUser stores a user with a link. It reports false if a user of the tenant has the
	// address; an invitation whose link has expired is gone before that. It returns a NotFound
	// fault if there is no such tenant.
	InsertUser(ctx context.Context, u User, l Link, audit *tenant.Entry) (bool, error)
	// RemoveUser deletes a user with the ways in and the sessions, and ends the user's bulk jobs
	// and orders. It returns a NotFound fault if there is no such user, and with keepOwner
	// [ErrLastOwner] if no owner of the tenant can sign in afterwards.
	RemoveUser(ctx context.Context, tenantRef, id string, now time.Time, keepOwner bool, audit *tenant.Entry) error
	// User returns a user by tenant and id, or a NotFound fault.
	User(ctx context.Context, tenantRef, id string) (User, error)
	// Comers returns the users with an address, of all tenants and by tenant, who are active or
	// have a live link.
	Comers(ctx context.Context, email string, now time.Time) ([]Member, error)
	// TenantUsers returns the users of a tenant, or the operators for "", by address.
	TenantUsers(ctx context.Context, tenantRef string) ([]User, error)
	// Members returns the users of a tenant with their ways in, by address.
	Members(ctx context.Context, tenantRef string) ([]Member, error)
	// AllUsers returns all users by tenant and address.
	AllUsers(ctx context.Context) ([]User, error)
	// ChangeUser reads a user, calls change, and stores the user as changed with the Change,
	// in one transaction. If the user may issue nothing afterwards, it ends the user's bulk jobs
	// and orders there. change may run again.
	ChangeUser(ctx context.Context, tenantRef, id string, now time.Time, change func(*User) (Change, error)) error

	// ChangeMember is ChangeUser, but returns [ErrLastOwner] if no owner of the tenant can sign
	// in afterwards.
	ChangeMember(ctx context.Context, tenantRef, id string, now time.Time, change func(*User) (Change, error)) error

	// Passkeys returns the passkeys of a user, oldest first.
	Passkeys(ctx context.Context, tenantRef, userID string) ([]Passkey, error)
	// PasskeyUser returns the passkey with a credential id and its user, or [ErrPasskey].
	PasskeyUser(ctx context.Context, credential []byte) (Passkey, User, error)
	// IdentityUsers returns the users of an account at a provider, by tenant: of each one at
	// most.
	IdentityUsers(ctx context.Context, issuer, subject string) ([]User, error)
	// SignInProvider returns the provider of a tenant. ok is false if it has none.
	SignInProvider(ctx context.Context, tenantRef string) (p Provider, ok bool, err error)
	// PutSignInProvider stores the provider of p.Tenant, or removes it if p.Issuer is "".
	PutSignInProvider(ctx context.Context, p Provider, now time.Time, audit *tenant.Entry) error

	// LinkUser returns a live link with its user, or [ErrLink].
	LinkUser(ctx context.Context, h Hash, now time.Time) (Link, User, error)
	// SessionUser returns a session with its user and the user's tenant, which is zero for an
	// operator, or [ErrNoSession].
	SessionUser(ctx context.Context, h Hash) (Session, User, tenant.Tenant, error)
	// Sessions returns the sessions of a user that have begun and not expired, newest first.
	Sessions(ctx context.Context, tenantRef, userID string, now time.Time) ([]Session, error)
	// TouchSession notes the last use of a session.
	TouchSession(ctx context.Context, tenantRef, userID, id string, now time.Time) error
	// EndSession ends a session of a user, or returns [ErrNoSession].
	EndSession(ctx context.Context, tenantRef, userID, id string, audit *tenant.Entry) error

	// Try calls next with the count of each key and stores the results, or nothing if one of
	// them is not ok. until is the latest of the times before which there must be no try.
	Try(ctx context.Context, keys []TryKey, now time.Time, next func(TryKey, Tries) (Tries, bool)) (until time.Time, err error)
	// Forgive removes the count of each key, or one try of it if the key's kind is [TryClient].
	Forgive(ctx context.Context, keys []TryKey) error
}
