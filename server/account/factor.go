package account

import (
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

// Codes of an authenticator app (RFC 6238): six digits, SHA-1, a step of 30 seconds, the
// form that all apps know.
const (
	stepSeconds = 30
	skew        = 1 // steps that a phone's clock may be off, either way
	factorBytes = 20
)

// newFactor returns a new secret in Base32.
func newFactor() string {
	raw := make([]byte, factorBytes)
	rand.Read(raw)
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw)
}

// factorURL returns the address that an app reads from a QR code.
func factorURL(issuer, account, secret string) string {
	q := url.Values{"secret": {secret}, "issuer": {issuer}}
	return "otpauth://totp/" + url.PathEscape(issuer+":"+account) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// acceptCode returns the step of a code that is right now and newer than last. ok is false
// if there is none.
func acceptCode(secret, code string, last int64, now time.Time) (step int64, ok bool, err error) {
	code = digits(code)
	if len(code) != 6 {
		return 0, false, nil
	}
	here := now.Unix() / stepSeconds
	for s := here - skew; s <= here+skew; s++ {
		if s <= last || s < 0 {
			continue
		}
		right, err := hotp.ValidateCustom(code, uint64(s), secret, hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err != nil {
			return 0, false, fmt.Errorf("check code: %w", err)
		}
		if right {
			return s, true, nil
		}
	}
	return 0, false, nil
}

// digits returns a code without the gaps that people type.
func digits(code string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '\u00a0':
			return -1
		}
		return r
	}, code)
}
