package gate

import (
	"context"
	"sync"
	"time"

	"tcode/server/fault"
	"tcode/server/httpapi/bounded"
)

// Slots bounds the number of concurrent requests of a kind, over all clients and for each: a
// client, a tenant or an address, takes a place only while it holds fewer than are free. So no
// client holds more than half of the places, nor two all of them. The next place goes to a client
// that waits and has the fewest places, of these to the one that has used places for the shortest
// time of late, and to its oldest request. So a client that sends little is not kept out by a
// thousand that send all they can. It is safe for concurrent use.
type Slots struct {
	patience time.Duration // the longest wait of a request
	busy     string        // what a request is told after it

	mu      sync.Mutex // guards the following fields
	free    int
	held    map[string]int
	waiting map[string][]*waiter     // none is empty
	used    map[string]time.Duration // half of it is forgotten every halfLife
	halved  time.Time
}

// halfLife is the time in which half of what a client has used is forgotten; less than leastUse is
// forgotten then. A request that waits is expected to use costOfByte for each of its bytes.
const (
	halfLife   = 30 * time.Second
	leastUse   = time.Millisecond
	costOfByte = time.Microsecond
)

// Patience is the longest wait of most requests for a place, and Busy the sentence of their refusal.
const (
	Patience = 20 * time.Second
	Busy     = "too many such requests are being answered; try again"
)

// A waiter is a request that waits; ready is closed when it has a place.
type waiter struct {
	ready chan struct{}
	cost  time.Duration
}

// NewSlots returns slots with a number of places.
func NewSlots(places int, patience time.Duration, busy string) *Slots {
	return &Slots{
		patience: patience, busy: busy, free: places,
		held: map[string]int{}, waiting: map[string][]*waiter{}, used: map[string]time.Duration{}, halved: time.Now(),
	}
}

// Take waits for a place for a request of size bytes, and returns an Unavailable fault if it gets
// none in time. The place is also released when the request of ctx is cut off.
func (s *Slots) Take(ctx context.Context, client string, size int64) (release func(), err error) {
	w := &waiter{make(chan struct{}), time.Duration(size) * costOfByte}
	s.mu.Lock()
	s.waiting[client] = append(s.waiting[client], w)
	s.grant()
	s.mu.Unlock()
	wait, stop := context.WithTimeout(ctx, s.patience)
	defer stop()
	select {
	case <-w.ready:
	case <-wait.Done():
		if s.leave(client, w) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return nil, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "%s", s.busy)
		}
	}
	begun := time.Now()
	return bounded.Held(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.forget()
		s.used[client] += time.Since(begun)
		s.free++
		if s.held[client]--; s.held[client] == 0 {
			delete(s.held, client)
		}
		s.grant()
	}), nil
}

// leave ends the wait of a request, and reports false if it has a place already.
func (s *Slots) leave(client string, w *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.waiting[client] {
		if other == w {
			s.drop(client, i)
			return true
		}
	}
	return false
}

// drop removes a waiter. It is called under mu.
func (s *Slots) drop(client string, i int) {
	list := s.waiting[client]
	if s.waiting[client] = append(list[:i:i], list[i+1:]...); len(list) == 1 {
		delete(s.waiting, client)
	}
}

// forget halves what clients have used when it is time. It is called under mu.
func (s *Slots) forget() {
	for ; time.Since(s.halved) >= halfLife && len(s.used) > 0; s.halved = s.halved.Add(halfLife) {
		for client, used := range s.used {
			if s.used[client] = used / 2; used/2 < leastUse {
				delete(s.used, client)
			}
		}
	}
	if len(s.used) == 0 {
		s.halved = time.Now()
	}
}

// grant gives places to those that wait. It is called under mu.
func (s *Slots) grant() {
	for s.free > 0 {
		next, least, cost := "", s.free, time.Duration(0)
		for client, list := range s.waiting {
			n, c := s.held[client], s.used[client]+list[0].cost
			if n < least || n == least && n < s.free && c < cost {
				next, least, cost = client, n, c
			}
		}
		if least == s.free {
			return
		}
		close(s.waiting[next][0].ready)
		s.drop(next, 0)
		s.free--
		s.held[next]++
	}
}
