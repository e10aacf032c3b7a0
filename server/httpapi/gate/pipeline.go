package gate

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"tcode/offline/contain"
	"tcode/server/fault"
	"tcode/sync/wire/strictjson"
)

// keepContract passes a request to its handler only if it matches openapi.yaml;
// the order of the checks is that of the package comment.
func (g *Gate) keepContract(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		call := CallOf(r.Context())
		if call.op == nil || !call.op.negotiated {
			// Pages and files may link to other sites. JSON does not, and its
			// answers already have as many headers as a map holds before it grows.
			c.Response().Header()["Referrer-Policy"] = noReferrer
		}
		if call.op == nil {
			c.Response().Before(func() { allowHead(c.Response().Header()) })
			g.preflight(c)
			return next(c) // the docs; or 404, 405, OPTIONS
		}
		call.op.openTo(c.Response().Header())
		if call.op.protected { // only protected operations take an Idempotency-Key
			call.route = r.Method + " " + strings.ToLower(r.URL.Path)
		}
		if call.op.Begin != nil {
			call.op.Begin(r, c.Response().Header())
		}
		if !call.op.Yields && g.c.Asked != nil {
			g.c.Asked()
		}
		if err := g.accept(c, call); err != nil {
			return err
		}
		if err := g.authenticate(r, call); err != nil {
			refused := fault.Is(err, fault.Unauthorized) || fault.Is(err, fault.Forbidden)
			if call.op.protected || !refused {
				return g.countGuess(c.Response().Header(), call, err)
			}
			tellKeyProblem(c.Response().Header(), err)
		}
		if err := g.limit(c.Response().Header(), call); err != nil {
			return err
		}
		if err := g.meter(r.Context(), call); err != nil {
			return err
		}
		bad := Fields{}
		g.checkParams(c, call.op, bad)
		if call.op.body == nil {
			if len(bad) > 0 {
				return Invalid(bad)
			}
			contain.Seed(call.op.item)
			return next(c)
		}
		release, err := g.admit(r, call)
		if err != nil {
			return err
		}
		defer release()
		defer call.drop()
		if err := g.takeBody(c, call, bad); err != nil {
			return err
		}
		contain.Seed(call.op.item)
		return next(c)
	}
}

// accept sets the media type of the answer.
func (g *Gate) accept(c echo.Context, call *Call) error {
	if !call.op.negotiated {
		return nil
	}
	h := c.Response().Header()
	h["Cache-Control"], h["Vary"] = noStore, varyAccept
	mediaType, ok := negotiate(c.Request().Header["Accept"], call.op.answers)
	if !ok {
		return fault.New(fault.NotAcceptable, fault.CodeNotAcceptable, "answers are %s", strings.Join(call.op.answers, ", "))
	}
	call.MediaType = mediaType
	if isJSON(mediaType) {
		c.Response().Writer = &jsonWriter{ResponseWriter: c.Response().Writer, mediaType: mediaType}
	}
	return nil
}

// tellKeyProblem says in a header why an open route did not count the key that it was sent.
func tellKeyProblem(h http.Header, err error) {
	h.Set("X-Api-Key-Problem", fault.As(err).Message)
}

// errTwoKeys is the fault of a request with more than one key.
var errTwoKeys = fault.New(fault.Unauthorized, fault.CodeUnauthorized,
	"the x-api-key header is there twice: send one API key")

// authenticate finds the owner of the request's key. Open routes without a limit, or with their own
// limit, ignore every key, since those routes do not read the database.
func (g *Gate) authenticate(r *http.Request, call *Call) error {
	secret := r.Header.Get("x-api-key")
	if !call.op.protected && (secret == "" || !call.op.limited || call.op.Limit != "") {
		return nil
	}
	if len(r.Header.Values("x-api-key")) > 1 {
		return errTwoKeys
	}
	from := ""
	if call.op.protected { // no address of a person who asks whether a document is genuine
		from = ClientOf(call.Remote)
	}
	id, err := g.c.Keys.AuthenticateFrom(r.Context(), secret, from)
	id.TraceID = call.traceID
	if err == nil || call.op.protected && fault.Is(err, fault.Forbidden) { // that one for the log
		call.Identity, call.known = id, true
	}
	if err == nil && call.op.scope != "" {
		err = id.Require(call.op.scope)
	}
	if err == nil && call.op.Admit != nil {
		err = call.op.Admit(id)
	}
	return err
}

// countGuess counts a bad key against the client's address, so that no client can
// try thousands of keys. Good keys of the same address still work.
func (g *Gate) countGuess(h http.Header, call *Call, err error) error {
	if fault.Is(err, fault.Unauthorized) {
		if err := g.guesses.Take(h, ClientOf(call.Remote), 1); err != nil {
			return err
		}
	}
	return err
}

// limit counts a look-up against the client's address, or against its key if it
// sent a good one. It counts a request that needs a key against that key.
func (g *Gate) limit(h http.Header, call *Call) error {
	switch {
	case !call.op.limited || call.op.Counted:
		return nil
	case call.op.Limit != "":
		return g.apart[call.op.Limit].Take(h, ClientOf(call.Remote), 1)
	case call.op.protected:
		rate := call.Identity.Tenant.Plan.RequestsPerMinute
		if rate == 0 {
			rate = g.c.Limits.RequestsPerMinute
		}
		return g.requests.takeOf(h, call.Identity.KeyPrefix, rate, 1)
	case call.known:
		return g.keyed.Take(h, call.Identity.KeyPrefix, 1)
	}
	return g.lookups.Take(h, ClientOf(call.Remote), 1)
}

// meter counts a request against its tenant's monthly quota.
func (g *Gate) meter(ctx context.Context, call *Call) error {
	if !call.op.protected {
		return nil
	}
	return g.c.Keys.CountRequest(ctx, call.Identity, call.op.Free)
}

// checkParams renames query parameters to the names in the contract, and adds the
// errors of the parameters to bad.
func (g *Gate) checkParams(c echo.Context, op *operation, bad Fields) {
	r := c.Request()
	var query url.Values // most look-ups have none
	if r.URL.RawQuery != "" || op.RawQuery {
		var ok bool
		if query, ok = queryOf(c, op, bad); !ok {
			return
		}
	}
	for _, p := range op.params {
		checkParam(c, p, query, bad)
	}
	if op.CheckQuery != nil {
		op.CheckQuery(query, g.c.Now(), bad)
	}
	if query != nil {
		r.URL.RawQuery = query.Encode()
	}
}

// queryOf returns the query parameters that are in the contract and not empty, by
// their names in it; ok is false if the operation reads no parameters.
func queryOf(c echo.Context, op *operation, bad Fields) (query url.Values, ok bool) {
	if op.RawQuery {
		return nil, false // the signature covers every parameter unchanged
	}
	given, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil && op.negotiated { // pages and files ignore the parameters
		bad.Add("$query", "is not well-formed")
		return nil, false
	}
	query = url.Values{}
	var ignored []string
	for name, values := range given {
		known, ok := op.query[strings.ToLower(name)]
		if !ok {
			ignored = append(ignored, name)
		}
		for _, v := range values {
			switch {
			case !ok || v == "": // forms send empty fields
			case query.Has(known):
				bad.Add(known, "is there twice")
			default:
				query.Set(known, v)
			}
		}
	}
	slices.Sort(ignored)
	NameIgnored(c.Response().Header(), "X-Ignored-Parameters", ignored)
	return query, true
}

// checkParam adds the errors of one parameter to bad.
func checkParam(c echo.Context, p *parameter, query url.Values, bad Fields) {
	v, ok := "", true
	switch p.In {
	case inQuery:
		if p.Schema.Format == "date-time" && query.Has(p.Name) {
			// An unescaped + of a zone arrives as a space.
			// In a time without a zone it is the space before the hour.
			if v := query.Get(p.Name); strings.Count(v, ":") > 1 && strings.LastIndexByte(v, ' ') > strings.IndexByte(v, ':') {
				query.Set(p.Name, strings.ReplaceAll(v, " ", "+"))
			}
		}
		if v, ok = query.Get(p.Name), query.Has(p.Name); ok {
			v = standard(v, p.Schema)
			query.Set(p.Name, v)
		}
	case inPath:
		v = PathParam(c, p.Name)
	case inHeader:
		h := c.Request().Header
		given := h.Values(p.Name)
		if ok = len(given) > 0; len(given) > 1 {
			bad.Add(p.Name, "is there twice")
		}
		v = h.Get(p.Name)
	}
	if ok {
		bad.check(p.Name, paramValue(v, p.Schema), p.Schema)
	}
}

// PathParam returns a parameter of the path, decoded once: Echo does not decode it
// if the client did not write the path in the usual way.
func PathParam(c echo.Context, name string) string {
	v := c.Param(name)
	if c.Request().URL.RawPath != "" {
		v, _ = url.PathUnescape(v) // net/http refuses a path that it cannot decode
	}
	return v
}

// paramValue returns v as a value of the schema's type. If v has no such value, it
// stays a string and fails the check.
func paramValue(v string, s *schema) any {
	if s.Type == "integer" {
		if i, err := strconv.ParseInt(v, 10, 64); err == nil {
			return float64(i)
		}
	}
	if s.Type == "boolean" {
		if b, err := strconv.ParseBool(v); err == nil {
			return b
		}
	}
	return v
}

// admit waits for a place for a request with a large body, before a byte of it is read.
func (g *Gate) admit(r *http.Request, call *Call) (release func(), err error) {
	ctx, size := r.Context(), r.ContentLength
	switch {
	case call.op.spooled != nil:
		return g.spools.Take(ctx, call.Identity.Tenant.Reference, size)
	case call.op.upload:
		return g.uploads.Take(ctx, call.Identity.Tenant.Reference, size)
	case call.op.Packed == 0 || size >= 0 && size <= maxOpenBody:
		return func() {}, nil
	case size < 0: // it is not known
		size = call.op.Packed
	}
	return g.packed.Take(ctx, ClientOf(call.Remote), size)
}

// takeBody reads the body and checks it against the contract, unless the handler
// checks it.
func (g *Gate) takeBody(c echo.Context, call *Call, bad Fields) error {
	r := c.Request()
	hasType := r.Header.Get("Content-Type") != ""
	if r.ContentLength != 0 && (hasType || call.op.bodyNeeded) {
		if err := checkRequestType(r.Header.Get("Content-Type")); err != nil {
			return err
		}
	}
	parse, err := g.readBody(c.Response(), r, call)
	if err != nil {
		return err
	}
	switch {
	case len(call.Body) == 0 && !call.op.bodyNeeded:
	case len(call.Body) > 0 && !hasType:
		return checkRequestType("")
	case call.op.Packed > 0:
	default:
		b := call.checkBody(c, parse)
		for path, messages := range b.bad {
			bad[path] = append(bad[path], messages...)
		}
		NameIgnored(c.Response().Header(), "X-Ignored-Properties", b.ignored)
		if b.text != nil {
			call.Body = b.text
		}
	}
	if len(bad) > 0 {
		return Invalid(bad)
	}
	return nil
}

// readBody reads the body of a call; parse parses it.
func (g *Gate) readBody(w http.ResponseWriter, r *http.Request, call *Call) (parse func() (strictjson.Node, error), err error) {
	switch {
	case call.op.spooled != nil:
		return g.takeSpooled(w, r, call)
	case call.op.upload:
		return g.takePDF(w, r, call)
	case call.op.Packed > 0:
		call.Body, call.Unpack, err = readPacked(w, r, call.op.Packed)
		return nil, err
	}
	limit := int64(maxOpenBody)
	if call.op.protected {
		limit = maxSmallBody
	}
	call.Body, err = readBody(w, r, limit)
	call.Body = withoutMark(call.Body)
	return func() (strictjson.Node, error) { return strictjson.Parse(call.Body) }, err
}

// Limits of the ignored names in a header: proxies refuse answers whose headers
// together have more than a few kilobytes.
const (
	maxIgnoredNames = 32
	maxIgnoredBytes = 2048
)

// NameIgnored names in a header the members or parameters that the gateway ignored:
// most are spelling mistakes. Names are written as in the errors of an answer; what a
// header cannot hold, "%" and the comma between two are percent-encoded.
func NameIgnored(h http.Header, header string, names []string) {
	var safe []string
	size := 0
	for _, name := range names {
		name = headerText(printable(name))
		if size += len(name) + len(", "); len(safe) == maxIgnoredNames || size > maxIgnoredBytes {
			break
		}
		safe = append(safe, name)
	}
	if len(safe) > 0 {
		h.Set(header, strings.Join(safe, ", "))
	}
}

func headerText(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		edge := c == ' ' && (i == 0 || i == len(name)-1)
		if c < ' ' || edge || c > '~' || c == '%' || c == ',' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
