package wire

import (
	"errors"
	"fmt"
	"strings"

	"tcode/offline/trust"
)

// ErrEnrolmentCode means that a text is not an enrolment code.
var ErrEnrolmentCode = errors.New("not an enrolment code")

// enrolmentMark is between address and fingerprint. It begins a URL's fragment: a
// phone that opens the code reaches the gateway but does not send it the fingerprint.
const enrolmentMark = "/#tcode-enrol="

// EnrolmentCode returns the text of the code with which a scanner enrols
// (FORMAT.md): the gateway's address, normalised by [BaseURL], and the
// fingerprint that its trust root must have. The error is an [ErrAddress].
func EnrolmentCode(gateway string, root trust.Fingerprint) (string, error) {
	base, err := BaseURL(gateway)
	if err != nil {
		return "", err
	}
	return base + enrolmentMark + root.String(), nil
}

// ParseEnrolmentCode reads the result of EnrolmentCode. The error is an
// [ErrEnrolmentCode].
func ParseEnrolmentCode(code string) (gateway string, root trust.Fingerprint, err error) {
	address, digits, ok := strings.Cut(strings.TrimSpace(code), enrolmentMark)
	if !ok {
		return "", root, fmt.Errorf("%w: %.80q lacks %s", ErrEnrolmentCode, code, enrolmentMark)
	}
	if gateway, err = BaseURL(address); err != nil {
		return "", root, fmt.Errorf("%w: %w", ErrEnrolmentCode, err)
	}
	if root, err = trust.ParseFingerprint(digits); err != nil {
		return "", root, fmt.Errorf("%w: %w", ErrEnrolmentCode, err)
	}
	return gateway, root, nil
}
