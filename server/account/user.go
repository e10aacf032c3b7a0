package account

import (
	"strings"
	"time"
	"unicode/utf8"

	"tcode/server/fault"
	"tcode/server/issue/field"
)

// State is the state of a user. The words are in the database.
type State string

// The states.
const (
	Invited  State = "invited"  // has a one-time link, and no password
	Active   State = "active"   // has a password, or an account at a provider
	Disabled State = "disabled" // cannot sign in
)

// act is a change of a user's state.
type act string

const (
	accept  act = "accept" // the user chooses a password or a passkey by a link
	reset   act = "reset"
	disable act = "disable"
)

// states is the table of changes. A missing one is refused.
var states = map[State]map[act]State{
	Invited:  {accept: Active, reset: Invited, disable: Disabled},
	Active:   {reset: Invited, disable: Disabled},
	Disabled: {reset: Invited},
}

// to changes the state of u.
func (u *User) to(a act) error {
	next, ok := states[u.State][a]
	if !ok {
		return fault.New(fault.Conflict, fault.CodeInvalidTransition, "the user is %s already", u.State)
	}
	u.State = next
	return nil
}

// A User may sign in to the console.
type User struct {
	Tenant string // reference; "" for an operator
	ID     string // UUID
	Email  string // lower case; one user of the tenant has it
	Name   string // for people; may be ""
	Role   Role
	State  State

	Password string // hash with its parameters; "" for none, noPassword if the user is active without one
	Factor   []byte // sealed secret of the second factor; empty for none
	Step     int64  // of the last accepted code: no code of it, or of an earlier one, is accepted again

	CreatedAt, UpdatedAt time.Time
	SignedInAt           time.Time // zero: never
}

// MayIssue reports whether work that u began, such as a bulk job, may go on.
func (u User) MayIssue() bool { return u.State == Active && u.Role.May(Issue) }

// Label returns the name of u for people, or its address if it has none.
func (u User) Label() string {
	if u.Name != "" {
		return u.Name
	}
	return u.Email
}

// account names u among the accounts of a person.
func (u User) account() string {
	if u.Tenant == "" {
		return u.Email
	}
	return u.Email + " (" + u.Tenant + ")"
}

// canonical returns an address as it is stored and compared.
func canonical(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// checkEmail adds the problems of a canonical address.
func checkEmail(p *fault.Fields, email string) {
	ascii := !strings.ContainsFunc(email, func(r rune) bool { return r <= ' ' || r >= 0x7f })
	if !ascii || !field.IsEmail(email) {
		p.Add("email", "must be an e-mail address of at most %d ASCII characters", field.MaxEmail)
	}
}

// minPassword and maxPassword are the lengths of a password in characters.
const (
	minPassword = 12
	maxPassword = 200
	minDistinct = 6 // different characters
)

// checkPassword adds the problems of a new password of u.
func checkPassword(p *fault.Fields, u User, password string) {
	n := utf8.RuneCountInString(password)
	distinct := map[rune]bool{}
	for _, r := range password {
		distinct[r] = true
	}
	local, _, _ := strings.Cut(u.Email, "@")
	lower := strings.ToLower(password)
	switch {
	case !utf8.ValidString(password) || n > maxPassword:
		p.Add("password", "must be at most %d characters", maxPassword)
	case n < minPassword || len(distinct) < minDistinct:
		p.Add("password", "must have at least %d characters, and %d different ones", minPassword, minDistinct)
	case len(local) > 3 && strings.Contains(lower, local):
		p.Add("password", "must not contain your address")
	}
}

// noPassword is the password of an active user who has none. No password has this hash.
const noPassword = "-"

// Passwordless reports whether u is active without a password.
func (u User) Passwordless() bool { return u.Password == noPassword }

// SealedName names the secret of a user's second factor in the keyring.
func SealedName(userID string) string { return "second factor of user " + userID }
