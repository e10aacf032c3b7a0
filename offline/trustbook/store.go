package trustbook

import (
	"context"
	"time"

	"tcode/offline/digest"
	"tcode/offline/trust"
)

// A Store keeps the content of a [Book] durably. It knows no rule: the Book decides
// what is written. It is safe for concurrent use. Bytes that it has returned stay as
// they are. Package booktest holds every store to this.
type Store interface {
	// View calls read with the content at one moment.
	View(ctx context.Context, read func(Reader) error) error

	// Update calls change once, with the present content, and writes the result in
	// one commit; no other writer comes between. When it returns nil, the change is
	// durable. If change returns an error, Update returns it and writes nothing. On
	// any other error the outcome is unknown: all of the change is there, or
	// nothing, and the next call reads which.
	Update(ctx context.Context, change func(Reader) (Change, error)) error

	// Remembered reports whether the core was written as remembered.
	Remembered(ctx context.Context, core digest.SHA256) (bool, error)

	Close() error
}

// A Reader reads the content of a Store at one moment. It is valid until the
// function that received it returns.
type Reader interface {
	Facts() (Facts, error)
	// Documents returns the chain of roots, and the set with its packs in their
	// order, or no set. Floor and Ahead are zero: they are facts.
	Documents() (trust.Saved, error)
	// Shards returns the shards in transit form, by number. The Book compares them with
	// their signed hashes.
	Shards() (map[uint16][]byte, error)
	// Survivors returns the survivor lists, by the name under which they were written.
	Survivors() (map[string][]byte, error)
	// SurvivorNames returns the names of the survivor lists.
	SurvivorNames() ([]string, error)
}

// Facts are the single values of a Store. The zero value is that of a new device.
type Facts struct {
	Generation   uint64    // of the state that a Snapshot has; each change of it adds one
	Gateway      string    // base URL
	PinnedAt     time.Time // whole milliseconds, as the next two; zero: never
	AttemptAt    time.Time
	RefreshedAt  time.Time
	AttemptError string    // empty: it succeeded
	Floor        time.Time // whole seconds (trust.State.Floor)
	Ahead        uint64    // trust.State.Ahead
	Proof        string    // the last proof of time with its checksum; empty: none
}

// Parts are parts of the content of a Store.
type Parts uint8

// All but the facts.
const (
	PartDocuments  Parts = 1 << iota // timestamp, bundle, status, packs and survivor lists
	PartShards                       // status shards
	PartRemembered                   // remembered revocations
	PartRoots

	// Everything is all of them.
	Everything = PartDocuments | PartShards | PartRemembered | PartRoots
)

// A Change is what one commit writes. It first deletes, then it writes.
type Change struct {
	Facts Facts // all of them, as they are afterwards

	Clear Parts    // delete these parts
	Drop  []string // delete these survivor lists

	Roots map[int][]byte // new roots by version
	// Timestamp, Bundle and Status are all nil, or the new set.
	Timestamp, Bundle, Status []byte
	Packs                     map[uint16][]byte
	Shards                    map[uint16]Shard
	Survivors                 map[string][]byte // by the SHA-256 in lower-case digits
	Remembered                []digest.SHA256   // cores and marks; some may be there already
	SeenAt                    time.Time         // device clock, of Remembered
}

// A Shard is a status shard to be written.
type Shard struct {
	Hash     digest.SHA256 // of the inflated bytes
	Deflated []byte
}

// Empty reports whether the change leaves a store with these facts as it is.
func (c Change) Empty(held Facts) bool {
	return c.Facts == held && c.Clear == 0 && len(c.Drop)+len(c.Roots)+len(c.Packs)+len(c.Shards)+len(c.Survivors)+len(c.Remembered) == 0 &&
		c.Timestamp == nil
}

// reset deletes the content that came under an online key, and takes it out of this
// change. Its shards stay until those of the new key come, to be compared with them, and
// so does what is remembered, unless forget is set.
func (c *Change) reset(forget bool) {
	next := Change{Facts: c.Facts, Roots: c.Roots, Clear: c.Clear | PartDocuments}
	if forget {
		next.Clear |= PartShards | PartRemembered
	} else {
		next.Remembered, next.SeenAt = c.Remembered, c.SeenAt
	}
	*c = next
	c.Facts.Floor, c.Facts.Ahead, c.Facts.Proof = time.Time{}, 0, ""
}
