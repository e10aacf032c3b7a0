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

// appPath is the path of the web app below a gateway's address.
const appPath = "/scan"

// EnrolmentCode returns the text of the code with which a scanner enrols
// (FORMAT.md): the gateway's address, normalised by [BaseURL], and the
// fingerprint that its trust root must have. The error is an [ErrAddress].
func EnrolmentCode(gateway string, root trust.Fingerprint) (string, error) {
	base, err := BaseURL(gateway)
	if err != nil {
		return "", err
	}
	if strings.HasSuffix(base, appPath) {
		return "", fmt.Errorf("%w: %q ends as the address of the web app does", ErrAddress, gateway)
	}
	return base + enrolmentMark + root.String(), nil
}

// EnrolmentLink is [EnrolmentCode] as a link to the gateway's web app, which reads it: a phone's own camera opens it.
func EnrolmentLink(gateway string, root trust.Fingerprint) (string, error) {
	code, err := EnrolmentCode(gateway, root)
	if err != nil {
		return "", err
	}
	base, digits, _ := strings.Cut(code, enrolmentMark)
	return base + appPath + enrolmentMark + digits, nil
}

// ParseEnrolmentCode reads the result of EnrolmentCode or EnrolmentLink. The error is an
// [ErrEnrolmentCode].
func ParseEnrolmentCode(code string) (gateway string, root trust.Fingerprint, err error) {
	address, digits, ok := strings.Cut(strings.TrimSpace(code), enrolmentMark)
	if !ok {
		return "", root, fmt.Errorf("%w: %.80q lacks %s", ErrEnrolmentCode, code, enrolmentMark)
	}
	if gateway, err = BaseURL(strings.TrimSuffix(address, appPath)); err != nil {
		return "", root, fmt.Errorf("%w: %w", ErrEnrolmentCode, err)
	}
	if root, err = trust.ParseFingerprint(digits); err != nil {
		return "", root, fmt.Errorf("%w: %w", ErrEnrolmentCode, err)
	}
	return gateway, root, nil
}
