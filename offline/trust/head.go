package trust

import (
	"crypto/sha256"
	"strconv"
	"time"

	"tcode/offline/digest"
)

// A DocumentRef names one document by its version and by the SHA-256 of its
// bytes, signatures included, which is also its address on the gateway.
type DocumentRef struct {
	Version uint64
	SHA256  digest.SHA256
}

// RefTo returns the reference to a signed document.
func RefTo(version uint64, raw []byte) DocumentRef {
	return DocumentRef{Version: version, SHA256: sha256.Sum256(raw)}
}

// A Timestamp is the newest statement of the gateway: it names the bundle and
// the status that count at StatusAsOf.
type Timestamp struct {
	Version uint64
	// StatusAsOf is the time of issue, in the line `issued`: revocations are known
	// up to then. Verdicts and the history of scans use the same name.
	StatusAsOf time.Time // whole seconds, UTC
	// Expires is the time until which the gateway lets devices call this fresh.
	// A device's own limit (24 hours) counts if it is sooner.
	Expires        time.Time
	Bundle, Status DocumentRef
}

// Text returns the canonical text under the trust root fp.
func (t Timestamp) Text(fp Fingerprint) ([]byte, error) {
	w := newWriter(fp, TypeTimestamp)
	w.dates(t.Version, t.StatusAsOf, t.Expires)
	w.line("bundle", w.version(t.Bundle.Version), t.Bundle.SHA256.String())
	w.line("status", w.version(t.Status.Version), t.Status.SHA256.String())
	return w.text(MaxTimestampLen)
}

// ParseTimestamp reads a timestamp that the online key must have signed.
func ParseTimestamp(fp Fingerprint, online VerifierKey, raw []byte) (*Timestamp, error) {
	return parseOnline(fp, online, TypeTimestamp, MaxTimestampLen, raw, func(l *lines) (t Timestamp) {
		t.Version, t.StatusAsOf, t.Expires = l.dates()
		t.Bundle = l.ref("bundle")
		t.Status = l.ref("status")
		return t
	})
}

// A DeltaRef names the delta of a status.
type DeltaRef struct {
	// Since is the version of the oldest status to which the delta applies.
	Since  uint64
	SHA256 digest.SHA256
}

// A Status names every existing status shard, by packs.
type Status struct {
	Version         uint64
	Issued, Expires time.Time // whole seconds, UTC
	Shards          int       // number of shards, numbered from 0; at most MaxShards
	Packs           []digest.SHA256
	Delta           DeltaRef
}

// PackLen returns the number of shards that pack number n names, 0 if there is
// no such pack.
func (s *Status) PackLen(n int) int { return max(0, min(PackShards, s.Shards-n*PackShards)) }

// Text returns the canonical text under the trust root fp.
func (s Status) Text(fp Fingerprint) ([]byte, error) {
	w := newWriter(fp, TypeStatus)
	w.dates(s.Version, s.Issued, s.Expires)
	if s.Shards < 0 || s.Shards > MaxShards || len(s.Packs) != packCount(s.Shards) {
		w.fail("%d shards in %d packs", s.Shards, len(s.Packs))
	}
	if s.Delta.Since > s.Version {
		w.fail("the delta is since %d, which is after %d", s.Delta.Since, s.Version)
	}
	w.line("shards", strconv.Itoa(s.Shards))
	for i, hash := range s.Packs {
		w.line("pack", strconv.Itoa(i), hash.String())
	}
	w.line("delta", w.version(s.Delta.Since), s.Delta.SHA256.String())
	return w.text(MaxStatusLen)
}

// ParseStatus reads a status document that the online key must have signed.
func ParseStatus(fp Fingerprint, online VerifierKey, raw []byte) (*Status, error) {
	return parseOnline(fp, online, TypeStatus, MaxStatusLen, raw, func(l *lines) (s Status) {
		s.Version, s.Issued, s.Expires = l.dates()
		s.Shards = int(l.number(l.take("shards"), MaxShards))
		for i := range packCount(s.Shards) {
			words := l.words(l.take("pack"), 2)
			if l.number(words[0], MaxShards) != uint64(i) {
				l.fail("pack %.20q where pack %d belongs", words[0], i)
			}
			if s.Packs = append(s.Packs, l.hash(words[1])); l.err != nil {
				return s
			}
		}
		delta := l.ref("delta")
		s.Delta = DeltaRef{Since: delta.Version, SHA256: delta.SHA256}
		return s
	})
}

// dates writes the three lines that begin every document of the online key.
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

// A document has one canonical text.
type document interface {
	Text(fp Fingerprint) ([]byte, error)
}

// parseOnline reads a document that the online key must have signed. read takes its
// lines, and nothing may be left after it; the text of its result must be the
// text that was read: this is the definition of canonical.
func parseOnline[T document](fp Fingerprint, online VerifierKey, kind string, limit int, raw []byte, read func(*lines) T) (*T, error) {
	l, err := openOnline(fp, online, kind, limit, raw)
	if err != nil {
		return nil, err
	}
	text := l.rest
	d := read(l)
	l.end()
	if l.err != nil {
		return nil, l.err
	}
	if canonical, err := d.Text(fp); err != nil || string(canonical[l.typeLine:]) != text {
		return nil, notCanonical(err)
	}
	return &d, nil
}
