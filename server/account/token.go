package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Hash is the SHA-256 of a token, a recovery code or a key of tries. Only it is stored.
type Hash [sha256.Size]byte

// tokenBytes are the random bytes of a token: they cannot be guessed, so that a fast hash
// of them suffices.
const tokenBytes = 32

// newToken returns a random token of 43 characters for cookies and addresses.
func newToken() string {
	raw := make([]byte, tokenBytes)
	rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// hashToken returns the hash of a token. ok is false unless it has the form of one.
func hashToken(token string) (h Hash, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != tokenBytes {
		return h, false
	}
	return sha256.Sum256([]byte(token)), true
}

const (
	recoveryCodes   = 10
	recoveryLetters = "23456789abcdefghjkmnpqrstvwxyz__" // 30 letters; two places are drawn again
	recoveryLength  = 12                                 // 58 bits
)

// newRecovery returns new recovery codes, xxxx-xxxx-xxxx, with their hashes.
func newRecovery() (codes []string, hashes []Hash) {
	for range recoveryCodes {
		var b strings.Builder
		for n := 0; n < recoveryLength; {
			var raw [1]byte
			rand.Read(raw[:])
			c := recoveryLetters[raw[0]%32]
			if c == '_' {
				continue
			}
			if n > 0 && n%4 == 0 {
				b.WriteByte('-')
			}
			b.WriteByte(c)
			n++
		}
		codes = append(codes, b.String())
		hashes = append(hashes, hashRecovery(b.String()))
	}
	return codes, hashes
}

// hashRecovery returns the hash of a recovery code as a person may type it.
func hashRecovery(code string) Hash {
	return sha256.Sum256([]byte("recovery code " + strings.ToLower(digits(code))))
}
