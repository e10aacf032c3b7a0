package trustjournal_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"testing"

	"tcode/offline"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
)

// step does one random thing.
func (m *model) step() (wrong string) {
	m.hours++
	d := m.devices[m.rng.IntN(modelDevices)]
	switch m.rng.IntN(16) {
	case 0, 1:
		if !m.waits {
			m.now.revoked[m.rng.IntN(modelStamps)] = true
			m.publish()
		}
	case 2:
		m.backups = append(m.backups, m.now)
	case 3:
		m.restore()
	case 4, 5:
		return m.confirm()
	case 6:
		m.rotate(m.rng.IntN(3) == 0)
	case 7, 8:
		return m.export(d)
	case 9:
		return m.imports(d)
	case 10:
		d.disk.Crash()
		m.open(d)
	case 11:
		return m.scan(d)
	default:
		return m.refresh(d)
	}
	return ""
}

// restore puts a backup back. It lacks later roots, and the online keys of those: the
// operator publishes them again, with one that names a new key.
func (m *model) restore() {
	m.counts[1]++
	m.now, m.waits = m.backups[m.rng.IntN(len(m.backups))], true
	m.given = m.now.revoked
	if m.now.roots < len(m.a.Roots) {
		m.rotate(false)
	}
}

// rotate changes the online key; forget says that what devices remember is void.
func (m *model) rotate(forget bool) {
	name := fmt.Sprint("online", len(m.a.Roots))
	if forget {
		m.counts[2]++
		m.a.Forget(name)
		m.forgets = append(m.forgets, len(m.a.Roots))
	} else {
		m.a.Rotate(name)
	}
	m.now.roots = len(m.a.Roots)
	m.publish()
}

// confirm gives the gateway the exports of some devices, before or after the confirmation.
// Those of an earlier online key do not count.
func (m *model) confirm() (wrong string) {
	read := 0
	for _, x := range m.exports {
		if m.rng.IntN(4) > 0 || x.online != m.a.Root.Online {
			continue
		}
		shown, err := m.shows(x.file)
		if err != nil {
			return fmt.Sprintf("an export is refused: %v", err)
		}
		later := !m.waits
		for i := range shown {
			m.given[i] = m.given[i] || x.revoked[i]
			if (m.bug != oneExport || read == 0) && (m.bug != refusesLater || !later) {
				m.now.revoked[i] = m.now.revoked[i] || shown[i]
			}
		}
		read++
	}
	m.waits = false
	m.publish()
	for i, revoked := range m.given {
		if revoked && !m.now.revoked[i] {
			return fmt.Sprintf("stamp %d is not revoked, although an export showed it", i)
		}
	}
	return ""
}

// shows reads an export as fsck does.
func (m *model) shows(file []byte) (revoked [modelStamps]bool, err error) {
	u, _, err := trustbook.ReadExport(bytes.NewReader(file))
	if err != nil {
		return revoked, err
	}
	state, err := trust.Load(trust.Saved{Roots: u.Roots})
	if err != nil {
		return revoked, err
	}
	u.Roots = nil
	if _, _, err = state.Apply(u); err != nil {
		return revoked, err
	}
	for i := range revoked {
		shard, entry := place(i)
		content, err := statuslist.Inflate(u.Shards[shard])
		if err != nil {
			return revoked, err
		}
		revoked[i] = content.Get(entry).Final()
	}
	return revoked, nil
}

func (m *model) snapshot(d *modelDevice) *trustbook.Snapshot {
	s, err := d.book.Snapshot(m.t.Context())
	must(m.t, err)
	return s
}

// export writes a device's documents to a file.
func (m *model) export(d *modelDevice) (wrong string) {
	s := m.snapshot(d)
	if !s.State().Complete() {
		return ""
	}
	x := export{version: s.State().Timestamp.Version, online: s.State().Root.Online}
	for i := range x.revoked {
		shard, entry := place(i)
		content, err := s.Shard(shard)
		must(m.t, err)
		x.revoked[i] = content.Get(entry).Final()
	}
	var b bytes.Buffer
	must(m.t, d.book.Export(m.t.Context(), &b))
	x.file = b.Bytes()
	m.exports = append(m.exports, x)
	return ""
}

// imports gives a device the export of another. What it refuses changes nothing.
func (m *model) imports(d *modelDevice) (wrong string) {
	if len(m.exports) == 0 {
		return ""
	}
	x := m.exports[m.rng.IntN(len(m.exports))]
	changes, err := d.book.Import(m.t.Context(), bytes.NewReader(x.file), nil)
	m.accepted(d)
	if err == nil && changes.Status {
		m.held(d, x.revoked)
	}
	return ""
}

// refresh fetches the roots, and then the newest set, and then perhaps judges all
// stamps.
func (m *model) refresh(d *modelDevice) (wrong string) {
	if m.waits {
		return ""
	}
	if _, err := d.book.Apply(m.t.Context(), trust.Update{Roots: m.a.Roots}); err != nil {
		return fmt.Sprintf("roots are refused: %v", err)
	}
	m.accepted(d)
	if _, err := d.book.Apply(m.t.Context(), *m.set); err != nil {
		return fmt.Sprintf("the newest set is refused: %v", err)
	}
	m.held(d, m.now.revoked)
	if m.rng.IntN(2) == 0 {
		return "" // what a device has held, but never judged, counts too
	}
	return m.scan(d)
}

// accepted notes the roots that a device has followed.
func (m *model) accepted(d *modelDevice) {
	now := len(m.snapshot(d).State().Roots)
	for _, version := range m.forgets {
		if d.root < version && version <= now {
			d.seen = [modelStamps]bool{}
		}
	}
	d.root = now
}

// held notes the revocations that a device holds.
func (m *model) held(d *modelDevice, revoked [modelStamps]bool) {
	for i := range revoked {
		d.seen[i] = d.seen[i] || revoked[i]
	}
}

// scan judges all stamps, as a program of a device does.
func (m *model) scan(d *modelDevice) (wrong string) {
	for i := range m.stamps {
		if wrong == "" {
			wrong = m.judge(d, i)
		}
	}
	return wrong
}

func (m *model) judge(d *modelDevice, i int) (wrong string) {
	v := offline.New(m.snapshot(d), offline.Policy{})
	r := v.Verify(offline.Clock{Now: m.clock()}, offline.Request{Payload: m.stamps[i]})
	if r.Remember {
		must(m.t, d.book.Remember(m.t.Context(), r.CoreHash))
	}
	switch {
	case r.Verdict == offline.Valid && d.seen[i]:
		return fmt.Sprintf("stamp %d is valid, and was revoked", i)
	case r.Verdict == offline.Valid:
		m.counts[0]++
	case r.Verdict == offline.Revoked && !d.seen[i]:
		return fmt.Sprintf("stamp %d is revoked, and a root has made that void", i)
	}
	return ""
}

// playRestores plays schedules from a seed on, and returns the first that goes wrong.
func playRestores(t *testing.T, from uint64, n int, bug mistake, counts *[3]int) (wrong string) {
	for seed := from; seed < from+uint64(n); seed++ {
		m := newModel(t, seed, bug, counts)
		for step := range modelSteps {
			if wrong := m.step(); wrong != "" {
				return fmt.Sprintf("schedule %d, step %d: %s", seed, step, wrong)
			}
		}
	}
	return ""
}

// TestRestoresModel plays TCODE_RESTORES schedules; the published figure is for 100,000.
func TestRestoresModel(t *testing.T) {
	t.Parallel()
	n := 40
	if v := os.Getenv("TCODE_RESTORES"); v != "" {
		var err error
		n, err = strconv.Atoi(v)
		must(t, err)
	}
	var counts [3]int
	if wrong := playRestores(t, 0, n, noMistake, &counts); wrong != "" {
		t.Fatal(wrong)
	}
	t.Logf("%d schedules: %d valid stamps, %d restores, %d roots that forget",
		n, counts[0], counts[1], counts[2])
	if counts[0] < n || counts[1] < n || counts[2] < n/10 {
		t.Error("the schedules hardly do anything: they say nothing")
	}
}

// TestRestoresModelFindsBugs makes one mistake at a time.
func TestRestoresModelFindsBugs(t *testing.T) {
	t.Parallel()
	for _, bug := range mistakes {
		t.Run(string(bug), func(t *testing.T) {
			t.Parallel()
			wrong := playRestores(t, 0, 300, bug, new([3]int))
			if wrong == "" {
				t.Error("300 schedules, and nothing was wrong")
			}
			t.Log(wrong)
		})
	}
}
