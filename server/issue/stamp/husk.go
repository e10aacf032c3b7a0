package stamp

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"tcode/offline/payload"
)

// A Husk is what an erased stamp keeps of its payload: enough to recognise the payload
// when a client presents it, and to say when it expires. The payload itself may hold field
// values.
type Husk struct {
	Core      [sha256.Size]byte // SHA-256 of the signed bytes
	ExpiresAt time.Time         // as signed; zero: never
}

// huskMark begins a husk. A payload begins with another byte.
const huskMark = 'E'

// huskLen is the length of a husk: the mark, the hash, and the expiry in seconds of Unix
// time, 0 for never.
const huskLen = 1 + sha256.Size + 8

var errHusk = errors.New("what is left of an erased payload cannot be read")

// Append appends the husk as the store keeps it.
func (h Husk) Append(b []byte) []byte {
	b = append(append(b, huskMark), h.Core[:]...)
	seconds := int64(0)
	if !h.ExpiresAt.IsZero() {
		seconds = h.ExpiresAt.Unix()
	}
	return binary.BigEndian.AppendUint64(b, uint64(seconds))
}

// IsHusk reports whether raw is what is left of a payload.
func IsHusk(raw []byte) bool { return len(raw) == huskLen && raw[0] == huskMark }

// ParseHusk reads a husk.
func ParseHusk(raw []byte) (h Husk, err error) {
	if !IsHusk(raw) {
		return h, errHusk
	}
	copy(h.Core[:], raw[1:])
	if seconds := int64(binary.BigEndian.Uint64(raw[1+sha256.Size:])); seconds != 0 {
		h.ExpiresAt = time.Unix(seconds, 0).UTC()
	}
	return h, nil
}

// HuskOf returns what an erased stamp keeps of a payload.
func HuskOf(raw []byte) (h Husk, err error) {
	p, err := payload.Parse(raw)
	if err != nil {
		return h, err
	}
	return Husk{Core: sha256.Sum256(payload.Core(raw)), ExpiresAt: p.ExpiresAt}, nil
}

// SetPayload sets what the stamp's payload says. raw is the payload, or of an erased stamp
// its husk.
func (st *Stamp) SetPayload(raw []byte) error {
	if IsHusk(raw) {
		h, err := ParseHusk(raw)
		st.Fields, st.Payload, st.CoreBytes = nil, nil, nil
		st.CoreSHA256, st.ExpiresAt = h.Core, h.ExpiresAt
		return err
	}
	p, err := payload.Parse(raw)
	if err != nil {
		return err
	}
	st.Payload, st.Fields, st.ExpiresAt, st.CoreBytes = raw, p.Fields, p.ExpiresAt, payload.Core(raw)
	return nil
}

// HasCore reports whether core is what the stamp's issuer signed.
func (st Stamp) HasCore(core []byte) bool {
	if st.ErasedAt.IsZero() {
		return bytes.Equal(core, st.CoreBytes)
	}
	return sha256.Sum256(core) == st.CoreSHA256
}

// Erased reports whether the personal data of the stamp was erased.
func (st Stamp) Erased() bool { return !st.ErasedAt.IsZero() }
