package openid_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"tcode/server/account"
	"tcode/server/account/openid"
)

const redirect = "https://gateway.example/console/openid/callback"

// hostile is an OpenID provider that answers as a test wants.
type hostile struct {
	*httptest.Server
	key    *rsa.PrivateKey
	signer *rsa.PrivateKey // key of the tokens
	alg    jose.SignatureAlgorithm
	secret any // shared key, in place of signer
	claims map[string]any
	info   map[string]any // of UserInfo
	change func(token string) string
	issuer string
	form   url.Values // last request for a token
	auth   string
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{key: key, signer: key, alg: jose.RS256}
	mux := http.NewServeMux()
	say := func(path string, v func() any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v())
		})
	}
	say("/.well-known/openid-configuration", func() any {
		return map[string]any{
			"issuer": h.issuer, "authorization_endpoint": h.URL + "/authorize", "token_endpoint": h.URL + "/token", "jwks_uri": h.URL + "/keys",
			"userinfo_endpoint": h.URL + "/info", "id_token_signing_alg_values_supported": []string{"none", "HS256", "RS256"},
		}
	})
	say("/keys", func() any {
		return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}}
	})
	say("/info", func() any { return h.info })
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		h.form, h.auth = r.PostForm, r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": h.token(t)})
	})
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	h.issuer = h.URL
	h.claims = map[string]any{
		"iss": h.URL, "aud": "tcode", "sub": "ruth", "nonce": "the nonce", "exp": time.Now().Add(time.Minute).Unix(), "iat": time.Now().Unix(),
		"email": "ruth@acme.example", "email_verified": true,
	}
	return h
}

func (h *hostile) token(t *testing.T) string {
	raw, err := json.Marshal(h.claims)
	if err != nil {
		t.Error(err)
	}
	var key any = jose.JSONWebKey{Key: h.signer, KeyID: "1"}
	if h.secret != nil {
		key = h.secret
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: h.alg, Key: key}, nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	signed, err := s.Sign(raw)
	if err != nil {
		t.Error(err)
		return ""
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Error(err)
	}
	if h.change != nil {
		token = h.change(token)
	}
	return token
}

var flow = account.Flow{State: "the state", Nonce: "the nonce", Verifier: strings.Repeat("v", 43)}

func (h *hostile) provider() account.Provider {
	return account.Provider{Issuer: h.issuer, ClientID: "tcode", Secret: "the secret"}
}

func (h *hostile) identity(t *testing.T) (account.Identity, error) {
	t.Helper()
	return openid.New(openid.Config{}).Identity(t.Context(), h.provider(), flow, redirect, "the code", "")
}

// TestIdentity: the browser is sent with state, nonce and the challenge of PKCE, and the
// code is exchanged with the verifier, the secret and the very same address.
func TestIdentity(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	c := openid.New(openid.Config{})
	to, err := c.AuthURL(h.provider(), flow, redirect)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil || !strings.HasPrefix(to, h.URL+"/authorize?") {
		t.Fatalf("%q %v", to, err)
	}
	for name, want := range map[string]string{
		"state": "the state", "nonce": "the nonce", "code_challenge_method": "S256", "client_id": "tcode", "redirect_uri": redirect, "response_type": "code", "scope": "openid email",
	} {
		if got := u.Query().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := u.Query().Get("code_challenge"); len(got) != 43 || strings.Contains(to, flow.Verifier) {
		t.Errorf("challenge %q in %s", got, to)
	}
	got, err := c.Identity(t.Context(), h.provider(), flow, redirect, "the code", h.issuer)
	if want := (account.Identity{Issuer: h.issuer, Subject: "ruth", Email: "ruth@acme.example", Verified: true}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if h.form.Get("code_verifier") != flow.Verifier || h.form.Get("code") != "the code" || h.form.Get("redirect_uri") != redirect || !strings.HasPrefix(h.auth, "Basic ") {
		t.Errorf("the code is exchanged with %v, %q", h.form, h.auth)
	}
	delete(h.claims, "email") // then the UserInfo endpoint has it
	h.info = map[string]any{"sub": "ruth", "email": "r@acme.example", "email_verified": true}
	if got, err := h.identity(t); err != nil || got.Email != "r@acme.example" || !got.Verified {
		t.Errorf("%+v, %v", got, err)
	}
	h.claims["email"] = "ruth@acme.example"
	for _, v := range []any{false, nil, "false", 1, "yes"} {
		h.claims["email_verified"] = v
		if got, err := h.identity(t); err != nil || got.Verified {
			t.Errorf("email_verified %v: %+v, %v", v, got, err)
		}
	}
}

// TestHostileProvider: a token that is not exactly the one that was asked for proves
// nothing.
func TestHostileProvider(t *testing.T) {
	t.Parallel()
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	claim := func(name string, v any) func(*hostile) { return func(h *hostile) { h.claims[name] = v } }
	for name, change := range map[string]func(*hostile){
		"another nonce":    claim("nonce", "another"),
		"no nonce":         claim("nonce", ""),
		"another audience": claim("aud", "another"),
		"no audience":      claim("aud", nil),
		"many audiences":   claim("aud", []string{"tcode", "another"}),
		"another party":    claim("azp", "another"),
		"another issuer":   claim("iss", "https://accounts.example"),
		"expired":          claim("exp", time.Now().Add(-time.Minute).Unix()),
		"no end":           claim("exp", nil),
		"not yet":          claim("nbf", time.Now().Add(time.Hour).Unix()),
		"no subject":       claim("sub", ""),
		"a long subject":   claim("sub", strings.Repeat("s", 300)),
		"email of a list":  claim("email", []string{"ruth@acme.example"}),
		"another key":      func(h *hostile) { h.signer = other },
		"a shared key":     func(h *hostile) { h.alg, h.secret = jose.HS256, []byte("the secret, the secret, the secret") },
		"no token":         func(h *hostile) { h.change = func(string) string { return "" } },
		"no signature": func(h *hostile) {
			h.change = func(token string) string {
				return encode([]byte(`{"alg":"none"}`)) + "." + strings.Split(token, ".")[1] + "."
			}
		},
		"other claims under the signature": func(h *hostile) {
			h.change = func(token string) string {
				parts := strings.Split(token, ".")
				raw, _ := json.Marshal(map[string]any{"iss": h.URL, "aud": "tcode", "sub": "sam", "nonce": "the nonce", "exp": time.Now().Add(time.Minute).Unix()})
				return parts[0] + "." + encode(raw) + "." + parts[2]
			}
		},
		"data about another": func(h *hostile) {
			delete(h.claims, "email")
			h.info = map[string]any{"sub": "sam", "email": "ruth@acme.example", "email_verified": true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHostile(t)
			change(h)
			if id, err := h.identity(t); !errors.Is(err, account.ErrIdentity) {
				t.Errorf("%+v, %v", id, err)
			}
		})
	}
	h := newHostile(t)
	if _, err := openid.New(openid.Config{}).Identity(t.Context(), h.provider(), flow, redirect, "the code", "https://another.example"); !errors.Is(err, account.ErrIdentity) {
		t.Errorf("an answer of another issuer: %v", err)
	}
	// An issuer that names another, or that is not one, is not asked for a token.
	h.issuer = h.URL + "/x"
	p := account.Provider{Issuer: h.URL, ClientID: "tcode"}
	if to, err := openid.New(openid.Config{}).AuthURL(p, flow, redirect); !errors.Is(err, openid.ErrUnreachable) {
		t.Errorf("%s, %v", to, err)
	}
}

// TestCheckIssuer: an issuer has TLS, or is on this machine.
func TestCheckIssuer(t *testing.T) {
	t.Parallel()
	for issuer, good := range map[string]bool{
		"https://login.example": true, "https://login.example/realm/": true, "http://127.0.0.1:5556/dex": true, "http://localhost:1": true, "http://[::1]:1": true,
		"http://login.example": false, "": false, "login.example": false, "ftp://login.example": false, "https://": false, "https://a:b@login.example": false,
		"https://login.example?x": false, "https://login.example#x": false, "http://localhost.evil.example": false, "javascript:alert(1)": false,
	} {
		if err := openid.CheckIssuer(issuer); (err == nil) != good {
			t.Errorf("%q: %v", issuer, err)
		}
	}
}

// TestPanicOfKeys: a panic while the keys of a provider are fetched is one of the caller.
func TestPanicOfKeys(t *testing.T) {
	h := newHostile(t)
	c := openid.New(openid.Config{Transport: panics{}})
	defer func() {
		if recover() == nil {
			t.Error("the panic is in another goroutine, or there is none")
		}
	}()
	flow := account.Flow{State: "state", Nonce: "the nonce", Verifier: strings.Repeat("v", 43)}
	_, err := c.Identity(t.Context(), h.provider(), flow, redirect, "code", "")
	t.Errorf("no panic: %v", err)
}

// panics is a transport with a fault in answers about keys.
type panics struct{}

func (panics) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/keys" {
		panic("seeded")
	}
	return http.DefaultTransport.RoundTrip(r)
}
