// Package fault is the one error type between the gateway's services and its transport: a
// kind of failure (Kind), the frozen code for clients, a sentence for people, and the
// fields concerned. Call [New] to make one, [As] to read one.
//
//	service ── fault.New(kind, code, ...) ──▶ error ──▶ fault.As ──▶ transport
//	           (or any other error)                      Internal, if none
//
// The package does not use HTTP: the transport maps a Kind to a status. An error
// without a fault is Internal, so that a forgotten case tells the client
// nothing.
//
// Sentences are in English. Each is a [Text], so that a screen can say it in another
// language: the rule that finds a problem is in one place, with one sentence.
package fault

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Kind is the class of a fault. The zero value is [Internal].
type Kind uint8

// The kinds, one for each class of answers of a transport.
const (
	Internal         Kind = iota // our own fault; details stay in the log
	Invalid                      // the request, or one of its fields, is malformed
	Unauthorized                 // no usable credential
	Forbidden                    // good credential, but not allowed; see Fault.Reason
	NotFound                     // not found under this tenant
	MethodNotAllowed             // the resource exists, but not this method
	NotAcceptable                // no representation that the client accepts
	Conflict                     // the present state or an existing record prevents it
	Precondition                 // the client's condition is not met
	TooLarge                     // above a limit
	UnsupportedMedia             // a media type that the gateway does not read
	Rejected                     // well-formed, but not possible
	RateLimited                  // too often; try later
	Unavailable                  // cannot answer now; try later
	BadRange                     // no such part of the content
)

var kindNames = [...]string{
	"internal", "invalid", "unauthorized", "forbidden", "not found", "method not allowed", "not acceptable",
	"conflict", "precondition", "too large", "unsupported media", "rejected", "rate limited", "unavailable", "bad range",
}

// String returns the kind in words, for logs.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// The codes of errors are part of the HTTP contract and never change their
// meaning.
const (
	CodeUnauthorized          = "UNAUTHORIZED"
	CodeForbidden             = "FORBIDDEN"
	CodeValidationFailed      = "VALIDATION_FAILED"
	CodeInvalidPDF            = "INVALID_PDF"
	CodeInvalidPayload        = "INVALID_PAYLOAD"
	CodeNotFound              = "NOT_FOUND"
	CodeMethodNotAllowed      = "METHOD_NOT_ALLOWED"
	CodeNotAcceptable         = "NOT_ACCEPTABLE"
	CodeDuplicate             = "DUPLICATE"
	CodeInvalidTransition     = "INVALID_TRANSITION"
	CodeConflict              = "CONFLICT"
	CodePreconditionFailed    = "PRECONDITION_FAILED"
	CodePayloadTooLarge       = "PAYLOAD_TOO_LARGE"
	CodeUnsupportedMediaType  = "UNSUPPORTED_MEDIA_TYPE"
	CodeTemplateArchived      = "TEMPLATE_ARCHIVED"
	CodeFieldSchemaMismatch   = "FIELD_SCHEMA_MISMATCH"
	CodeConfigurationMismatch = "CONFIGURATION_MISMATCH"
	CodePDFNotStampable       = "PDF_NOT_STAMPABLE"
	CodeStampUnreadable       = "STAMP_UNREADABLE"
	CodeRenderingChanged      = "RENDERING_CHANGED"
	CodeRenderingDiffers      = "RENDERING_DIFFERS"
	CodeIdempotencyKeyReused  = "IDEMPOTENCY_KEY_REUSED"
	CodeRateLimited           = "RATE_LIMITED"
	CodeInternal              = "INTERNAL"
	CodeServiceUnavailable    = "SERVICE_UNAVAILABLE"
	CodeRangeNotSatisfiable   = "RANGE_NOT_SATISFIABLE"
)

// The reasons that go with [CodeForbidden].
const (
	ReasonQuotaExceeded   = "quota_exceeded"
	ReasonNotEntitled     = "not_entitled"
	ReasonTenantSuspended = "tenant_suspended"
	ReasonTestKey         = "test_key"
	ReasonMissingScope    = "missing_scope" // the message names the scope
	ReasonDeviceRefused   = "device_refused"
)

// A Fault is one failed request as the client may see it. The With methods return a
// changed copy, so that a package may keep faults as values.
type Fault struct {
	Kind      Kind
	Code      string            // one of the Code constants
	Message   string            // one sentence for people; no secrets, no internals
	Reason    string            // detail of Code; one of the Reason constants
	Fields    map[string][]Text // field path to its problems
	Reference string            // the existing record that a duplicate conflicts with
	Err       error             // cause, for logs only; never shown to clients

	said Text // of Message
}

// New returns a fault whose message is format with args. The client sees the arguments.
// Add a secret cause by [Fault.WithErr].
func New(kind Kind, code, format string, args ...any) *Fault {
	said := Say(format, args...)
	return &Fault{Kind: kind, Code: code, Message: said.String(), said: said}
}

// Said returns the message with its parts.
func (f *Fault) Said() Text {
	if f.said.String() != f.Message { // it was set without New
		return Say("%s", f.Message)
	}
	return f.said
}

// Error names code, message and cause, for logs.
func (f *Fault) Error() string {
	s := f.Code + ": " + f.Message
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		s += fmt.Sprintf("; %s: %q", name, f.Fields[name])
	}
	if f.Err != nil {
		s += ": " + f.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// WithErr returns a copy of f whose cause is err.
func (f *Fault) WithErr(err error) *Fault {
	c := *f
	c.Err = err
	return &c
}

// WithReason returns a copy of f with a reason.
func (f *Fault) WithReason(reason string) *Fault {
	c := *f
	c.Reason = reason
	return &c
}

// WithReference returns a copy of f that refers to an existing record.
func (f *Fault) WithReference(reference string) *Fault {
	c := *f
	c.Reference = reference
	return &c
}

// WithField returns a copy of f with one more message on a field.
func (f *Fault) WithField(field, format string, args ...any) *Fault {
	c := *f
	c.Fields = maps.Clone(f.Fields)
	if c.Fields == nil {
		c.Fields = make(map[string][]Text)
	}
	c.Fields[field] = append(slices.Clone(c.Fields[field]), Say(format, args...))
	return &c
}

// As returns the fault in err, or an Internal one around err with a message without
// details. It returns nil for a nil error.
func As(err error) *Fault {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	return New(Internal, CodeInternal, "something went wrong on our side").WithErr(err)
}

// Is reports whether err carries a fault of the given kind.
func Is(err error, kind Kind) bool { return err != nil && As(err).Kind == kind }

// Fields collects the problems of a request, so that a client gets all of them in one
// answer. The zero value is ready to use.
type Fields struct {
	m map[string][]Text
}

// Add notes one problem of a field.
func (p *Fields) Add(field, format string, args ...any) {
	if p.m == nil {
		p.m = make(map[string][]Text)
	}
	p.m[field] = append(p.m[field], Say(format, args...))
}

// Err returns a VALIDATION_FAILED fault with all fields, or nil if none was
// added.
func (p *Fields) Err() error {
	if len(p.m) == 0 {
		return nil
	}
	f := New(Invalid, CodeValidationFailed, "the request has missing or invalid fields")
	f.Fields = p.m
	return f
}
