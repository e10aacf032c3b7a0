package wire

import "errors"

// Reasons to refuse a body. They are wrapped in a [FieldError].
var (
	ErrTooLarge  = errors.New("too large")                          // 413: send fewer items at a time
	ErrSyntax    = errors.New("not valid JSON")                     // RFC 8259, UTF-8, nothing after the document
	ErrDuplicate = errors.New("appears twice")                      // a member name, or a scan id
	ErrNameCase  = errors.New("name has the wrong case")            // payLoad for payload
	ErrType      = errors.New("has the wrong type")                 // a string where a number belongs
	ErrMissing   = errors.New("is required")                        //
	ErrEither    = errors.New("exactly one of the two is required") // payload and reference
	ErrValue     = errors.New("has a value that is not allowed")    //
	ErrLength    = errors.New("is too short or too long")           //
)

// A FieldError names the refused member of a body and the reason.
type FieldError struct {
	// Path is the member as the client wrote it: "items[3].context.note", or
	// "$body" for the document itself.
	Path string
	// Detail adds information to the reason, without repeating the client's
	// value. It may be empty.
	Detail string
	Err    error // one of the reasons above
}

func (e *FieldError) Error() string {
	s := e.Path + " " + e.Err.Error()
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

func (e *FieldError) Unwrap() error { return e.Err }

// bodyPath is the path of the document itself.
const bodyPath = "$body"
