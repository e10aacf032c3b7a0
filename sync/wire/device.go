package wire

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrUnsigned means that a batch has neither device key nor signature:
	// acceptable, but only as a claim, because every client can make it.
	ErrUnsigned = errors.New("batch is not signed")
	// ErrSignature means that the device key or the signature is malformed,
	// that the key is another scanner's, or that the signature is not over this
	// batch.
	ErrSignature = errors.New("batch signature does not hold")
)

// crockford is Crockford's base 32 in lower case.
var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// scannerPrefix begins scanner ids that are derived from a key.
const scannerPrefix = "dev_"

// ScannerID returns the name of the device that holds pub: dev_ and 26
// characters of Crockford base 32, lower case, of the first 16 bytes of SHA-256
// over the 32 key bytes.
func ScannerID(pub ed25519.PublicKey) string {
	h := sha256.Sum256(pub)
	return scannerPrefix + crockford.EncodeToString(h[:16])
}

// Keyed reports whether id has the form of [ScannerID], which only a signed
// batch can prove.
func Keyed(id string) bool { return strings.HasPrefix(id, scannerPrefix) }

// IsDeviceID reports whether id could be the [ScannerID] of a key.
func IsDeviceID(id string) bool {
	text, ok := strings.CutPrefix(id, scannerPrefix)
	raw, err := crockford.DecodeString(text)
	return ok && err == nil && len(raw) == 16 && crockford.EncodeToString(raw) == text
}

// signedMessage returns the bytes that a device signs (FORMAT.md section 4):
// they cover every meaningful member of the batch, so the gateway can show the
// proof again from its rows alone.
func (b Batch) signedMessage() []byte {
	m := append(make([]byte, 0, 128), signatureDomain...)
	m = appendString(m, b.ID)
	m = appendMillis(m, b.SentAt)
	d := b.Digest()
	m = append(m, d[:]...)
	if len(b.Clock) == 0 {
		return m
	}
	d = b.ClockDigest()
	return append(m, d[:]...)
}

// SignBatch signs b with the device's Ed25519 key and returns the values of
// [HeaderDeviceKey] and [HeaderBatchSignature]. b.ScannerID must be the key's.
func SignBatch(b Batch, key crypto.Signer) (deviceKey, signature string, err error) {
	pub, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return "", "", fmt.Errorf("%w: device key is %T, want Ed25519", ErrSignature, key.Public())
	}
	if id := ScannerID(pub); id != b.ScannerID {
		return "", "", fmt.Errorf("%w: batch of %s, key of %s", ErrSignature, b.ScannerID, id)
	}
	sig, err := key.Sign(rand.Reader, b.signedMessage(), crypto.Hash(0))
	if err != nil {
		return "", "", fmt.Errorf("sign batch: %w", err)
	}
	return base64.StdEncoding.EncodeToString(pub), base64.StdEncoding.EncodeToString(sig), nil
}

// VerifyBatch checks the two header values against b. If both are absent the
// error is [ErrUnsigned]; if anything is wrong it is [ErrSignature].
func VerifyBatch(b Batch, deviceKey, signature string) error {
	if deviceKey == "" && signature == "" {
		return ErrUnsigned
	}
	pub, err := decodeFixed(deviceKey, ed25519.PublicKeySize)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrSignature, HeaderDeviceKey, err)
	}
	sig, err := decodeFixed(signature, ed25519.SignatureSize)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrSignature, HeaderBatchSignature, err)
	}
	if id := ScannerID(pub); id != b.ScannerID {
		return fmt.Errorf("%w: batch of %s, key of %s", ErrSignature, b.ScannerID, id)
	}
	if !ed25519.Verify(pub, b.signedMessage(), sig) {
		return ErrSignature
	}
	return nil
}

// errLength is decodeFixed's error without a place.
var errLength = errors.New("wrong length")

// decodeFixed decodes strict standard Base64 of exactly n bytes. It checks the
// length first, because the standard decoder skips CR and LF.
func decodeFixed(s string, n int) ([]byte, error) {
	if len(s) != base64.StdEncoding.EncodedLen(n) {
		return nil, errLength
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		return nil, err
	}
	if len(b) != n {
		return nil, errLength
	}
	return b, nil
}
