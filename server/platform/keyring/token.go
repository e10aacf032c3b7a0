package keyring

import "errors"

// PINEnvName is the environment variable that holds the token's user PIN: on a command
// line other users could read it.
const PINEnvName = "TCODE_PKCS11_PIN"

// TokenConfig names the PKCS #11 token for signing keys. Its zero value means
// none.
type TokenConfig struct {
	Module string // path of the PKCS #11 library; "" no token
	Label  string // of the token
	PIN    string // of its user
}

// ErrNoPKCS11 means that this program was built without PKCS #11 (build tag pkcs11).
var ErrNoPKCS11 = errors.New("this program is built without PKCS #11: build it with -tags pkcs11 and cgo")
