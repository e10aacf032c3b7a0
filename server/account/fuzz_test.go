package account_test

import (
	"errors"
	"testing"

	"tcode/server/account"
	"tcode/server/store/storetest"
)

// FuzzPasskeyAnswer: an answer to a challenge of a passkey is refused, whatever it is, and
// so is a sealed text that the gateway did not make.
func FuzzPasskeyAnswer(f *testing.F) {
	t := &testing.T{}
	a := newAuthenticator(t)
	f.Add("", "")
	f.Add(a.answer(map[string]string{"clientDataJSON": b64(a.clientData("webauthn.get", "x")), "authenticatorData": b64(a.data(false)), "signature": "AA", "userHandle": "AA"}), "AAAA")
	f.Add(a.answer(map[string]string{"clientDataJSON": b64(a.clientData("webauthn.create", "x")), "attestationObject": b64([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x40"))}), "")
	f.Add(`{"id":"AA","rawId":"AA","type":"public-key","response":{},"clientExtensionResults":{"appid":true}}`, "AA")
	b := storetest.NewOn(f, storetest.SQLite)
	f.Fuzz(func(t *testing.T, answer, sealed string) {
		ctx := t.Context()
		c, err := b.Accounts.PasskeyChallenge(ctx, origin, desk)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Accounts.SignInPasskey(ctx, origin, c.Sealed, answer, desk); !errors.Is(err, account.ErrPasskey) {
			t.Errorf("sign in: %v", err)
		}
		if _, err := b.Accounts.SignInPasskey(ctx, origin, sealed, answer, desk); !errors.Is(err, account.ErrPasskey) {
			t.Errorf("another seal: %v", err)
		}
		v := account.Visit{User: account.User{Tenant: "ACME01", ID: "01999999-9999-7999-8999-999999999999", Email: "x@acme.example"}, ID: "1"}
		v = account.SignedIn(v, b.Clock.Now())
		if c, err = b.Accounts.NewPasskey(ctx, v, origin, desk); err != nil {
			t.Fatal(err)
		}
		if err := b.Accounts.AddPasskey(ctx, v, origin, c.Sealed, "x", answer, desk); !errors.Is(err, account.ErrPasskey) {
			t.Errorf("add: %v", err)
		}
	})
}
