package account_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/store/storetest"
)

const origin = "https://gateway.example"

// authenticator is a device with one passkey, in software. Tests change its answers.
type authenticator struct {
	id      []byte
	key     *ecdsa.PrivateKey
	handle  []byte
	counter uint32
	flags   byte // user present 1, verified 4, attested 64
	origin  string
	rp      string
	kind    string // of the client data
}

func newAuthenticator(t *testing.T) *authenticator {
	t.Helper()
	a := &authenticator{id: make([]byte, 16), flags: 5, origin: origin, rp: "gateway.example"}
	rand.Read(a.id)
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	return a
}

var b64 = base64.RawURLEncoding.EncodeToString

// data returns the authenticator's data, with the key in it if it is new.
func (a *authenticator) data(fresh bool) []byte {
	rp := sha256.Sum256([]byte(a.rp))
	flags := a.flags
	if fresh {
		flags |= 64
	}
	out := binary.BigEndian.AppendUint32(append(rp[:], flags), a.counter)
	if fresh {
		public, err := a.key.PublicKey.Bytes()
		if err != nil {
			panic(err)
		}
		out = append(out, make([]byte, 16)...)
		out = append(binary.BigEndian.AppendUint16(out, uint16(len(a.id))), a.id...)
		out = append(out, 0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32) // COSE: EC2, ES256, P-256
		out = append(append(append(out, public[1:33]...), 0x22, 0x58, 32), public[33:]...)
	}
	return out
}

// challenge reads the challenge, and the user's handle if it has one.
func (a *authenticator) challenge(t *testing.T, c account.Challenge) string {
	t.Helper()
	var o struct {
		Challenge string
		User      struct{ ID string }
	}
	if err := json.Unmarshal([]byte(c.Options), &o); err != nil || o.Challenge == "" {
		t.Fatalf("options %s: %v", c.Options, err)
	}
	if o.User.ID != "" {
		a.handle, _ = base64.RawURLEncoding.DecodeString(o.User.ID)
	}
	return o.Challenge
}

func (a *authenticator) clientData(kind, challenge string) []byte {
	if a.kind != "" {
		kind = a.kind
	}
	raw, _ := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.origin, "crossOrigin": false})
	return raw
}

func (a *authenticator) answer(response map[string]string) string {
	raw, _ := json.Marshal(map[string]any{"id": b64(a.id), "rawId": b64(a.id), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}})
	return string(raw)
}

// register answers a challenge for a new passkey, without attestation.
func (a *authenticator) register(t *testing.T, c account.Challenge) string {
	t.Helper()
	client := a.clientData("webauthn.create", a.challenge(t, c))
	data := a.data(true)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	return a.answer(map[string]string{"clientDataJSON": b64(client), "attestationObject": b64(append(object, data...))})
}

// sign answers a challenge to sign in.
func (a *authenticator) sign(t *testing.T, c account.Challenge) string {
	t.Helper()
	client := a.clientData("webauthn.get", a.challenge(t, c))
	data, hash := a.data(false), sha256.Sum256(client)
	sum := sha256.Sum256(append(slices.Clone(data), hash[:]...))
	sig, err := ecdsa.SignASN1(rand.Reader, a.key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return a.answer(map[string]string{"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(sig), "userHandle": b64(a.handle)})
}

// add adds the passkey of a to the user of a token.
func (w *world) add(token string, a *authenticator) account.Visit {
	w.t.Helper()
	ctx := w.t.Context()
	v := must[account.Visit](w.t)(w.Accounts.Visit(ctx, token, desk))
	c := must[account.Challenge](w.t)(w.Accounts.NewPasskey(ctx, v, origin, desk))
	if err := w.Accounts.AddPasskey(ctx, v, origin, c.Sealed, "Phone", a.register(w.t, c), desk); err != nil {
		w.t.Fatal(err)
	}
	return v
}

// signs signs in with a passkey.
func (w *world) signs(a *authenticator) (account.Ticket, error) {
	w.t.Helper()
	c := must[account.Challenge](w.t)(w.Accounts.PasskeyChallenge(w.t.Context(), origin, desk))
	return w.Accounts.SignInPasskey(w.t.Context(), origin, c.Sealed, a.sign(w.t, c), desk)
}

// TestPasskey: a passkey signs in for password and second factor, on both engines, until it
// is removed, its counter goes back, or its user is disabled.
func TestPasskey(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		ctx := t.Context()
		first, _, _ := w.enrolled()
		a, copied, none := newAuthenticator(t), newAuthenticator(t), newAuthenticator(t)
		a.counter, copied.counter = 1, 1
		v := w.add(first.Token, a)
		w.add(first.Token, copied)
		w.add(first.Token, none) // counts no signatures

		a.counter++
		in := must[account.Ticket](t)(w.signs(a))
		if !w.in(in.Token, desk) || in.Stage != account.StageIn {
			t.Errorf("a passkey gives %q", in.Stage)
		}
		for range 2 {
			if _, err := w.signs(none); err != nil {
				t.Errorf("a device that does not count: %v", err)
			}
		}
		list := must[[]account.Passkey](t)(w.Accounts.Passkeys(ctx, v))
		if len(list) != 3 || list[0].Name != "Phone" || list[0].Counter != 2 || list[0].UsedAt.IsZero() {
			t.Fatalf("passkeys %+v", list)
		}

		// A copy has a counter that is not above the last one: it is refused, and so is the
		// original from then on.
		copied.counter = 9
		must[account.Ticket](t)(w.signs(copied))
		copied.counter = 9
		if _, err := w.signs(copied); !errors.Is(err, account.ErrPasskey) {
			t.Errorf("a counter that went back: %v", err)
		}
		copied.counter = 20
		if _, err := w.signs(copied); !errors.Is(err, account.ErrPasskey) {
			t.Errorf("a copied passkey: %v", err)
		}
		if list = must[[]account.Passkey](t)(w.Accounts.Passkeys(ctx, v)); list[0].Cloned || !list[1].Cloned {
			t.Errorf("marks %+v", list)
		}

		if err := w.Accounts.RemovePasskey(ctx, v, list[0].ID); err != nil {
			t.Fatal(err)
		}
		a.counter++
		if _, err := w.signs(a); !errors.Is(err, account.ErrPasskey) {
			t.Errorf("a removed passkey: %v", err)
		}
		for _, id := range []string{list[0].ID, "", "x"} {
			if err := w.Accounts.RemovePasskey(ctx, v, id); !errors.Is(err, account.ErrPasskey) {
				t.Errorf("removing %q: %v", id, err)
			}
		}
		if err := w.Accounts.Disable(ctx, "ACME01", w.inv.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := w.signs(none); !errors.Is(err, account.ErrPasskey) {
			t.Errorf("a disabled user: %v", err)
		}
	})
}

// TestPasskeyRefusals: an answer of another origin, party, kind or challenge, without the
// person's verification, with a wrong signature, for another user, from another browser,
// late or for the second time proves nothing.
func TestPasskeyRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.DefaultEngine(), account.Owner)
	ctx := t.Context()
	in, _, _ := w.enrolled()
	a := newAuthenticator(t)
	v := w.add(in.Token, a)
	if _, err := w.signs(a); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*authenticator){
		"another origin":      func(a *authenticator) { a.origin = "https://evil.example" },
		"another port":        func(a *authenticator) { a.origin = origin + ":8443" },
		"no TLS":              func(a *authenticator) { a.origin = "http://gateway.example" },
		"a domain below":      func(a *authenticator) { a.origin = "https://x.gateway.example" },
		"another party":       func(a *authenticator) { a.rp = "evil.example" },
		"not verified":        func(a *authenticator) { a.flags = 1 },
		"not present":         func(a *authenticator) { a.flags = 4 },
		"another kind":        func(a *authenticator) { a.kind = "webauthn.create" },
		"another user":        func(a *authenticator) { a.handle = make([]byte, 16) },
		"no user":             func(a *authenticator) { a.handle = nil },
		"another key":         func(a *authenticator) { a.key = newAuthenticator(t).key },
		"an unknown passkey":  func(a *authenticator) { a.id = []byte("unknown") },
		"no passkey":          func(a *authenticator) { a.id = nil },
		"a very long passkey": func(a *authenticator) { a.id = make([]byte, 3000) },
	} {
		bad := *a
		change(&bad)
		if _, err := w.signs(&bad); !errors.Is(err, account.ErrPasskey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := must[account.Challenge](t)(w.Accounts.PasskeyChallenge(ctx, origin, desk))
	other := must[account.Challenge](t)(w.Accounts.PasskeyChallenge(ctx, origin, desk))
	adding := must[account.Challenge](t)(w.Accounts.NewPasskey(ctx, v, origin, desk))
	answer := a.sign(t, c)
	for name, try := range map[string]func() (account.Ticket, error){
		"another challenge": func() (account.Ticket, error) {
			return w.Accounts.SignInPasskey(ctx, origin, other.Sealed, answer, desk)
		},
		"a challenge for adding": func() (account.Ticket, error) {
			return w.Accounts.SignInPasskey(ctx, origin, adding.Sealed, a.sign(t, adding), desk)
		},
		"another browser": func() (account.Ticket, error) {
			return w.Accounts.SignInPasskey(ctx, origin, c.Sealed, answer, account.From{Agent: "another"})
		},
		"another seal": func() (account.Ticket, error) {
			return w.Accounts.SignInPasskey(ctx, origin, c.Sealed+"AAAA", answer, desk)
		},
		"no seal":   func() (account.Ticket, error) { return w.Accounts.SignInPasskey(ctx, origin, "", answer, desk) },
		"no answer": func() (account.Ticket, error) { return w.Accounts.SignInPasskey(ctx, origin, c.Sealed, "", desk) },
		"late": func() (account.Ticket, error) {
			w.Clock.Add(11 * time.Minute)
			defer w.Clock.Add(-11 * time.Minute)
			return w.Accounts.SignInPasskey(ctx, origin, c.Sealed, answer, desk)
		},
	} {
		if _, err := try(); !errors.Is(err, account.ErrPasskey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must[account.Ticket](t)(w.Accounts.SignInPasskey(ctx, origin, c.Sealed, answer, desk))
	if _, err := w.Accounts.SignInPasskey(ctx, origin, c.Sealed, answer, desk); !errors.Is(err, account.ErrUsed) {
		t.Errorf("a replayed answer: %v", err)
	}
	// The same of a device that counts, whose passkey must not look like a copy.
	counts := newAuthenticator(t)
	counts.counter = 1
	w.add(in.Token, counts)
	c = must[account.Challenge](t)(w.Accounts.PasskeyChallenge(ctx, origin, desk))
	counts.counter++
	answer = counts.sign(t, c)
	for i, want := range []error{nil, account.ErrUsed, account.ErrUsed} {
		if _, err := w.Accounts.SignInPasskey(ctx, origin, c.Sealed, answer, desk); !errors.Is(err, want) {
			t.Errorf("time %d: %v", i, err)
		}
	}
	counts.counter++
	if _, err := w.signs(counts); err != nil {
		t.Errorf("after a replay: %v", err)
	}

	// Adding: only by the session that asked, once, with the person verified.
	again := must[account.Ticket](t)(w.signs(a))
	elsewhere := must[account.Visit](t)(w.Accounts.Visit(ctx, again.Token, desk))
	fresh, unverified := newAuthenticator(t), newAuthenticator(t)
	unverified.flags = 1
	for name, err := range map[string]error{
		"another session": w.Accounts.AddPasskey(ctx, elsewhere, origin, adding.Sealed, "x", fresh.register(t, adding), desk),
		"not verified":    w.Accounts.AddPasskey(ctx, v, origin, adding.Sealed, "x", unverified.register(t, adding), desk),
		"not for adding":  w.Accounts.AddPasskey(ctx, v, origin, other.Sealed, "x", fresh.register(t, other), desk),
		"no answer":       w.Accounts.AddPasskey(ctx, v, origin, adding.Sealed, "x", "{}", desk),
	} {
		if !errors.Is(err, account.ErrPasskey) {
			t.Errorf("adding, %s: %v", name, err)
		}
	}
	for n := 2; n < account.MaxPasskeys; n++ {
		w.add(in.Token, newAuthenticator(t))
	}
	if err := w.Accounts.AddPasskey(ctx, v, origin, adding.Sealed, "x", fresh.register(t, adding), desk); !errors.Is(err, account.ErrPasskeys) {
		t.Errorf("one passkey too many: %v", err)
	}
}

// TestPasskeyFresh: a passkey is added soon after a sign-in only, and with one that is removed all
// other sessions end.
func TestPasskeyFresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.DefaultEngine(), account.Owner)
	ctx := t.Context()
	in, secret, _ := w.enrolled()
	a := newAuthenticator(t)
	w.add(in.Token, a)
	a.counter++
	thief := must[account.Ticket](t)(w.signs(a))
	w.Clock.Add(account.FreshFor + time.Second)
	v := must[account.Visit](t)(w.Accounts.Visit(ctx, in.Token, desk))
	if _, err := w.Accounts.NewPasskey(ctx, v, origin, desk); !errors.Is(err, account.ErrNotFresh) {
		t.Errorf("long after the sign-in: %v", err)
	}
	again := w.signIn(secret)
	fresh := w.add(again.Token, newAuthenticator(t))
	list := must[[]account.Passkey](t)(w.Accounts.Passkeys(ctx, fresh))
	if err := w.Accounts.RemovePasskey(ctx, fresh, list[0].ID); err != nil {
		t.Fatal(err)
	}
	w.gone("the session of a removed passkey", thief.Token)
	w.gone("another session", in.Token)
	if !w.in(again.Token, desk) {
		t.Error("the session that removed it has ended")
	}
}
