package trust

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
)

// MaxUndone is the largest number of final facts that one update may lack: what is final
// (FORMAT.md, section 5, 7) is a status entry that is revoked or replaced, and a signing
// key that is compromised. A device remembers the mark of one that an update lacks.
const MaxUndone = 65536

// EntryMark returns the mark of a final status entry.
func EntryMark(shard, entry uint16) digest.SHA256 {
	return digest.Of(fmt.Appendf(nil, "tcode-final/1 entry %d %d\n", shard, entry))
}

// KeyMark returns the mark of a compromised signing key.
func KeyMark(k Key) digest.SHA256 {
	return digest.Of(fmt.Appendf(nil, "tcode-final/1 key %s %d %s %s\n", k.Tenant, k.Seq,
		k.Public.Algorithm(), base64.StdEncoding.EncodeToString(k.Public.Bytes())))
}

// Undone returns the marks of what was final in s and is not in next, which Apply made of
// s and u with the changes c; the device remembers them in the same commit. held has the
// device's shards in transit form. Between the root that replaces an online key and the
// first set of the new key they are those of the old one. An update that lacks more than
// [MaxUndone] is refused: the error is a [*DocumentError] around [ErrUndone].
func (s State) Undone(
	next State, c Changes, u Update, held map[uint16][]byte,
) (marks []digest.SHA256, err error) {
	if c.Forget {
		return nil, nil
	}
	marks = undoneKeys(s.Bundle, next.Bundle)
	for number, raw := range held {
		if len(marks) > MaxUndone {
			break
		}
		came, ok := u.Shards[number]
		if !c.Status || !ok && int(number) < len(next.Shards) {
			continue // it stays
		}
		before, err := statuslist.Inflate(raw)
		if hash, known := s.Shard(number); err != nil || known && before.Hash() != hash {
			continue // damaged: its content is unknown
		}
		after := new(statuslist.Shard) // a new online key may begin with fewer shards
		if ok {
			if after, err = statuslist.Inflate(came); err != nil {
				return nil, err
			}
		}
		marks = append(marks, undoneEntries(number, before, after)...)
	}
	if next.Status != nil && len(marks) > MaxUndone {
		return nil, &DocumentError{Type: TypeStatus, Version: next.Status.Version, Err: ErrUndone}
	}
	slices.SortFunc(marks, func(a, b digest.SHA256) int { return bytes.Compare(a[:], b[:]) })
	return marks, nil
}

// undoneEntries returns the marks of the entries that are final in held and not in next.
func undoneEntries(number uint16, held, next *statuslist.Shard) (marks []digest.SHA256) {
	for i := range held {
		if held[i] == next[i] {
			continue
		}
		for entry := 4 * i; entry < 4*i+4; entry++ {
			if held.Get(uint16(entry)).Final() && !next.Get(uint16(entry)).Final() {
				marks = append(marks, EntryMark(number, uint16(entry)))
			}
		}
	}
	return marks
}

// undoneKeys returns the marks of the keys that are compromised in held and not in next.
// Either bundle may be nil.
func undoneKeys(held, next *Bundle) (marks []digest.SHA256) {
	if held == nil || held == next {
		return nil
	}
	compromised := map[digest.SHA256]bool{}
	if next != nil {
		for _, k := range next.Keys {
			if k.State == KeyCompromised {
				compromised[KeyMark(k)] = true
			}
		}
	}
	for _, k := range held.Keys {
		if k.State == KeyCompromised && !compromised[KeyMark(k)] {
			marks = append(marks, KeyMark(k))
		}
	}
	return marks
}
