package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"tcode/server/store/storetest"
)

// The faults of a day, in turns.
const (
	faultKill   = "kill"
	faultFreeze = "freeze"
	faultCut    = "cut"
)

// frozenFor is longer than a session of the database may be idle in a transaction.
const frozenFor = 12 * time.Second

// play has the day pass with its faults, at even distances.
func (d *day) play(tell func(string, ...any)) {
	random := rand.New(rand.NewPCG(uint64(d.o.faults), 1)) //nolint:gosec // for load, not for secrets
	each := d.o.day / time.Duration(d.o.faults+1)
	end := time.Now().Add(d.o.day)
	for n := range d.o.faults {
		time.Sleep(each)
		g, kind := d.gates[random.IntN(len(d.gates))], []string{faultKill, faultFreeze, faultKill, faultCut}[n%4]
		tell("%s: %s", kind, g.name)
		span := faultSpan{kind: kind, begin: time.Now()}
		if err := d.fault(kind, g); err != nil {
			d.mu.Lock()
			d.problems = append(d.problems, err)
			d.mu.Unlock()
		}
		span.end = time.Now()
		d.mu.Lock()
		d.faults = append(d.faults, span)
		d.mu.Unlock()
	}
	time.Sleep(time.Until(end))
}

func (d *day) fault(kind string, g *gate) error {
	switch kind {
	case faultKill:
		g.kill()
		return g.start(d.h.ctx)
	case faultFreeze:
		url := g.address()
		g.signal(syscall.SIGSTOP)
		time.Sleep(time.Second) // until a load balancer notices
		g.balance("")
		time.Sleep(frozenFor - time.Second)
		g.signal(syscall.SIGCONT)
		time.Sleep(time.Second)
		g.balance(url)
		return nil
	}
	return with(d.h.ctx, func(h *host) error {
		_, err := storetest.Raw(h, d.dir).ExecContext(h.ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tcode-gateway'`)
		return err
	})
}

// judge compares what was acknowledged with what there is, once all events had time to
// arrive.
func (d *day) judge(r *dayRow) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && d.missingEvents() > 0; {
		time.Sleep(200 * time.Millisecond)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, err := range d.problems {
		if i == 10 {
			break
		}
		d.h.Error(err)
	}
	r.Files = d.o.files
	r.Gateways, r.Stamps, r.Revocations, r.Scans, r.Events, r.Refused = len(d.gates), len(d.stamps), len(d.revoked), len(d.scans), len(d.events), d.refused
	r.LookUps = len(d.waits[kindLookUp])
	for _, f := range d.faults {
		*map[string]*int{faultKill: &r.Kills, faultFreeze: &r.Freezes, faultCut: &r.Cuts}[f.kind]++
	}
	d.times(r)
	if err := d.compare(r); err != nil {
		return err
	}
	g := d.gates[0]
	check := exec.CommandContext(d.h.ctx, g.program, "fsck", "--data", g.data, "--database-url", g.database) //nolint:gosec // built by us
	check.Env = g.env()
	said, err := check.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	if r.Problems = lines[len(lines)-1]; err != nil {
		return fmt.Errorf("fsck: %w: %s", err, said)
	}
	return nil
}

func (d *day) missingEvents() (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.revoked {
		if d.events[m.id].IsZero() {
			n++
		}
	}
	return n
}

// compare counts what was lost or doubled.
func (d *day) compare(r *dayRow) error {
	return with(d.h.ctx, func(h *host) error {
		db := storetest.Raw(h, d.dir)
		texts := func(query string) (out []string, err error) {
			rows, err := db.QueryContext(h.ctx, query)
			if err != nil {
				return nil, err
			}
			defer rows.Close()
			for rows.Next() {
				var s string
				if err := rows.Scan(&s); err != nil {
					return nil, err
				}
				out = append(out, s)
			}
			return out, rows.Err()
		}
		stamps, err1 := texts(`SELECT external_id FROM stamps ORDER BY external_id`)
		revoked, err2 := texts(`SELECT s.id FROM stamps s JOIN status_entries e ON e.shard = s.shard AND e.entry = s.entry WHERE s.status = 'Revoked' AND e.value = 1 ORDER BY s.id`)
		scans, err3 := texts(`SELECT scan_id FROM scans ORDER BY scan_id`)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		var entries, rows, events int
		if err := db.QueryRowContext(h.ctx, `SELECT (SELECT count(*) FROM status_entries), (SELECT count(*) FROM stamps),
			(SELECT count(*) FROM stamp_events WHERE action = 'revoke')`).Scan(&entries, &rows, &events); err != nil {
			return err
		}
		doubled := func(of []string) int { return len(of) - len(slices.Compact(slices.Clone(of))) }
		r.Doubled = doubled(stamps) + doubled(scans) + max(entries-rows, rows-entries) + max(0, events-len(revoked))
		for id := range d.stamps {
			if _, ok := slices.BinarySearch(stamps, id); !ok {
				r.Lost++
			}
		}
		for _, m := range d.revoked {
			if _, ok := slices.BinarySearch(revoked, m.id); !ok || d.events[m.id].IsZero() {
				r.Lost++
			}
		}
		for id := range d.scans {
			if _, ok := slices.BinarySearch(scans, id); !ok {
				r.Lost++
			}
		}
		return nil
	})
}

// times fills in how long requests, publication and events took.
func (d *day) times(r *dayRow) {
	r.P50, r.P99, r.Worst, r.Frozen = map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
	during := func(at time.Time, took time.Duration, kind string) bool {
		return slices.ContainsFunc(d.faults, func(f faultSpan) bool {
			return f.kind == kind && at.Before(f.end) && at.Add(took).After(f.begin)
		})
	}
	for kind, waits := range d.waits {
		var all []time.Duration
		for _, w := range waits {
			all = append(all, w.took)
			// A request that began before the load balancer noticed may have been sent to the frozen one.
			if during(w.begin.Add(-2*time.Second), 0, faultFreeze) && during(w.begin, w.took, faultFreeze) {
				r.Frozen[kind] = max(r.Frozen[kind], w.took.Seconds())
			}
		}
		slices.SortFunc(all, cmp.Compare)
		if len(all) > 0 {
			r.P50[kind], r.P99[kind], r.Worst[kind] = micros(all[len(all)/2])/1000, p99(all), all[len(all)-1].Seconds()
		}
	}
	var published []time.Duration
	for _, m := range d.revoked {
		if took := m.published.Sub(m.revokedAt); !m.published.IsZero() {
			published = append(published, took)
			if during(m.revokedAt, took, faultKill) {
				r.Killed = max(r.Killed, took.Seconds())
			}
		}
		if at := d.events[m.id]; !at.IsZero() {
			r.EventWait = max(r.EventWait, at.Sub(m.revokedAt).Seconds())
		}
	}
	r.Published = p99(published)
}

// The bars of a day.
const (
	mostFrozen    = 8    // seconds
	mostEventWait = 20   // seconds
	mostPublished = 1000 // ms
)

func dayBars(r *dayRow) (out []bar) {
	if r == nil {
		return nil
	}
	frozen := max(r.Frozen[kindStamp], r.Frozen[kindRevoke])
	return []bar{
		judged(bar{Name: "a day: acknowledged and lost", Value: float64(r.Lost), Bar: 0.5, Most: true}),
		judged(bar{Name: "a day: doubled", Value: float64(r.Doubled), Bar: 0.5, Most: true}),
		judged(bar{Name: "a day: requests that no try got done", Value: float64(r.Refused), Bar: 0.5, Most: true}),
		judged(bar{Name: "a day: stamp or revocation while another gateway is frozen, worst, s", Value: frozen, Bar: mostFrozen, Most: true}),
		judged(bar{Name: "a day: revocation to event, worst, s", Value: r.EventWait, Bar: mostEventWait, Most: true}),
		judged(bar{Name: "a day: revocation to publication, p99, ms", Value: r.Published, Bar: mostPublished, Most: true}),
		judged(bar{Name: "a day: revocation to publication, worst that a kill concerned, s", Value: r.Killed}),
	}
}
