package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"

	"tcode/server/tenant"
	"tcode/server/verify"
)

// A call is what is known of one request; it travels in the request's context.
type call struct {
	traceID   string
	op        *operation // nil: no route of the contract
	route     string     // method and path, which name the row of an Idempotency-Key
	mediaType string     // of the answer
	identity  tenant.Identity
	known     bool // identity is set
	body      []byte
	baseURL   string // scheme and host as the client knows them
	remote    string // client address
}

type callKey struct{}

// callOf returns the call that ctx belongs to.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

func withCall(r *http.Request, c *call) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), callKey{}, c))
}

// viewer is who asks a public route.
func (c *call) viewer() verify.Viewer {
	return verify.Viewer{Tenant: c.identity.Tenant.Reference, KeyPrefix: c.identity.KeyPrefix}
}

// traceID returns the trace id of a W3C traceparent header, or a random one
// where there is none that is well-formed (W3C Trace Context section 3.2).
func traceID(traceparent string) string {
	parts := strings.Split(traceparent, "-")
	if len(parts) >= 4 && lowerHex(parts[0], 2) && parts[0] != "ff" && lowerHex(parts[1], 32) &&
		lowerHex(parts[2], 16) && lowerHex(parts[3], 2) && (parts[0] != "00" || len(parts) == 4) &&
		strings.Trim(parts[1], "0") != "" && strings.Trim(parts[2], "0") != "" {
		return parts[1]
	}
	var id [16]byte
	rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

func lowerHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
