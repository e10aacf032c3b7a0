package blob

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// The reasons why a signed address is refused.
var (
	// ErrSignature means that the address was not signed by this gateway, or was changed since.
	ErrSignature = errors.New("address has no good signature")
	// ErrExpired means that the signature is good but its time is over.
	ErrExpired = errors.New("address has expired")
)

const (
	paramExpires   = "expires"
	paramSignature = "signature"
)

// URLSigner signs addresses with HMAC-SHA256 over the method, the path and
// every parameter, so that no part of a download can be changed.
type URLSigner struct {
	key []byte
	now func() time.Time
}

// NewURLSigner returns a signer; gateways on one database share the key (32
// random bytes). now may be nil for [time.Now].
func NewURLSigner(key []byte, now func() time.Time) *URLSigner {
	if now == nil {
		now = time.Now
	}
	return &URLSigner{key: slices.Clone(key), now: now}
}

// Sign returns params with expiry and signature added, for a request by method
// to path.
func (s *URLSigner) Sign(method, path string, params url.Values, expires time.Time) url.Values {
	q := url.Values{}
	for k, v := range params {
		q[k] = slices.Clone(v)
	}
	q.Set(paramExpires, strconv.FormatInt(expires.Unix(), 10))
	q.Set(paramSignature, base64.RawURLEncoding.EncodeToString(s.mac(method, path, q)))
	return q
}

// Verify checks the query of a request. The error is [ErrSignature] or [ErrExpired]. An
// unsigned parameter gives [ErrSignature], like a changed one.
func (s *URLSigner) Verify(method, path string, query url.Values) error {
	q := maps.Clone(query)
	sigs := q[paramSignature]
	delete(q, paramSignature)
	if len(sigs) != 1 || len(q[paramExpires]) != 1 {
		return ErrSignature
	}
	sig, err := base64.RawURLEncoding.Strict().DecodeString(sigs[0])
	if err != nil || !hmac.Equal(sig, s.mac(method, path, q)) {
		return ErrSignature
	}
	expires, err := strconv.ParseInt(q.Get(paramExpires), 10, 64)
	if err != nil {
		return ErrSignature
	}
	if s.now().Unix() >= expires {
		return ErrExpired
	}
	return nil
}

// mac hashes every part with its length before it, in the order of names.
func (s *URLSigner) mac(method, path string, q url.Values) []byte {
	h := hmac.New(sha256.New, s.key)
	part := func(text string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(text)))
		h.Write(n[:])
		h.Write([]byte(text))
	}
	part("TCode/1 url")
	part(method)
	part(path)
	for _, k := range slices.Sorted(maps.Keys(q)) {
		for _, v := range q[k] {
			part(k)
			part(v)
		}
	}
	return h.Sum(nil)
}
