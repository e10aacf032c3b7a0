package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"tcode/offline/contain"
	"tcode/server/platform/hold"
)

// Serve is the work of a work process: it does the work that its gateway orders on in, and
// reports on out. It returns when in ends, or ends the process if it works then: the gateway
// is gone.
func Serve(ctx context.Context, in io.Reader, out io.Writer, handlers []Handler) error {
	s := &server{out: json.NewEncoder(out), handlers: map[Kind]Handler{}, stops: map[int]func(){}}
	for _, h := range handlers {
		s.handlers[h.Kind] = h
	}
	s.say(report{Ready: true})
	for lines := json.NewDecoder(in); ; {
		var o order
		switch err := lines.Decode(&o); {
		case err != nil && s.works():
			os.Exit(1)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("orders of the gateway: %w", err)
		case o.Stop:
			s.stop(o.ID)
		default:
			s.begin(ctx, o)
		}
	}
}

// A server is a work process.
type server struct {
	handlers map[Kind]Handler

	mu    sync.Mutex // guards the rest
	out   *json.Encoder
	stops map[int]func() // of the works that go on
}

// say reports. Without a gateway the process ends soon.
func (s *server) say(r report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.out.Encode(r)
}

func (s *server) works() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.stops) > 0
}

func (s *server) stop(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.stops[id]; stop != nil {
		stop()
	}
}

// begin begins the work of one order.
func (s *server) begin(ctx context.Context, o order) {
	h, ok := s.handlers[o.Kind]
	if !ok {
		s.say(report{ID: o.ID, Done: true, Err: fmt.Sprintf("no handler for %q", o.Kind)})
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.stops[o.ID] = cancel
	s.mu.Unlock()
	item := func(item string) { s.say(report{ID: o.ID, Item: &item}) }
	item("")
	contain.StartThen("background", func() error { return h.Work(hold.Watched(ctx, o.Owner, o.Alone, item), o.Subject) }, func(err error) {
		cancel()
		s.mu.Lock()
		delete(s.stops, o.ID)
		s.mu.Unlock()
		r := report{ID: o.ID, Done: true}
		if err != nil {
			r.Err = err.Error()
		}
		s.say(r)
	})
}
