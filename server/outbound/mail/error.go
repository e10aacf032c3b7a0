package mail

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/textproto"
)

// An Outcome is the result for a message that is not confirmed.
type Outcome int

// The outcomes.
const (
	// Later means that the server could not be reached, or refused for now (4xx of RFC 5321),
	// or that an operator must repair something first, or that the server did not say whether
	// it took the message. Send again.
	Later Outcome = iota
	// Refused means that the server will never take the message (5xx).
	Refused
)

// The steps of sending, in the Step of an [Error].
const (
	StepWrite    = "write the message"
	StepConnect  = "connect"
	StepSecure   = "make the connection private"
	StepLogin    = "log in"
	StepHandOver = "hand over"
	StepConfirm  = "hear that it was taken" // all data was sent: without a code, the server may have taken it
)

// An Error says why a message is not confirmed. Its text includes neither the recipient
// nor the server's reply, which may name the recipient; Code may be shown.
type Error struct {
	Outcome Outcome
	Step    string // one of the constants above
	Code    int    // of the server's answer; 0: none
	Err     error  // the cause, which must not be logged or stored
}

// Error implements error.
func (e *Error) Error() string {
	if e.Code == 0 {
		return "e-mail: could not " + e.Step
	}
	return fmt.Sprintf("e-mail: could not %s: the server answered %d", e.Step, e.Code)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// failed classifies a failed message by its step. Problems that an operator can repair are
// Later: the certificate, the password, the sender's address.
func failed(step string, err error) error {
	out := &Error{Later, step, 0, err}
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		out.Code = said.Code
	}
	if step == StepConnect && insecure(err) {
		out.Step = StepSecure
	}
	return out
}

// answered classifies a message that the server answered, in the dialogue about this message.
func answered(step string, err error) *Error {
	out := &Error{Later, step, 0, err}
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		out.Code = said.Code
	}
	if out.Code >= 500 && out.Code != 530 && out.Code != 535 { // RFC 4954: log in first
		out.Outcome = Refused
	}
	return out
}

// insecure reports whether TLS failed.
func insecure(err error) bool {
	var (
		unproven *tls.CertificateVerificationError
		other    tls.RecordHeaderError
		alert    tls.AlertError
	)
	return errors.As(err, &unproven) || errors.As(err, &other) || errors.As(err, &alert)
}
