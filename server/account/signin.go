package account

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// Stage is how far a session has come. The words are in the database.
type Stage string

// The stages.
const (
	StageNone  Stage = ""      // nothing is proven: there is no session
	StageCode  Stage = "code"  // the password is proven; the second factor is needed
	StageEnrol Stage = "enrol" // the password is proven; a second factor must be set up
	StageIn    Stage = "in"    // signed in
)

// proof is something that a client has proven.
type proof string

const (
	provenPassword proof = "password"            // or an account at a provider, of a user with a second factor
	provenFirst    proof = "password, no factor" // of a user without one, or by a link
	provenCode     proof = "code"                // of the app, or a recovery code
	provenFactor   proof = "new factor"          // a code of the app that is set up
	provenPasskey  proof = "passkey"             // which is both factors: the device, and the finger or PIN that it asked for
	provenProvider proof = "provider"            // an account at a provider, of a user without a second factor here
)

// steps is the table of signing in: a stage and a proof give the next stage. All others
// are refused. Each step gives the client another token and ends the one before.
var steps = map[Stage]map[proof]Stage{
	StageNone:  {provenPassword: StageCode, provenFirst: StageEnrol, provenPasskey: StageIn, provenProvider: StageIn},
	StageCode:  {provenCode: StageIn},
	StageEnrol: {provenFactor: StageIn},
}

// lives are how long a session may stay at a stage.
var lives = map[Stage]time.Duration{StageCode: 10 * time.Minute, StageEnrol: 20 * time.Minute, StageIn: 12 * time.Hour}

// A From is the client of a request.
type From struct {
	Address string // of the network
	Agent   string // User-Agent
	Known   string // the mark of a browser that signed in before, from [Ticket]; may be ""
}

// A Ticket is the token of a session, for the client's cookie, or a choice before there is one.
type Ticket struct {
	Choice    *Choice // not nil: there is no token yet
	Token     string
	Stage     Stage
	ExpiresAt time.Time
	Known     string // at [StageIn]: for the browser to keep for [KnownLife], and to send as [From.Known]
}

// ErrWrong is the one answer to a wrong password, an unknown address and a user who cannot
// sign in, so that they cannot be distinguished.
var ErrWrong = fault.New(fault.Unauthorized, fault.CodeUnauthorized, "address or password is wrong")

// try counts a try of each key before it takes place. The error is a [*Wait] if it must
// not.
func (s *Service) try(ctx context.Context, keys ...TryKey) error {
	now := s.now()
	until, err := s.c.Store.Try(ctx, keys, now, func(k TryKey, t Tries) (Tries, bool) { return k.Next(t, now) })
	if err == nil && until.After(now) {
		s.c.Log.InfoContext(ctx, "sign-in must wait after too many tries", slog.Int64("wait_s", int64(until.Sub(now).Seconds())))
		return &Wait{until.Sub(now)}
	}
	return err
}

// SignIn proves a password. The ticket is for the next stage, or a choice if several users with
// the address have the password. The error is [ErrWrong], or a [*Wait] after too many tries.
func (s *Service) SignIn(ctx context.Context, email, password string, from From) (Ticket, error) {
	email = canonical(email)
	a, err := s.attempt(ctx, email, from)
	if err != nil {
		return Ticket{}, err
	}
	right, err := s.proven(ctx, &a, email, password, from)
	switch {
	case err != nil:
		return Ticket{}, err
	case len(right) == 0:
		return Ticket{}, ErrWrong
	case len(right) == 1:
		return s.byPassword(ctx, right[0].User, passwordMark(right[0].User), nil, from)
	}
	return s.choose(ctx, chosen{Email: email, Marks: marks(right)}, right, from)
}

// byPassword signs in a user whose password with a mark was proven, and uses once up.
func (s *Service) byPassword(ctx context.Context, u User, mark Hash, once *Once, from From) (Ticket, error) {
	return s.step(ctx, u, Session{}, from, func(now *User, c *Change) (proof, error) {
		if c.Use = once; passwordMark(*now) != mark || now.State != Active { // changed meanwhile
			return "", ErrWrong
		}
		if len(now.Factor) == 0 {
			return provenFirst, nil
		}
		return provenPassword, nil
	})
}

// comers returns the users with an address who may come in or are invited. It looks for no text
// that is not an address: a database may refuse it.
func (s *Service) comers(ctx context.Context, email string) ([]Member, error) {
	var p fault.Fields
	if checkEmail(&p, email); p.Err() != nil {
		return nil, nil
	}
	return s.c.Store.Comers(ctx, email, s.now())
}

// step stores the next stage of a session of u: prove returns the proof, and may add to the
// change. was is the session so far, or zero.
func (s *Service) step(ctx context.Context, u User, was Session, from From, prove func(*User, *Change) (proof, error)) (t Ticket, err error) {
	now := s.now()
	ctx = by(ctx, u)
	err = s.c.Store.ChangeUser(ctx, u.Tenant, u.ID, now, func(u *User) (Change, error) {
		c := Change{}
		proven, err := prove(u, &c)
		if err != nil {
			return c, err
		}
		next, ok := steps[was.Stage][proven]
		if !ok {
			return c, ErrNoSession
		}
		var session Session
		if session, t, err = s.newSession(*u, next, from, now); err != nil {
			return c, err
		}
		if c.Session = &session; was.Stage != StageNone {
			c.EndSession = &was.Hash
		}
		if c.Audit == nil {
			c.Audit = tenant.NewEntry(ctx, u.Tenant, ActionBegin, u.ID, now)
		}
		if c.Audit.With("stage", string(next)); next == StageIn {
			u.SignedInAt = now
		}
		return c, nil
	})
	return t, err
}

// newSession returns a session of u at a stage.
func (s *Service) newSession(u User, at Stage, from From, now time.Time) (Session, Ticket, error) {
	token := newToken()
	hash, _ := hashToken(token)
	id, err := newID()
	if err != nil {
		return Session{}, Ticket{}, err
	}
	n := Session{
		Tenant: u.Tenant, UserID: u.ID, ID: id, Hash: hash, Stage: at, Agent: shown(from.Agent), AgentHash: agentHash(from.Agent), Address: shown(from.Address),
		CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(lives[at]),
	}
	if at == StageEnrol {
		if n.Factor, err = s.c.Sealer.Seal([]byte(newFactor()), u.Tenant, SealedName(u.ID)); err != nil {
			return Session{}, Ticket{}, err
		}
	}
	t := Ticket{Token: token, Stage: at, ExpiresAt: n.ExpiresAt}
	if at == StageIn {
		t.Known, err = s.mark(u, from, now)
	}
	return n, t, err
}

// Code proves a second factor, by a code of the app or by a recovery code. The ticket is
// that of a signed-in session. The error is [ErrRecovery] for a wrong code, a [*Wait] after
// too many, or [ErrNoSession].
func (s *Service) Code(ctx context.Context, token, code string, from From) (Ticket, error) {
	v, err := s.visit(ctx, token, from, StageCode)
	if err != nil {
		return Ticket{}, err
	}
	keys := []TryKey{keyOf(TryClient, network(from.Address)), keyOf(TryCode, v.User.ID)}
	if _, known := s.browserKey(v.User, from); known { // others of its network do not count
		keys = keys[1:]
	}
	if err := s.try(ctx, keys...); err != nil {
		return Ticket{}, err
	}
	t, err := s.step(ctx, v.User, v.session, from, func(u *User, c *Change) (proof, error) {
		right, err := s.rightCode(u, u.Factor, code)
		if err != nil {
			return "", err
		}
		if !right {
			h := hashRecovery(code)
			c.UseRecovery = &h // an unknown code is ErrRecovery
			c.Audit = tenant.NewEntry(by(ctx, *u), u.Tenant, ActionBegin, u.ID, s.now()).With("recovery", "true")
		}
		return provenCode, nil
	})
	if err != nil {
		return Ticket{}, err
	}
	return t, s.c.Store.Forgive(ctx, keys)
}

// rightCode reports whether a code belongs to a sealed factor, and notes its step in u.
func (s *Service) rightCode(u *User, factor []byte, code string) (bool, error) {
	if len(factor) == 0 {
		return false, nil
	}
	secret, err := s.c.Sealer.Open(factor, u.Tenant, SealedName(u.ID))
	if err != nil {
		return false, err
	}
	step, right, err := acceptCode(string(secret), code, u.Step, s.now())
	if right {
		u.Step = step
	}
	return right, err
}

// An Enrolment is a second factor that is being set up.
type Enrolment struct {
	Secret string // Base32
	URL    string // for the QR code that an app reads
}

// Enrolment returns the second factor that a session sets up, or [ErrNoSession]. issuer
// names the gateway in the app.
func (s *Service) Enrolment(ctx context.Context, token, issuer string, from From) (Enrolment, error) {
	v, err := s.visit(ctx, token, from, StageEnrol)
	if err != nil {
		return Enrolment{}, err
	}
	secret, err := s.c.Sealer.Open(v.session.Factor, v.User.Tenant, SealedName(v.User.ID))
	if err != nil {
		return Enrolment{}, err
	}
	return Enrolment{string(secret), factorURL(issuer, v.User.account(), string(secret))}, nil
}

// Enrol proves that the app has the new second factor, and returns the recovery codes,
// which are not shown again. Errors are those of [Service.Code].
func (s *Service) Enrol(ctx context.Context, token, code string, from From) (Ticket, []string, error) {
	v, err := s.visit(ctx, token, from, StageEnrol)
	if err != nil {
		return Ticket{}, nil, err
	}
	keys := []TryKey{keyOf(TryCode, v.User.ID)}
	if err := s.try(ctx, keys...); err != nil {
		return Ticket{}, nil, err
	}
	codes, hashes := newRecovery()
	t, err := s.step(ctx, v.User, v.session, from, func(u *User, c *Change) (proof, error) {
		if len(u.Factor) != 0 { // set up by another session meanwhile
			return "", ErrNoSession
		}
		u.Step = 0 // of another secret
		right, err := s.rightCode(u, v.session.Factor, code)
		if err != nil {
			return "", err
		}
		if !right {
			return "", ErrRecovery
		}
		secret, err := s.c.Sealer.Open(v.session.Factor, u.Tenant, SealedName(u.ID))
		if err != nil {
			return "", err
		}
		// The keyset may have changed since the session began.
		if u.Factor, err = s.c.Sealer.Seal(secret, u.Tenant, SealedName(u.ID)); err != nil {
			return "", err
		}
		c.Recovery, c.Audit = hashes, tenant.NewEntry(by(ctx, *u), u.Tenant, ActionFactor, u.ID, s.now())
		return provenFactor, nil
	})
	if err != nil {
		return Ticket{}, nil, err
	}
	return t, codes, s.c.Store.Forgive(ctx, keys)
}

// Invited returns the user of a live one-time link, and when it expires, or [ErrLink].
func (s *Service) Invited(ctx context.Context, link string) (User, time.Time, error) {
	h, ok := hashToken(link)
	if !ok {
		return User{}, time.Time{}, ErrLink
	}
	l, u, err := s.c.Store.LinkUser(ctx, h, s.now())
	return u, l.ExpiresAt, err
}

// Accept chooses the password of a link's user and uses the link up. The ticket is for
// setting up a second factor. The error is [ErrLink], or a fault with the problems of the
// password.
func (s *Service) Accept(ctx context.Context, link, password string, from From) (Ticket, error) {
	u, _, err := s.Invited(ctx, link)
	if err != nil {
		return Ticket{}, err
	}
	var p fault.Fields
	checkPassword(&p, u, password)
	if err := p.Err(); err != nil {
		return Ticket{}, err
	}
	others, err := s.comers(ctx, u.Email)
	if err != nil {
		return Ticket{}, err
	}
	like := ""
	for _, m := range others {
		if m.State == Active && !m.Passwordless() {
			like = m.Password
		}
	}
	hash, err := s.hasher.hash(ctx, password, like)
	if err != nil {
		return Ticket{}, err
	}
	h, _ := hashToken(link)
	return s.step(ctx, u, Session{}, from, func(u *User, c *Change) (proof, error) {
		if err := u.to(accept); err != nil {
			return "", ErrLink
		}
		forgetSecrets(u)
		u.Password = hash
		c.UseLink, c.EndSessions, c.DropFactor = &h, true, true
		c.Audit = tenant.NewEntry(by(ctx, *u), u.Tenant, ActionPassword, u.ID, s.now())
		return provenFirst, nil
	})
}

// IsWait returns how long a caller must wait, if err is a [*Wait].
func IsWait(err error) (time.Duration, bool) {
	if w, ok := errors.AsType[*Wait](err); ok {
		return w.For, true
	}
	return 0, false
}
