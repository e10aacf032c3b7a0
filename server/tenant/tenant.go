// Package tenant has tenants, their plans, API keys and signing keys, their monthly usage,
// and the audit log. Call [New] first, then [Service.CreateTenant].
//
//	tck_live_<prefix>_<secret> ── Authenticate ──▶ Identity{Tenant, Plan, ...}   every service takes it
//	                                 SHA-256, constant time
//
//	        rotate                  opens                   rotate of the next, or retire
//	(none) ───────▶ announced ───────────────▶ signing ─────────────────────────▶ verifying
//	   │                                          ▲  │                               │
//	   └── first key, signs immediately ──────────┘  └─────────▶ compromised ◀───────┘
//
//	a change ─▶ one transaction { its rows, its count against the plan, its row in the audit log }
//
// A tenant's reference is the 6-character issuer code of its payloads. Private signing
// keys live in a [Vault]: in the store, sealed by the keyring, or in a token. Callers that
// sign get a [crypto.Signer] and need not know where the key is.
package tenant

import (
	"crypto/rand"
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"tcode/offline/digest"
	"tcode/offline/payload"
)

// State says whether a tenant may act.
type State string

// The states of a tenant. The words are in the database and in the signed
// bundle.
const (
	Active    State = "active"
	Suspended State = "suspended"
)

// A Tenant is one issuing organisation.
type Tenant struct {
	Reference string // 6 characters of [0-9A-Z]: the issuer code in payloads
	Name      string // 1 to 200 characters, for people
	State     State
	CreatedAt time.Time
	UpdatedAt time.Time
	Language  string // BCP 47: language of messages to its recipients
	// Plan is the plan of the tenant. Only [Service.Plan] sets its Quotas: other
	// operations look them up when they use them. An API key also has the quota of
	// [KindRequests].
	Plan Plan
}

// An Identity is the sender of a request with a valid key, or a user of the console.
type Identity struct {
	Tenant    Tenant
	KeyPrefix string  // the visible part of the API key, for logs and audit; "" for a user
	User      string  // id of the user, "" for a key
	Test      bool    // a tck_test_ key: all its stamps are test documents
	Scopes    []Scope // what the key opens; none outside of a request with a key
	TraceID   string  // of the request, for the audit log; "" outside one
}

// Reaches reports whether the key sees and changes test documents or, with false, live
// ones. A live key reaches both. A test key does not see live documents: developers share
// such keys, and no use of one may change the answers about a live document, or reveal
// that it exists.
func (i Identity) Reaches(test bool) bool { return test || !i.Test }

// An APIKey is the stored part of a key: everything but its secret.
type APIKey struct {
	Tenant     string
	Prefix     string // 8 characters of [A-Za-z0-9], unique
	Name       string
	Test       bool
	SecretHash digest.SHA256 // SHA-256 of the whole key text
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	LastUsedAt time.Time // zero: never; to the minute
	RevokedAt  time.Time // zero: not revoked
	Successor  string    // prefix of the key that [Service.RotateKey] made last in its place; "": none
	Scopes     []Scope   // in the order of [Scopes], at least one

	// LastFrom is the network address that the last request came from which needed the key;
	// "": not known. No older one is kept, and none of a request that needs no key.
	LastFrom string
	UsedDay  Day   // the last day with a counted request; 0: none
	Used     int64 // requests on that day
}

// APIKeyState is the state of an API key at a time.
type APIKeyState string

// The states of an API key.
const (
	KeyActive  APIKeyState = "active"
	KeyExpired APIKeyState = "expired"
	KeyRevoked APIKeyState = "revoked"
)

// Expired reports whether the key's time is over.
func (k APIKey) Expired(now time.Time) bool {
	return !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt)
}

// State returns the state of the key at a time.
func (k APIKey) State(now time.Time) APIKeyState {
	switch {
	case !k.RevokedAt.IsZero():
		return KeyRevoked
	case k.Expired(now):
		return KeyExpired
	}
	return KeyActive
}

// UsedOn returns the number of requests with the key on a day, if it is the last day with
// any, or a later one.
func (k APIKey) UsedOn(d Day) int64 {
	if k.UsedDay != d {
		return 0
	}
	return k.Used
}

// MaxKeys is the largest number of a tenant's keys that are active.
const MaxKeys = 500

// NewKey is the result of creating a key: its text is shown only here.
type NewKey struct {
	APIKey
	Secret string // the whole key, tck_live_<prefix>_<secret>
}

// KeyOptions are the options of a new API key.
type KeyOptions struct {
	Name      string    // 1 to 200 characters
	ExpiresAt time.Time // zero: never
	Test      bool      // a tck_test_ key
	Scopes    []Scope   // none: [DefaultScopes]; a test key cannot have [ScopeManage]

	// Within are the scopes of the key that makes this one: a key gives no more than it has.
	// nil: any.
	Within []Scope
	// Once, if not nil, makes the key only once. Answer returns the answer to store, which
	// must not have the secret; nil: none is stored.
	Once   *IdempotencyRecord
	Answer func(APIKey) (status int, body []byte, err error)
}

// answer returns the function that makes the stored answer.
func (o KeyOptions) answer(k APIKey) func() (int, []byte, error) {
	if o.Answer == nil {
		return nil
	}
	return func() (int, []byte, error) { return o.Answer(k) }
}

// KeyState is the state of a signing key.
type KeyState string

// The states of a signing key. The words are in the database and in the signed bundle
// (offline/trust/FORMAT.md).
const (
	KeyAnnounced   KeyState = "announced"   // in the bundle, does not sign yet
	KeySigning     KeyState = "signing"     // signs new stamps
	KeyVerifying   KeyState = "verifying"   // does not sign any more, its stamps stay good
	KeyCompromised KeyState = "compromised" // only stamps on its survivor list stay good
)

// A SigningKey is one key pair of a tenant; the private half stays sealed.
type SigningKey struct {
	Tenant           string
	Seq              uint8 // 0 to 255, in the payload's header
	Public           payload.PublicKey
	State            KeyState
	ValidFrom        time.Time
	ValidUntil       time.Time // zero: open
	CompromisedSince time.Time // zero unless compromised
	SurvivorList     string    // SHA-256 in hex, or ""
	CreatedAt        time.Time
	Sealed           []byte // PKCS #8, sealed by the keyring
}

// ID returns the key's name: the tenant's reference and the sequence number.
func (k SigningKey) ID() string { return KeyID(k.Tenant, k.Seq) }

// KeyID returns the name of a tenant's key, such as "ACME01-0".
func KeyID(tenant string, seq uint8) string { return tenant + "-" + strconv.Itoa(int(seq)) }

// MaxSigningKeys is the largest number of signing keys that a tenant may ever have: the
// payload has one byte for the sequence number (offline/payload/FORMAT.md).
const MaxSigningKeys = 256

// RotateOptions are the options of a tenant's next signing key.
type RotateOptions struct {
	Algorithm payload.Algorithm // zero: Ed25519
	// Announce is the time for which the new key is in the bundle before it signs; negative:
	// it signs immediately. Zero: [DefaultAnnounce].
	Announce time.Duration
}

// DefaultAnnounce is the default time between the announcement and the first use of a new
// signing key: a bundle is valid for 7 days, so by then every device that may still say
// valid knows the key.
const DefaultAnnounce = 8 * 24 * time.Hour

const referenceAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// ParseReference returns the tenant reference that s spells, in upper case.
// ok is false unless it is 6 characters of [0-9A-Za-z].
func ParseReference(s string) (ref string, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) != 6 {
		return "", false
	}
	up := []byte(s)
	for i, c := range up {
		if 'a' <= c && c <= 'z' { // not strings.ToUpper: it makes S of U+017F
			up[i] = c - 'a' + 'A'
		}
		if strings.IndexByte(referenceAlphabet, up[i]) < 0 {
			return "", false
		}
	}
	return string(up), true
}

// newReference returns a random reference. It starts with a letter, so that no program
// takes it for a number.
func newReference() string {
	var b [8]byte
	rand.Read(b[:])
	n := binary.BigEndian.Uint64(b[:])
	ref := []byte{'A' + byte(n%26)}
	n /= 26
	for range 5 {
		ref = append(ref, referenceAlphabet[n%36])
		n /= 36
	}
	return string(ref)
}
