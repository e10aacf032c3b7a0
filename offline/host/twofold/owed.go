package twofold

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tcode/offline/host/journal"
)

// owe opens the pair with one side, which had no room for the changes that make it whole: Load shows them, the disk stays as it was,
// and the first commit that has room writes both. other takes no part until the next Open; it may be nil.
func (p *Pair) owe(into, other *side, next mark, changes map[string][]byte, full error) {
	p.owed, p.report.Owed = changes, true
	into.mark, into.marked = next, true
	if other != nil {
		other.leave(fmt.Errorf("no room to make the copies equal: %w", full))
	}
}

// loadOwed calls each with the records of the side in use and those that it is owed, in order; a nil value is a removed one.
func (p *Pair) loadOwed(ctx context.Context, each func(key string, value []byte) error) error {
	keys := slices.Sorted(maps.Keys(p.owed))
	upTo := func(end string, all bool) error {
		for len(keys) > 0 && (all || keys[0] < end) {
			key := keys[0]
			keys = keys[1:]
			if err := each(key, p.owed[key]); err != nil {
				return err
			}
		}
		return nil
	}
	err := p.used[0].Journal.Load(ctx, func(key string, value []byte) error {
		if err := upTo(key, false); err != nil {
			return err
		}
		if len(keys) > 0 && keys[0] == key {
			keys, value = keys[1:], p.owed[key]
		}
		return each(key, value)
	})
	if err != nil {
		return err
	}
	return upTo("", true)
}

// commitOwed commits changes together with what the side in use is owed.
func (p *Pair) commitOwed(ctx context.Context, changes map[string][]byte, next mark) error {
	s := p.used[0]
	all := maps.Clone(p.owed)
	maps.Copy(all, changes)
	var err error
	if s.damage != nil {
		err = s.Journal.(Damaged).Repair(ctx, all)
	} else {
		err = s.Journal.Commit(ctx, all)
	}
	if err != nil {
		p.broken = !errors.Is(err, journal.ErrFull)
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	p.mark, p.owed, s.damage = next, nil, nil
	return nil
}
