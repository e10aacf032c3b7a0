package twofold

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"tcode/offline/host/journal"
)

var (
	// ErrNone means, as the reason of a [Copy] without a journal, that this place cannot have such a copy.
	ErrNone = errors.New("there is no such copy here")
	// ErrUncertain means that one copy could not be opened and the other one is not whole: to go on with it could hide what the first
	// one has.
	ErrUncertain = errors.New("one copy cannot be opened, and the other is not whole")

	errStop = errors.New("enough")
)

// A Copy is one of the two journals of a [Pair].
type Copy struct {
	Name    string          // in errors and the Report
	Journal journal.Journal // nil: there is none
	Missing error           // why there is none
}

// Damaged is a journal that knows that records are damaged: it shows the others, and takes no commits until Repair has rewritten them
// with some changes, all in one.
type Damaged interface {
	Damage() error // nil: nothing is damaged
	Repair(ctx context.Context, changes map[string][]byte) error
}

// Undoer is a journal that can take back its last commit, durably. After an error it is broken.
type Undoer interface {
	Undo(ctx context.Context) error
}

// side is a copy, and what Open finds in it.
type side struct {
	Copy
	fate   *Fate
	damage error
	empty  bool
	marked bool
	mark   mark
}

func (s *side) whole() bool { return s.marked && !s.mark.filling && s.damage == nil }

// Open opens the pair of two copies that are open, and makes them equal if they are not. They belong to the pair from now on, also
// after an error, when Open closes them. A copy without a journal takes no part. The error is [ErrUncertain] if that leaves a
// doubt, or of the journals.
func Open(ctx context.Context, first, second Copy) (*Pair, Report, error) {
	p := &Pair{report: Report{Copies: [2]Fate{{Name: first.Name}, {Name: second.Name}}}}
	p.sides = [2]*side{{Copy: first, fate: &p.report.Copies[0]}, {Copy: second, fate: &p.report.Copies[1]}}
	_, _ = rand.Read(p.tag[:]) // never fails
	err := p.open(ctx)
	if err != nil {
		return nil, p.report, errors.Join(fmt.Errorf("open the two copies: %w", err), p.shut())
	}
	return p, p.report, nil
}

func (p *Pair) open(ctx context.Context) error {
	for _, s := range p.sides {
		if err := s.inspect(ctx); err != nil {
			return err
		}
	}
	var err error
	switch a, b := p.sides[0], p.sides[1]; {
	case a.Journal == nil && b.Journal == nil:
		return fmt.Errorf("%w: %w", a.Missing, b.Missing)
	case a.Journal == nil:
		err = p.alone(ctx, b, a)
	case b.Journal == nil:
		err = p.alone(ctx, a, b)
	default:
		err = p.compare(ctx, a, b)
	}
	if err != nil {
		return err
	}
	for _, s := range p.sides {
		if s.fate.State != Unused {
			p.used = append(p.used, s)
			p.mark = s.mark
		}
	}
	return nil
}

// inspect reads the begin of a copy. One that cannot be read takes no part.
func (s *side) inspect(ctx context.Context) error {
	if s.Journal == nil {
		if s.Missing == nil {
			s.Missing = ErrNone
		}
		s.leave(s.Missing)
		return nil
	}
	if d, ok := s.Journal.(Damaged); ok {
		s.damage = d.Damage()
	}
	s.empty = true
	err := s.Journal.Load(ctx, func(key string, value []byte) error {
		s.empty = false
		if key == markKey {
			s.mark, s.marked = decodeMark(value)
		}
		return errStop
	})
	switch {
	case err == nil || errors.Is(err, errStop):
		return nil
	case ctx.Err() != nil:
		return err
	}
	s.Missing = err
	err = s.Journal.Close()
	s.Journal = nil
	s.leave(s.Missing)
	return err
}

// leave makes a copy one that takes no commits.
func (s *side) leave(reason error) {
	s.fate.State, s.fate.Reason = Unused, reason.Error()
}

// alone opens the pair with one copy.
func (p *Pair) alone(ctx context.Context, s, missing *side) error {
	switch {
	case s.whole():
		return nil
	case !errors.Is(missing.Missing, ErrNone):
		return fmt.Errorf("%w: %w", ErrUncertain, missing.Missing)
	case s.empty && s.damage == nil:
		return s.begin(ctx, newMark())
	}
	return p.salvage(ctx, s, nil)
}

func newMark() mark {
	var m mark
	_, _ = rand.Read(m.id[:]) // never fails
	return m
}

// begin makes an empty copy one of a new store.
func (s *side) begin(ctx context.Context, m mark) error {
	if err := s.Journal.Commit(ctx, map[string][]byte{markKey: m.encode()}); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	s.mark, s.marked = m, true
	return nil
}

// compare makes two copies equal.
func (p *Pair) compare(ctx context.Context, a, b *side) error {
	switch {
	case a.empty && b.empty && a.damage == nil && b.damage == nil:
		m := newMark()
		one, other := a.begin(ctx, m), b.begin(ctx, m)
		switch {
		case one != nil && other != nil:
			return errors.Join(one, other)
		case one != nil:
			a.leave(one)
		case other != nil:
			b.leave(other)
		}
		return nil
	case a.whole() && b.whole():
		switch a.mark.relation(&b.mark) {
		case same:
			return nil
		case newer:
			return p.rebuild(ctx, a, b, "it was older")
		case older:
			return p.rebuild(ctx, b, a, "it was older")
		}
		if a.mark.id != b.mark.id && b.mark.total() > a.mark.total() {
			a, b = b, a
		}
		return p.unite(ctx, a, b, "it had other commits")
	case a.whole():
		return p.against(ctx, a, b)
	case b.whole():
		return p.against(ctx, b, a)
	case a.damage != nil: // the other one takes commits
		return p.salvage(ctx, b, a)
	}
	return p.salvage(ctx, a, b)
}

// against rebuilds a copy that is not whole from one that is.
func (p *Pair) against(ctx context.Context, good, bad *side) error {
	reason := "it had no mark"
	switch {
	case bad.damage != nil:
		reason = bad.damage.Error()
	case bad.empty:
		return p.rebuild(ctx, good, bad, "it was empty")
	case bad.marked:
		reason = "its rebuilding had not ended"
	}
	if bad.marked {
		if r := good.mark.relation(&bad.mark); r == same || r == newer {
			return p.rebuild(ctx, good, bad, reason)
		}
	}
	p.report.Lost = true
	return p.unite(ctx, good, bad, reason)
}

// unite takes over into one copy what another one has, and rebuilds that one.
func (p *Pair) unite(ctx context.Context, into, from *side, reason string) error {
	if err := p.merge(ctx, into, from); err != nil || p.owed != nil {
		return err
	}
	return p.rebuild(ctx, into, from, reason)
}

// salvage makes a whole copy of two that are not whole, or of one.
func (p *Pair) salvage(ctx context.Context, into, from *side) error {
	p.report.Lost = true
	reason := "it was not whole"
	if into.damage != nil {
		reason = into.damage.Error()
	}
	if err := p.merge(ctx, into, from); err != nil || p.owed != nil {
		return err
	}
	into.fate.State, into.fate.Reason = Rebuilt, reason
	if from == nil {
		return nil
	}
	reason = "it was not whole"
	if from.damage != nil {
		reason = from.damage.Error()
	}
	return p.rebuild(ctx, into, from, reason)
}
