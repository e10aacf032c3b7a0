package openid

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/go-jose/go-jose/v4"
)

// keys are the keys of a provider, an [oidc.KeySet]. The one of go-oidc fetches and parses them in a
// goroutine of its own, where a panic would end the gateway; here it costs the sign-in.
type keys struct {
	http *http.Client
	url  string

	mu    sync.Mutex // guards known, and is held while the provider is asked
	known []jose.JSONWebKey
}

// VerifySignature returns what a token signs. It fetches the keys if none of the known ones has signed it.
func (k *keys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	accepted := make([]jose.SignatureAlgorithm, len(algorithms))
	for i, a := range algorithms {
		accepted[i] = jose.SignatureAlgorithm(a)
	}
	signed, err := jose.ParseSignedCompact(token, accepted)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if content, ok := verified(signed, k.known); ok {
		return content, nil
	}
	if k.known, err = k.fetch(ctx); err != nil {
		return nil, fmt.Errorf("keys of the provider: %w", err)
	}
	if content, ok := verified(signed, k.known); ok {
		return content, nil
	}
	return nil, errors.New("no key of the provider has signed the token")
}

// verified returns what one of the keys has signed.
func verified(signed *jose.JSONWebSignature, by []jose.JSONWebKey) (content []byte, ok bool) {
	id := signed.Signatures[0].Header.KeyID // a token in compact form has one signature
	for _, key := range by {
		if id != "" && key.KeyID != id {
			continue
		}
		if content, err := signed.Verify(key); err == nil {
			return content, true
		}
	}
	return nil, false
}

// fetch returns the keys that the provider publishes now. It leaves out those that are not for
// signatures that are accepted (RFC 7517, section 5).
func (k *keys) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, err
	}
	res, err := k.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New(res.Status)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(res.Body).Decode(&set); err != nil {
		return nil, err
	}
	var out []jose.JSONWebKey
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) == nil && (key.Algorithm == "" || slices.Contains(algorithms, key.Algorithm)) {
			out = append(out, key)
		}
	}
	return out, nil
}
