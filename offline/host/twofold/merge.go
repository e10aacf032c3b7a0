package twofold

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"tcode/offline/host/journal"
)

// merge takes over into one copy the records of another one, which may be nil, and gives it a newer mark: it is whole then. All of
// that is one commit.
func (p *Pair) merge(ctx context.Context, into, from *side) error {
	m := &merger{into: into, from: from, seed: maphash.MakeSeed(), changes: map[string][]byte{}}
	var err error
	if m.there, err = into.index(ctx, m.seed); err != nil {
		return err
	}
	for _, d := range m.there {
		m.highest = max(m.highest, d.number)
	}
	if from != nil {
		if err := from.Journal.Load(ctx, func(key string, value []byte) error { m.take(key, value); return nil }); err != nil {
			return fmt.Errorf("read %s: %w", from.Name, err)
		}
		m.remove()
	}
	next := m.mark()
	next.tag = p.tag
	m.changes[markKey] = next.encode()
	if into.damage != nil {
		err = into.Journal.(Damaged).Repair(ctx, m.changes)
	} else {
		err = into.Journal.Commit(ctx, m.changes)
	}
	if errors.Is(err, journal.ErrFull) {
		p.owe(into, from, next, m.changes, err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", into.Name, err)
	}
	into.mark, into.marked, into.damage = next, true, nil
	into.fate.Written += len(m.changes) - 1
	p.report.Aside += m.aside
	if len(m.changes) > 1 {
		into.fate.State, into.fate.Reason = Rebuilt, "the other copy had more"
	}
	return nil
}

// merger collects what one copy takes over from another one.
type merger struct {
	into, from *side
	seed       maphash.Seed
	there      map[string]digest
	changes    map[string][]byte
	highest    uint64 // number of a record
	aside      int
}

// foreign reports whether the copies are of different stores.
func (m *merger) foreign() bool {
	return m.into.marked && m.from.marked && m.into.mark.id != m.from.mark.id
}

// complete reports whether the copy that takes over has every record of its number or a lower one that was not removed.
func (m *merger) complete() bool {
	return m.into.whole() && !m.foreign() && (!m.from.marked || m.into.mark.relation(&m.from.mark) != apart)
}

// take decides about one record.
func (m *merger) take(key string, value []byte) {
	if key == markKey || key == "" {
		return
	}
	d := digestOf(m.seed, value)
	m.highest = max(m.highest, d.number)
	has, ok := m.there[key]
	equal := ok && has.hash == d.hash && has.length == d.length
	switch {
	case equal || ok && key[0] == asideKey:
	case !ok && m.complete() && d.number <= m.into.mark.total(): // it was removed
	case !ok:
		m.changes[key] = append([]byte{}, value...)
	case m.foreign() || has.number == d.number:
		m.setAside(key, value)
	case d.number > has.number:
		m.changes[key] = append([]byte{}, value...)
	}
}

// setAside keeps a record under a key that Load does not show.
func (m *merger) setAside(key string, value []byte) {
	m.changes[string(asideKey)+string(m.from.mark.id[:])+string(m.from.mark.tag[:])+key[1:]] = append([]byte{}, value...)
	m.aside++
}

// remove takes over what the last commit of the other copy removed, if that is the only one which this copy does not have.
func (m *merger) remove() {
	last := &m.from.mark
	if !m.from.marked || !m.complete() || last.total() != m.into.mark.total()+1 {
		return
	}
	for _, key := range last.removed {
		key = string(recordKey) + key
		if _, ok := m.there[key]; ok {
			m.changes[key] = nil
		}
	}
}

// mark returns the mark of the copy that has taken over.
func (m *merger) mark() mark {
	var next mark
	switch {
	case m.into.marked && m.from != nil && m.from.marked:
		next = m.into.mark.join(&m.from.mark)
	case m.into.marked:
		next = m.into.mark.join(&m.into.mark)
	case m.from != nil && m.from.marked:
		next = m.from.mark.join(&m.from.mark)
	default:
		next = newMark()
	}
	if total := next.total(); total <= m.highest && m.highest < numberMax {
		next.counts[0] += m.highest - total + 1
	}
	return next
}
