package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"

	"tcode/server/fault"
	"tcode/server/httpapi/strictjson"
	"tcode/server/tenant"
	"tcode/sync/wire"
)

// keepContract lets a request through to its handler only if it is what
// openapi.yaml says; the order of the checks is that of the package comment.
func (a *app) keepContract(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		call := callOf(r.Context())
		if call.op == nil || !call.op.negotiated {
			// Pages and files may lead elsewhere. JSON does not; and its answers
			// have as many headers as a map holds before it grows.
			c.Response().Header()["Referrer-Policy"] = noReferrer
		}
		if call.op == nil {
			c.Response().Before(func() { allowHead(c.Response().Header()) })
			return next(c) // the docs; or 404, 405, OPTIONS
		}
		if call.op.protected { // as is all that takes an Idempotency-Key
			call.route = r.Method + " " + strings.ToLower(r.URL.Path)
		}
		if call.op.id == "syncScans" {
			echoBatchID(c.Response().Header(), r.Header.Get(wire.HeaderBatchID))
		} else {
			a.pacer.Asked()
		}
		if err := a.accept(c, call); err != nil {
			return err
		}
		if err := a.authenticate(r, call); err != nil {
			return a.countGuess(c.Response().Header(), call, err)
		}
		if err := a.limit(c.Response().Header(), call); err != nil {
			return err
		}
		if err := a.meter(r.Context(), call); err != nil {
			return err
		}
		bad := fields{}
		a.checkParams(c, call.op, bad)
		if call.op.body == nil {
			if len(bad) > 0 {
				return invalid(bad)
			}
			return next(c)
		}
		release, err := a.admit(r.Context(), call)
		if err != nil {
			return err
		}
		defer release()
		defer call.drop()
		if err := a.takeBody(c, call, bad); err != nil {
			return err
		}
		return next(c)
	}
}

// accept settles the media type of the answer.
func (a *app) accept(c echo.Context, call *call) error {
	if !call.op.negotiated {
		return nil
	}
	h := c.Response().Header()
	h["Cache-Control"], h["Vary"] = noStore, varyAccept
	mediaType, ok := negotiate(c.Request().Header["Accept"], call.op.answers)
	if !ok {
		return fault.New(fault.NotAcceptable, fault.CodeNotAcceptable, "answers are %s", strings.Join(call.op.answers, ", "))
	}
	call.mediaType = mediaType
	// Handlers say application/json; a table says what it is itself, and errors
	// are not in CSV.
	if mediaType != answerTypes[0] && isJSON(mediaType) {
		c.Response().Writer = &typeWriter{c.Response().Writer, mediaType}
	}
	return nil
}

// authenticate finds out whose key the request carries. On public routes a key
// that is no good is ignored, and on those that are not limited, or
// tell the time, every key is: what is served without the database needs none
// for that.
func (a *app) authenticate(r *http.Request, call *call) error {
	secret := r.Header.Get("x-api-key")
	if !call.op.protected && (secret == "" || !call.op.limited || call.op.id == "getTrustTime") {
		return nil
	}
	if len(r.Header.Values("x-api-key")) != 1 && call.op.protected {
		return tenant.ErrBadKey
	}
	id, err := a.c.Keys.Authenticate(r.Context(), secret)
	id.TraceID = call.traceID
	switch {
	case err == nil:
		call.identity, call.known = id, true
		return call.entitled()
	case call.op.protected, fault.Is(err, fault.Internal), fault.Is(err, fault.Unavailable):
		if fault.Is(err, fault.Forbidden) {
			call.identity, call.known = id, true // for the log
		}
		return err
	}
	return nil
}

// countGuess counts a key that is no good against the client's address, so that
// nobody tries keys by the thousand. Good keys of the same address go on.
func (a *app) countGuess(h http.Header, call *call, err error) error {
	if fault.Is(err, fault.Unauthorized) {
		if err := a.guesses.take(h, clientOf(call.remote), 1); err != nil {
			return err
		}
	}
	return err
}

// limit counts a look-up against the client's address, or against its key if it
// sent a good one, and what needs a key against that key.
func (a *app) limit(h http.Header, call *call) error {
	switch {
	case !call.op.limited || call.op.id == "syncScans": // that is counted in scans
		return nil
	case call.op.id == "getTrustTime":
		return a.clocks.take(h, clientOf(call.remote), 1)
	case call.op.protected:
		rate := call.identity.Tenant.Plan.RequestsPerMinute
		if rate == 0 {
			rate = a.c.Limits.RequestsPerMinute
		}
		return a.requests.takeOf(h, call.identity.KeyPrefix, rate, 1)
	case call.known:
		return a.keyed.take(h, call.identity.KeyPrefix, 1)
	}
	return a.lookups.take(h, clientOf(call.remote), 1)
}

// checkParams brings query parameters to the names of the contract, and adds
// to bad what is wrong with the parameters.
func (a *app) checkParams(c echo.Context, op *operation, bad fields) {
	r := c.Request()
	var query url.Values // most look-ups have none
	if r.URL.RawQuery != "" || op.id == "getFile" {
		var ok bool
		if query, ok = queryOf(c, op, bad); !ok {
			return
		}
	}
	for _, p := range op.params {
		checkParam(c, p, query, bad)
	}
	checkRules(op.id, query, a.c.Now(), bad)
	if query != nil {
		r.URL.RawQuery = query.Encode()
	}
}

// queryOf returns the query parameters that the contract knows and that are
// not empty, by their names in it; ok is false if parameters are not to be
// looked at.
func queryOf(c echo.Context, op *operation, bad fields) (query url.Values, ok bool) {
	if op.id == "getFile" {
		return nil, false // the signature covers every parameter as it is
	}
	given, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil && op.negotiated { // pages and the like look at none
		bad.add("$query", "is not well-formed")
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
			case !ok || v == "": // forms send what was left empty
			case query.Has(known):
				bad.add(known, "is there twice")
			default:
				query.Set(known, v)
			}
		}
	}
	slices.Sort(ignored)
	nameIgnored(c.Response().Header(), "X-Ignored-Parameters", ignored)
	return query, true
}

// checkParam adds to bad what is wrong with one parameter.
func checkParam(c echo.Context, p *openapi3.Parameter, query url.Values, bad fields) {
	schema := p.Schema.Value
	v, ok := "", true
	switch p.In {
	case openapi3.ParameterInQuery:
		if schema.Format == "date-time" && query.Has(p.Name) {
			// An unescaped + of a zone arrives as a space.
			query.Set(p.Name, strings.ReplaceAll(query.Get(p.Name), " ", "+"))
		}
		v, ok = query.Get(p.Name), query.Has(p.Name)
	case openapi3.ParameterInPath:
		v = pathParam(c, p.Name)
	case openapi3.ParameterInHeader:
		h := c.Request().Header
		given := h.Values(p.Name)
		if ok = len(given) > 0; len(given) > 1 {
			bad.add(p.Name, "is there twice")
		}
		v = h.Get(p.Name)
	}
	if ok {
		bad.check(p.Name, paramValue(v, schema), schema, schemaOptions())
	}
}

// pathParam returns a parameter of the path, decoded once: Echo leaves it as it
// came where the path was not written in the usual way.
func pathParam(c echo.Context, name string) string {
	v := c.Param(name)
	if c.Request().URL.RawPath != "" {
		v, _ = url.PathUnescape(v) // net/http has refused what cannot be decoded
	}
	return v
}

// paramValue returns v as a value of the schema's type; what it cannot be stays
// a string and fails the check.
func paramValue(v string, schema *openapi3.Schema) any {
	if schema.Type.Is("integer") {
		if i, err := strconv.ParseInt(v, 10, 64); err == nil {
			return float64(i)
		}
	}
	if schema.Type.Is("boolean") {
		if b, err := strconv.ParseBool(v); err == nil {
			return b
		}
	}
	return v
}

// admit waits for a turn of a request with a file.
func (a *app) admit(ctx context.Context, call *call) (release func(), err error) {
	if call.op.spooled != nil {
		return a.spools.turn(ctx, call.identity.Tenant.Reference)
	}
	if !call.op.upload {
		return func() {}, nil
	}
	wait, cancel := context.WithTimeout(ctx, uploadPatient)
	defer cancel()
	release, err = a.uploads.take(wait, call.identity.Tenant.Reference)
	if err != nil {
		return nil, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "too many documents are being stamped; try again").
			WithErr(errors.Join(err, ctx.Err()))
	}
	return release, nil
}

// takeBody reads the body and checks it against the contract. The body of a
// sync batch is checked by package wire instead, the same code that wrote it.
func (a *app) takeBody(c echo.Context, call *call, bad fields) error {
	r := c.Request()
	hasType := r.Header.Get("Content-Type") != ""
	if r.ContentLength != 0 && (hasType || call.op.bodyNeeded) {
		if err := checkRequestType(r.Header.Get("Content-Type")); err != nil {
			return err
		}
	}
	parse, err := a.readBody(c.Response(), r, call)
	if err != nil {
		return err
	}
	switch {
	case len(call.body) == 0 && !call.op.bodyNeeded:
	case len(call.body) > 0 && !hasType:
		return checkRequestType("")
	case call.op.id == "syncScans":
	default:
		ignored, wrong := checkBody(parse, call.op.body, schemaOptions())
		for path, messages := range wrong {
			bad[path] = append(bad[path], messages...)
		}
		nameIgnored(c.Response().Header(), "X-Ignored-Properties", ignored)
	}
	if len(bad) > 0 {
		return invalid(bad)
	}
	return nil
}

// readBody reads the body of a call; parse reads what it says. A batch of scans is
// unpacked when it has its turn.
func (a *app) readBody(w http.ResponseWriter, r *http.Request, call *call) (parse func() (strictjson.Node, error), err error) {
	limit := int64(maxSmallBody)
	switch {
	case call.op.spooled != nil:
		return a.takeSpooled(w, r, call)
	case call.op.upload:
		return a.takePDF(w, r, call)
	case call.op.id == "syncScans":
		call.body, call.unpack, err = readPacked(w, r, wire.MaxBodyBytes)
		return nil, err
	}
	call.body, err = readBody(w, r, limit)
	return func() (strictjson.Node, error) { return strictjson.Parse(call.body) }, err
}

// What of ignored names goes into a header: proxies refuse answers whose headers
// together have more than a few kilobytes.
const (
	maxIgnoredNames = 32
	maxIgnoredBytes = 2048
)

// nameIgnored tells the client which members or parameters nobody looked at:
// most are spelling mistakes.
func nameIgnored(h http.Header, header string, names []string) {
	var safe []string
	size := 0
	for _, name := range names {
		name = url.PathEscape(printable(name))
		if size += len(name) + len(", "); len(safe) == maxIgnoredNames || size > maxIgnoredBytes {
			break
		}
		safe = append(safe, name)
	}
	if len(safe) > 0 {
		h.Set(header, strings.Join(safe, ", "))
	}
}
