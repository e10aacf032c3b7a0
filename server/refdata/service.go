package refdata

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/tenant"
)

// Seed puts the starter set of document types into an empty store. It does not change a
// store that has any.
func (s *Service) Seed(ctx context.Context) error {
	have, err := s.store.DocumentTypes(ctx)
	if err != nil || len(have) > 0 {
		return err
	}
	audit := tenant.NewEntry(ctx, "", "document_type.seed", "starter set", s.now().UTC())
	if err := s.store.PutDocumentTypes(ctx, audit, starterSet()...); err != nil {
		return err
	}
	s.notify()
	return nil
}

// Tenants returns the active tenants by reference.
func (s *Service) Tenants(ctx context.Context) ([]TenantInfo, error) {
	all, err := s.store.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	var out []TenantInfo
	for _, t := range all {
		if t.State == tenant.Active {
			out = append(out, TenantInfo{Reference: t.Reference, Name: t.Name})
		}
	}
	return out, nil
}

// DocumentTypes returns the document types in use, by code.
func (s *Service) DocumentTypes(ctx context.Context) ([]DocumentType, error) {
	all, err := s.store.DocumentTypes(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(d DocumentType) bool { return !d.RetiredAt.IsZero() }), nil
}

// KnownDocumentType reports whether code may be used for new stamps.
func (s *Service) KnownDocumentType(ctx context.Context, code string) (bool, error) {
	all, err := s.DocumentTypes(ctx)
	return slices.ContainsFunc(all, func(d DocumentType) bool { return d.Code == code }), err
}

// CodeProblem returns what is wrong with the code of a new document, or a zero text.
// It suggests the code that is meant, if one is likely, and otherwise names some.
func (s *Service) CodeProblem(ctx context.Context, code string) (problem fault.Text, err error) {
	all, err := s.DocumentTypes(ctx)
	if err != nil || slices.ContainsFunc(all, func(d DocumentType) bool { return d.Code == code }) {
		return problem, err
	}
	if d, ok := nearest(all, code); ok {
		return fault.Say("is an unknown code: did you mean %s?", d), nil
	}
	const shown = 20
	codes := make([]string, 0, shown)
	for _, d := range all[:min(len(all), shown)] {
		codes = append(codes, d.Code)
	}
	return fault.Say("is an unknown code, not one in use such as %s", strings.Join(codes, ", ")), nil
}

// nearest returns the one code that differs from a given one in case, in spaces around
// it or in one character, or whose type has that name.
func nearest(types []DocumentType, given string) (code string, ok bool) {
	given = strings.TrimSpace(given)
	for _, d := range types {
		if strings.EqualFold(d.Code, given) {
			return d.Code, true
		}
	}
	for _, d := range types {
		for _, name := range d.Names {
			if strings.EqualFold(name, given) {
				return d.Code, true
			}
		}
	}
	given = strings.ToUpper(given)
	for _, d := range types {
		if len(given) != len(d.Code) {
			continue
		}
		differ := 0
		for i := range len(given) {
			if given[i] != d.Code[i] {
				differ++
			}
		}
		if differ == 1 {
			if ok {
				return "", false // two are as near
			}
			code, ok = d.Code, true
		}
	}
	return code, ok
}

// AddDocumentType adds a document type, or changes its names; a retired one is
// in use again.
func (s *Service) AddDocumentType(ctx context.Context, d DocumentType) error {
	if err := d.check(); err != nil {
		return err
	}
	d.RetiredAt = time.Time{}
	if err := s.store.PutDocumentTypes(ctx, tenant.NewEntry(ctx, "", "document_type.put", d.Code, s.now().UTC()), d); err != nil {
		return err
	}
	s.notify()
	return nil
}

// RetireDocumentType takes a document type out of use. Its existing stamps do not
// change.
func (s *Service) RetireDocumentType(ctx context.Context, code string) error {
	now := s.now().UTC()
	if err := s.store.RetireDocumentType(ctx, code, now, tenant.NewEntry(ctx, "", "document_type.retire", code, now)); err != nil {
		return err
	}
	s.notify()
	return nil
}

// PublicKeys returns the keys of all active tenants that may still verify, by tenant and
// newest first.
func (s *Service) PublicKeys(ctx context.Context) ([]PublicKey, error) {
	tenants, err := s.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := s.store.SigningKeys(ctx, "")
	if err != nil {
		return nil, err
	}
	byTenant := make(map[string][]tenant.SigningKey)
	for _, k := range keys {
		byTenant[k.Tenant] = append(byTenant[k.Tenant], k)
	}
	var out []PublicKey
	for _, t := range tenants {
		list, err := publicKeys(byTenant[t.Reference])
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// PublicKey returns the key that one active tenant signs with, and its other keys that may
// still verify. An unknown or suspended tenant is a NotFound fault.
func (s *Service) PublicKey(ctx context.Context, tenantReference string) (TenantKeys, error) {
	ref, ok := tenant.ParseReference(tenantReference)
	if !ok {
		return TenantKeys{}, noKeys(tenantReference)
	}
	t, err := s.store.Tenant(ctx, ref)
	if err != nil {
		return TenantKeys{}, err
	}
	if t.State != tenant.Active {
		return TenantKeys{}, noKeys(tenantReference)
	}
	keys, err := s.store.SigningKeys(ctx, ref)
	if err != nil {
		return TenantKeys{}, err
	}
	list, err := publicKeys(keys)
	if err != nil {
		return TenantKeys{}, err
	}
	i := slices.IndexFunc(list, func(k PublicKey) bool { return k.Status == string(tenant.KeySigning) })
	if i < 0 {
		return TenantKeys{}, noKeys(tenantReference)
	}
	return TenantKeys{Signing: list[i], Others: slices.Delete(slices.Clone(list), i, i+1)}, nil
}

// Key returns one key of an active tenant by its id, such as "ACME01-0", or a
// NotFound fault. An empty keyID is the signing key.
func (s *Service) Key(ctx context.Context, tenantReference, keyID string) (PublicKey, error) {
	keys, err := s.PublicKey(ctx, tenantReference)
	if err != nil {
		return PublicKey{}, err
	}
	for _, k := range append([]PublicKey{keys.Signing}, keys.Others...) {
		if keyID == "" || k.KeyID == keyID {
			return k, nil
		}
	}
	return PublicKey{}, fault.New(fault.NotFound, fault.CodeNotFound, "tenant %s has no key %s", tenantReference, keyID)
}

func noKeys(reference string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "no tenant %s", reference)
}

// publicKeys returns the records of those keys that may still verify, newest
// first.
func publicKeys(keys []tenant.SigningKey) ([]PublicKey, error) {
	var out []PublicKey
	for _, k := range slices.Backward(keys) {
		if k.State != tenant.KeySigning && k.State != tenant.KeyVerifying {
			continue
		}
		r, err := NewPublicKey(k.Public, k.ID())
		if err != nil {
			return nil, err
		}
		r.TenantReference, r.Seq, r.Status = k.Tenant, k.Seq, string(k.State)
		r.ValidFrom, r.ValidUntil = k.ValidFrom, k.ValidUntil
		out = append(out, r)
	}
	return out, nil
}

// NewPublicKey returns a key as JWK members and PEM.
func NewPublicKey(key payload.PublicKey, id string) (PublicKey, error) {
	der, err := x509.MarshalPKIXPublicKey(key.Crypto())
	if err != nil {
		return PublicKey{}, fmt.Errorf("public key %s: %w", id, err)
	}
	r := PublicKey{
		KeyID: id, Use: "sig",
		PEM: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
	}
	b64 := base64.RawURLEncoding.EncodeToString
	raw := key.Bytes()
	if _, ok := key.Crypto().(*ecdsa.PublicKey); ok { // 0x04, x, y
		r.KeyType, r.Curve, r.Algorithm, r.X, r.Y = "EC", "P-256", "ES256", b64(raw[1:33]), b64(raw[33:])
		return r, nil
	}
	r.KeyType, r.Curve, r.Algorithm, r.X = "OKP", "Ed25519", "EdDSA", b64(raw)
	return r, nil
}
