package twofold

import (
	"context"
	"fmt"
	"hash/maphash"
)

// batch is about the bytes of a commit while a copy is rebuilt. Tests change it.
var batch = 1 << 20

// digest is a value in a few bytes.
type digest struct {
	number uint64
	hash   uint64
	length int
}

// index reads a copy: the digests of its values, without the mark.
func (s *side) index(ctx context.Context, seed maphash.Seed) (map[string]digest, error) {
	all := map[string]digest{}
	err := s.Journal.Load(ctx, func(key string, value []byte) error {
		if key != markKey {
			all[key] = digestOf(seed, value)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.Name, err)
	}
	return all, nil
}

func digestOf(seed maphash.Seed, value []byte) digest {
	number, value := plain(value)
	return digest{number: number, hash: maphash.Bytes(seed, value), length: len(value)}
}

// rebuild makes a copy equal to one that is whole. If that fails, the copy takes no part: its mark is older, or says that it is not
// whole.
func (p *Pair) rebuild(ctx context.Context, from, to *side, reason string) error {
	f := &filler{from: from, to: to, filling: from.mark}
	f.filling.filling, f.filling.removed = true, nil
	err := f.fill(ctx)
	to.fate.State, to.fate.Reason, to.fate.Written = Rebuilt, reason, to.fate.Written+f.written
	switch {
	case err == nil:
		to.mark, to.marked, to.damage = from.mark, true, nil
		return nil
	case ctx.Err() != nil || f.source:
		return err
	}
	to.leave(fmt.Errorf("%s, and it cannot be rebuilt: %w", reason, err))
	return nil
}

// filler writes the differences of one copy into another.
type filler struct {
	from, to *side
	filling  mark // of the copy until it is whole
	began    bool // the copy has that mark
	changes  map[string][]byte
	size     int
	written  int
	source   bool // the error is of the copy that is read
}

func (f *filler) fill(ctx context.Context) error {
	if f.to.damage != nil {
		d := f.to.Journal.(Damaged)
		if err := d.Repair(ctx, map[string][]byte{markKey: f.filling.encode()}); err != nil {
			return err
		}
		f.began = true
	}
	seed := maphash.MakeSeed()
	there, err := f.to.index(ctx, seed)
	if err != nil {
		return err
	}
	f.changes = map[string][]byte{}
	var failed error // in the copy that is written
	err = f.from.Journal.Load(ctx, func(key string, value []byte) error {
		if key == markKey || key == "" {
			return nil
		}
		d, ok := there[key]
		delete(there, key)
		if ok && d == digestOf(seed, value) {
			return nil
		}
		failed = f.put(ctx, key, append([]byte{}, value...))
		return failed
	})
	if err != nil {
		f.source = failed == nil
		return err
	}
	for key := range there {
		if err := f.put(ctx, key, nil); err != nil {
			return err
		}
	}
	f.changes[markKey] = f.from.mark.encode()
	return f.commit(ctx)
}

// put adds a change, and commits when there are many.
func (f *filler) put(ctx context.Context, key string, value []byte) error {
	f.changes[key] = value
	f.size += len(key) + len(value) + 16
	f.written++
	if f.size < batch {
		return nil
	}
	if !f.began {
		if err := f.to.Journal.Commit(ctx, map[string][]byte{markKey: f.filling.encode()}); err != nil {
			return err
		}
		f.began = true
	}
	return f.commit(ctx)
}

func (f *filler) commit(ctx context.Context) error {
	if err := f.to.Journal.Commit(ctx, f.changes); err != nil {
		return err
	}
	clear(f.changes)
	f.size = 0
	return nil
}
