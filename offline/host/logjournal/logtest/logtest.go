// Package logtest has files in memory with the faults of real ones, for tests of logs: writes that a power cut takes back in any
// order and in part, flushes that fail, and no room from some byte on. Call [Disk.Open]:
//
//	Disk ──Open──▶ Log ──▶ bytes in view; they are durable after a flush
//	  ├──Kill: the process ends; bytes in view stay
//	  └──PowerCut: of the bytes that were not flushed, any sectors stay
package logtest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"

	"tcode/offline/host/journal"
	"tcode/offline/host/logjournal"
)

// sector is the unit of bytes that a disk writes as a whole.
const sector = 512

// ErrFault is the error of calls that Fail has prepared.
var ErrFault = errors.New("prepared fault of a file")

// A Disk has the two files of a log. It outlives the log, as a disk outlives a process. Its zero value is empty and has room.
type Disk struct {
	mu    sync.Mutex
	files [2]content
	owner *logjournal.Log
	life  int   // of the owner: handles of an earlier one are dead
	after int   // calls that succeed before the fault
	armed bool  // a fault follows
	room  int64 // bytes of both files; 0: any
}

// content is one file.
type content struct {
	now     []byte
	durable []byte
	changes []change // since the last flush
}

// change is a write, or a new size if data is nil.
type change struct {
	at   int64
	data []byte
}

// Open opens the log. The error is journal.ErrOwned if it is open.
func (d *Disk) Open() (*logjournal.Log, error) {
	d.mu.Lock()
	if d.owner != nil {
		d.mu.Unlock()
		return nil, journal.ErrOwned
	}
	d.life++
	a, b := &file{disk: d, n: 0, life: d.life}, &file{disk: d, n: 1, life: d.life}
	d.mu.Unlock()
	l, err := logjournal.Open(a, b)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owner = l
	return l, nil
}

// Fail makes one call that changes or flushes a file fail, after as many that succeed. A write that fails has written a part.
func (d *Disk) Fail(after int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.after, d.armed = after, true
}

// Room limits the bytes of both files together; 0 ends the limit.
func (d *Disk) Room(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = n
}

// Kill ends the owner as the end of its process does.
func (d *Disk) Kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owner, d.armed, d.life = nil, false, d.life+1
}

// PowerCut ends the owner as the end of the machine does: r decides what stays of the changes that were not flushed.
func (d *Disk) PowerCut(r *rand.Rand) {
	d.Kill()
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.files {
		c := &d.files[i]
		b := slices.Clone(c.durable)
		for _, one := range c.changes {
			switch {
			case one.data == nil:
				if r.IntN(2) == 0 {
					b = resized(b, one.at)
				}
			default:
				b = tornWrite(b, one, r)
			}
		}
		c.now, c.durable, c.changes = b, slices.Clone(b), nil
	}
}

// tornWrite writes some sectors of a change.
func tornWrite(b []byte, one change, r *rand.Rand) []byte {
	whole := r.IntN(3) == 0
	for from := one.at; from < one.at+int64(len(one.data)); {
		to := min((from/sector+1)*sector, one.at+int64(len(one.data)))
		if whole || r.IntN(2) == 0 {
			b = written(b, one.data[from-one.at:to-one.at], from)
		}
		from = to
	}
	return b
}

// Files returns copies of both files.
func (d *Disk) Files() [2][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return [2][]byte{slices.Clone(d.files[0].now), slices.Clone(d.files[1].now)}
}

// SetFiles replaces both files, as a person with access to the disk can.
func (d *Disk) SetFiles(files [2][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, b := range files {
		d.files[i] = content{now: slices.Clone(b), durable: slices.Clone(b)}
	}
}

func resized(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		return b[:size:size]
	}
	return append(b, make([]byte, size-int64(len(b)))...)
}

func written(b, data []byte, at int64) []byte {
	b = resized(b, max(int64(len(b)), at+int64(len(data))))
	copy(b[at:], data)
	return b
}

// file is a handle of one owner.
type file struct {
	disk *Disk
	n    int
	life int
}

// use calls f with the content, unless the owner is dead.
func (h *file) use(f func(c *content) error) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if h.life != h.disk.life {
		return journal.ErrClosed
	}
	return f(&h.disk.files[h.n])
}

// fails reports whether this call is the one that fails. The disk is locked.
func (h *file) fails() bool {
	d := h.disk
	if !d.armed {
		return false
	}
	d.after--
	if d.after >= 0 {
		return false
	}
	d.armed = false
	return true
}

func (h *file) ReadAt(b []byte, off int64) (n int, err error) {
	err = h.use(func(c *content) error {
		if off < int64(len(c.now)) {
			n = copy(b, c.now[off:])
		}
		if n < len(b) {
			return io.EOF
		}
		return nil
	})
	return n, err
}

func (h *file) WriteAt(b []byte, off int64) (n int, err error) {
	err = h.use(func(c *content) error {
		n = len(b)
		var err error
		if h.fails() {
			n, err = n/2, ErrFault
		}
		if room := h.disk.room; room > 0 {
			free := room - int64(len(h.disk.files[1-h.n].now)) - off
			if free < int64(n) {
				n, err = int(max(free, 0)), fmt.Errorf("%w: %d bytes", journal.ErrFull, room)
			}
		}
		if n > 0 {
			c.now = written(c.now, b[:n], off)
			c.changes = append(c.changes, change{off, slices.Clone(b[:n])})
		}
		return err
	})
	return n, err
}

func (h *file) Truncate(size int64) error {
	return h.use(func(c *content) error {
		if h.fails() {
			return ErrFault
		}
		c.now = resized(c.now, size)
		c.changes = append(c.changes, change{at: size})
		return nil
	})
}

func (h *file) Size() (size int64, err error) {
	err = h.use(func(c *content) error {
		size = int64(len(c.now))
		return nil
	})
	return size, err
}

func (h *file) Flush() error {
	return h.use(func(c *content) error {
		if h.fails() {
			return ErrFault
		}
		c.durable, c.changes = slices.Clone(c.now), nil
		return nil
	})
}

func (h *file) Close() error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if h.life == h.disk.life {
		h.disk.owner, h.disk.life = nil, h.disk.life+1
	}
	return nil
}
