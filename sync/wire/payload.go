package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"tcode/offline/payload"
)

// ErrPayloadForm means that a payload member has none of the three forms.
var ErrPayloadForm = errors.New("payload is neither Base64 nor the text form")

// A formError is an [ErrPayloadForm] in words that say which form is meant.
type formError string

func (e formError) Error() string { return string(e) }

// Is reports whether target is [ErrPayloadForm].
func (e formError) Is(target error) bool { return target == ErrPayloadForm }

// The words of a payload that has one of the forms nearly.
const (
	errTyped   formError = "payload is a reference: verify it by its reference"
	errForeign formError = "payload is Base64, but of no TCode payload"
	errURLForm formError = "payload is Base64url: send it in the standard alphabet, with + and / and with padding"
	errBroken  formError = "payload is Base64 with characters missing or damaged: send it whole, with its padding"
	errBreaks  formError = "payload is Base64 with white space in it: send it on one line"
	errText    formError = "payload is in the text form, with a mistake"
	errCase    formError = "payload is in the text form, in lower case: send capital letters"
)

// PayloadBytes returns the payload's bytes; the first character decides the
// form: 1 for Base64 of the bytes, T for Base64 of the text
// form, N for the text form itself. Base64 is the standard alphabet with
// padding, strict. White space around it does not count: scanners send the end of a line.
// The error is an [ErrPayloadForm].
func PayloadBytes(s string) ([]byte, error) {
	s = strings.TrimSpace(s)
	if head := strings.ToUpper(s[:min(len(s), 4)]); head == "TCR-" || head == "TRF-" {
		return nil, errTyped
	}
	switch {
	case strings.HasPrefix(s, "N"):
		return textBytes(s)
	case strings.HasPrefix(s, "1"):
		return strictBase64(s)
	case strings.HasPrefix(s, "T"):
		b, err := strictBase64(s)
		if err != nil {
			return nil, err
		}
		return textBytes(string(b))
	}
	if upper := strings.ToUpper(s); s != upper && strings.HasPrefix(upper, "N") {
		if _, err := payload.DecodeText(upper); err == nil {
			return nil, errCase
		}
	}
	if _, err := strictBase64(s); err == nil && s != "" || err == errForeign {
		return nil, errForeign
	}
	return nil, ErrPayloadForm
}

// textBytes decodes the text form.
func textBytes(s string) ([]byte, error) {
	b, err := payload.DecodeText(s)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errText, err)
	}
	return b, nil
}

// strictBase64 refuses line breaks, which Go's strict decoder still skips. Its errors are
// formErrors.
func strictBase64(s string) ([]byte, error) {
	if strings.ContainsAny(s, " \t\r\n") {
		return nil, errBreaks
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err == nil {
		return b, nil
	}
	if b, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "=")); err != nil || !strings.ContainsAny(s, "-_") {
		return nil, errBroken
	}
	if len(b) > 0 && (b[0] == payload.Magic || b[0] == 'N') {
		return nil, errURLForm
	}
	return nil, errForeign
}
