package keyring

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A keyset is the keys of a ring, in the form of a cleartext JSON keyset of Tink with keys
// of AES-256-GCM. Sealed bytes have Tink's form too:
//
//	1 │ id of the key, 4 bytes, big-endian │ nonce, 12 bytes, random │ ciphertext │ tag, 16 bytes
type keyset struct {
	Primary uint32 `json:"primaryKeyId"`
	Keys    []key  `json:"key"`
}

// A key is one of a keyset.
type key struct {
	Data   keyData `json:"keyData"`
	Status string  `json:"status"`
	ID     uint32  `json:"keyId"`
	Prefix string  `json:"outputPrefixType"`
}

type keyData struct {
	Type     string `json:"typeUrl"`
	Value    []byte `json:"value"` // valueHead and the key
	Material string `json:"keyMaterialType"`
}

// What all keys have in common.
const (
	keyType     = "type.googleapis.com/google.crypto.tink.AesGcmKey"
	keyMaterial = "SYMMETRIC"
	keyStatus   = "ENABLED"
	keyPrefix   = "TINK"

	keySize   = 32
	valueHead = "\x1a\x20" // field 3 of a protocol buffer, 32 bytes

	sealedVersion = 1
	sealedHead    = 5 // bytes before the nonce
)

// ciphers are those of the keys, by id.
type ciphers struct {
	primary uint32
	byID    map[uint32]cipher.AEAD
}

// parseKeyset returns an error if the text is no keyset, or has keys of another kind.
func parseKeyset(text []byte) (keyset, ciphers, error) {
	var k keyset
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&k); err != nil {
		return keyset{}, ciphers{}, errors.New("it is not in the form of a keyset") // an error of JSON may quote a key
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return keyset{}, ciphers{}, errors.New("something follows the keyset")
	}
	c := ciphers{k.Primary, map[uint32]cipher.AEAD{}}
	for _, one := range k.Keys {
		secret, ok := bytes.CutPrefix(one.Data.Value, []byte(valueHead))
		kind := key{keyData{keyType, one.Data.Value, keyMaterial}, keyStatus, one.ID, keyPrefix}
		if !ok || len(secret) != keySize || !sameKind(one, kind) {
			return keyset{}, ciphers{}, fmt.Errorf("key %d is not one of AES-256-GCM", one.ID)
		}
		if c.byID[one.ID] != nil {
			return keyset{}, ciphers{}, fmt.Errorf("key %d is there twice", one.ID)
		}
		block, err := aes.NewCipher(secret)
		if err != nil {
			return keyset{}, ciphers{}, err
		}
		if c.byID[one.ID], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return keyset{}, ciphers{}, err
		}
	}
	if c.byID[k.Primary] == nil {
		return keyset{}, ciphers{}, errors.New("no key seals")
	}
	return k, c, nil
}

// sameKind reports whether two keys are alike but for their secrets.
func sameKind(a, b key) bool {
	return a.Data.Type == b.Data.Type && a.Data.Material == b.Data.Material &&
		a.Status == b.Status && a.Prefix == b.Prefix
}

// with returns the keyset with a new key, which seals.
func (k keyset) with() keyset {
	var id uint32
	for id == 0 || slices.ContainsFunc(k.Keys, func(one key) bool { return one.ID == id }) {
		var b [4]byte
		rand.Read(b[:])
		id = binary.BigEndian.Uint32(b[:])
	}
	value := append([]byte(valueHead), make([]byte, keySize)...)
	rand.Read(value[len(valueHead):])
	one := key{keyData{keyType, value, keyMaterial}, keyStatus, id, keyPrefix}
	return keyset{id, append(slices.Clone(k.Keys), one)}
}

// sealing returns the keyset with the key that seals alone.
func (k keyset) sealing() keyset {
	return keyset{k.Primary, slices.DeleteFunc(slices.Clone(k.Keys), func(one key) bool { return one.ID != k.Primary })}
}

// text returns the keyset in JSON.
func (k keyset) text() ([]byte, error) { return json.Marshal(k) }

func (c ciphers) seal(plain, associated []byte) []byte {
	head := binary.BigEndian.AppendUint32([]byte{sealedVersion}, c.primary)
	return c.byID[c.primary].Seal(head, nil, plain, associated)
}

func (c ciphers) open(sealed, associated []byte) ([]byte, error) {
	id, ok := sealedBy(sealed)
	if !ok || c.byID[id] == nil {
		return nil, ErrSealed
	}
	plain, err := c.byID[id].Open(nil, nil, sealed[sealedHead:], associated)
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

// sealedBy returns the id of the key that sealed, as the sealed bytes name it.
func sealedBy(sealed []byte) (id uint32, ok bool) {
	if len(sealed) < sealedHead || sealed[0] != sealedVersion {
		return 0, false
	}
	return binary.BigEndian.Uint32(sealed[1:]), true
}
