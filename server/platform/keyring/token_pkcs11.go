//go:build pkcs11

package keyring

import (
	"context"
	"crypto"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ThalesGroup/crypto11"

	"tcode/offline/payload"
	"tcode/server/fault"
)

// tokenPrefix begins the sealed and stored value for a key in a token: its CKA_ID in
// hex follows. Private keys that are stored themselves are ASN.1 and begin with
// 0x30.
const tokenPrefix = "pkcs11:id="

// A Token makes and uses signing keys inside a PKCS #11 token: private halves never leave
// it. It is safe for concurrent use.
//
// A token that was away has lost all its sessions when it is back, and its library may not
// look for it again: the Token then opens it again.
type Token struct {
	c TokenConfig

	mu    sync.RWMutex      // read-locked while keys are used; locked while the token is opened again
	ctx   *crypto11.Context // nil: away
	opens int               // how often it was opened: older keys are no longer valid

	last atomic.Pointer[tokenSigner] // the key that was opened last; nil: none
}

// OpenToken logs in to the token.
func OpenToken(c TokenConfig) (*Token, error) {
	t := &Token{c: c}
	return t, t.open()
}

// open logs in. t.mu is held, or t is not shared yet.
func (t *Token) open() error {
	ctx, err := crypto11.Configure(&crypto11.Config{Path: t.c.Module, TokenLabel: t.c.Label, Pin: t.c.PIN})
	if err != nil {
		return fmt.Errorf("open token %s: %w", t.c.Label, err)
	}
	t.ctx = ctx
	t.opens++
	return nil
}

// Close logs out.
func (t *Token) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.close()
}

func (t *Token) close() error {
	ctx := t.ctx
	if t.ctx = nil; ctx == nil {
		return nil
	}
	return ctx.Close()
}

// use calls do with the token, and once more with the token opened again if do fails.
// opens is the number of the opening to which the keys in do belong. A token that does not
// answer is a fault of kind Unavailable.
func (t *Token) use(do func(ctx *crypto11.Context, opens int) error) error {
	try := func() (opens int, err error) {
		t.mu.RLock()
		defer t.mu.RUnlock()
		if t.ctx == nil {
			return t.opens, errAway
		}
		return t.opens, do(t.ctx, t.opens)
	}
	opens, err := try()
	if err == nil {
		return nil
	}
	if again := t.reopen(opens); again != nil {
		return away(errors.Join(err, again))
	}
	if _, err = try(); err != nil {
		return away(err)
	}
	return nil
}

// reopen opens the token again, unless another goroutine has done so since opening number opens.
func (t *Token) reopen(opens int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx != nil && t.opens != opens {
		return nil
	}
	_ = t.close() // a token that is away cannot be closed without errors
	return t.open()
}

var errAway = errors.New("the token is away")

// away returns the fault for a token, or a key in it, that cannot be used now.
func away(err error) error {
	return fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the token that keeps the signing key does not answer, try again").WithErr(err)
}

// readyDigest is what Ready signs. No payload and no document has it.
var readyDigest = sha256.Sum256([]byte("tcode: is the token ready?"))

// Ready returns the reason why keys in the token cannot be used. It signs with the key that was opened
// last, because a token may name keys that it does not reach.
func (t *Token) Ready() error {
	if s := t.last.Load(); s != nil {
		_, err := s.Sign(rand.Reader, readyDigest[:], crypto.SHA256)
		return err
	}
	return t.use(func(ctx *crypto11.Context, _ int) error {
		_, err := ctx.FindKeyPairs([]byte("ready"), nil) // there is none, which is no error
		return err
	})
}

// Default returns ES256, which every token supports.
func (*Token) Default() payload.Algorithm { return payload.ES256 }

// New makes a P-256 key pair in the token. It refuses Ed25519, which few tokens support
// and the library does not.
func (t *Token) New(_ context.Context, alg payload.Algorithm, label string) (crypto.Signer, []byte, error) {
	if alg != payload.ES256 {
		var p fault.Fields
		p.Add("algorithm", "must be ES256: the keys are kept in a token")
		return nil, nil, p.Err()
	}
	s := &tokenSigner{token: t, id: make([]byte, 16)}
	rand.Read(s.id)
	err := t.use(func(ctx *crypto11.Context, opens int) (err error) {
		s.key, err = ctx.GenerateECDSAKeyPairWithLabel(s.id, []byte(label), elliptic.P256())
		s.opens = opens
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("make key in token: %w", err)
	}
	t.last.Store(s)
	return s, []byte(tokenPrefix + hex.EncodeToString(s.id)), nil
}

// Open finds a key that New made.
func (t *Token) Open(kept []byte) (crypto.Signer, bool, error) {
	text, mine := strings.CutPrefix(string(kept), tokenPrefix)
	if !mine {
		return nil, false, nil
	}
	id, err := hex.DecodeString(text)
	if err != nil {
		return nil, true, fmt.Errorf("name of the key in the token: %w", err)
	}
	s := &tokenSigner{token: t, id: id}
	if err := t.use(s.find); err != nil {
		return nil, true, fmt.Errorf("find key in token: %w", err)
	}
	t.last.Store(s)
	return s, true, nil
}

// A tokenSigner signs by a key in the token. It finds the key again after each opening.
type tokenSigner struct {
	token *Token
	id    []byte // CKA_ID

	mu    sync.Mutex // guards the rest; not held while it signs
	key   crypto.Signer
	opens int // number of the opening that key belongs to
}

// Public returns the public half.
func (s *tokenSigner) Public() crypto.PublicKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key.Public()
}

// find looks for the key in the token as it is open now.
func (s *tokenSigner) find(ctx *crypto11.Context, opens int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil && s.opens == opens {
		return nil
	}
	key, err := ctx.FindKeyPair(s.id, nil)
	if err != nil {
		return err
	}
	s.key, s.opens = key, opens
	return nil
}

// Sign signs in the token.
func (s *tokenSigner) Sign(r io.Reader, digest []byte, opts crypto.SignerOpts) (sig []byte, err error) {
	err = s.token.use(func(ctx *crypto11.Context, opens int) (err error) {
		if err := s.find(ctx, opens); err != nil {
			return err
		}
		s.mu.Lock()
		key := s.key
		s.mu.Unlock()
		sig, err = key.Sign(r, digest, opts)
		return err
	})
	return sig, err
}
