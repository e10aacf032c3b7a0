package verify

import (
	"sync"
	"time"

	"tcode/offline/payload"
)

// The bytes a day of scans of one stamp. An attacker has few documents, whatever addresses
// and device keys it has.
var stampBudgets = map[Standing]int64{Stranger: 4 << 20, Newcomer: 4 << 20, Proven: 8 << 20}

// lookUpBudget is the bytes a day of the history of one stamp from clients without a key, and
// lookUpSize the size of a line of it.
const (
	lookUpBudget = 1 << 20
	lookUpSize   = 256
)

// maxStampUses bounds the memory of a meter: beyond it the day begins again.
const maxStampUses = 100_000

// A stampUse is a stamp with the standing of the devices that scan it.
type stampUse struct {
	ref      payload.Reference
	standing Standing
}

// ofLookUps stands for the history in place of a standing.
const ofLookUps Standing = -1

// A stampMeter counts bytes by stamp, in memory: each gateway for itself, from its start. It
// is safe for concurrent use; the zero meter is ready.
type stampMeter struct {
	mu    sync.Mutex // guards the following fields
	since time.Time
	used  map[stampUse]int64
}

// left returns the bytes that a use has left today.
func (m *stampMeter) left(u stampUse, now time.Time) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Sub(m.since) >= claimsFor || now.Before(m.since) || len(m.used) > maxStampUses {
		m.since, m.used = now, map[stampUse]int64{}
	}
	limit, ok := stampBudgets[u.standing]
	if !ok {
		limit = lookUpBudget
	}
	return limit - m.used[u]
}

// add counts what was stored.
func (m *stampMeter) add(uses map[stampUse]int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for u, n := range uses {
		if n > 0 && m.used != nil {
			m.used[u] += n
		}
	}
}
