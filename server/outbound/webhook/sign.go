package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader carries the signature of a delivery:
//
//	TCode-Signature: t=1795206704,v1=5257a869...
//
// v1 is the HMAC-SHA256 (RFC 2104), in hexadecimal, of the seconds in t as they stand
// there, a point, and the body. During a change of the secret there are two v1, and either
// is enough.
const SignatureHeader = "TCode-Signature"

// Tolerance is the largest age of a signature: a recorded delivery cannot be replayed
// later.
const Tolerance = 5 * time.Minute

const secretPrefix = "whsec_"

// NewSecret returns a random secret for an endpoint, 256 bits.
func NewSecret(r io.Reader) (string, error) {
	var b [32]byte
	if r == nil {
		r = rand.Reader
	}
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return "", fmt.Errorf("draw a secret: %w", err)
	}
	return secretPrefix + hex.EncodeToString(b[:]), nil
}

// Sign returns the value of [SignatureHeader] for body at now. There are several secrets
// during a change.
func Sign(now time.Time, body []byte, secrets ...string) string {
	t := strconv.FormatInt(now.Unix(), 10)
	var b strings.Builder
	b.WriteString("t=" + t)
	for _, s := range secrets {
		b.WriteString(",v1=" + hex.EncodeToString(mac(s, t, body)))
	}
	return b.String()
}

// Errors of [Check].
var (
	ErrSignature = errors.New("the signature is not that of the body")
	ErrOld       = errors.New("the signature is too old, or the clock is wrong")
	ErrForm      = errors.New("the signature must be like t=1795206704,v1=HEX")
)

// Check is the check that a receiver makes: whether header was made over body with secret,
// at most [Tolerance] before or after now.
func Check(header string, body []byte, secret string, now time.Time) error {
	t, signatures := "", []string(nil)
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			t = value
		case "v1":
			signatures = append(signatures, value)
		}
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil || len(signatures) == 0 {
		return ErrForm
	}
	want := mac(secret, t, body)
	for _, s := range signatures {
		if got, err := hex.DecodeString(s); err == nil && hmac.Equal(got, want) {
			if age := now.Sub(time.Unix(seconds, 0)).Abs(); age > Tolerance {
				return ErrOld
			}
			return nil
		}
	}
	return ErrSignature
}

func mac(secret, t string, body []byte) []byte {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(t))
	m.Write([]byte("."))
	m.Write(body)
	return m.Sum(nil)
}
