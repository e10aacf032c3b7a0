package account

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/tenant"
)

const (
	// Idle is how long a session lasts without a request.
	Idle = 30 * time.Minute
	// touchEvery is the resolution of SeenAt, so that a busy user costs one write a minute.
	touchEvery = time.Minute
	// MaxSessions is the maximum number of sessions of a user at each stage. The oldest one ends
	// when a further one begins.
	MaxSessions = 10
	maxShown    = 300 // bytes of an agent or an address that are stored for people
)

// A Session is one way of a browser into the console. Its token is in the browser only.
type Session struct {
	Tenant, UserID string
	ID             string // UUID, by which its user may end it
	Hash           Hash   // of the token
	Stage          Stage
	Factor         []byte // sealed second factor that is being set up, at [StageEnrol]

	Agent     string // for people
	AgentHash Hash   // a request from another agent is refused
	Address   string // of the network, at its beginning

	CreatedAt, SeenAt time.Time
	ExpiresAt         time.Time // whatever happens
}

// A Visit is a request with a session.
type Visit struct {
	User   User
	Tenant tenant.Tenant // zero for an operator
	Stage  Stage
	ID     string // of the session

	session Session
}

// May reports whether the user may do a now. A session before its second factor permits
// nothing.
func (v Visit) May(a Action) bool { return v.Stage == StageIn && v.User.Role.May(a) }

// ErrSuspended is the error of a user whose tenant is suspended.
var ErrSuspended = fault.New(fault.Forbidden, fault.CodeForbidden, "the tenant is suspended").WithReason(fault.ReasonTenantSuspended)

// Visit returns the user of a session's token, at any stage, and counts as use of the session. It
// returns [ErrNoSession] for a session that is unknown, ended or expired, or that comes from another
// agent, and [ErrSuspended] if the user's tenant is suspended.
func (s *Service) Visit(ctx context.Context, token string, from From) (Visit, error) {
	v, err := s.Look(ctx, token, from)
	if now := s.now(); err == nil && now.Sub(v.session.SeenAt) >= touchEvery {
		err = s.c.Store.TouchSession(ctx, v.session.Tenant, v.session.UserID, v.session.ID, now)
	}
	if err != nil {
		return Visit{}, err
	}
	return v, nil
}

// Look is [Service.Visit] for a request that a page makes by itself: it is no use of the session,
// which ends as if there were no such request.
func (s *Service) Look(ctx context.Context, token string, from From) (Visit, error) {
	h, ok := hashToken(token)
	if !ok {
		return Visit{}, ErrNoSession
	}
	session, u, t, err := s.c.Store.SessionUser(ctx, h)
	if err != nil {
		return Visit{}, err
	}
	now, agent := s.now(), agentHash(from.Agent)
	if subtle.ConstantTimeCompare(agent[:], session.AgentHash[:]) != 1 {
		return Visit{}, s.stolen(ctx, session)
	}
	switch {
	case u.State != Active, !now.Before(session.ExpiresAt), now.Sub(session.SeenAt) >= Idle:
		return Visit{}, ErrNoSession
	case session.CreatedAt.Sub(now) > time.Minute, session.ExpiresAt.Sub(session.CreatedAt) > lives[session.Stage]: // from a clock that was ahead
		return Visit{}, ErrNoSession
	case t.State == tenant.Suspended:
		return Visit{}, ErrSuspended
	}
	return Visit{User: u, Tenant: t, Stage: session.Stage, ID: session.ID, session: session}, nil
}

// stolen ends a session whose token came from another agent.
func (s *Service) stolen(ctx context.Context, session Session) error {
	e := tenant.NewEntry(tenant.WithBy(ctx, tenant.By{Actor: tenant.ActorSystem}), session.Tenant, ActionEnd, session.UserID, s.now()).With("reason", "another agent")
	if err := s.c.Store.EndSession(ctx, session.Tenant, session.UserID, session.ID, e); err != nil {
		return err
	}
	return ErrNoSession
}

// visit is [Service.Visit] for a session at one stage.
func (s *Service) visit(ctx context.Context, token string, from From, at Stage) (Visit, error) {
	v, err := s.Visit(ctx, token, from)
	if err == nil && v.Stage != at {
		err = ErrNoSession
	}
	return v, err
}

// Sessions returns the signed-in sessions of the visitor, newest first.
func (s *Service) Sessions(ctx context.Context, v Visit) ([]Session, error) {
	list, err := s.c.Store.Sessions(ctx, v.User.Tenant, v.User.ID, s.now())
	if err != nil {
		return nil, err
	}
	live := list[:0]
	for _, one := range list {
		if one.Stage == StageIn && s.now().Sub(one.SeenAt) < Idle {
			live = append(live, one)
		}
	}
	return live, nil
}

// End ends a session of the visitor, also the present one, or returns [ErrNoSession].
func (s *Service) End(ctx context.Context, v Visit, id string) error {
	if uuid.Validate(id) != nil {
		return ErrNoSession
	}
	e := tenant.NewEntry(by(ctx, v.User), v.User.Tenant, ActionEnd, v.User.ID, s.now())
	return s.c.Store.EndSession(ctx, v.User.Tenant, v.User.ID, id, e)
}

// SignOut ends the session of a token, at any stage, also of a suspended tenant. A session
// that has ended already is no error.
func (s *Service) SignOut(ctx context.Context, token string, from From) error {
	h, ok := hashToken(token)
	if !ok {
		return nil
	}
	session, u, _, err := s.c.Store.SessionUser(ctx, h)
	if err == nil && session.AgentHash == agentHash(from.Agent) {
		err = s.End(ctx, Visit{User: u}, session.ID)
	}
	if errors.Is(err, ErrNoSession) {
		return nil
	}
	return err
}

// agentHash binds a session to a browser.
func agentHash(agent string) Hash { return sha256.Sum256([]byte("agent " + agent)) }

// shown returns a text of a client as it is stored for people.
func shown(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
	for len(text) > maxShown {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	return text
}

func newID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make id: %w", err)
	}
	return id.String(), nil
}
