package powercut

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// sector is the size of a write that a disk does completely or not at all.
const sector = 512

// A node is the contents of a file: the safe ones, and the possible ones.
type node struct {
	safe    []byte
	size    int64 // size after all writes, for appending
	pending []change
}

type change struct {
	at     int // event
	op     op
	offset int64
	data   []byte
}

// A naming is a change of the folder: names that get a node, or lose theirs (nil).
type naming struct {
	at  int
	set map[string]*node
}

// A disk is the folder during the simulation.
type disk struct {
	safe, now map[string]*node
	pending   []naming
}

// Cut returns a possible state of the files after a power cut that follows the first
// events, and the program's other output up to then. r chooses among the possible
// states. If lost is set, fsync does nothing, as on a disk that lies: for controls.
func (l *Log) Cut(events int, r *rand.Rand, lost bool) (files map[string][]byte, said [][]byte) {
	d := &disk{safe: map[string]*node{}, now: map[string]*node{}}
	for name, data := range l.base {
		n := &node{safe: bytes.Clone(data), size: int64(len(data))}
		d.safe[name], d.now[name] = n, n
	}
	for i, e := range l.events[:events] {
		switch e.op {
		case say:
			said = append(said, e.data)
		case sync:
			if !lost {
				d.sync(e)
			}
		default:
			d.apply(i, e)
		}
	}
	return d.survivors(r), said
}

func (d *disk) apply(at int, e event) {
	n := d.now[e.path]
	switch e.op {
	case create:
		if n == nil {
			n = &node{}
			d.name(at, map[string]*node{e.path: n})
		}
		if e.offset == 0 {
			n.change(change{at: at, op: truncate})
		}
	case unlink:
		d.name(at, map[string]*node{e.path: nil})
	case rename:
		d.name(at, map[string]*node{e.path: nil, e.to: n})
	case link:
		d.name(at, map[string]*node{e.to: n})
	default:
		if n == nil {
			return // unlinked and still open
		}
		if e.offset < 0 {
			e.offset = n.size
		}
		n.change(change{at, e.op, e.offset, e.data})
	}
}

func (d *disk) name(at int, set map[string]*node) {
	merge(d.now, set)
	d.pending = append(d.pending, naming{at, set})
}

func merge(into, set map[string]*node) {
	for name, n := range set {
		if into[name] = n; n == nil {
			delete(into, name)
		}
	}
}

func (n *node) change(c change) {
	n.size = max(n.size, c.offset+int64(len(c.data)))
	if c.op == truncate {
		n.size = c.offset
	}
	n.pending = append(n.pending, c)
}

// sync makes the changes before the call safe.
func (d *disk) sync(e event) {
	if e.path == "" {
		for len(d.pending) > 0 && d.pending[0].at < e.began {
			merge(d.safe, d.pending[0].set)
			d.pending = d.pending[1:]
		}
		return
	}
	n := d.now[e.path]
	for n != nil && len(n.pending) > 0 && n.pending[0].at < e.began {
		n.safe = n.pending[0].on(n.safe)
		n.pending = n.pending[1:]
	}
}

// on applies the change to data, or to a longer copy of it, and returns the result.
func (c change) on(data []byte) []byte {
	size := c.offset + int64(len(c.data))
	if c.op == truncate && size < int64(len(data)) {
		return data[:size]
	}
	if more := size - int64(len(data)); more > 0 {
		data = append(data, make([]byte, more)...)
	}
	copy(data[c.offset:], c.data)
	return data
}

// survivors returns the files with some of the changes that are not safe: none,
// all, those up to one in order, any of them, or any sectors of any of them.
// Names appear in order, because file systems keep them in a journal.
func (d *disk) survivors(r *rand.Rand) map[string][]byte {
	mode := r.IntN(5)
	some := func(n int) int { return []int{0, n, r.IntN(n + 1), r.IntN(n + 1), r.IntN(n + 1)}[mode] }
	for _, p := range d.pending[:some(len(d.pending))] {
		merge(d.safe, p.set)
	}
	files, done := map[string][]byte{}, map[*node][]byte{}
	for name, n := range d.safe {
		data, ok := done[n]
		if !ok {
			data = n.survivor(r, mode, some)
			done[n] = data
		}
		files[name] = data
	}
	return files
}

func (n *node) survivor(r *rand.Rand, mode int, some func(int) int) []byte {
	data := n.safe
	if mode < 3 {
		for _, c := range n.pending[:some(len(n.pending))] {
			data = c.on(data)
		}
		return data
	}
	for _, c := range n.pending {
		switch {
		case r.IntN(2) == 0:
		case mode == 4 && c.op == write:
			for from := 0; from < len(c.data); from += sector {
				if r.IntN(2) == 0 {
					data = change{op: write, offset: c.offset + int64(from), data: c.data[from:min(from+sector, len(c.data))]}.on(data)
				}
			}
		default:
			data = c.on(data)
		}
	}
	return data
}

// Write makes dir hold exactly these files.
func Write(dir string, files map[string][]byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
