package trust

import (
	"encoding/hex"
	"time"
)

// A TimeNote is the gateway's statement of the time, in answer to one nonce.
// Only the holder of the online key can have made it, and only after it saw the
// nonce: a note for another nonce says nothing about the present. Devices do
// not store it; it is not a document of the set.
type TimeNote struct {
	Nonce [32]byte  // random, made by the device for this one answer
	Time  time.Time // of the gateway's clock, truncated to whole seconds, UTC
}

// TimeNoteUnit is the precision of [TimeNote.Time]: the true time may be later
// by less than this.
const TimeNoteUnit = time.Second

// Text returns the canonical text under the trust root fp.
func (t TimeNote) Text(fp Fingerprint) ([]byte, error) {
	w := newWriter(fp, TypeTime)
	w.line("nonce", hex.EncodeToString(t.Nonce[:]))
	w.line("time", w.time(t.Time))
	return w.text(MaxTimeNoteLen)
}

// ParseTimeNote reads a time note that the online key must have signed for that
// nonce ([ErrNonce]).
func ParseTimeNote(fp Fingerprint, online VerifierKey, nonce [32]byte, raw []byte) (*TimeNote, error) {
	t, err := parseOnline(fp, online, TypeTime, MaxTimeNoteLen, raw, func(l *lines) TimeNote {
		return TimeNote{Nonce: l.hash(l.take("nonce")), Time: l.time(l.take("time"))}
	})
	if err == nil && t.Nonce != nonce {
		return nil, ErrNonce
	}
	return t, err
}
