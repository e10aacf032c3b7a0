package gate

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// Values of the headers by which a browser lets scripts of other web sites read an
// answer (Fetch standard, section 3.2). They name no key and no credentials, so a
// script gets what a person without an account gets.
var (
	anyOrigin    = []string{"*"}
	exposed      = []string{"ETag, RateLimit, RateLimit-Policy, Retry-After, TCode-Trace-Id"}
	openMethods  = []string{"GET, HEAD, POST"}
	openHeaders  = []string{"Accept, Accept-Language, Content-Type, If-None-Match"}
	openDuration = []string{"86400"} // seconds, the most that a browser remembers
)

// openTo lets scripts of every web site read the answers of an open operation, its
// errors included.
func (o *operation) openTo(h http.Header) {
	if o.Open {
		h["Access-Control-Allow-Origin"], h["Access-Control-Expose-Headers"] = anyOrigin, exposed
	}
}

// preflight allows the request that a browser announces by an OPTIONS request, if it
// is for an open operation.
func (g *Gate) preflight(c echo.Context) {
	r := c.Request()
	asked := r.Header.Get("Access-Control-Request-Method")
	if r.Method != http.MethodOptions || asked == "" {
		return
	}
	if asked == http.MethodHead {
		asked = http.MethodGet
	}
	if op := g.ops[route{asked, c.Path()}]; op != nil && op.Open {
		h := c.Response().Header()
		op.openTo(h)
		h["Access-Control-Allow-Methods"], h["Access-Control-Allow-Headers"], h["Access-Control-Max-Age"] = openMethods, openHeaders, openDuration
	}
}
