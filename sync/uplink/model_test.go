package uplink_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
	"tcode/sync/transport/nethttp"
	"tcode/sync/uplink"
)

// scriptsEnv names the variable with the number of scripts; 20,000 is a long run.
const scriptsEnv = "TCODE_MODEL_SCRIPTS"

// firstEnv names the variable with the number of the first script; 0 without it.
const firstEnv = "TCODE_MODEL_FIRST"

// scriptsPerDevice is the number of scripts that a device plays one after the
// other, each with the outbox and the gateway of the last one.
const scriptsPerDevice = 4

// steps is the largest number of steps of a script before the faults stop.
const steps = 12

// A world is one device, its gateway and the network between them.
type world struct {
	clock  *clock
	place  place
	net    *network
	o      queue
	u      *uplink.Uplink
	events map[string]bool
	kept   int // rows of earlier scripts

	// These fields belong to the present script:
	rng    *rand.Rand
	scans  map[string]string // scan id -> kind
	items  int
	poison int // scans whose batch is refused, so that they wait
}

// spoil lets one of the next commits of a journal fail, sometimes.
func (w *world) spoil() {
	if w.place.fail == nil || w.net.healed || w.rng.IntN(3) > 0 {
		return
	}
	faults := make([]journal.Fault, w.rng.IntN(6)+1)
	faults[len(faults)-1] = []journal.Fault{journal.FailBefore, journal.FailAfter, journal.Full}[w.rng.IntN(3)]
	w.place.fail(faults...)
}

// heal ends the faults of the journal.
func (w *world) heal() {
	if w.place.fail != nil {
		w.place.fail()
	}
}

// reopen opens the outbox again if its last change failed.
func (w *world) reopen(t *testing.T, err error) bool {
	w.heal()
	if outbox.IsFull(err) {
		return true
	}
	if !errors.Is(err, outbox.ErrReopen) {
		return false
	}
	w.close(t)
	w.start(t)
	return true
}

// start starts the program. The outbox stays open over most crashes, because
// opening it takes as long as sending ten batches.
func (w *world) start(t *testing.T) {
	if w.o != nil && w.rng.IntN(4) == 0 {
		w.close(t)
	}
	var err error
	if w.o == nil {
		if w.o, err = w.place.open(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.u, err = uplink.New(uplink.Config{
		Outbox: w.o, Gateway: "http://gate.example/v1", Key: deviceKey, Online: online(onlineKey),
		Transport: nethttp.New(&http.Client{Transport: w.net}), MaxItems: w.items,
		Now: w.clock.now, Sleep: w.clock.sleep,
		Rand:  rand.New(rand.NewPCG(w.rng.Uint64(), 1)),
		NewID: func() string { return fmt.Sprintf("b-%x", w.rng.Uint64()) },
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) close(t *testing.T) {
	if err := w.o.Close(); err != nil {
		t.Fatal(err)
	}
	w.o = nil
}

func (w *world) record(t *testing.T) {
	var batch []*outbox.Scan
	var kinds []string
	for range 1 + w.rng.IntN(4) {
		k := []string{"ok", "ok", "ok", "ok", "ok", "bad", "poison"}[w.rng.IntN(7)]
		// The same paper is scanned again and again.
		batch = append(batch, scan(fmt.Sprintf("%s %d", k, w.rng.IntN(5)), w.clock.now()))
		kinds = append(kinds, k)
	}
	w.spoil()
	for err := w.o.Record(t.Context(), batch...); err != nil; err = w.o.Record(t.Context(), batch...) {
		if !w.reopen(t, err) {
			t.Fatal(err)
		}
	}
	w.heal()
	for i, s := range batch {
		w.scans[s.ScanID] = kinds[i]
		if kinds[i] == "poison" {
			w.poison++
		}
	}
}

// flush sends; a crash ends the program and starts it again.
func (w *world) flush(t *testing.T) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case crash:
			w.start(t)
		default:
			panic(r)
		}
	}()
	w.spoil()
	_, err := w.u.Flush(t.Context())
	if w.reopen(t, err) {
		return
	}
	if _, refused := errors.AsType[*uplink.RefusedError](err); err != nil && !refused &&
		!errors.Is(err, uplink.ErrUnreachable) && !errors.Is(err, uplink.ErrReceipt) {
		t.Fatalf("Flush = %v", err)
	}
}

// newWorld starts a new device.
func newWorld(t *testing.T, at place, bug mutation) *world {
	g := newGateway(t)
	c := &clock{at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	g.bug, g.now = bug, c.now
	return &world{clock: c, place: at, net: &network{g: g, clock: c}, events: map[string]bool{}}
}

// play plays one script and returns a failure, if there is one. The queue is
// empty before and after it.
func (w *world) play(t *testing.T, seed int) string {
	w.rng = rand.New(rand.NewPCG(uint64(seed), 7))
	w.net.rng, w.net.healed, w.net.old, w.net.g.cured = w.rng, false, nil, false
	w.scans, w.poison, w.net.g.effects = map[string]string{}, 0, map[string]int{}
	w.items = 1 + w.rng.IntN(8)
	w.start(t)
	for range 1 + w.rng.IntN(steps) {
		switch w.rng.IntN(5) {
		case 0, 1:
			w.record(t)
		case 2:
			w.confirm(t)
			w.clock.pass(time.Duration(w.rng.IntN(600)) * time.Second)
		default:
			w.flush(t)
		}
	}
	// The faults stop and time passes: everything must be sent.
	w.net.healed = true
	w.drain(t, w.poison)
	if msg := w.judge(t); msg != "" {
		return msg
	}
	// The gateway stops refusing batches too.
	w.net.g.cured, w.poison = true, 0
	w.drain(t, 0)
	for id, kind := range w.scans {
		if kind == "poison" {
			w.scans[id] = "ok"
		}
	}
	if msg := w.judge(t); msg != "" {
		return msg
	}
	w.kept += len(w.scans)
	return ""
}

// drain sends until at most waiting scans are left, for at most 3 hours. It
// lets every wait end first.
func (w *world) drain(t *testing.T, waiting int) {
	for range 30 {
		w.clock.pass(outbox.DefaultLease + uplink.MaxBackoff)
		w.flush(t)
		c, err := w.o.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		untold, err := w.o.Untold(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if c.Queued+c.Inflight == waiting && len(untold) == 0 {
			return
		}
	}
}

// judge checks the promises.
func (w *world) judge(t *testing.T) string {
	c, err := w.o.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Queued + c.Inflight + c.Done + c.Dead; n != w.kept+len(w.scans) {
		return fmt.Sprintf("%d rows for %d scans", n, w.kept+len(w.scans))
	}
	var all []outbox.Entry
	if len(w.scans) > 0 {
		all, err = w.o.History(t.Context(), outbox.Filter{Limit: len(w.scans)})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range all {
		id, effects := e.Scan.ScanID, w.net.g.effects[e.Scan.ScanID]
		k, known := w.scans[id]
		switch {
		case !known:
			return fmt.Sprintf("row %s was never scanned", id)
		case k == "ok" && effects != 1:
			return fmt.Sprintf("scan %s has %d effects and is %s", id, effects, e.State)
		case k == "ok" && (e.State != outbox.Done || e.ReceiptID == 0 || e.Result.Verdict != "valid"):
			return fmt.Sprintf("scan %s is %s, receipt %d", id, e.State, e.ReceiptID)
		case k == "poison" && (effects != 0 || e.State != outbox.Queued || e.Code == "" && w.place.fail == nil): // a fault may forget why it waits
			return fmt.Sprintf("poison scan %s has %d effects and is %s", id, effects, e.State)
		case k == "bad" && (effects != 0 || e.State != outbox.Dead || e.Code == ""):
			return fmt.Sprintf("%s scan %s has %d effects and is %s", k, id, effects, e.State)
		}
	}
	for id := range w.net.g.effects {
		if _, known := w.scans[id]; !known {
			return fmt.Sprintf("effect without a scan: %s", id)
		}
	}
	return w.judgeClock(t)
}

// setting returns the number in an environment variable, or otherwise.
func setting(t *testing.T, name string, otherwise int) int {
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// scripts returns the number of scripts: otherwise, or fewer in a short run.
func scripts(t *testing.T, otherwise int) int {
	if testing.Short() {
		otherwise = min(otherwise, 40)
	}
	return setting(t, scriptsEnv, otherwise)
}

// TestExactlyOnce plays random scripts of scans, waiting, sending, every fault
// of the network and crashes of the device. Each good scan has exactly one
// effect and is done; each bad one is dead with none; nothing is lost.
func TestExactlyOnce(t *testing.T) {
	for name, store := range stores {
		t.Run(name, func(t *testing.T) { exactlyOnce(t, store) })
	}
}

// exactlyOnce plays the scripts on outboxes in that store.
func exactlyOnce(t *testing.T, store func(*testing.T) place) {
	begin, workers := setting(t, firstEnv, 0), runtime.GOMAXPROCS(0)
	end := begin + scripts(t, 400)
	for worker := range workers {
		t.Run(strconv.Itoa(worker), func(t *testing.T) {
			t.Parallel()
			for first := begin + worker*scriptsPerDevice; first < end; first += workers * scriptsPerDevice {
				// On every other network other servers repeat the batch id,
				// which must not matter.
				bug := []mutation{"", forgedEcho}[first/scriptsPerDevice%2]
				seed, msg := playAll(t, store(t), first, min(first+scriptsPerDevice, end), bug)
				if msg != "" {
					t.Fatalf("script %d, on the device that began with %d: %s", seed, first, msg)
				}
			}
		})
	}
}

// playAll plays the scripts from first to before end on one device, by the
// clock of the device alone, up to the first failure.
func playAll(t *testing.T, at place, first, end int, bug mutation) (seed int, msg string) {
	w := newWorld(t, at, bug)
	defer func() {
		if w.o != nil {
			w.close(t)
		}
	}()
	for seed = first; seed < end && msg == ""; seed++ {
		msg = w.play(t, seed)
	}
	return seed - 1, msg
}

// bugs are the gateways that are wrong on purpose.
var bugs = []mutation{noDedupe, dedupeByPayload, ackBeforeCommit}

// TestModelNotices is the control: the model must detect a gateway or network
// that is wrong on purpose; otherwise TestExactlyOnce proves nothing.
func TestModelNotices(t *testing.T) {
	for name, store := range stores {
		for _, bug := range bugs {
			t.Run(name+" "+string(bug), func(t *testing.T) {
				t.Parallel()
				const limit = 200 // scripts
				if seed, msg := playAll(t, store(t), 0, limit, bug); msg != "" {
					t.Logf("script %d: %s", seed, msg)
					return
				}
				t.Errorf("not noticed in %d scripts", limit)
			})
		}
	}
}
