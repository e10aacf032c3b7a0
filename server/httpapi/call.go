package httpapi

import (
	"context"
	"crypto/sha256"
	"os"

	"tcode/server/platform/spool"
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
	unpack    func([]byte) ([]byte, error) // of a batch of scans: body is still as it was sent
	digest    *[sha256.Size]byte           // of the whole body, where body is not all of it
	files     map[string]*os.File          // members of the body that went to disk: a bulk job's
	pdf       *spool.Upload                // the member of the body that is to be worked on; nil: it cannot have one
	baseURL   string                       // scheme and host as the client knows them
	remote    string                       // client address
}

type callKey struct{}

// callOf returns the call that ctx belongs to.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// sum is the SHA-256 of the body as it was sent, inflated.
func (c *call) sum() [sha256.Size]byte {
	if c.digest != nil {
		return *c.digest
	}
	return sha256.Sum256(c.body)
}

// drop lets go of what went to disk.
func (c *call) drop() {
	for _, f := range c.files {
		f.Close() // only read from; nothing is lost
	}
	c.pdf.Close()
}

// viewer is the caller of a public route.
func (c *call) viewer() verify.Viewer {
	return verify.Viewer{Tenant: c.identity.Tenant.Reference, KeyPrefix: c.identity.KeyPrefix, Test: c.identity.Test}
}
