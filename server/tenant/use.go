package tenant

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// lastUsedStep is the resolution of LastUsedAt.
	lastUsedStep = time.Minute
	// useEvery is the interval for writing the uses of keys, all in one transaction.
	useEvery = 10 * time.Second
	// maxUses bounds the keys whose uses wait for writing.
	maxUses = 10_000
)

// A KeyUse are the uses of a key that are not written yet.
type KeyUse struct {
	Prefix string
	At     time.Time // of the last one
	Count  int64
	From   string // network address of the last one that has a known one; "": none has
}

// keyUses are the uses of keys that are not written yet: a request does not wait for a
// write that only people read. A crash loses those of the last [useEvery].
type keyUses struct {
	mu sync.Mutex // guards m only; never held during a call to the store
	m  map[string]KeyUse
}

func (u *keyUses) note(add KeyUse) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.m == nil {
		u.m = make(map[string]KeyUse)
	}
	have, ok := u.m[add.Prefix]
	if !ok && len(u.m) >= maxUses {
		return
	}
	if ok {
		add.Count += have.Count
		add.From = cmp.Or(add.From, have.From)
		if have.At.After(add.At) {
			add.At = have.At
		}
	}
	u.m[add.Prefix] = add
}

// take returns the uses by prefix, so that two gateways never wait for each other in a
// deadlock.
func (u *keyUses) take() []KeyUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	var out []KeyUse
	for _, use := range u.m {
		out = append(out, use)
	}
	u.m = nil
	slices.SortFunc(out, func(a, b KeyUse) int { return cmp.Compare(a.Prefix, b.Prefix) })
	return out
}

// FlushUses writes the uses of API keys that [Service.AuthenticateFrom] has noted.
func (s *Service) FlushUses(ctx context.Context) error {
	used := s.used.take()
	if len(used) == 0 {
		return nil
	}
	err := s.store.TouchAPIKeys(ctx, used, lastUsedStep)
	if err != nil {
		for _, u := range used {
			s.used.note(u)
		}
	}
	return err
}
