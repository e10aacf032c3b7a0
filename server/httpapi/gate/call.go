package gate

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"github.com/labstack/echo/v4"

	"tcode/server/fault"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
	"tcode/sync/wire/strictjson"
)

// A Call holds the facts of one request; it travels in the request's context.
type Call struct {
	MediaType string          // of the answer
	Identity  tenant.Identity // zero: the caller sent no good key
	Body      []byte
	Unpack    func([]byte) ([]byte, error) // of a packed route, whose Body is as the client sent it
	Files     map[string]*spool.Scratch    // members of the body that are on disk, see Config.Files
	PDF       *spool.Upload                // the PDF in the body; nil: the body cannot have one
	BaseURL   string                       // scheme and host in the client's addresses
	Remote    string                       // client address

	traceID string
	op      *operation         // nil: no route of the contract
	route   string             // method and path, part of the key of a stored answer
	known   bool               // Identity is set
	digest  *[sha256.Size]byte // of the whole body, if Body is not all of it
}

type callKey struct{}

// CallOf returns the call that ctx belongs to.
func CallOf(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}

// checkBody checks a body against the contract. If it has errors, checkBody adds those
// that the handler would find: one answer names all of them.
func (c *Call) checkBody(ec echo.Context, parse func() (strictjson.Node, error)) body {
	b := c.op.checkBody(parse)
	if len(b.bad) == 0 {
		return b
	}
	if _, problem := c.PDF.Document(); c.PDF.Size() > 0 && problem != "" {
		b.bad.Add(c.op.pdf, "%s", problem)
	}
	_, ok := b.value.(map[string]any)
	if !ok || c.op.CheckBody == nil || len(b.bad) >= maxErrorFields { // no answer has more
		return b
	}
	good, err := json.Marshal(repair("", b.value, c.op.body, b.bad))
	if err != nil {
		return b
	}
	if err := c.op.CheckBody(ec, good); err != nil {
		b.bad.addRules(fault.As(err).Texts())
	}
	return b
}

// CheckBody checks the body of a packed route against the contract.
func (c *Call) CheckBody() Fields {
	return c.op.checkBody(func() (strictjson.Node, error) { return strictjson.Parse(c.Body) }).bad
}

// sum returns the SHA-256 of the body, inflated.
func (c *Call) sum() [sha256.Size]byte {
	if c.digest != nil {
		return *c.digest
	}
	return sha256.Sum256(c.Body)
}

// drop closes the files.
func (c *Call) drop() {
	for _, f := range c.Files {
		f.Close() // only read from, so no data is lost
	}
	c.PDF.Close()
}
