package ceremony

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"tcode/offline/trust"
)

// Bounds of a passphrase and of the cost of one trial of it, as the binary logarithm of
// scrypt's N.
const (
	MinPassphrase = 12 // bytes
	MinWork       = 10
	DefaultWork   = 18 // about a second, 256 MiB
	MaxWork       = 22
)

// maxKeyFile is far above the size of any key file.
const maxKeyFile = 16 << 10

var (
	// ErrPassphrase means that the passphrase does not open this key file, or is too short for
	// a new one.
	ErrPassphrase = errors.New("wrong passphrase")
	// ErrKeyFile means that the file holds no root key.
	ErrKeyFile = errors.New("not a root key file")
)

// Generate makes a root key with that name and returns its public half and its file, which
// scrypt with the work factor and the passphrase seals.
func Generate(name, passphrase string, work int) (file []byte, key trust.VerifierKey, err error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, key, err
	}
	if key, err = trust.NewVerifierKey(name, public); err != nil {
		return nil, key, err
	}
	if len(passphrase) < MinPassphrase {
		return nil, key, fmt.Errorf("%w: it has %d bytes, a new one needs at least %d", ErrPassphrase, len(passphrase), MinPassphrase)
	}
	if work < MinWork || work > MaxWork {
		return nil, key, fmt.Errorf("work factor %d: want %d to %d", work, MinWork, MaxWork)
	}
	file, err = seal(privateLine(key, private.Seed()), passphrase, work)
	return file, key, err
}

// privateLine is the note signer key of golang.org/x/mod/sumdb/note.
func privateLine(key trust.VerifierKey, seed []byte) string {
	name, rest, _ := strings.Cut(key.String(), "+")
	hash, _, _ := strings.Cut(rest, "+")
	return "PRIVATE+KEY+" + name + "+" + hash + "+" + base64.StdEncoding.EncodeToString(append([]byte{1}, seed...)) + "\n"
}

func seal(text, passphrase string, work int) ([]byte, error) {
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, fmt.Errorf("seal root key: %w", err)
	}
	to.SetWorkFactor(work)
	var out bytes.Buffer
	armored := armor.NewWriter(&out)
	w, err := age.Encrypt(armored, to)
	if err != nil {
		return nil, fmt.Errorf("seal root key: %w", err)
	}
	_, err = io.WriteString(w, text)
	if err = errors.Join(err, w.Close(), armored.Close()); err != nil {
		return nil, fmt.Errorf("seal root key: %w", err)
	}
	return out.Bytes(), nil
}

// Open opens a key file. The error wraps [ErrPassphrase] or [ErrKeyFile].
func Open(file []byte, passphrase string) (*trust.Signer, error) {
	if len(file) > maxKeyFile {
		return nil, fmt.Errorf("%w: %d bytes", ErrKeyFile, len(file))
	}
	id, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPassphrase, err)
	}
	id.SetMaxWorkFactor(MaxWork)
	r, err := age.Decrypt(armor.NewReader(bytes.NewReader(file)), id)
	if wrong := new(age.NoIdentityMatchError); errors.As(err, &wrong) {
		return nil, fmt.Errorf("%w, or the file was changed", ErrPassphrase)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	text, err := io.ReadAll(io.LimitReader(r, maxKeyFile))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	return parsePrivate(string(text))
}

func parsePrivate(text string) (*trust.Signer, error) {
	line, ok := strings.CutPrefix(text, "PRIVATE+KEY+")
	parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "+", 3)
	if !ok || len(parts) != 3 {
		return nil, ErrKeyFile
	}
	raw, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(raw) != 1+ed25519.SeedSize {
		return nil, ErrKeyFile
	}
	s, err := trust.NewSigner(parts[0], ed25519.NewKeyFromSeed(raw[1:]))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	if privateLine(s.Key(), raw[1:]) != text {
		return nil, fmt.Errorf("%w: name, hash and key do not belong together", ErrKeyFile)
	}
	return s, nil
}
