package trust

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"tcode/offline/digest"
)

// packHead begins a pack.
const packHead = "tcode-pack/1\n"

// PackShards is the number of shards of a pack. The last pack may have fewer.
// FORMAT.md explains the number.
const PackShards = 128

// Bounds on shards and packs.
const (
	// MaxShards is the largest number of shards of a status: a stamp names its
	// shard by 16 bits.
	MaxShards = 65536
	// MaxPackLen is the length of a full pack in bytes.
	MaxPackLen = len(packHead) + PackShards*sha256.Size
)

// A Pack names shards by their SHA-256: pack n those from n*PackShards on. It is
// not signed; the status document names it by its hash.
type Pack []digest.SHA256

// PackOf returns the number of the pack that names a shard.
func PackOf(shard uint16) int { return int(shard) / PackShards }

// packCount returns the number of packs for that many shards.
func packCount(shards int) int { return (shards + PackShards - 1) / PackShards }

// Bytes returns the only encoding of p.
func (p Pack) Bytes() []byte {
	b := make([]byte, 0, len(packHead)+len(p)*sha256.Size)
	b = append(b, packHead...)
	for _, hash := range p {
		b = append(b, hash[:]...)
	}
	return b
}

// Hash returns the SHA-256 of the encoding of p, by which the status names it.
func (p Pack) Hash() digest.SHA256 { return sha256.Sum256(p.Bytes()) }

// ParsePack reads a pack of 1 to PackShards shards. The error wraps [ErrSyntax]
// or [ErrTooLarge].
func ParsePack(raw []byte) (Pack, error) {
	if len(raw) > MaxPackLen {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(raw), MaxPackLen)
	}
	hashes, ok := bytes.CutPrefix(raw, []byte(packHead))
	if !ok || len(hashes) == 0 || len(hashes)%sha256.Size != 0 {
		return nil, &SyntaxError{Reason: fmt.Sprintf("%d bytes that begin with %.20q are no pack", len(raw), raw)}
	}
	p := make(Pack, len(hashes)/sha256.Size)
	for i := range p {
		p[i] = digest.SHA256(hashes[i*sha256.Size:])
	}
	return p, nil
}

// Packs groups the hashes of all shards, in order of their numbers, into packs.
func Packs(shards []digest.SHA256) []Pack {
	var all []Pack
	for len(shards) > 0 {
		n := min(PackShards, len(shards))
		all, shards = append(all, Pack(shards[:n:n])), shards[n:]
	}
	return all
}
