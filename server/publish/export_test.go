package publish

import "time"

// WithStore returns a publisher with p's keys and another store and clock.
func WithStore(p *Publisher, s Store, now func() time.Time) *Publisher {
	c := p.c
	c.Store, c.Now = s, now
	next := &Publisher{c: c, wake: make(chan struct{}, 1)}
	next.authority.Store(p.authority.Load())
	return next
}
