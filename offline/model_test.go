package offline_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
)

// The model knows the true time. It plays random schedules on a device that has
// the real clock rule and the real correction of a trust state, and checks the
// device's answers about freshness against the truth:
//
//	proven:       nothing older than 24 hours is fresh
//	device_clock: nothing is fresh with the clock below a floor, nor by a replay
//
// One honest answer of the gateway must also end every wrong belief permanently.

// TestClockModel plays TCODE_CLOCK_SCHEDULES schedules; the published figure is
// for 1,000,000.
func TestClockModel(t *testing.T) {
	t.Parallel()
	n := 20_000
	if v := os.Getenv("TCODE_CLOCK_SCHEDULES"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	if raceEnabled {
		n /= 10
	}
	var fresh [2]atomic.Int64
	if wrong := play(n, noBug, &fresh); wrong != "" {
		t.Fatal(wrong)
	}
	t.Logf("%d schedules: fresh %d times by a proof, %d times by the device's clock", n, fresh[0].Load(), fresh[1].Load())
	if fresh[0].Load() < int64(n) || fresh[1].Load() < int64(n)/2 {
		t.Error("the schedules hardly ever get to a fresh answer: they say nothing")
	}
}

// TestClockModelFindsBugs inserts one mistake at a time.
func TestClockModelFindsBugs(t *testing.T) {
	t.Parallel()
	n := 20_000
	for b := noBug + 1; b < bugs; b++ {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			wrong := play(n, b, new([2]atomic.Int64))
			if wrong == "" {
				t.Error("not found")
			}
			t.Log(wrong)
		})
	}
}

// A bug is a mistake in the device.
type bug int

const (
	noBug bug = iota
	replayIsProof
	countsFromAnswer
	sleepNotCounted
	startIgnored
	nonceUnchecked
	oldReceiptIsProof
	digitNotAdded
	floorsStay
	markForgotten
	documentNoFloor
	proofNoFloor
	scanNoFloor
	bugs
)

func (b bug) String() string {
	return [...]string{
		"none", "a fetched timestamp is a proof", "a proof counts from the answer on", "the boot-time clock stands still asleep",
		"a proof outlives a start", "any nonce will do", "a receipt for scans sent before is a proof", "the last digit of the time is not added",
		"a proof lowers no floor", "a document dated ahead is forgotten", "documents are no floor", "an old proof is no floor", "scans are no floor",
	}[b]
}

// rules returns the table, with the bug if it is one of the table.
func (b bug) rules() []offline.Rule {
	rules := offline.ClockRules()
	believe := func(reading offline.Reading) {
		offline.ChangeRule(rules, offline.NewRule(offline.NoProof, reading, offline.ByClock, offline.DeviceClock, false, true))
		offline.ChangeRule(rules, offline.NewRule(offline.OldProof, reading, offline.ByClock, offline.DeviceClock, false, true))
	}
	switch b {
	case documentNoFloor:
		believe(offline.ClockBelowDocument)
	case proofNoFloor:
		believe(offline.ClockBelowProof)
	case scanNoFloor:
		believe(offline.ClockBelowScan)
	}
	return rules
}

// play runs n schedules on all processors and returns the first failure.
func play(n int, b bug, fresh *[2]atomic.Int64) string {
	var next atomic.Int64
	var mu sync.Mutex
	var wrong string
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				seed := next.Add(1)
				mu.Lock()
				stop := wrong != ""
				mu.Unlock()
				if stop || seed > int64(n) {
					return
				}
				m := newModel(uint64(seed), b)
				m.run()
				fresh[0].Add(int64(m.fresh[0]))
				fresh[1].Add(int64(m.fresh[1]))
				if m.wrong != "" {
					mu.Lock()
					wrong = fmt.Sprintf("schedule %d: %s", seed, m.wrong)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return wrong
}

// A publication is one timestamp document with the true time of its publication.
type publication struct {
	version     uint64
	issued, was time.Time
	// ahead: a clock that ran ahead gave its date; shown: a proof has shown
	// that to the device while it held the document.
	ahead, shown bool
}

// model is the world and one device in it.
type model struct {
	*rand.Rand
	bug   bug
	rules []offline.Rule

	now     time.Time     // the true time
	skew    time.Duration // of the gateway's clock, 0 or far ahead
	docs    []publication
	kept    []time.Time // signed times that an eavesdropper has stored
	clockBy time.Duration
	start   int       // number of starts of the machine
	started time.Time // time of the last start
	slept   time.Duration

	// These are the device's fields.
	state trust.State
	proof offline.Proof
	scans []time.Time // that count

	// The model checks the device against the floors that no proof has contradicted.
	floors []floor

	fresh [2]int
	trail []moment
	wrong string
}

// A floor is the earliest time that a clock may show, and the date it comes from.
type floor struct{ at, date time.Time }

// A moment is a step of a schedule.
type moment struct {
	step       string
	now, clock time.Time
}

func newModel(seed uint64, b bug) *model {
	m := &model{Rand: rand.New(rand.NewPCG(seed, 15)), bug: b, rules: b.rules(), now: noon}
	m.started = m.now
	m.publish()
	m.state = trust.State{Root: trust.Root{Expires: noon.Add(1e5 * day)}}
	m.take(0)
	return m
}

func (m *model) fail(format string, args ...any) {
	if m.wrong != "" {
		return
	}
	m.wrong = fmt.Sprintf(format, args...)
	for _, s := range m.trail {
		m.wrong += fmt.Sprintf("\n  %s: true %s, clock %s", s.step, s.now.Format(time.DateTime), s.clock.Format(time.DateTime))
	}
}

func (m *model) clock() time.Time { return m.now.Add(m.clockBy) }

// boot returns the boot-time clock as the device reads it.
func (m *model) boot() offline.Boot {
	at := m.now.Sub(m.started)
	if m.bug == sleepNotCounted {
		at -= m.slept
	}
	return offline.Boot{ID: strconv.Itoa(m.start), At: at}
}

func (m *model) reading() offline.Clock {
	c := offline.Clock{Now: m.clock(), Proof: m.proof, Boot: m.boot()}
	if m.bug == startIgnored {
		c.Boot.ID = m.proof.Boot.ID
	}
	for _, s := range m.scans {
		if s.After(c.NewestScan) {
			c.NewestScan = s
		}
	}
	return c
}

func (m *model) tell() offline.Timing {
	return offline.TimingBy(m.rules, m.reading(), &m.state, offline.Policy{})
}

// some returns a random duration below limit, often a small one.
func (m *model) some(limit time.Duration) time.Duration {
	return time.Duration(m.Int64N(int64(limit) >> (3 * m.IntN(4))))
}

func (m *model) run() {
	for range 6 + m.IntN(20) {
		step := steps[m.IntN(len(steps))]
		m.trail = append(m.trail, moment{step.name, m.now, m.clock()})
		step.do(m)
		m.check()
		if m.wrong != "" {
			return
		}
	}
}

// check checks both sentences.
func (m *model) check() {
	t := m.tell()
	if t.Stale {
		return
	}
	held := m.held()
	if t.Basis == offline.Proven {
		m.fresh[0]++
		if age := m.now.Sub(held.was); age > day && (!held.ahead || held.shown) {
			m.fail("proven fresh after %v", age)
		}
		return
	}
	m.fresh[1]++
	for _, f := range m.floors {
		if m.clock().Before(f.at) {
			m.fail("fresh by a clock below the floor of %s", f.at.Format(time.DateTime))
		}
	}
	if age := m.clock().Sub(held.issued); age > day {
		m.fail("fresh after %v by the device's clock", age)
	}
}

// held returns the publication that the device holds.
func (m *model) held() *publication {
	for i := range m.docs {
		if m.docs[i].version == m.state.Timestamp.Version {
			return &m.docs[i]
		}
	}
	return nil
}

// gatewayClock returns the gateway's time.
func (m *model) gatewayClock() time.Time { return m.now.Add(m.skew) }

func (m *model) publish() {
	issued := m.gatewayClock().Truncate(time.Second)
	version := uint64(issued.Unix())
	if n := len(m.docs); n > 0 {
		version = max(version, m.docs[n-1].version+1)
	}
	m.docs = append(m.docs, publication{version: version, issued: issued, was: m.now, ahead: m.skew > 0})
}

// take gives the device publication i: it applies the rules of package trust for
// versions, floors and marks. TestModelAccepts compares it with that package.
func (m *model) take(i int) {
	d := m.docs[i]
	m.state = accept(m.state, d.version, d.issued)
	if m.state.Timestamp.Version == d.version {
		if m.state.Ahead < d.version {
			m.floors = append(m.floors, floor{d.issued, d.issued})
		}
	}
}

// accept returns the result of [trust.State.Apply] for a timestamp.
func accept(s trust.State, version uint64, issued time.Time) trust.State {
	if s.Timestamp != nil && version <= s.Timestamp.Version {
		return s
	}
	expires := noon.Add(1e5 * day)
	s.Bundle, s.Status = &trust.Bundle{Expires: expires}, &trust.Status{Expires: expires}
	s.Timestamp = &trust.Timestamp{Version: version, StatusAsOf: issued, Expires: issued.Add(day)}
	if s.Dated() && s.Floor.Before(issued) {
		s.Floor = issued
	}
	return s
}

// utter signs the gateway's time, in steps of unit, and an eavesdropper stores it.
func (m *model) utter(unit time.Duration) time.Time {
	said := m.gatewayClock().Truncate(unit)
	m.kept = append(m.kept, said)
	return said
}

// prove handles an answer as the device does. honest says that the gateway gave
// it to this question.
func (m *model) prove(asked offline.Boot, said time.Time, unit time.Duration) {
	answered := m.boot()
	if m.bug == countsFromAnswer {
		asked = answered
	}
	if m.bug == digitNotAdded {
		unit = 0
	}
	p, ok := offline.NewProof(asked, answered, said, unit)
	if !ok {
		return
	}
	m.proof = p
	m.lower(p.Time)
	m.floors = append(m.floors, floor{said, said})
}

// lower corrects the dates that contradict the time at.
func (m *model) lower(at time.Time) {
	most := at.Add(trust.ClockTolerance)
	m.floors = slices.DeleteFunc(m.floors, func(f floor) bool { return f.date.After(most) })
	if d := m.held(); d.issued.After(most) {
		d.shown = true
	}
	if m.bug == floorsStay {
		return
	}
	ahead := m.state.Ahead
	m.state, _ = m.state.Proved(at)
	if m.bug == markForgotten {
		m.state.Ahead = ahead
	}
	m.scans = slices.DeleteFunc(m.scans, func(at time.Time) bool { return at.After(most) })
}
