package trustjournal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
)

// Keys and prefixes of keys (FORMAT.md).
const (
	keyFormat      = "format"
	keyFacts       = "facts"
	keyTimestamp   = "timestamp"
	keyBundle      = "bundle"
	keyStatus      = "status"
	rootPrefix     = "root/"
	packPrefix     = "pack/"
	shardPrefix    = "shard/"
	survivorPrefix = "survivors/"
	revokedPrefix  = "revoked/"
)

// formatName is the value of the key format; formatFamily begins it in every version.
const (
	formatFamily = "tcode-trust-journal/"
	formatName   = formatFamily + "1\n"
)

// limits has the largest size in bytes of a value by its key, or by its prefix.
var limits = map[string]int{
	keyFormat: 64, keyFacts: 64 << 10, keyTimestamp: trust.MaxTimestampLen, keyBundle: trust.MaxBundleLen, keyStatus: trust.MaxStatusLen,
	rootPrefix: trust.MaxRootLen, packPrefix: trust.MaxPackLen, shardPrefix: statuslist.MaxDeflated,
	survivorPrefix: statuslist.MaxSurvivors * statuslist.MarkSize, revokedPrefix: 32,
}

// A content is everything that a journal holds, as values. It aliases the records.
type content struct {
	formatted bool
	known     bool // there are facts
	facts     trustbook.Facts
	notes     map[string][]byte // timestamp, bundle, status
	roots     map[int][]byte
	packs     map[uint16][]byte
	shards    map[uint16][]byte
	survivors map[string][]byte
	revoked   map[digest.SHA256]int64 // ms, device clock
}

func newContent() *content {
	return &content{
		notes: map[string][]byte{}, roots: map[int][]byte{}, packs: map[uint16][]byte{}, shards: map[uint16][]byte{},
		survivors: map[string][]byte{}, revoked: map[digest.SHA256]int64{},
	}
}

// A recordError is damage of one record. Its reason is a trustbook.ErrState.
func recordError(key, reason string) error {
	return fmt.Errorf("%w: record %.80q %s", trustbook.ErrState, key, reason)
}

// put reads one record; a nil value deletes it. The error is an ErrFormat or a
// trustbook.ErrState, and the content is then as before.
func (c *content) put(key string, value []byte) error {
	kind, name := key, ""
	if cut := strings.IndexByte(key, '/'); cut >= 0 {
		kind, name = key[:cut+1], key[cut+1:]
	}
	most, ok := limits[kind]
	switch {
	case !ok:
		return recordError(key, "is unknown")
	case len(value) > most:
		return recordError(key, "is too long")
	}
	switch kind {
	case keyFormat:
		return c.putFormat(key, value)
	case keyFacts:
		return c.putFacts(key, value)
	case keyTimestamp, keyBundle, keyStatus:
		set(c.notes, kind, value)
		return nil
	case survivorPrefix:
		if _, ok := parseHash(name); !ok {
			return recordError(key, "has no hash")
		}
		set(c.survivors, name, value)
		return nil
	case revokedPrefix:
		return c.putRevoked(key, name, value)
	}
	return c.putNumbered(key, kind, name, value)
}

func (c *content) putFormat(key string, value []byte) error {
	if value != nil && string(value) != formatName {
		version, ok := strings.CutPrefix(string(value), formatFamily)
		if n, err := strconv.ParseUint(strings.TrimSuffix(version, "\n"), 10, 32); ok && err == nil && n > 1 {
			return fmt.Errorf("%w: %.64q", ErrFormat, value)
		}
		return recordError(key, "is damaged")
	}
	c.formatted = value != nil
	return nil
}

func (c *content) putFacts(key string, value []byte) error {
	if value == nil {
		c.facts, c.known = trustbook.Facts{}, false
		return nil
	}
	facts, err := parseFacts(value)
	if err != nil {
		return recordError(key, err.Error())
	}
	c.facts, c.known = facts, true
	return nil
}

func (c *content) putRevoked(key, name string, value []byte) error {
	core, ok := parseHash(name)
	if !ok {
		return recordError(key, "has no hash")
	}
	if value == nil {
		delete(c.revoked, core)
		return nil
	}
	digits, _ := strings.CutSuffix(string(value), "\n")
	at, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !bytes.Equal(value, revokedValue(at)) {
		return recordError(key, "is no time")
	}
	c.revoked[core] = at
	return nil
}

func (c *content) putNumbered(key, kind, name string, value []byte) error {
	n, err := strconv.ParseUint(name, 10, 16)
	if err != nil || strconv.FormatUint(n, 10) != name || kind == rootPrefix && n == 0 {
		return recordError(key, "has no number")
	}
	switch kind {
	case rootPrefix:
		set(c.roots, int(n), value)
	case packPrefix:
		set(c.packs, uint16(n), value)
	default:
		set(c.shards, uint16(n), value)
	}
	return nil
}

// set puts a value into a map; nil deletes it.
func set[K comparable](m map[K][]byte, key K, value []byte) {
	if value == nil {
		delete(m, key)
		return
	}
	m[key] = value
}

// check reports damage that no record shows alone.
func (c *content) check() error {
	empty := len(c.notes)+len(c.roots)+len(c.packs)+len(c.shards)+len(c.survivors)+len(c.revoked) == 0
	if c.formatted != c.known || !c.formatted && !empty {
		return fmt.Errorf("%w: the records of format and facts are not there together", trustbook.ErrState)
	}
	for n := range c.roots {
		if n > len(c.roots) {
			return recordError(rootPrefix+strconv.Itoa(n), "follows a gap")
		}
	}
	for n := range c.packs {
		if int(n) >= len(c.packs) {
			return recordError(packPrefix+strconv.Itoa(int(n)), "follows a gap")
		}
	}
	return nil
}

// saved returns the documents.
func (c *content) saved() trust.Saved {
	s := trust.Saved{Timestamp: c.notes[keyTimestamp], Bundle: c.notes[keyBundle], Status: c.notes[keyStatus]}
	for n := range len(c.roots) {
		s.Roots = append(s.Roots, c.roots[n+1])
	}
	for n := range len(c.packs) {
		s.Packs = append(s.Packs, c.packs[uint16(n)])
	}
	return s
}

// records returns the changes of the journal that make a Change of the content.
func (c *content) records(x trustbook.Change) map[string][]byte {
	changes := map[string][]byte{keyFormat: []byte(formatName), keyFacts: formatFacts(x.Facts)}
	for key := range c.keys(x.Clear) {
		changes[key] = nil
	}
	for _, name := range x.Drop {
		changes[survivorPrefix+name] = nil
	}
	for version, raw := range x.Roots {
		changes[rootPrefix+strconv.Itoa(version)] = raw
	}
	if x.Timestamp != nil {
		changes[keyTimestamp], changes[keyBundle], changes[keyStatus] = x.Timestamp, x.Bundle, x.Status
	}
	for number, data := range x.Packs {
		changes[packPrefix+strconv.Itoa(int(number))] = data
	}
	for number, shard := range x.Shards {
		changes[shardPrefix+strconv.Itoa(int(number))] = shard.Deflated
	}
	for name, raw := range x.Survivors {
		changes[survivorPrefix+name] = raw
	}
	for _, core := range x.Remembered {
		if _, ok := c.revoked[core]; !ok || x.Clear&trustbook.PartRemembered != 0 {
			changes[revokedPrefix+core.String()] = revokedValue(x.SeenAt.UnixMilli())
		}
	}
	return changes
}

// keys returns the keys of the records of these parts.
func (c *content) keys(parts trustbook.Parts) map[string]bool {
	all := map[string]bool{}
	if parts&trustbook.PartDocuments != 0 {
		for kind := range c.notes {
			all[kind] = true
		}
		for n := range c.packs {
			all[packPrefix+strconv.Itoa(int(n))] = true
		}
		for name := range c.survivors {
			all[survivorPrefix+name] = true
		}
	}
	if parts&trustbook.PartShards != 0 {
		for n := range c.shards {
			all[shardPrefix+strconv.Itoa(int(n))] = true
		}
	}
	if parts&trustbook.PartRemembered != 0 {
		for core := range c.revoked {
			all[revokedPrefix+core.String()] = true
		}
	}
	if parts&trustbook.PartRoots != 0 {
		for n := range c.roots {
			all[rootPrefix+strconv.Itoa(n)] = true
		}
	}
	return all
}

func revokedValue(ms int64) []byte { return fmt.Appendf(nil, "%d\n", ms) }

func parseHash(s string) (digest.SHA256, bool) {
	raw, err := hex.DecodeString(s)
	if err != nil || len(raw) != sha256.Size || s != strings.ToLower(s) {
		return digest.SHA256{}, false
	}
	return digest.SHA256(raw), true
}
