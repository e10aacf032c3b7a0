package account

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// A Provider is an OpenID provider that signs users in: those of one tenant, or with Tenant
// "" operators and the users of all tenants that have no provider of their own. So exactly
// one provider, or none, may speak for a user.
type Provider struct {
	Tenant   string // reference; "" for the gateway's
	Issuer   string // URL
	ClientID string
	Secret   string // may be "" for the public kind of client
	Sealed   []byte // the secret as it is stored, of a tenant's provider
}

// SealedProvider names the secret of a tenant's provider in the keyring.
const SealedProvider = "secret of the OpenID provider"

// An Identity is an account at a provider, as a verified ID token states it.
type Identity struct {
	Issuer, Subject string
	Email           string
	Verified        bool // the provider verified that the person has the address
}

// A Flow is what a browser keeps, sealed, while its user is at a provider.
type Flow struct {
	Tenant   string    `json:"t"` // whose provider it is
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"` // of PKCE
	Agent    Hash      `json:"a"`
	Until    time.Time `json:"u"`
}

// FlowLife is how long a person may take at a provider.
const FlowLife = 10 * time.Minute

const sealedFlow = "provider flow"

// ErrNoProvider means that there is no OpenID provider.
var ErrNoProvider = fault.New(fault.NotFound, fault.CodeNotFound, "there is no OpenID provider")

// Provider returns the provider of a tenant's users with its secret, that of the gateway
// for "", or [ErrNoProvider].
func (s *Service) Provider(ctx context.Context, tenantRef string) (Provider, error) {
	if ref, ok := tenant.ParseReference(tenantRef); ok {
		p, ok, err := s.c.Store.SignInProvider(ctx, ref)
		if err != nil {
			return Provider{}, err
		}
		if ok {
			secret, err := s.c.Sealer.Open(p.Sealed, p.Tenant, SealedProvider)
			p.Secret = string(secret)
			return p, err
		}
	}
	if tenantRef != "" || s.c.Gateway.Issuer == "" {
		return Provider{}, ErrNoProvider
	}
	return s.c.Gateway, nil
}

// SetProvider sets the provider of a tenant, or removes it if p.Issuer is "". It is for
// operators: the gateway sends requests to the issuer.
func (s *Service) SetProvider(ctx context.Context, p Provider) (err error) {
	ref, ok := tenant.ParseReference(p.Tenant)
	if !ok {
		return fault.New(fault.NotFound, fault.CodeNotFound, "no such tenant")
	}
	p.Tenant = ref
	if p.Sealed, err = s.c.Sealer.Seal([]byte(p.Secret), p.Tenant, SealedProvider); err != nil {
		return err
	}
	now := s.now()
	return s.c.Store.PutSignInProvider(ctx, p, now, tenant.NewEntry(ctx, p.Tenant, ActionProvider, p.Tenant, now).With("issuer", p.Issuer))
}

// BeginFlow returns a new flow to the provider of a tenant, or to that of the gateway, and
// its sealed form for a cookie.
func (s *Service) BeginFlow(tenantRef string, from From) (f Flow, sealed string, err error) {
	f = Flow{tenantRef, newToken(), newToken(), newToken(), agentHash(from.Agent), s.now().Add(FlowLife)}
	sealed, err = s.seal(f, sealedFlow)
	return f, sealed, err
}

// OpenFlow returns the flow of a cookie if the provider's answer has its state, or
// [ErrIdentity].
func (s *Service) OpenFlow(sealed, state string, from From) (f Flow, err error) {
	if !s.unseal(sealed, sealedFlow, &f) {
		return Flow{}, ErrIdentity
	}
	agent, left := agentHash(from.Agent), f.Until.Sub(s.now())
	if subtle.ConstantTimeCompare(agent[:], f.Agent[:]) != 1 || subtle.ConstantTimeCompare([]byte(state), []byte(f.State)) != 1 || left <= 0 || left > FlowLife {
		return Flow{}, ErrIdentity
	}
	return f, nil
}

// SignInIdentity signs in the user of an account at a flow's provider. The ticket is that of a
// signed-in session, or for the code of a user who has a second factor here. If the account is
// linked to no user yet, or may be linked to another one, it is a choice: no person joins an
// organisation without a look at its name and a click. The error is [ErrIdentity] or [ErrUsed].
func (s *Service) SignInIdentity(ctx context.Context, f Flow, id Identity, from From) (Ticket, error) {
	list, err := s.identified(ctx, f, id)
	switch {
	case err != nil:
		return Ticket{}, err
	case len(list) == 0:
		return Ticket{}, ErrIdentity
	case len(list) == 1 && list[0].Linked:
		return s.byIdentity(ctx, list[0], f, id, from)
	}
	return s.choose(ctx, chosen{Flow: &f, Identity: &id}, list, from)
}

// speaksFor reports whether the provider of tenantRef is the one that may speak for u, and has
// the issuer.
func (s *Service) speaksFor(ctx context.Context, tenantRef, issuer string, u User) (bool, error) {
	p, err := s.Provider(ctx, u.Tenant)
	if errors.Is(err, ErrNoProvider) && u.Tenant != "" {
		p, err = s.Provider(ctx, "")
	}
	if errors.Is(err, ErrNoProvider) {
		return false, nil
	}
	return err == nil && p.Tenant == tenantRef && p.Issuer == issuer, err
}
