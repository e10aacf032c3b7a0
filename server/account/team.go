package account

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// A Member is a user of a tenant with the ways in.
type Member struct {
	User
	Passkeys int
	Linked   bool // has an account at an OpenID provider
}

// A Mailer sends invitations. Package server implements it.
type Mailer interface {
	// Invite sends m. An error means that no server took it.
	Invite(ctx context.Context, m Message) error
}

// A Message is an invitation for a person's mailbox.
type Message struct {
	ID        string // unique
	To        User
	Issuer    string // name of the tenant
	Language  string
	By        string // who invites
	Token     string // of the link
	ExpiresAt time.Time
}

// Sent is the outcome of an invitation.
type Sent struct {
	Invitation
	Mailed bool // else the link must be given to the person by hand
}

var errNotManager = fault.New(fault.Forbidden, fault.CodeForbidden, "the role does not permit it")

// manages returns the tenant of a visitor who may manage its users.
func manages(v Visit) (string, error) {
	if !v.May(Manage) || v.User.Tenant == "" {
		return "", errNotManager
	}
	return v.User.Tenant, nil
}

// Team returns the users of the visitor's tenant, by address.
func (s *Service) Team(ctx context.Context, v Visit) ([]Member, error) {
	ref, err := manages(v)
	if err != nil {
		return nil, err
	}
	return s.c.Store.Members(ctx, ref)
}

// Invite makes a user of the visitor's tenant, and sends the link. The person is not asked and
// not held before the link is used: whether the address has an account elsewhere changes
// nothing, here and there. The error is a Conflict fault if a user of this tenant has the
// address, or a [*Wait] after [MaxInvitations] in a day.
func (s *Service) Invite(ctx context.Context, v Visit, email, name string, role Role) (Sent, error) {
	ref, err := manages(v)
	if err != nil {
		return Sent{}, err
	}
	spec := Spec{Tenant: ref, Email: email, Name: name, Role: role}
	if err := spec.check(); err != nil {
		return Sent{}, err
	}
	if err := s.try(ctx, keyOf(TryInvite, ref)); err != nil {
		return Sent{}, err
	}
	inv, err := s.Create(by(ctx, v.User), spec)
	if err != nil {
		return Sent{}, err
	}
	return s.send(ctx, v, inv), nil
}

// ResetMember resets a user of the visitor's tenant, as [Service.Reset] does, and sends the
// link. For an invited user it sends a new link. Errors are those of Invite, or
// [ErrLastOwner].
func (s *Service) ResetMember(ctx context.Context, v Visit, id string) (Sent, error) {
	ref, err := memberOf(v, id)
	if err != nil {
		return Sent{}, err
	}
	if err := s.try(ctx, keyOf(TryInvite, ref)); err != nil {
		return Sent{}, err
	}
	inv, err := s.reset(by(ctx, v.User), s.c.Store.ChangeMember, ref, id)
	if err != nil {
		return Sent{}, err
	}
	return s.send(ctx, v, inv), nil
}

// DisableMember disables a user of the visitor's tenant, as [Service.Disable] does. The
// error may be [ErrLastOwner].
func (s *Service) DisableMember(ctx context.Context, v Visit, id string) error {
	ref, err := memberOf(v, id)
	if err != nil {
		return err
	}
	return s.disable(by(ctx, v.User), s.c.Store.ChangeMember, ref, id)
}

// MemberLeft returns what a user of the visitor's tenant leaves behind without a right to
// issue: what would end, and what would stay.
func (s *Service) MemberLeft(ctx context.Context, v Visit, id string) ([]tenant.Left, error) {
	ref, err := memberOf(v, id)
	if err != nil {
		return nil, err
	}
	return s.c.Tenants.Left(ctx, ref, tenant.Identity{User: id}.Author())
}

// RemoveMember removes a user of the visitor's tenant, as [Service.Remove] does. The error may
// be [ErrLastOwner].
func (s *Service) RemoveMember(ctx context.Context, v Visit, id string) error {
	ref, err := memberOf(v, id)
	if err != nil {
		return err
	}
	return s.remove(by(ctx, v.User), ref, id, true)
}

// SetMemberRole changes the role of a user of the visitor's tenant, as [Service.SetRole]
// does. The error may be [ErrLastOwner].
func (s *Service) SetMemberRole(ctx context.Context, v Visit, id string, role Role) error {
	ref, err := memberOf(v, id)
	if err != nil {
		return err
	}
	return s.setRole(by(ctx, v.User), s.c.Store.ChangeMember, ref, id, role)
}

// memberOf is manages for a change of one user.
func memberOf(v Visit, id string) (string, error) {
	ref, err := manages(v)
	if err == nil && uuid.Validate(id) != nil {
		err = fault.New(fault.NotFound, fault.CodeNotFound, "no such user")
	}
	return ref, err
}

// mailTime bounds the time that an owner waits for the mail server.
const mailTime = 20 * time.Second

// send sends an invitation. If no server takes it, the link remains to be given by hand.
func (s *Service) send(ctx context.Context, v Visit, inv Invitation) Sent {
	if s.c.Mailer == nil {
		return Sent{inv, false}
	}
	id, err := newID()
	if err != nil {
		return Sent{inv, false}
	}
	m := Message{ID: id, To: inv.User, Issuer: v.Tenant.Name, Language: v.Tenant.Language, By: v.User.Label(), Token: inv.Token, ExpiresAt: inv.ExpiresAt}
	ctx, cancel := context.WithTimeout(ctx, mailTime)
	defer cancel()
	if err := s.c.Mailer.Invite(ctx, m); err != nil {
		s.c.Log.WarnContext(ctx, "invitation was not sent", slog.String("user", inv.ID), slog.Any("err", err))
		return Sent{inv, false}
	}
	inv.Token = ""
	return Sent{inv, true}
}
