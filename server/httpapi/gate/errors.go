package gate

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/labstack/echo/v4"

	"tcode/offline/jsontext"
	"tcode/server/fault"
)

// status maps each kind of fault to its HTTP status.
var status = map[fault.Kind]int{
	fault.Internal:         http.StatusInternalServerError,
	fault.Invalid:          http.StatusBadRequest,
	fault.Unauthorized:     http.StatusUnauthorized,
	fault.Forbidden:        http.StatusForbidden,
	fault.NotFound:         http.StatusNotFound,
	fault.MethodNotAllowed: http.StatusMethodNotAllowed,
	fault.NotAcceptable:    http.StatusNotAcceptable,
	fault.Conflict:         http.StatusConflict,
	fault.Precondition:     http.StatusPreconditionFailed,
	fault.TooLarge:         http.StatusRequestEntityTooLarge,
	fault.UnsupportedMedia: http.StatusUnsupportedMediaType,
	fault.Rejected:         http.StatusUnprocessableEntity,
	fault.RateLimited:      http.StatusTooManyRequests,
	fault.Unavailable:      http.StatusServiceUnavailable,
	fault.BadRange:         http.StatusRequestedRangeNotSatisfiable,
}

// errorBody is the contract's Error.
type errorBody struct {
	Status    int                 `json:"status"`
	Code      string              `json:"code"`
	Message   string              `json:"message"`
	TraceID   string              `json:"traceId"`
	Reason    *string             `json:"reason"`
	Reference *string             `json:"reference"`
	Errors    map[string][]string `json:"errors"`
}

const (
	maxErrorFields = 100 // more do not help a client
	maxFieldName   = 120 // bytes; paths hold member names that the client made up
)

// handleError alone writes error answers, so that each failure appears once. The
// observer logs it, and cuts off an answer that has begun.
func (g *Gate) handleError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	ctx := c.Request().Context()
	if ClientGone(ctx, err) {
		c.Response().WriteHeader(statusClientGone)
		return
	}
	call := CallOf(ctx)
	f := asFault(err)
	if call.op == nil && errors.Is(err, echo.ErrNotFound) {
		f = nothingAt(c.Request().URL.Path)
	}
	code := status[f.Kind]
	h := c.Response().Header()
	switch f.Kind {
	case fault.Unauthorized:
		h.Set("WWW-Authenticate", `ApiKey realm="tcode"`)
	case fault.Unavailable:
		if h.Get("Retry-After") == "" {
			h.Set("Retry-After", "5")
		}
	}
	if g.c.Page != nil && g.c.Page(c, code) {
		return
	}
	if f.Kind == fault.NotFound && call.op != nil && call.op.protected && call.Identity.Test {
		message := *f
		message.Message += " (to a test key nothing is live)"
		f = &message
	}
	body := errorBody{
		Status: code, Code: f.Code, Message: f.Message, TraceID: call.traceID,
		Reason: orNull(f.Reason), Reference: orNull(f.Reference), Errors: presentable(f.Texts()),
	}
	h.Set("Content-Type", contentType(errorType(call.MediaType, c.Request().Header["Accept"])))
	h.Del("ETag")
	h.Del("Content-Disposition")
	h.Set("Cache-Control", "no-store")
	c.Response().WriteHeader(code)
	jsontext.Encoder(c.Response()).Encode(body) // a client that is gone needs no answer
}

// orNull returns nil for "", so that the member is null.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// statusClientGone is the status in logs and metrics of a request whose client
// closed the connection before the answer: no client receives the answer, and the
// gateway did not fail.
const statusClientGone = 499

// ClientGone reports whether err is an error because the client ended ctx, the
// context of its request.
func ClientGone(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.Canceled)
}

// errorType returns the media type of an error: the negotiated one, or the best
// guess if negotiation failed or did not happen.
func errorType(negotiated string, accept []string) string {
	if negotiated != "" && isJSON(negotiated) {
		return negotiated
	}
	if t, ok := negotiate(accept, answerTypes[:]); ok {
		return t
	}
	return answerTypes[0]
}

// asFault turns errors of Echo and net/http into faults.
func asFault(err error) *fault.Fault {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	var he *echo.HTTPError
	if errors.As(err, &he) {
		switch he.Code {
		case http.StatusNotFound:
			return fault.New(fault.NotFound, fault.CodeNotFound, "there is nothing at this address")
		case http.StatusMethodNotAllowed:
			return fault.New(fault.MethodNotAllowed, fault.CodeMethodNotAllowed, "this address does not take this method, see the Allow header")
		case http.StatusBadRequest:
			return fault.New(fault.Invalid, fault.CodeValidationFailed, "the request cannot be understood").WithErr(err)
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the gateway did not get to it in time; try again").WithErr(err)
	}
	return fault.As(err)
}

// presentable bounds the text of a client that an error repeats, and removes
// characters that could confuse a terminal.
func presentable(in map[string][]string) map[string][]string {
	out := make(map[string][]string, min(len(in), maxErrorFields))
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if len(out) == maxErrorFields {
			break
		}
		out[printable(name)] = in[name]
	}
	return out
}

func printable(name string) string {
	if len(name) > maxFieldName {
		name = strings.ToValidUTF8(name[:maxFieldName], "") + "..."
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, name)
}

// Invalid returns the fault for a request with bad fields.
func Invalid(bad Fields) error {
	message := "the request has an invalid field"
	if len(bad) > 1 {
		message = "the request has invalid fields"
	}
	f := fault.New(fault.Invalid, fault.CodeValidationFailed, "%s", message)
	f.Fields = make(map[string][]fault.Text, len(bad))
	for name, messages := range bad {
		for _, m := range messages {
			f.Fields[name] = append(f.Fields[name], fault.Say("%s", m))
		}
	}
	return f
}

// NotFound returns the fault for a thing that does not exist, such as "key".
func NotFound(what string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "%s not found", what)
}

// failure returns the attributes of an error for the log.
func failure(err error) []slog.Attr {
	f := asFault(err)
	attrs := []slog.Attr{slog.String("code", f.Code)}
	if f.Kind == fault.Internal || f.Kind == fault.Unavailable {
		attrs = append(attrs, slog.Any("err", err))
	}
	return attrs
}
