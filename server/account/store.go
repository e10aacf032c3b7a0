package account

import (
	"context"
	"time"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// Taken says who has an address already.
type Taken int

// The answers.
const (
	Free           Taken = iota
	TakenHere            // a user of the tenant
	TakenElsewhere       // another one
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

	DropLink    bool     // the one-time link
	DropFactor  bool     // recovery codes, passkeys and the account at a provider
	EndSessions bool     // all of the user
	EndSession  *Hash    // one, which must exist
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
	ErrIdentity  = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "the account at the provider does not belong to the user")
	ErrLastWay   = fault.New(fault.Conflict, fault.CodeConflict, "the passkey is the only way in; add another one first")
	ErrUsed      = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "this sign-in was used already; begin again")
	ErrLastOwner = fault.New(fault.Conflict, fault.CodeInvalidTransition, "the organisation must keep an owner who can sign in")
	ErrNoSession = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "there is no such session; sign in")
)

// Store keeps users. Package store implements it. Every change writes its audit entry in
// the same transaction.
type Store interface {
	// InsertUser stores a user with a link, unless its address is taken. If it is taken
	// elsewhere and blindly is set, the user is stored as a blind one. It returns a NotFound
	// fault if there is no such tenant.
	InsertUser(ctx context.Context, u User, l Link, blindly bool, audit *tenant.Entry) (Taken, error)
	// User returns a user by tenant and id, or a NotFound fault.
	User(ctx context.Context, tenantRef, id string) (User, error)
	// UserByEmail returns the user with an address, or a NotFound fault.
	UserByEmail(ctx context.Context, email string) (User, error)
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
	// IdentityUser returns the user of an account at a provider, or a NotFound fault.
	IdentityUser(ctx context.Context, issuer, subject string) (User, error)
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
