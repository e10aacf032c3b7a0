package httpapi

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"

	"tcode/server/fault"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/refdata"
)

// ListTenants returns the active tenants.
func (h *handlers) ListTenants(ctx context.Context, _ ListTenantsRequestObject) (ListTenantsResponseObject, error) {
	list, err := h.c.Reference.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	out := ListTenants200JSONResponse{Items: make([]api.TenantInfo, 0, len(list))}
	for _, t := range list {
		out.Items = append(out.Items, api.TenantInfo{TenantReference: t.Reference, Name: t.Name})
	}
	return out, nil
}

// ListDocumentTypes returns the active document types.
func (h *handlers) ListDocumentTypes(ctx context.Context, _ ListDocumentTypesRequestObject) (ListDocumentTypesResponseObject, error) {
	list, err := h.c.Reference.DocumentTypes(ctx)
	if err != nil {
		return nil, err
	}
	out := ListDocumentTypes200JSONResponse{Items: make([]api.DocumentTypeInfo, 0, len(list))}
	for _, d := range list {
		out.Items = append(out.Items, api.DocumentTypeInfo{Code: d.Code, Names: d.Names})
	}
	return out, nil
}

// ListPublicKeys returns the keys that may still verify.
func (h *handlers) ListPublicKeys(ctx context.Context, _ ListPublicKeysRequestObject) (ListPublicKeysResponseObject, error) {
	list, err := h.c.Reference.PublicKeys(ctx)
	if err != nil {
		return nil, err
	}
	out := ListPublicKeys200JSONResponse{Items: make([]api.PublicKey, 0, len(list))}
	for _, k := range list {
		out.Items = append(out.Items, publicKey(k))
	}
	return out, nil
}

// GetPublicKey returns the key with which a tenant signs, and its other keys.
func (h *handlers) GetPublicKey(ctx context.Context, r GetPublicKeyRequestObject) (GetPublicKeyResponseObject, error) {
	keys, err := h.c.Reference.PublicKey(ctx, r.TenantReference)
	if err != nil {
		return nil, noKey(err)
	}
	return GetPublicKey200JSONResponse{Data: tenantKeys(keys)}, nil
}

// noKey returns err, or a fault that says that there is no key. The fault does not
// name the tenant: errors repeat nothing of a request.
func noKey(err error) error {
	if fault.Is(err, fault.NotFound) {
		return gate.NotFound("key")
	}
	return err
}

func tenantKeys(keys refdata.TenantKeys) api.PublicKey {
	out := publicKey(keys.Signing)
	for _, k := range keys.Others {
		out.OtherKeys = append(out.OtherKeys, publicKey(k))
	}
	return out
}

func publicKey(k refdata.PublicKey) api.PublicKey {
	return api.PublicKey{
		Kty:             api.PublicKeyKty(k.KeyType),
		Crv:             api.PublicKeyCrv(k.Curve),
		X:               k.X,
		Y:               optional(k.Y),
		Kid:             k.KeyID,
		Alg:             api.PublicKeyAlg(k.Algorithm),
		Use:             api.PublicKeyUse(k.Use),
		TenantReference: optional(k.TenantReference),
		KeyId:           k.KeyID,
		ValidFrom:       optionalTime(k.ValidFrom),
		ValidUntil:      optionalTime(k.ValidUntil),
		Status:          api.PublicKeyStatus(k.Status),
		PublicKeyPem:    k.PEM,
		OtherKeys:       []api.PublicKey{},
	}
}

// onlineKey returns the gateway's own key as a record, with the fingerprint that
// a device pins.
func (h *handlers) onlineKey() (api.PublicKey, error) {
	key := h.c.Trust.PublicKey()
	fingerprint := h.c.Trust.Fingerprint().String()
	der, err := x509.MarshalPKIXPublicKey(key.Public)
	if err != nil {
		return api.PublicKey{}, fmt.Errorf("online key as SubjectPublicKeyInfo: %w", err)
	}
	return api.PublicKey{
		Kty: api.PublicKeyKtyOKP, Crv: api.PublicKeyCrvEd25519, X: base64.RawURLEncoding.EncodeToString(key.Public),
		Kid: key.Name, KeyId: key.Name, Alg: api.PublicKeyAlgEdDSA,
		Use: api.PublicKeyUseSig, Status: api.PublicKeyStatusSigning, OtherKeys: []api.PublicKey{},
		PublicKeyPem:    string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		VerifierKey:     &key.Note,
		RootFingerprint: &fingerprint,
	}, nil
}
