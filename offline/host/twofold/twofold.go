package twofold

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"tcode/offline/host/journal"
)

// A Pair is a journal in two copies. It is safe for concurrent use.
type Pair struct {
	mu     sync.Mutex
	sides  [2]*side
	used   []*side // the sides that take commits, in order
	mark   mark    // of the last commit
	tag    [tagSize]byte
	report Report
	owed   map[string][]byte // what Open found and had no room to write in the only side in use: the next commit has it too
	broken bool
	closed bool
}

// Load calls each with every record, as journal.Journal says.
func (p *Pair) Load(ctx context.Context, each func(key string, value []byte) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return journal.ErrClosed
	}
	give := func(key string, value []byte) error {
		if key == "" || key[0] != recordKey || value == nil {
			return nil
		}
		_, value = plain(value)
		return each(key[1:], value)
	}
	if p.owed == nil {
		return p.used[0].Journal.Load(ctx, give)
	}
	return p.loadOwed(ctx, give)
}

// Commit changes the records in the first copy, then in the second one, and returns nil when both are complete. The error is
// journal.ErrFull, with nothing kept, if the first copy has no room, or if the second one has none and the first one took the commit back.
func (p *Pair) Commit(ctx context.Context, changes map[string][]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return journal.ErrClosed
	case p.broken:
		return journal.ErrBroken
	case ctx.Err() != nil:
		p.broken = true
		return ctx.Err()
	case len(changes) == 0:
		return nil
	}
	next := p.next(changes)
	all := make(map[string][]byte, len(changes)+1)
	for key, value := range changes {
		if value != nil {
			value = numbered(next.total(), value)
		}
		all[string(recordKey)+key] = value
	}
	all[markKey] = next.encode()
	if p.owed != nil {
		return p.commitOwed(ctx, all, next)
	}
	for i, s := range p.used {
		if err := s.Journal.Commit(ctx, all); err != nil {
			return p.failed(ctx, i, err)
		}
	}
	p.mark = next
	return nil
}

// next returns the mark of the next commit.
func (p *Pair) next(changes map[string][]byte) mark {
	m := p.mark
	m.tag, m.removed = p.tag, nil
	switch {
	case len(p.used) == 2:
		m.counts[0]++
	case p.used[0] == p.sides[0]:
		m.counts[1]++
	default:
		m.counts[2]++
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		if changes[key] == nil {
			m.removed = append(m.removed, key)
		}
	}
	return m
}

// failed returns the error of a commit that failed in one of the used sides.
func (p *Pair) failed(ctx context.Context, i int, err error) error {
	err = fmt.Errorf("%s: %w", p.used[i].Name, err)
	if errors.Is(err, journal.ErrFull) {
		if i == 0 {
			return err
		}
		back, ok := p.used[0].Journal.(Undoer)
		if ok {
			undone := back.Undo(context.WithoutCancel(ctx))
			if undone == nil {
				return err
			}
			err = fmt.Errorf("%s; %s: %w", err.Error(), p.used[0].Name, undone)
		} else {
			err = errors.New(err.Error()) // the first copy has the commit: this is not journal.ErrFull
		}
	}
	p.broken = true
	return err
}

// Lock takes the lock of the last copy in use.
func (p *Pair) Lock(ctx context.Context) (func() error, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, journal.ErrClosed
	}
	return p.used[len(p.used)-1].Journal.Lock(ctx)
}

// Close closes both copies, the first one first.
func (p *Pair) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	return p.shut()
}

func (p *Pair) shut() error {
	var errs error
	for _, s := range p.sides {
		if s.Journal != nil {
			errs = errors.Join(errs, s.Journal.Close())
		}
	}
	return errs
}
