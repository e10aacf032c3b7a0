package httpapi

import (
	"context"

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

// viewer is who asks a public route.
func (c *call) viewer() verify.Viewer {
	return verify.Viewer{Tenant: c.identity.Tenant.Reference, KeyPrefix: c.identity.KeyPrefix}
}
