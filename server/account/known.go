package account

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"
)

// A stranger who guesses at a password locks it for everybody, but not for the browsers in
// which its user signed in before: each of them has a sealed mark in a cookie, and with it
// tries of its own. A stolen mark gives a few guesses more, and no way in.

// KnownLife is how long a browser is known after a sign-in.
const KnownLife = 180 * 24 * time.Hour

// known is the content of a mark.
type known struct {
	User     string    `json:"u"`
	Browser  string    `json:"b"` // random
	Password Hash      `json:"p"` // of the stored hash: with another password the mark ends
	At       time.Time `json:"t"`
}

const (
	sealedKnown   = "known browser"
	maxSealedText = 8 << 10 // bytes of a sealed text that a client sends
)

// seal returns v as a text that only this gateway can make and read.
func (s *Service) seal(v any, name string) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sealed, err := s.c.Sealer.Seal(plain, "", name)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// unseal reads such a text into v. ok is false for any other text.
func (s *Service) unseal(text, name string, v any) (ok bool) {
	if text == "" || len(text) > maxSealedText {
		return false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	plain, err := s.c.Sealer.Open(sealed, "", name)
	return err == nil && json.Unmarshal(plain, v) == nil
}

func passwordMark(u User) Hash { return sha256.Sum256([]byte("known browser " + u.Password)) }

// mark returns the mark of the client for u: the one that it has, or a new one.
func (s *Service) mark(u User, from From, now time.Time) (string, error) {
	k := known{User: u.ID, Browser: newToken(), Password: passwordMark(u), At: now}
	if was, ok := s.readMark(u, from); ok {
		k.Browser = was.Browser
	}
	return s.seal(k, sealedKnown)
}

// readMark returns the mark of the client if it is of u and still good.
func (s *Service) readMark(u User, from From) (k known, ok bool) {
	if !s.unseal(from.Known, sealedKnown, &k) {
		return k, false
	}
	mark, age := passwordMark(u), s.now().Sub(k.At)
	return k, k.User == u.ID && subtle.ConstantTimeCompare(mark[:], k.Password[:]) == 1 && age < KnownLife && age > -time.Minute
}

// browserKey returns the key of tries of a browser that u signed in with before.
func (s *Service) browserKey(u User, from From) (TryKey, bool) {
	k, ok := s.readMark(u, from)
	return keyOf(TryBrowser, k.User+" "+k.Browser), ok
}

// An attempt is a try at the password of an address.
type attempt struct {
	users []Member // whose password it may be
	mine  *Member  // the one of them that the browser is known for
	kept  []TryKey // the tries of that browser, which were counted
	keys  []TryKey // the tries of strangers, if they were counted
}

// attempt counts a try at the password of an address, and returns whose password it may be. A
// browser that a user signed in with before has tries of its own.
func (s *Service) attempt(ctx context.Context, email string, from From) (a attempt, err error) {
	known := s.unseal(from.Known, sealedKnown, &known{}) // else no user is read before the try is counted
	if known {
		if a.users, err = s.comers(ctx, email); err != nil {
			return a, err
		}
		for i, m := range a.users {
			if key, ok := s.browserKey(m.User, from); ok {
				a.mine, a.kept = &a.users[i], []TryKey{key}
				return a, s.try(ctx, a.kept...)
			}
		}
	}
	if err := s.stranger(ctx, &a, email, from); err != nil || known {
		return a, err
	}
	a.users, err = s.comers(ctx, email)
	return a, err
}

// stranger counts an attempt as one of a browser that is not known.
func (s *Service) stranger(ctx context.Context, a *attempt, email string, from From) error {
	a.keys = []TryKey{keyOf(TryAccount, email), keyOf(TryClient, network(from.Address))}
	return s.try(ctx, a.keys...)
}

// proven returns the users of an attempt whose password it is. The tries of a known browser are for
// its user: for the others of the address it is a stranger. A password that is also that of its user
// is no guess: such a browser proved it as a stranger before it was known.
func (s *Service) proven(ctx context.Context, a *attempt, email, password string, from From) ([]Member, error) {
	right, err := s.hasher.check(ctx, a.users, password)
	if err != nil {
		return nil, err
	}
	isMine := func(m Member) bool { return a.mine != nil && m.ID == a.mine.ID }
	var forgiven []TryKey
	switch {
	case slices.ContainsFunc(right, isMine):
		forgiven = a.kept
	case a.mine != nil && len(a.users) > 1:
		err := s.stranger(ctx, a, email, from)
		if _, waits := IsWait(err); waits {
			return nil, nil // the browser may try again for its user
		} else if err != nil {
			return nil, err
		}
	}
	if len(right) > 0 && len(right) == len(withPassword(a.users)) { // else who knows one guesses at another
		forgiven = append(forgiven, a.keys...)
	}
	if len(forgiven) > 0 {
		err = s.c.Store.Forgive(ctx, forgiven)
	}
	return right, err
}

// withPassword returns the users who have one.
func withPassword(list []Member) []Member {
	return slices.DeleteFunc(slices.Clone(list), func(m Member) bool { return m.Password == "" || m.Passwordless() })
}
