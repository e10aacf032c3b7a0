// Package refdata is the public data: active tenants, document types and the public keys
// that check payloads. Call [New] first, then [Service.Seed].
//
//	operator ── AddDocumentType, RetireDocumentType ──▶ Store ──▶ publisher
//	                                                      │
//	anyone   ◀── Tenants, DocumentTypes, PublicKeys ──────┘
//
// A document type's code is the DK field of payloads: 3 characters of [0-9A-Z]. A retired
// one is refused for new stamps and no longer listed, but devices keep its name for its
// existing stamps.
package refdata

import (
	"context"
	"time"

	"tcode/server/tenant"
)

// TenantInfo maps an issuer code to a name.
type TenantInfo struct {
	Reference string
	Name      string
}

// A DocumentType is one kind of document.
type DocumentType struct {
	Code        string                       // 3 characters of [0-9A-Z]
	Names       map[string]string            // BCP 47 language to name; "en" always
	FieldLabels map[string]map[string]string // field key to language to label
	RetiredAt   time.Time                    // zero: in use
}

// Name returns the name in a language, or the English one.
func (d DocumentType) Name(language string) string {
	if n := d.Names[language]; n != "" {
		return n
	}
	return d.Names["en"]
}

// A PublicKey is one key as JWK members (RFC 7517, RFC 8037), with further data about
// it.
type PublicKey struct {
	KeyType   string // kty: OKP or EC
	Curve     string // crv: Ed25519 or P-256
	X         string // base64url without padding
	Y         string // EC only
	Algorithm string // alg: EdDSA or ES256
	Use       string // use: sig

	TenantReference string // "" for the gateway's own key
	KeyID           string // kid
	Seq             uint8  // sequence number in payload headers
	ValidFrom       time.Time
	ValidUntil      time.Time // zero: open
	Status          string    // signing or verifying
	PEM             string    // SubjectPublicKeyInfo
}

// TenantKeys is the key that a tenant signs with, and its older keys.
type TenantKeys struct {
	Signing PublicKey
	Others  []PublicKey // newest first
}

// Store stores reference data. Package store implements it. Changes to document types
// count as changes to the published trust documents.
type Store interface {
	Tenants(ctx context.Context) ([]tenant.Tenant, error)
	// Tenant returns a NotFound fault for an unknown reference.
	Tenant(ctx context.Context, reference string) (tenant.Tenant, error)
	// SigningKeys returns the keys of one tenant, or of all if tenant is "".
	SigningKeys(ctx context.Context, tenant string) ([]tenant.SigningKey, error)
	// DocumentTypes returns all, retired ones too, by code.
	DocumentTypes(ctx context.Context) ([]DocumentType, error)
	// PutDocumentTypes adds or changes document types, with their audit row,
	// in one transaction.
	PutDocumentTypes(ctx context.Context, audit *tenant.Entry, types ...DocumentType) error
	// RetireDocumentType returns a NotFound fault for an unknown code. It does not change a
	// retired one, and writes no audit row for it.
	RetireDocumentType(ctx context.Context, code string, now time.Time, audit *tenant.Entry) error
}

// Service is the reference data domain. It is safe for concurrent use.
type Service struct {
	store  Store
	notify func()
	now    func() time.Time
}

// New returns the service. notify wakes the publisher and may be nil; now may
// be nil for [time.Now].
func New(store Store, notify func(), now func() time.Time) *Service {
	if notify == nil {
		notify = func() {}
	}
	if now == nil {
		now = time.Now
	}
	return &Service{store: store, notify: notify, now: now}
}
