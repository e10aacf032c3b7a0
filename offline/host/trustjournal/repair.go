package trustjournal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
)

// repair replaces a damaged journal by what is safe to keep of it, in one commit.
func (s *store) repair(ctx context.Context, reason string, now func() time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return errClosed // the caller has just read it
	}
	s.now = nil
	changes := map[string][]byte{} // first all records are deleted
	x := trustbook.Salvaged{Roots: map[int][]byte{}}
	err := s.held.Load(ctx, func(key string, value []byte) error {
		changes[key] = nil
		salvage(&x, key, append([]byte{}, value...))
		return nil
	})
	if err != nil {
		return err
	}
	kept := recorder{} // the Book works on an empty journal
	book := trustbook.New(&store{open: func(context.Context) (journal.Journal, error) { return kept, nil }}, now)
	if err := book.Restore(ctx, x, "the trust documents were damaged: refresh or import them ("+reason+")"); err != nil {
		return err
	}
	maps.Copy(changes, kept)
	err = s.held.Commit(ctx, changes)
	if errors.Is(err, journal.ErrFull) {
		c := newContent()
		for key, value := range kept {
			if err := c.put(key, value); err != nil {
				return err
			}
		}
		s.now, s.owed = c, changes
		return c.check()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("commit: %w", err), s.drop())
	}
	return nil
}

// salvage adds a record to x if it is safe to keep.
func salvage(x *trustbook.Salvaged, key string, value []byte) {
	kind, name, _ := strings.Cut(key, "/")
	switch kind + "/" {
	case rootPrefix:
		if n, err := strconv.Atoi(name); err == nil && n > 0 && len(value) <= trust.MaxRootLen {
			x.Roots[n] = value
		}
	case revokedPrefix:
		if core, ok := parseHash(name); ok {
			x.Remembered = append(x.Remembered, core)
		}
	case keyFacts + "/":
		if gateway := gatewayOf(value[:min(len(value), limits[keyFacts])]); gateway != "" {
			x.Gateway = gateway
		}
	}
}

// A recorder is an empty journal that collects what is committed.
type recorder map[string][]byte

func (r recorder) Load(context.Context, func(string, []byte) error) error { return nil }

func (r recorder) Commit(_ context.Context, changes map[string][]byte) error {
	maps.Copy(r, changes)
	return nil
}

func (r recorder) Lock(context.Context) (func() error, error) {
	return func() error { return nil }, nil
}

func (r recorder) Close() error { return nil }
