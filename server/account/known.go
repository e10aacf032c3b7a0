package account

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
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

// passwordKeys returns the keys of a try at the password of an address. It reads no user
// for a client without a mark.
func (s *Service) passwordKeys(ctx context.Context, email string, from From) ([]TryKey, error) {
	if s.unseal(from.Known, sealedKnown, &known{}) {
		u, err := s.byEmail(ctx, email)
		if err != nil {
			return nil, err
		}
		if key, ok := s.browserKey(u, from); ok {
			return []TryKey{key}, nil
		}
	}
	return []TryKey{keyOf(TryAccount, email), keyOf(TryClient, network(from.Address))}, nil
}
