package account

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// A Change is the work of one transaction on a user, in addition to the user's own
// members. Zero members change nothing.
type Change struct {
	Link    *Link // a new one-time link, which replaces those before
	UseLink *Hash // a live link of the user, which is used up

	Recovery    []Hash // the new recovery codes, in place of those before
	UseRecovery *Hash  // an unused recovery code of the user, which is used up

	DropFactor  bool     // removes the recovery codes
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
	ErrNoSession = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "there is no such session; sign in")
)

// Store keeps users. Package store implements it. Every change writes its audit entry in
// the same transaction.
type Store interface {
	// InsertUser stores a user with a link. taken reports that its address has a user. It
	// returns a NotFound fault if there is no such tenant.
	InsertUser(ctx context.Context, u User, l Link, audit *tenant.Entry) (taken bool, err error)
	// User returns a user by tenant and id, or a NotFound fault.
	User(ctx context.Context, tenantRef, id string) (User, error)
	// UserByEmail returns the user with an address, or a NotFound fault.
	UserByEmail(ctx context.Context, email string) (User, error)
	// TenantUsers returns the users of a tenant, or the operators for "", by address.
	TenantUsers(ctx context.Context, tenantRef string) ([]User, error)
	// AllUsers returns all users by tenant and address.
	AllUsers(ctx context.Context) ([]User, error)
	// ChangeUser reads a user, calls change, and stores the user as changed with the Change,
	// in one transaction. change may run again.
	ChangeUser(ctx context.Context, tenantRef, id string, now time.Time, change func(*User) (Change, error)) error

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

// Sealer seals secrets. Package keyring implements it.
type Sealer interface {
	Seal(plain []byte, tenant, keyID string) ([]byte, error)
	Open(sealed []byte, tenant, keyID string) ([]byte, error)
}

// Config has the parts of a [Service]. Store and Sealer are required.
type Config struct {
	Store  Store
	Sealer Sealer
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger     // nil: discards
}

// Service has the rules of users and their sessions. It is safe for concurrent use.
type Service struct {
	c      Config
	hasher *hasher
}

// New returns the service.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{c, newHasher()}
}

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// The actions in the audit log. Their subject is the user's id.
const (
	ActionCreate   = "user.create"
	ActionDisable  = "user.disable"
	ActionReset    = "user.reset"
	ActionRole     = "user.role"
	ActionPassword = "user.password" // chosen by a one-time link
	ActionFactor   = "user.factor"   // second factor set up
	ActionBegin    = "session.begin"
	ActionEnd      = "session.end"
)

// LinkLife is how long a one-time link works.
const LinkLife = 7 * 24 * time.Hour

// A Link lets its holder choose the password of a user, once.
type Link struct {
	Hash      Hash
	CreatedAt time.Time
	ExpiresAt time.Time
}

func newLink(now time.Time) (token string, l Link) {
	token = newToken()
	h, _ := hashToken(token)
	return token, Link{h, now, now.Add(LinkLife)}
}

// An Invitation is an invited user with the only copy of the link's token.
type Invitation struct {
	User
	Token     string
	ExpiresAt time.Time
}

// A Spec describes a user to create.
type Spec struct {
	Tenant string // reference; "" for an operator
	Email  string
	Name   string // may be ""
	Role   Role
}

// Create makes a user who has no password, and a link for choosing one. If a user has the
// address, it returns a Conflict fault: call it for operators and owners only.
func (s *Service) Create(ctx context.Context, spec Spec) (Invitation, error) {
	var p fault.Fields
	spec.Email, spec.Tenant = canonical(spec.Email), strings.ToUpper(spec.Tenant)
	checkEmail(&p, spec.Email)
	if spec.Name != "" {
		p.Name("name", spec.Name)
	}
	switch {
	case rights[spec.Role] == nil:
		p.Add("role", "must be owner, issuer, viewer or operator")
	case spec.Role.OfTenant() && spec.Tenant == "":
		p.Add("tenant", "the role %s needs a tenant", spec.Role)
	case !spec.Role.OfTenant() && spec.Tenant != "":
		p.Add("tenant", "an operator belongs to no tenant")
	}
	if err := p.Err(); err != nil {
		return Invitation{}, err
	}
	id, err := newID()
	if err != nil {
		return Invitation{}, err
	}
	now := s.now()
	u := User{Tenant: spec.Tenant, ID: id, Email: spec.Email, Name: spec.Name, Role: spec.Role, State: Invited, CreatedAt: now, UpdatedAt: now}
	token, link := newLink(now)
	taken, err := s.c.Store.InsertUser(ctx, u, link, tenant.NewEntry(ctx, u.Tenant, ActionCreate, u.ID, now).With("role", string(u.Role)))
	if err != nil {
		return Invitation{}, err
	}
	if taken {
		return Invitation{}, fault.New(fault.Conflict, fault.CodeDuplicate, "a user has the address %s", u.Email)
	}
	return Invitation{u, token, link.ExpiresAt}, nil
}

// Users returns the users of a tenant, or the operators for "", by address.
func (s *Service) Users(ctx context.Context, tenantRef string) ([]User, error) {
	return s.c.Store.TenantUsers(ctx, strings.ToUpper(tenantRef))
}

// AllUsers returns all users by tenant and address, for operators.
func (s *Service) AllUsers(ctx context.Context) ([]User, error) { return s.c.Store.AllUsers(ctx) }

// UserByEmail returns the user with an address, or a NotFound fault, for operators.
func (s *Service) UserByEmail(ctx context.Context, email string) (User, error) {
	return s.c.Store.UserByEmail(ctx, canonical(email))
}

// Disable ends all sessions of a user, who cannot sign in until a [Service.Reset].
func (s *Service) Disable(ctx context.Context, tenantRef, id string) error {
	now := s.now()
	return s.c.Store.ChangeUser(ctx, tenantRef, id, now, func(u *User) (Change, error) {
		if err := u.to(disable); err != nil {
			return Change{}, err
		}
		forgetSecrets(u)
		return Change{EndSessions: true, DropFactor: true, Audit: tenant.NewEntry(ctx, u.Tenant, ActionDisable, u.ID, now)}, nil
	})
}

// Reset ends all sessions of a user, removes password and second factor, and makes a link
// for choosing new ones.
func (s *Service) Reset(ctx context.Context, tenantRef, id string) (inv Invitation, err error) {
	now := s.now()
	token, link := newLink(now)
	err = s.c.Store.ChangeUser(ctx, tenantRef, id, now, func(u *User) (Change, error) {
		if err := u.to(reset); err != nil {
			return Change{}, err
		}
		forgetSecrets(u)
		inv = Invitation{*u, token, link.ExpiresAt}
		return Change{Link: &link, EndSessions: true, DropFactor: true, Audit: tenant.NewEntry(ctx, u.Tenant, ActionReset, u.ID, now)}, nil
	})
	return inv, err
}

// SetRole changes the role of a tenant's user, and ends the user's sessions.
func (s *Service) SetRole(ctx context.Context, tenantRef, id string, role Role) error {
	now := s.now()
	return s.c.Store.ChangeUser(ctx, tenantRef, id, now, func(u *User) (Change, error) {
		if !role.OfTenant() || !u.Role.OfTenant() {
			return Change{}, fault.New(fault.Invalid, fault.CodeValidationFailed, "only users of a tenant change their role, to owner, issuer or viewer")
		}
		was := u.Role
		u.Role = role
		return Change{EndSessions: true, Audit: tenant.NewEntry(ctx, u.Tenant, ActionRole, u.ID, now).With("from", string(was)).With("to", string(role))}, nil
	})
}

// forgetSecrets removes everything with which u could sign in. The step of the last code
// stays.
func forgetSecrets(u *User) { u.Password, u.Factor = "", nil }

// by returns a context whose changes have the author u.
func by(ctx context.Context, u User) context.Context {
	return tenant.WithBy(ctx, tenant.By{Actor: tenant.ActorUser, Name: u.ID, TraceID: tenant.ByOf(ctx).TraceID})
}
