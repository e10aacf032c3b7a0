package viewfinder

import "time"

// maxSeries is the largest number of answers that a series remembers.
const maxSeries = 512

// A Series remembers the answers, of type A, about symbols in this session, for hands-free scanning. The zero value is
// empty. It is not safe for concurrent use.
type Series[A any] struct {
	earlier map[string]Earlier[A] // by the symbol's text
	order   []string              // from the oldest
}

// An Earlier is an answer about a symbol that came before.
type Earlier[A any] struct {
	Answer A
	At     time.Time // of the answer
}

// Repeat returns the earlier answer about a symbol with this text. ok is false if there is none, or if it is forgotten.
func (s *Series[A]) Repeat(text string) (e Earlier[A], ok bool) {
	e, ok = s.earlier[text]
	return e, ok
}

// Add remembers an answer, after its scan was stored. The oldest of more than 512 are forgotten, and a symbol of those
// is scanned again.
func (s *Series[A]) Add(text string, answer A, at time.Time) {
	if s.earlier == nil {
		s.earlier = map[string]Earlier[A]{}
	}
	if _, known := s.earlier[text]; !known {
		s.order = append(s.order, text)
	}
	s.earlier[text] = Earlier[A]{answer, at}
	if len(s.order) > maxSeries {
		delete(s.earlier, s.order[0])
		s.order = s.order[1:]
	}
}
