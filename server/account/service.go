package account

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// Sealer seals secrets. Package keyring implements it.
type Sealer interface {
	Seal(plain []byte, tenant, keyID string) ([]byte, error)
	Open(sealed []byte, tenant, keyID string) ([]byte, error)
}

// Config has the parts of a [Service]. All up to Tenants are required.
type Config struct {
	Store   Store
	Sealer  Sealer
	Tenants *tenant.Service
	// Mailer sends invitations; nil: owners give their links to people by hand.
	Mailer Mailer
	// Gateway is the OpenID provider of operators, and of tenants without one of their own. No
	// issuer: there is none.
	Gateway Provider
	Now     func() time.Time // nil: time.Now
	Log     *slog.Logger     // nil: discards
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
	ActionRemove   = "user.remove"
	ActionRole     = "user.role"
	ActionPassword = "user.password" // chosen by a one-time link
	ActionFactor   = "user.factor"   // second factor set up
	ActionPasskey  = "user.passkey"  // a passkey added, removed or refused
	ActionLinked   = "user.linked"   // an account at a provider
	ActionProvider = "user.provider" // the provider of a tenant
	ActionBegin    = "session.begin"
	ActionEnd      = "session.end"
)

// LinkLife is how long a one-time link works.
const LinkLife = 7 * 24 * time.Hour

// A Link lets its holder choose the password or the first passkey of a user, once.
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

// check makes the members of a spec canonical, and returns their problems.
func (spec *Spec) check() error {
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
	return p.Err()
}

// Create makes a user who has no password, and a link for choosing one. Users of other tenants
// may have the address: it is no secret of theirs, and none of their business. It returns a
// Conflict fault if a user of the tenant has it.
func (s *Service) Create(ctx context.Context, spec Spec) (Invitation, error) {
	if err := spec.check(); err != nil {
		return Invitation{}, err
	}
	id, err := newID()
	if err != nil {
		return Invitation{}, err
	}
	now := s.now()
	u := User{Tenant: spec.Tenant, ID: id, Email: spec.Email, Name: spec.Name, Role: spec.Role, State: Invited, CreatedAt: now, UpdatedAt: now}
	token, link := newLink(now)
	ok, err := s.c.Store.InsertUser(ctx, u, link, tenant.NewEntry(ctx, u.Tenant, ActionCreate, u.ID, now).With("role", string(u.Role)))
	if err != nil {
		return Invitation{}, err
	}
	if !ok {
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

// UserByEmail returns the user with an address, for operators. The fault is NotFound if there is
// none, and Conflict if users of several tenants have it.
func (s *Service) UserByEmail(ctx context.Context, email string) (User, error) {
	all, err := s.AllUsers(ctx)
	if err != nil {
		return User{}, err
	}
	return one(all, email)
}

// one returns the one user of a list with an address.
func one(list []User, email string) (u User, err error) {
	err = fault.New(fault.NotFound, fault.CodeNotFound, "no such user")
	for _, found := range list {
		switch {
		case found.Email != canonical(email):
		case err == nil:
			return User{}, fault.New(fault.Conflict, fault.CodeConflict, "users of several tenants have the address %s: name the tenant", found.Email)
		default:
			u, err = found, nil
		}
	}
	return u, err
}

// UserOf is [Service.UserByEmail] for one tenant, or for operators with "".
func (s *Service) UserOf(ctx context.Context, tenantRef, email string) (User, error) {
	of, err := s.Users(ctx, tenantRef)
	if err != nil {
		return User{}, err
	}
	return one(of, email)
}

// Remove deletes a user with everything that lets the user in; the audit log keeps the id. What
// the user began ends as with [Service.Disable].
func (s *Service) Remove(ctx context.Context, tenantRef, id string) error {
	return s.remove(ctx, tenantRef, id, false)
}

func (s *Service) remove(ctx context.Context, tenantRef, id string, keepOwner bool) error {
	now := s.now()
	return s.c.Store.RemoveUser(ctx, tenantRef, id, now, keepOwner, tenant.NewEntry(ctx, tenantRef, ActionRemove, id, now))
}

// changes is a method of [Store] that changes a user.
type changes func(ctx context.Context, tenantRef, id string, now time.Time, change func(*User) (Change, error)) error

// Disable ends all sessions of a user, who cannot sign in until a [Service.Reset].
func (s *Service) Disable(ctx context.Context, tenantRef, id string) error {
	return s.disable(ctx, s.c.Store.ChangeUser, tenantRef, id)
}

func (s *Service) disable(ctx context.Context, changeUser changes, tenantRef, id string) error {
	now := s.now()
	return changeUser(ctx, tenantRef, id, now, func(u *User) (Change, error) {
		if err := u.to(disable); err != nil {
			return Change{}, err
		}
		forgetSecrets(u)
		return Change{EndSessions: true, DropFactor: true, Audit: tenant.NewEntry(ctx, u.Tenant, ActionDisable, u.ID, now)}, nil
	})
}

// Reset ends all sessions of a user, removes everything with which the user signed in, and
// makes a link for choosing a new password.
func (s *Service) Reset(ctx context.Context, tenantRef, id string) (Invitation, error) {
	return s.reset(ctx, s.c.Store.ChangeUser, tenantRef, id)
}

func (s *Service) reset(ctx context.Context, changeUser changes, tenantRef, id string) (inv Invitation, err error) {
	now := s.now()
	token, link := newLink(now)
	err = changeUser(ctx, tenantRef, id, now, func(u *User) (Change, error) {
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
	return s.setRole(ctx, s.c.Store.ChangeUser, tenantRef, id, role)
}

func (s *Service) setRole(ctx context.Context, changeUser changes, tenantRef, id string, role Role) error {
	now := s.now()
	return changeUser(ctx, tenantRef, id, now, func(u *User) (Change, error) {
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
