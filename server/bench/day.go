package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tcode/server/platform/blob/blobtest"
	"tcode/server/platform/keyring"
	"tcode/server/store/storetest"
)

// A dayRow is one day of several gateways on one PostgreSQL database, played in less time,
// with faults.
type dayRow struct {
	Gateways    int     `json:"gateways"`
	Files       string  `json:"files"` // in a folder that they share, or on S3
	Seconds     float64 `json:"seconds"`
	Stamps      int     `json:"stamps"`      // acknowledged, as all counts here
	Revocations int     `json:"revocations"` //
	Scans       int     `json:"scans"`       // synced
	LookUps     int     `json:"lookUps"`
	Events      int     `json:"events"`  // that the receiver of webhooks got
	Refused     int     `json:"refused"` // requests that no try got done

	Kills   int `json:"kills"`
	Freezes int `json:"freezes"`
	Cuts    int `json:"cuts"` // of all sessions of the database

	Lost     int    `json:"lost"`     // stamps, revocations, scans and events
	Doubled  int    `json:"doubled"`  // stamps, entries and scans
	Problems string `json:"problems"` // the last line of fsck

	P50       map[string]float64 `json:"p50Ms"`           // by request
	P99       map[string]float64 `json:"p99Ms"`           //
	Worst     map[string]float64 `json:"worstSeconds"`    // from the first try to the answer
	Frozen    map[string]float64 `json:"frozenSeconds"`   // the worst at other gateways while one was frozen
	Published float64            `json:"publishedMs"`     // p99, from the answer to a revocation to its publication
	Killed    float64            `json:"publishedKilled"` // seconds, the worst of those that a kill concerned
	EventWait float64            `json:"eventSeconds"`    // the worst, from the answer to a revocation to its event
}

// kinds of requests that a day has.
const (
	kindStamp  = "stamp"
	kindRevoke = "revoke"
	kindSync   = "sync"
	kindLookUp = "look-up"
)

// A day is a run of the load with faults.
type day struct {
	h       *host
	o       options
	dir     string // of the first gateway, with the address of the database
	key     string
	gates   []*gate
	hook    *httptest.Server
	stop    func()          // ends the load
	loading context.Context //nolint:containedctx // it lives as long as the load

	watching sync.WaitGroup // for publications

	mu       sync.Mutex // guards all below
	stamps   map[string]*made
	active   []*made // that may be revoked
	revoked  []*made
	scans    map[string]bool
	events   map[string]time.Time // first arrival of stamp.revoked, by stamp
	waits    map[string][]wait
	faults   []faultSpan
	refused  int
	problems []error
}

// A made is an acknowledged stamp.
type made struct {
	externalID, id, reference string
	revokedAt, published      time.Time
}

// A wait is the time of a request until its answer, with all its tries.
type wait struct {
	begin time.Time
	took  time.Duration
}

// A faultSpan is a fault while it lasts.
type faultSpan struct {
	kind       string
	begin, end time.Time
}

// playDay measures a day.
func playDay(ctx context.Context, o options, tell func(string, ...any)) (r dayRow, err error) {
	err = with(ctx, func(h *host) error {
		d := &day{h: h, o: o, dir: h.TempDir(), stamps: map[string]*made{}, scans: map[string]bool{}, events: map[string]time.Time{}, waits: map[string][]wait{}}
		if err := d.begin(); err != nil {
			return err
		}
		tell("%d gateways serve", len(d.gates))
		var group sync.WaitGroup
		began := time.Now()
		for name, client := range map[string]func(context.Context, *rand.Rand) error{
			kindStamp: d.stampOne, kindRevoke: d.revokeOne, kindSync: d.syncSome, kindLookUp: d.lookUpOne,
		} {
			for i := range clients[name] {
				group.Go(func() { d.loop(name, i, client) })
			}
		}
		d.play(tell)
		d.stop()
		group.Wait()
		d.watching.Wait()
		r.Seconds = time.Since(began).Seconds()
		return d.judge(&r)
	})
	return r, err
}

// clients is the number of clients of each kind, which all have the same pace.
var clients = map[string]int{kindStamp: 4, kindRevoke: 1, kindSync: 2, kindLookUp: 3}

// begin starts everything.
func (d *day) begin() error {
	storetest.Begin(d.h, storetest.Postgres, d.dir)
	program, err := buildGateway(d.h)
	if err != nil {
		return err
	}
	if d.key, err = bulkTenant(d.h, d.dir); err != nil {
		return err
	}
	d.hook = httptest.NewServer(http.HandlerFunc(d.receive))
	d.h.Cleanup(d.hook.Close)
	database := storetest.Database(d.h, d.dir).DatabaseURL
	bucket, keyset := "", ""
	if d.o.files == filesS3 {
		bucket = blobtest.S3(d.h).URL
		raw, err := os.ReadFile(filepath.Join(d.dir, keyring.FileName))
		if err != nil {
			return err
		}
		keyset = string(raw)
	}
	hook := exec.CommandContext(d.h.ctx, program, "webhook", "create", "--tenant", tenantRef, "--url", d.hook.URL, "--webhooks-allow-private", "--data", d.dir, "--database-url", database) //nolint:gosec // built by us
	if said, err := hook.CombinedOutput(); err != nil {
		return fmt.Errorf("make a webhook: %w: %s", err, said)
	}
	for n := range d.o.gateways {
		g := &gate{
			name: fmt.Sprint("gateway ", n+1), program: program, data: d.dir, database: database, bucket: bucket, keyset: keyset,
			cache: cmp.Or(os.Getenv("TCODE_CACHE"), filepath.Join(d.dir, "cache")),
		}
		if bucket != "" && n > 0 {
			g.data = d.h.TempDir()
		}
		if bucket != "" && n == 0 { // the database was made with a folder that has no files yet
			adopt := exec.CommandContext(d.h.ctx, program, "fsck", "--adopt-files", "--data", d.dir, "--database-url", database) //nolint:gosec // built by us
			adopt.Env = g.env()
			if said, err := adopt.CombinedOutput(); err != nil {
				return fmt.Errorf("adopt the bucket: %w: %s", err, said)
			}
		}
		d.h.Cleanup(g.end)
		if err := g.start(d.h.ctx); err != nil {
			return err
		}
		d.gates = append(d.gates, g)
	}
	d.loading, d.stop = context.WithCancel(d.h.ctx)
	d.h.Cleanup(d.stop)
	return nil
}

// pace returns the share of the mean rate at a part of the day, from 0 to 1: little at
// night, most at ten and at three.
func paceOf(part float64) float64 {
	byHour := []float64{.1, .1, .1, .1, .1, .2, .5, 1, 1.8, 2.3, 2.5, 2.2, 1.6, 1.8, 2.2, 2.4, 2, 1.4, .9, .6, .4, .3, .2, .1}
	return byHour[min(int(part*24), 23)]
}

// loop has a client work at its share of the rate until the day is over.
func (d *day) loop(name string, number int, do func(context.Context, *rand.Rand) error) {
	random := rand.New(rand.NewPCG(uint64(number), uint64(len(name)))) //nolint:gosec // for load, not for secrets
	all := 0
	for _, n := range clients {
		all += n
	}
	began := time.Now()
	for {
		part := time.Since(began).Seconds() / d.o.day.Seconds()
		pause := time.Duration(random.ExpFloat64() * float64(all) / d.o.rate / paceOf(part) * float64(time.Second))
		select {
		case <-d.loading.Done():
			return
		case <-time.After(min(pause, d.o.day/24)):
		}
		begin := time.Now()
		err := do(d.h.ctx, random) // to its end, also when the day is over
		d.mu.Lock()
		switch {
		case errors.Is(err, errNothing):
		case err != nil:
			d.refused++
			d.problems = append(d.problems, fmt.Errorf("%s: %w", name, err))
		default:
			d.waits[name] = append(d.waits[name], wait{begin, time.Since(begin)})
		}
		d.mu.Unlock()
	}
}

// errNothing means that there is nothing to do yet.
var errNothing = errors.New("nothing to do")

// receive is the receiver of webhooks.
func (d *day) receive(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	var event struct {
		Type string
		Data struct{ ID string }
	}
	if err != nil || json.Unmarshal(raw, &event) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.events[event.Data.ID]; event.Type == "stamp.revoked" && !known {
		d.events[event.Data.ID] = time.Now()
	}
	w.WriteHeader(http.StatusNoContent)
}

// print writes a table for people.
func (r dayRow) print(w io.Writer) {
	fmt.Fprintf(w, "%d gateways, files in %s, %.0f s: %d stamps, %d revocations, %d scans, %d look-ups, %d events; %d kills, %d freezes, %d cuts of all sessions\n",
		r.Gateways, r.Files, r.Seconds, r.Stamps, r.Revocations, r.Scans, r.LookUps, r.Events, r.Kills, r.Freezes, r.Cuts)
	fmt.Fprintf(w, "%s\n\nrequest\tp50 ms\tp99 ms\tworst s\tworst s at others, one frozen\t\n", strings.TrimSpace(r.Problems))
	for _, kind := range slices.Sorted(slices.Values([]string{kindStamp, kindRevoke, kindSync, kindLookUp})) {
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.1f\t%.1f\t\n", kind, r.P50[kind], r.P99[kind], r.Worst[kind], r.Frozen[kind])
	}
	fmt.Fprintln(w)
}
