package publish

import (
	"context"
	"sync"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/server/fault"
)

// maxWhole bounds the packs with their shards in memory, in bytes.
const maxWhole = 32 << 20

// A packCache keeps packs with their shards, by the hash of the pack: each takes some
// milliseconds to assemble, and never changes.
type packCache struct {
	mu    sync.Mutex
	packs map[digest.SHA256][]byte
	bytes int
}

func (c *packCache) get(hash digest.SHA256) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.packs[hash]
}

func (c *packCache) put(hash digest.SHA256, whole []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.packs[hash] != nil || len(whole) > maxWhole {
		return
	}
	for old, data := range c.packs { // any of them, because devices mostly fetch all in turn
		if c.bytes+len(whole) <= maxWhole {
			break
		}
		c.bytes -= len(data)
		delete(c.packs, old)
	}
	if c.packs == nil {
		c.packs = map[digest.SHA256][]byte{}
	}
	c.packs[hash], c.bytes = whole, c.bytes+len(whole)
}

// Pack returns the shards of a published pack, by the pack's SHA-256 in hex, as one file,
// or a NotFound fault.
func (p *Publisher) Pack(ctx context.Context, sha256 string) ([]byte, error) {
	hash, err := objectHash(sha256)
	if err != nil {
		return nil, err
	}
	if whole := p.whole.get(hash); whole != nil {
		return whole, nil
	}
	o, err := p.c.Store.Object(ctx, hash)
	if err != nil {
		return nil, err
	}
	pack, err := trust.ParsePack(o.Data)
	if err != nil {
		return nil, fault.New(fault.NotFound, fault.CodeNotFound, "that is no pack of status shards")
	}
	shards, seen := make([]*statuslist.Shard, len(pack)), map[digest.SHA256]*statuslist.Shard{}
	for i, name := range pack {
		if shards[i] = seen[name]; shards[i] != nil {
			continue
		}
		if o, err = p.c.Store.Object(ctx, name); err != nil {
			return nil, err
		}
		if shards[i], err = statuslist.Inflate(o.Data); err != nil {
			return nil, err
		}
		seen[name] = shards[i]
	}
	whole := statuslist.DeflateAll(shards)
	p.whole.put(hash, whole)
	return whole, nil
}
