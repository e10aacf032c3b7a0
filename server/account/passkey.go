package account

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// MaxPasskeys is the maximum number of passkeys of a user.
const MaxPasskeys = 10

// ceremonyLife is how long a person may take to answer a challenge.
const ceremonyLife = 10 * time.Minute

// A Passkey is a credential of WebAuthn that signs a user in, in place of password and
// second factor.
type Passkey struct {
	ID         string // UUID
	Name       string // for people
	Credential []byte // its id for browsers
	PublicKey  []byte // COSE
	Counter    uint32 // of signatures; 0: the device counts none
	Eligible   bool   // its maker may copy it to other devices of the person
	Cloned     bool   // its counter went back: it is refused
	CreatedAt  time.Time
	UsedAt     time.Time // zero: never
}

// A Challenge is the beginning of a ceremony with a passkey.
type Challenge struct {
	Options string // for the browser, JSON
	Sealed  string // to come back with the browser's answer
}

// ceremony is the content of a sealed challenge. Each challenge works once, for one browser.
type ceremony struct {
	Session webauthn.SessionData `json:"s"`
	Agent   Hash                 `json:"a"`
	Owner   string               `json:"o"` // id of the session that adds a passkey; "" to sign in
	Until   time.Time            `json:"u"`
}

const sealedCeremony = "passkey ceremony"

// relyingParty returns the party to WebAuthn at an origin, https://host[:port].
func relyingParty(origin string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(origin)
	if err != nil {
		return nil, err
	}
	return webauthn.New(&webauthn.Config{RPID: u.Hostname(), RPDisplayName: "TCode", RPOrigins: []string{origin}, AttestationPreference: protocol.PreferNoAttestation})
}

// holder is a user as WebAuthn sees it.
type holder struct {
	User
	passkeys []Passkey
}

// WebAuthnID returns the handle of the user, which says nothing about the person.
func (h holder) WebAuthnID() []byte {
	id, err := uuid.Parse(h.ID)
	if err != nil {
		return nil
	}
	return id[:]
}

// WebAuthnName returns the address of the user, with the tenant: a person may have passkeys of
// several.
func (h holder) WebAuthnName() string { return h.account() }

// WebAuthnDisplayName returns the name of the user.
func (h holder) WebAuthnDisplayName() string { return h.Label() }

// WebAuthnCredentials returns the passkeys of the user.
func (h holder) WebAuthnCredentials() []webauthn.Credential {
	out := make([]webauthn.Credential, len(h.passkeys))
	for i, p := range h.passkeys {
		out[i] = webauthn.Credential{
			ID: p.Credential, PublicKey: p.PublicKey, Flags: webauthn.CredentialFlags{BackupEligible: p.Eligible},
			Authenticator: webauthn.Authenticator{SignCount: p.Counter},
		}
	}
	return out
}

func (s *Service) challenge(options any, session *webauthn.SessionData, owner string, from From) (Challenge, error) {
	raw, err := json.Marshal(options)
	if err != nil {
		return Challenge{}, err
	}
	sealed, err := s.seal(ceremony{*session, agentHash(from.Agent), owner, s.now().Add(ceremonyLife)}, sealedCeremony)
	return Challenge{string(raw), sealed}, err
}

// answered returns the ceremony of a sealed challenge, and what is used up with it.
func (s *Service) answered(sealed, owner string, from From) (c ceremony, once Once, err error) {
	if !s.unseal(sealed, sealedCeremony, &c) {
		return c, once, ErrPasskey
	}
	agent, left := agentHash(from.Agent), c.Until.Sub(s.now())
	if subtle.ConstantTimeCompare(agent[:], c.Agent[:]) != 1 || c.Owner != owner || left <= 0 || left > ceremonyLife {
		return c, once, ErrPasskey
	}
	return c, Once{sha256.Sum256([]byte("challenge " + c.Session.Challenge)), c.Until}, nil
}

// PasskeyChallenge begins a sign-in with a passkey. origin is that of the console for its
// users' browsers: it must never be taken from a request that a stranger can shape.
func (s *Service) PasskeyChallenge(_ context.Context, origin string, from From) (Challenge, error) {
	party, err := relyingParty(origin)
	if err != nil {
		return Challenge{}, err
	}
	options, session, err := party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return Challenge{}, err
	}
	return s.challenge(options.Response, session, "", from)
}

// SignInPasskey proves a passkey by the browser's answer to a challenge. The ticket is that
// of a signed-in session. The error is [ErrPasskey] or [ErrUsed].
func (s *Service) SignInPasskey(ctx context.Context, origin, sealed, answer string, from From) (Ticket, error) {
	c, once, err := s.answered(sealed, "", from)
	if err != nil {
		return Ticket{}, err
	}
	party, err := relyingParty(origin)
	if err != nil {
		return Ticket{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return Ticket{}, ErrPasskey
	}
	var u User
	var p Passkey
	var failed error // of the store
	who := func(id, _ []byte) (webauthn.User, error) {
		if p, u, err = s.c.Store.PasskeyUser(ctx, id); err != nil {
			if !errors.Is(err, ErrPasskey) {
				failed = err
			}
			return nil, err
		}
		return holder{u, []Passkey{p}}, nil
	}
	_, credential, err := party.ValidatePasskeyLogin(who, c.Session, parsed)
	switch {
	case failed != nil:
		return Ticket{}, failed
	case err != nil:
		s.c.Log.InfoContext(ctx, "passkey refused", slog.Any("err", err))
		return Ticket{}, ErrPasskey
	case credential.Authenticator.CloneWarning:
		return Ticket{}, s.cloned(ctx, u, p, once)
	}
	p.Counter = credential.Authenticator.SignCount
	return s.step(ctx, u, Session{}, from, func(u *User, c *Change) (proof, error) {
		if u.State != Active {
			return "", ErrPasskey
		}
		c.UsePasskey, c.Use = &p, &once
		c.Audit = tenant.NewEntry(by(ctx, *u), u.Tenant, ActionBegin, u.ID, s.now()).With("passkey", p.ID)
		return provenPasskey, nil
	})
}

// cloned marks a passkey whose counter went back: it was copied, or its device was set
// back. It is refused until its user removes it. cloned returns ErrPasskey. An answer that is
// only replayed marks nothing: it is [ErrUsed].
func (s *Service) cloned(ctx context.Context, u User, p Passkey, once Once) error {
	now := s.now()
	err := s.c.Store.ChangeUser(ctx, u.Tenant, u.ID, now, func(u *User) (Change, error) {
		e := tenant.NewEntry(tenant.WithBy(ctx, tenant.By{Actor: tenant.ActorSystem}), u.Tenant, ActionPasskey, u.ID, now)
		return Change{ClonedPasskey: p.ID, Use: &once, Audit: e.With("refused", p.ID).With("reason", "its counter went back")}, nil
	})
	if err != nil {
		return err
	}
	return ErrPasskey
}

// Passkeys returns the passkeys of the visitor, oldest first.
func (s *Service) Passkeys(ctx context.Context, v Visit) ([]Passkey, error) {
	return s.c.Store.Passkeys(ctx, v.User.Tenant, v.User.ID)
}

// FreshFor is the time after a sign-in in which the user may add a passkey: a session that was
// stolen later makes no lasting way in.
const FreshFor = 15 * time.Minute

// NewPasskey begins to add a passkey of the visitor. origin is as for [Service.PasskeyChallenge].
// It returns [ErrNotFresh] if the sign-in is not within [FreshFor].
func (s *Service) NewPasskey(ctx context.Context, v Visit, origin string, from From) (Challenge, error) {
	if s.now().Sub(v.session.CreatedAt) > FreshFor {
		return Challenge{}, ErrNotFresh
	}
	party, err := relyingParty(origin)
	if err != nil {
		return Challenge{}, err
	}
	h := holder{User: v.User}
	if h.passkeys, err = s.Passkeys(ctx, v); err != nil {
		return Challenge{}, err
	}
	return s.beginPasskey(party, h, v.ID, from)
}

// beginPasskey begins to make a passkey of h, for the holder of owner.
func (s *Service) beginPasskey(party *webauthn.WebAuthn, h holder, owner string, from From) (Challenge, error) {
	options, session, err := party.BeginRegistration(h,
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{UserVerification: protocol.VerificationRequired}),
		webauthn.WithResidentKeyRequirement(protocol.ResidentKeyRequirementRequired),
		webauthn.WithExclusions(webauthn.Credentials(h.WebAuthnCredentials()).CredentialDescriptors()))
	if err != nil {
		return Challenge{}, err
	}
	return s.challenge(options.Response, session, owner, from)
}

// AddPasskey adds a passkey of the visitor by the browser's answer to a challenge. The error
// is [ErrPasskey], [ErrUsed], [ErrPasskeys], or an Invalid fault for the name.
func (s *Service) AddPasskey(ctx context.Context, v Visit, origin, sealed, name, answer string, from From) error {
	p, once, err := s.newPasskey(ctx, v.User, v.ID, origin, sealed, name, answer, from)
	if err != nil {
		return err
	}
	return s.c.Store.ChangeUser(ctx, v.User.Tenant, v.User.ID, p.CreatedAt, func(u *User) (Change, error) {
		return Change{Passkey: &p, Use: &once, Audit: tenant.NewEntry(by(ctx, *u), u.Tenant, ActionPasskey, u.ID, p.CreatedAt).With("added", p.ID)}, nil
	})
}

// newPasskey returns the passkey of the browser's answer to a challenge that was given to
// owner, and what is used up with it.
func (s *Service) newPasskey(ctx context.Context, u User, owner, origin, sealed, name, answer string, from From) (p Passkey, once Once, err error) {
	var problems fault.Fields
	problems.Name("name", name)
	if err := problems.Err(); err != nil {
		return p, once, err
	}
	c, once, err := s.answered(sealed, owner, from)
	if err != nil {
		return p, once, err
	}
	party, err := relyingParty(origin)
	if err != nil {
		return p, once, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return p, once, ErrPasskey
	}
	made, err := party.CreateCredential(holder{User: u}, c.Session, parsed)
	if err != nil {
		s.c.Log.InfoContext(ctx, "new passkey refused", slog.Any("err", err))
		return p, once, ErrPasskey
	}
	id, err := newID()
	return Passkey{
		ID: id, Name: name, Credential: made.ID, PublicKey: made.PublicKey, Counter: made.Authenticator.SignCount,
		Eligible: made.Flags.BackupEligible, CreatedAt: s.now(),
	}, once, err
}

// linkOwner is the owner of a challenge that the holder of a one-time link got. It is not the
// id of a session.
func linkOwner(h Hash) string { return "link " + hex.EncodeToString(h[:]) }

// InvitedPasskey begins to make the first passkey of a link's user, or returns [ErrLink].
// origin is as for [Service.PasskeyChallenge].
func (s *Service) InvitedPasskey(ctx context.Context, link, origin string, from From) (Challenge, error) {
	u, _, err := s.Invited(ctx, link)
	if err != nil {
		return Challenge{}, err
	}
	party, err := relyingParty(origin)
	if err != nil {
		return Challenge{}, err
	}
	h, _ := hashToken(link)
	return s.beginPasskey(party, holder{User: u}, linkOwner(h), from)
}

// AcceptPasskey gives a link's user a passkey, in place of a password, and uses the link up.
// The ticket is that of a signed-in session. The error is [ErrLink], or one of
// [Service.AddPasskey].
func (s *Service) AcceptPasskey(ctx context.Context, link, origin, sealed, name, answer string, from From) (Ticket, error) {
	u, _, err := s.Invited(ctx, link)
	if err != nil {
		return Ticket{}, err
	}
	h, _ := hashToken(link)
	p, once, err := s.newPasskey(ctx, u, linkOwner(h), origin, sealed, name, answer, from)
	if err != nil {
		return Ticket{}, err
	}
	return s.step(ctx, u, Session{}, from, func(u *User, c *Change) (proof, error) {
		if err := u.to(accept); err != nil {
			return "", ErrLink
		}
		forgetSecrets(u)
		u.Password = noPassword
		c.UseLink, c.EndSessions, c.DropFactor, c.Passkey, c.Use = &h, true, true, &p, &once
		c.Audit = tenant.NewEntry(by(ctx, *u), u.Tenant, ActionPasskey, u.ID, s.now()).With("added", p.ID)
		return provenPasskey, nil
	})
}

// RemovePasskey removes a passkey of the visitor, and ends all other sessions: one of them may be
// of who had the passkey. It returns [ErrPasskey] for an unknown one, and
// [ErrLastWay] if the visitor has neither a password nor another passkey nor an account at a
// provider.
func (s *Service) RemovePasskey(ctx context.Context, v Visit, id string) error {
	if uuid.Validate(id) != nil {
		return ErrPasskey
	}
	now := s.now()
	return s.c.Store.ChangeUser(ctx, v.User.Tenant, v.User.ID, now, func(u *User) (Change, error) {
		return Change{DropPasskey: id, EndOthers: &v.session.Hash, Audit: tenant.NewEntry(by(ctx, *u), u.Tenant, ActionPasskey, u.ID, now).With("removed", id)}, nil
	})
}
