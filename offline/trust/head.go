package trust

import (
	"crypto/sha256"
	"strconv"
	"time"
)

// A DocumentRef names one document by its version and by the SHA-256 of its
// bytes, signatures included: the address it is served under.
type DocumentRef struct {
	Version uint64
	SHA256  [32]byte
}

// RefTo returns the reference to a signed document.
func RefTo(version uint64, raw []byte) DocumentRef {
	return DocumentRef{Version: version, SHA256: sha256.Sum256(raw)}
}

// A Timestamp is the newest word of the gateway: which bundle and status count,
// as of Issued.
type Timestamp struct {
	Version uint64
	Issued  time.Time // whole seconds, UTC
	// Expires is until when the gateway lets this be called fresh. A device's own
	// limit (24 hours) counts if it is sooner.
	Expires        time.Time
	Bundle, Status DocumentRef
}

// Text returns the canonical text under the trust root fp.
func (t Timestamp) Text(fp Fingerprint) ([]byte, error) {
	w := newWriter(fp, TypeTimestamp)
	w.dates(t.Version, t.Issued, t.Expires)
	w.line("bundle", w.version(t.Bundle.Version), Fingerprint(t.Bundle.SHA256).String())
	w.line("status", w.version(t.Status.Version), Fingerprint(t.Status.SHA256).String())
	return w.text(MaxTimestampLen)
}

// ParseTimestamp reads a timestamp that the online key must have signed.
func ParseTimestamp(fp Fingerprint, online VerifierKey, raw []byte) (*Timestamp, error) {
	l, err := openOnline(fp, online, TypeTimestamp, MaxTimestampLen, raw)
	if err != nil {
		return nil, err
	}
	text := l.rest
	var t Timestamp
	t.Version, t.Issued, t.Expires = l.dates()
	t.Bundle = l.ref("bundle")
	t.Status = l.ref("status")
	l.end()
	if l.err != nil {
		return nil, l.err
	}
	if err := sameText(t, fp, text, l.typeLine); err != nil {
		return nil, err
	}
	return &t, nil
}

// A ShardEntry names one status shard.
type ShardEntry struct {
	Number  uint16
	Version uint64   // grows with each change of the shard
	SHA256  [32]byte // of the 16,384 inflated bytes
}

// A Status names every status shard there is.
type Status struct {
	Version         uint64
	Issued, Expires time.Time    // whole seconds, UTC
	Shards          []ShardEntry // strictly ascending by Number
}

// Shard returns the entry of one shard.
func (s *Status) Shard(number uint16) (ShardEntry, bool) {
	// Numbers are handed out from 0 on, so the entry is nearly always in its place.
	if i := int(number); i < len(s.Shards) && s.Shards[i].Number == number {
		return s.Shards[i], true
	}
	for _, e := range s.Shards {
		if e.Number == number {
			return e, true
		}
	}
	return ShardEntry{}, false
}

// Text returns the canonical text under the trust root fp.
func (s Status) Text(fp Fingerprint) ([]byte, error) {
	w := newWriter(fp, TypeStatus)
	w.dates(s.Version, s.Issued, s.Expires)
	for i, e := range s.Shards {
		if i > 0 && e.Number <= s.Shards[i-1].Number {
			w.fail("shard %d is out of order", e.Number)
		}
		w.line("shard", strconv.Itoa(int(e.Number)), w.version(e.Version), Fingerprint(e.SHA256).String())
	}
	return w.text(MaxStatusLen)
}

// ParseStatus reads a status document that the online key must have signed.
func ParseStatus(fp Fingerprint, online VerifierKey, raw []byte) (*Status, error) {
	l, err := openOnline(fp, online, TypeStatus, MaxStatusLen, raw)
	if err != nil {
		return nil, err
	}
	text := l.rest
	var s Status
	s.Version, s.Issued, s.Expires = l.dates()
	for l.at("shard") {
		words := l.words(l.take("shard"), 3)
		s.Shards = append(s.Shards, ShardEntry{
			Number:  uint16(l.number(words[0], 1<<16-1)),
			Version: l.version(words[1]),
			SHA256:  l.hash(words[2]),
		})
	}
	l.end()
	if l.err != nil {
		return nil, l.err
	}
	if err := sameText(s, fp, text, l.typeLine); err != nil {
		return nil, err
	}
	return &s, nil
}

// dates writes the three lines that every document of the online key has.
func (w *writer) dates(version uint64, issued, expires time.Time) {
	w.line("version", w.version(version))
	w.line("issued", w.time(issued))
	w.line("expires", w.time(expires))
	if !expires.After(issued) {
		w.fail("expires %v is not after issued", expires)
	}
}

func (l *lines) dates() (version uint64, issued, expires time.Time) {
	version = l.version(l.take("version"))
	issued = l.time(l.take("issued"))
	expires = l.time(l.take("expires"))
	return version, issued, expires
}

func (l *lines) ref(name string) DocumentRef {
	words := l.words(l.take(name), 2)
	return DocumentRef{Version: l.version(words[0]), SHA256: l.hash(words[1])}
}

// sameText writes what was read and compares: the definition of canonical.
func sameText(d interface {
	Text(Fingerprint) ([]byte, error)
}, fp Fingerprint, text string, typeLine int,
) error {
	canonical, err := d.Text(fp)
	if err != nil || string(canonical[typeLine:]) != text {
		return notCanonical(err)
	}
	return nil
}
