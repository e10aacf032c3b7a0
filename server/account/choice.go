package account

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"tcode/server/tenant"
)

// A Choice are the accounts of a person who has proven to be their owner, or to have the address
// that was invited: the person chooses one, which [Service.Choose] takes.
type Choice struct {
	Accounts []Account
	Sealed   string // to come back with the tenant of the chosen one
}

// An Account is a user of a [Choice].
type Account struct {
	User
	Organisation string // name of the tenant; "" of an operator
	Joins        bool   // the choice accepts an invitation, or links the account at a provider
}

// MaxChoice is the largest number of accounts in a choice.
const MaxChoice = 30

// choiceLife is how long a person may take to choose.
const choiceLife = 10 * time.Minute

// chosen is the content of a sealed choice. It works once, in one browser.
type chosen struct {
	Email string          `json:"e,omitempty"`
	Marks map[string]Hash `json:"m,omitempty"` // by tenant, of users whose password was proven

	Flow     *Flow     `json:"f,omitempty"` // with an account at a provider
	Identity *Identity `json:"i,omitempty"`

	Once  string    `json:"o"` // random
	Agent Hash      `json:"a"`
	Until time.Time `json:"u"`
}

const sealedChoice = "choice of an account"

// marks are those of the passwords of users.
func marks(of []Member) map[string]Hash {
	out := map[string]Hash{}
	for _, m := range of[:min(len(of), MaxChoice)] {
		out[m.Tenant] = passwordMark(m.User)
	}
	return out
}

// choose returns a choice of accounts in place of a token.
func (s *Service) choose(ctx context.Context, c chosen, from []Member, by From) (Ticket, error) {
	c.Once, c.Agent, c.Until = newToken(), agentHash(by.Agent), s.now().Add(choiceLife)
	sealed, err := s.seal(c, sealedChoice)
	if err != nil {
		return Ticket{}, err
	}
	out := Choice{Sealed: sealed}
	for _, m := range from[:min(len(from), MaxChoice)] {
		name, err := s.Organisation(ctx, m.Tenant)
		if err != nil {
			return Ticket{}, err
		}
		out.Accounts = append(out.Accounts, Account{m.User, name, c.Identity != nil && !m.Linked})
	}
	return Ticket{Choice: &out}, nil
}

// Organisation returns the name of a tenant, or "" for that of operators.
func (s *Service) Organisation(ctx context.Context, tenantRef string) (string, error) {
	if tenantRef == "" {
		return "", nil
	}
	t, err := s.c.Tenants.Tenant(ctx, tenantRef)
	return t.Name, err
}

// Choose signs in the user of a choice who belongs to a tenant, or the operator for "". The ticket
// is as without a choice. The error is [ErrWrong] for a choice that is not this browser's, has
// taken too long or does not have the user any more, or [ErrUsed].
func (s *Service) Choose(ctx context.Context, sealed, tenantRef string, from From) (Ticket, error) {
	var c chosen
	if !s.unseal(sealed, sealedChoice, &c) {
		return Ticket{}, ErrWrong
	}
	agent, left := agentHash(from.Agent), c.Until.Sub(s.now())
	if subtle.ConstantTimeCompare(agent[:], c.Agent[:]) != 1 || left <= 0 || left > choiceLife {
		return Ticket{}, ErrWrong
	}
	once := Once{sha256.Sum256([]byte("choice " + c.Once)), c.Until}
	if c.Identity != nil {
		return s.chooseIdentity(ctx, *c.Flow, *c.Identity, tenantRef, from)
	}
	mark, ok := c.Marks[tenantRef]
	if !ok {
		return Ticket{}, ErrWrong
	}
	list, err := s.comers(ctx, c.Email)
	if err != nil {
		return Ticket{}, err
	}
	for _, m := range list {
		if m.Tenant == tenantRef {
			return s.byPassword(ctx, m.User, mark, &once, from)
		}
	}
	return Ticket{}, ErrWrong
}

// identified returns the users that an account at a flow's provider may sign in, or be linked to:
// those that it is linked to, and those who have its verified address and no such account.
func (s *Service) identified(ctx context.Context, f Flow, id Identity) (list []Member, err error) {
	linked, err := s.c.Store.IdentityUsers(ctx, id.Issuer, id.Subject)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{} // tenants
	for _, u := range linked {
		list, has[u.Tenant] = append(list, Member{User: u, Linked: true}), true
	}
	if id.Verified {
		others, err := s.comers(ctx, canonical(id.Email))
		if err != nil {
			return nil, err
		}
		for _, m := range others {
			if !m.Linked && !has[m.Tenant] {
				list = append(list, m)
			}
		}
	}
	may := list[:0]
	for _, m := range list {
		switch speaks, err := s.speaksFor(ctx, f.Tenant, id.Issuer, m.User); {
		case err != nil:
			return nil, err
		case speaks && m.State != Disabled:
			may = append(may, m)
		}
	}
	return may, nil
}

// chooseIdentity is [Service.Choose] for an account at a provider.
func (s *Service) chooseIdentity(ctx context.Context, f Flow, id Identity, tenantRef string, from From) (Ticket, error) {
	list, err := s.identified(ctx, f, id)
	if err != nil {
		return Ticket{}, err
	}
	for _, m := range list {
		if m.Tenant == tenantRef {
			return s.byIdentity(ctx, m, f, id, from)
		}
	}
	return Ticket{}, ErrWrong
}

// byIdentity signs in a user by an account at a provider, to which it links the user the first
// time. The flow counts once.
func (s *Service) byIdentity(ctx context.Context, m Member, f Flow, id Identity, from From) (Ticket, error) {
	once := Once{sha256.Sum256([]byte("flow " + f.State)), f.Until}
	return s.step(ctx, m.User, Session{}, from, func(u *User, c *Change) (proof, error) {
		c.Use = &once
		c.Audit = tenant.NewEntry(by(ctx, *u), u.Tenant, ActionBegin, u.ID, s.now()).With("issuer", id.Issuer)
		if !m.Linked {
			c.Identity, c.Audit = &id, tenant.NewEntry(by(ctx, *u), u.Tenant, ActionLinked, u.ID, s.now()).With("issuer", id.Issuer)
		}
		if u.State == Invited && !m.Linked {
			if err := u.to(accept); err != nil {
				return "", ErrIdentity
			}
			u.Password, c.TakeLink = noPassword, true
		}
		switch {
		case u.State != Active:
			return "", ErrIdentity
		case len(u.Factor) != 0:
			return provenPassword, nil
		}
		return provenProvider, nil
	})
}
