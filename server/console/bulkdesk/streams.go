package bulkdesk

import "sync"

// The limits on open streams of events: of a user, of a tenant, and of a gateway. A user
// has a stream for each open page.
const (
	streamsOfUser   = 6
	streamsOfTenant = 30
	streamsInAll    = 200
)

// streams counts the open streams. It is safe for concurrent use.
type streams struct {
	mu      sync.Mutex // guards the rest
	all     int
	tenants map[string]int
	users   map[string]int
}

func newStreams() *streams {
	return &streams{tenants: map[string]int{}, users: map[string]int{}}
}

// enter counts a new stream until leave is called. ok is false if there are too many.
func (s *streams) enter(tenantRef, user string) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= streamsInAll || s.tenants[tenantRef] >= streamsOfTenant || s.users[user] >= streamsOfUser {
		return nil, false
	}
	s.add(tenantRef, user, 1)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.add(tenantRef, user, -1)
	}, true
}

// add changes the counts. It is called under mu.
func (s *streams) add(tenantRef, user string, n int) {
	s.all += n
	for key, m := range map[string]map[string]int{tenantRef: s.tenants, user: s.users} {
		if m[key] += n; m[key] == 0 {
			delete(m, key)
		}
	}
}
