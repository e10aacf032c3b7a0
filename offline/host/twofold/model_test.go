package twofold_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"tcode/offline/host/journal"
	"tcode/offline/host/journal/journaltest"
	"tcode/offline/host/twofold"
)

// model is a pair, the records that it must have, and states of its copies from before.
type model struct {
	t     *testing.T
	r     *rand.Rand
	d     disks
	pair  *twofold.Pair
	state map[string][]byte // acknowledged
	doubt map[string][]byte // also allowed: the outcome of the last commit is not known

	oldLog  [2][]byte
	oldBase map[string][]byte
	fresh   bool // the copies are equal: one of them may be lost

	count map[string]int
}

func (m *model) reopen() {
	var report twofold.Report
	var err error
	for range 3 { // there may be no room
		if m.pair, report, err = m.d.open(m.t.Context()); err == nil {
			break
		}
		m.d.kill()
		m.d.log.Room(0)
		m.count["failed open"]++
	}
	if err != nil {
		m.t.Fatal(err)
	}
	got, err := journaltest.Records(m.t.Context(), m.pair)
	if err != nil {
		m.t.Fatal(err)
	}
	equal := func(want map[string][]byte) bool { return maps.EqualFunc(got, want, bytes.Equal) }
	if m.doubt != nil && equal(m.doubt) {
		m.state = m.doubt
	}
	if m.doubt = nil; !equal(m.state) {
		m.t.Fatalf("%s\nrecords %q\nwant    %q", report, got, m.state)
	}
	for _, f := range report.Copies {
		m.count[fmt.Sprint(f.Name, " ", f.State)]++
	}
	m.fresh = report.Count() == 2
}

// crash ends the process or the machine, and one copy may be lost then.
func (m *model) crash() {
	if m.r.IntN(3) == 0 {
		m.d.log.PowerCut(m.r)
	}
	m.d.kill()
	m.d.log.Room(0)
	m.d.base.Fail()
	if m.fresh {
		m.lose()
	}
	if m.r.IntN(6) == 0 { // the next process ends while it repairs
		m.d.log.Fail(m.r.IntN(6))
		m.d.base.Fail(append(make([]journal.Fault, m.r.IntN(3)), []journal.Fault{journal.FailAfter, journal.FailBefore, journal.Full}[m.r.IntN(3)])...)
		if _, _, err := m.d.open(m.t.Context()); err == nil {
			m.count["fault without effect"]++
		}
		m.d.kill()
		m.d.base.Fail()
	}
	if m.r.IntN(8) == 0 { // no room to repair
		m.d.base.Fail(journal.Full)
		files := m.d.log.Files()
		m.d.log.Room(int64(len(files[0]) + len(files[1]) + 1))
	}
	m.reopen()
}

func (m *model) lose() {
	switch m.r.IntN(10) {
	case 0:
		m.d.log.SetFiles([2][]byte{})
	case 1:
		m.d.base.Set(nil)
	case 2:
		if m.oldLog[0] != nil {
			m.d.log.SetFiles(m.oldLog)
		}
	case 3:
		if m.oldBase != nil {
			m.d.base.Set(m.oldBase)
		}
	case 4, 5:
		files := m.d.log.Files()
		for i := range files {
			if len(files[i]) > 0 {
				files[i][m.r.IntN(len(files[i]))] ^= 1 << m.r.IntN(8)
			}
		}
		m.d.log.SetFiles(files)
	case 6:
		all := m.d.base.Records()
		delete(all, "0")
		m.d.base.Set(all)
	default:
		return
	}
	m.count["copy lost"]++
}

func (m *model) step() {
	switch m.r.IntN(16) {
	case 0, 1, 2:
		m.crash()
	case 3:
		m.oldLog, m.oldBase = m.d.log.Files(), m.d.base.Records()
	case 4:
		m.d.log.Fail(m.r.IntN(6))
	case 5:
		m.d.base.Fail([]journal.Fault{journal.FailBefore, journal.FailAfter, journal.Full}[m.r.IntN(3)])
	case 6:
		files := m.d.log.Files()
		m.d.log.Room(int64(len(files[0])+len(files[1])) + int64(m.r.IntN(300)))
	case 7:
		m.d.log.Room(0)
	default:
		m.commit()
	}
}

func (m *model) commit() {
	changes := map[string][]byte{}
	for range 1 + m.r.IntN(3) {
		key := fmt.Sprint("k", m.r.IntN(9))
		changes[key] = fmt.Appendf(nil, "%d", m.r.Uint32())
		if m.r.IntN(3) == 0 {
			changes[key] = nil
		}
	}
	after := maps.Clone(m.state)
	for key, value := range changes {
		if after[key] = value; value == nil {
			delete(after, key)
		}
	}
	err := m.pair.Commit(m.t.Context(), changes)
	switch {
	case err == nil:
		m.state = after
		m.count["commit"]++
	case errors.Is(err, journal.ErrFull):
		m.count["full"]++
	default:
		m.count["failed"]++
		m.doubt = after
		m.crash()
	}
}

// TestScripts plays random commits, faults, ends of the process and of the machine, and the loss of one copy: each acknowledged commit is
// there afterwards, and each other one as a whole or not at all.
func TestScripts(t *testing.T) {
	scripts := uint64(1000)
	if testing.Short() {
		scripts = 100
	}
	twofold.SetBatch(60)
	defer twofold.SetBatch(1 << 20)
	count := map[string]int{}
	for seed := range scripts {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := &model{t: t, r: rand.New(rand.NewPCG(seed, 2)), state: map[string][]byte{}, count: count}
			m.reopen()
			for range 60 {
				m.step()
			}
			m.crash()
		})
	}
	for _, what := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%s: %d", what, count[what])
	}
	if len(count) < 11 {
		t.Error("the scripts reach too little")
	}
}
