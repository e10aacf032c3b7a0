package trust

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
)

// Shard returns the SHA-256 of the shard with that number, and whether there is one.
func (s *State) Shard(number uint16) (digest.SHA256, bool) {
	if int(number) >= len(s.Shards) {
		return digest.SHA256{}, false
	}
	return s.Shards[number], true
}

// packs checks that every pack of the new status is held or in the update, and
// returns the hashes of all shards and the numbers of the packs to store.
func (s *State) packs(status *Status, update map[uint16][]byte) (shards []digest.SHA256, store []uint16, err error) {
	refuse := func(number int, err error) ([]digest.SHA256, []uint16, error) {
		return nil, nil, &DocumentError{Type: typePack, Version: uint64(number), Err: err}
	}
	if status.Shards < len(s.Shards) {
		// Without the shard its revocations would be lost.
		return refuse(PackOf(uint16(status.Shards)), fmt.Errorf("%w: status %d names %d shards, %d are held", ErrRollback, status.Version, status.Shards, len(s.Shards)))
	}
	for _, number := range slices.Sorted(maps.Keys(update)) {
		if int(number) >= len(status.Packs) {
			return refuse(int(number), fmt.Errorf("%w: status %d does not name it", ErrIncomplete, status.Version))
		}
	}
	shards = make([]digest.SHA256, 0, status.Shards)
	for i, hash := range status.Packs {
		raw, brought := update[uint16(i)]
		held := s.pack(i)
		switch {
		case !brought && (held.Hash() != hash || len(held) != status.PackLen(i)):
			return refuse(i, fmt.Errorf("%w: it is missing", ErrIncomplete))
		case !brought:
			shards = append(shards, held...)
			continue
		case sha256.Sum256(raw) != hash:
			return refuse(i, fmt.Errorf("%w: want %s", ErrHash, hash))
		}
		p, err := ParsePack(raw)
		if err != nil {
			return refuse(i, err)
		}
		if want := status.PackLen(i); len(p) != want {
			return refuse(i, fmt.Errorf("%w: it names %d shards, status %d %d of them", ErrIncomplete, len(p), status.Version, want))
		}
		shards, store = append(shards, p...), append(store, uint16(i))
	}
	return shards, store, nil
}

// pack returns the held content of a pack, or nil.
func (s *State) pack(number int) Pack {
	from := min(number*PackShards, len(s.Shards))
	if held := s.Shards[from:min(from+PackShards, len(s.Shards))]; len(held) > 0 {
		return held
	}
	return nil
}

// brought checks that every shard is held or in the update, and returns the
// numbers of those to store.
func (s *State) brought(shards []digest.SHA256, update map[uint16][]byte) (store []uint16, err error) {
	refuse := func(number uint16, err error) ([]uint16, error) {
		return nil, &DocumentError{Type: typeShard, Version: uint64(number), Err: err}
	}
	for _, number := range slices.Sorted(maps.Keys(update)) {
		if int(number) >= len(shards) {
			return refuse(number, fmt.Errorf("%w: no pack names it", ErrIncomplete))
		}
		shard, err := statuslist.Inflate(update[number])
		if err != nil {
			return refuse(number, fmt.Errorf("%w: %w", ErrHash, err))
		}
		if shard.Hash() != shards[number] {
			return refuse(number, fmt.Errorf("%w: want %s", ErrHash, shards[number]))
		}
		store = append(store, number)
	}
	for i, hash := range shards {
		number := uint16(i)
		if held, ok := s.Shard(number); ok && held == hash {
			continue
		}
		if _, ok := update[number]; !ok {
			return refuse(number, fmt.Errorf("%w: it is missing", ErrIncomplete))
		}
	}
	return store, nil
}

// OpenStatus reads a fetched status. Nil means the held one; if none is held, the error wraps [ErrIncomplete].
func (s *State) OpenStatus(raw []byte) (*Status, error) {
	if raw == nil && s.Status != nil {
		return s.Status, nil
	}
	if raw == nil {
		return nil, &DocumentError{Type: TypeStatus, Err: fmt.Errorf("%w: it is missing", ErrIncomplete)}
	}
	next, err := ParseStatus(s.Fingerprint, s.Root.Online, raw)
	if err != nil {
		return nil, &DocumentError{Type: TypeStatus, Err: err}
	}
	return next, nil
}

// WantedPacks returns the numbers of the packs of a status that are not held.
func (s *State) WantedPacks(next *Status) []uint16 {
	var wanted []uint16
	for i, hash := range next.Packs {
		if held := s.pack(i); held == nil || held.Hash() != hash {
			wanted = append(wanted, uint16(i))
		}
	}
	return wanted
}

// WantedShards returns the numbers of those shards of a pack that are not held.
func (s *State) WantedShards(number uint16, p Pack) []uint16 {
	var wanted []uint16
	for i, hash := range p {
		shard := uint16(int(number)*PackShards + i)
		if held, ok := s.Shard(shard); !ok || held != hash {
			wanted = append(wanted, shard)
		}
	}
	return wanted
}

// Unpack reads a pack with its shards, as a gateway serves it, and returns the
// pack and, by number, the shards in their transit form. The pack must be the
// one that the status names.
func (s *Status) Unpack(number uint16, raw []byte) (pack []byte, shards map[uint16][]byte, err error) {
	all, err := statuslist.InflateAll(raw, s.PackLen(int(number)))
	if err != nil {
		return nil, nil, &DocumentError{Type: typePack, Version: uint64(number), Err: fmt.Errorf("%w: %w", ErrHash, err)}
	}
	pack, shards = Unpacked(number, all)
	if want := s.Packs[number]; sha256.Sum256(pack) != want {
		return nil, nil, &DocumentError{Type: typePack, Version: uint64(number), Err: fmt.Errorf("%w: want %s", ErrHash, want)}
	}
	return pack, shards, nil
}

// Unpacked returns the pack that names all shards and, by number, the shards in
// their transit form. There are at most PackShards of them.
func Unpacked(number uint16, all []*statuslist.Shard) (pack []byte, shards map[uint16][]byte) {
	p, shards := make(Pack, len(all)), make(map[uint16][]byte, len(all))
	for i, shard := range all {
		p[i] = shard.Hash()
		shards[uint16(int(number)*PackShards+i)] = shard.Deflate()
	}
	return p.Bytes(), shards
}
