package offline_test

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
)

// steps are the events of a schedule. Some appear more than once, to happen
// more often.
var steps = []struct {
	name string
	do   func(m *model)
}{
	{"awake", func(m *model) { m.now = m.now.Add(m.some(12 * time.Hour)) }},
	{"asleep", func(m *model) { m.sleep(m.some(10 * day)) }},
	{"to the edge", (*model).toTheEdge},
	{"start", (*model).restart},
	{"clock set", (*model).setClock},
	{"clock set", (*model).setClock},
	{"clock right", func(m *model) { m.clockBy = 0 }},
	{"scan", (*model).scan},
	{"scan", (*model).scan},
	{"publish", (*model).publish},
	{"refresh", (*model).refresh},
	{"refresh", (*model).refresh},
	{"slow refresh", (*model).slowRefresh},
	{"mirror", (*model).mirror},
	{"mirror", (*model).mirror},
	{"replay", (*model).replay},
	{"import", func(m *model) { m.take(m.IntN(len(m.docs))) }},
	{"receipt", (*model).receipt},
	{"old receipt", (*model).oldReceipt},
	{"gateway's clock", (*model).setGateway},
	{"operator", (*model).confirm},
}

func (m *model) sleep(d time.Duration) {
	m.now = m.now.Add(d)
	m.slept += d
}

// toTheEdge sets the time to when the held document is a day old, two seconds
// more or less.
func (m *model) toTheEdge() {
	edge := m.held().was.Add(day + time.Duration(m.Int64N(int64(4*time.Second))) - 2*time.Second)
	if edge.After(m.now) {
		m.now = edge
	}
}

// restart restarts the machine after a time without power. The real-time clock
// runs on, or shows any time, or has stopped.
func (m *model) restart() {
	m.now = m.now.Add(m.some(3 * day))
	m.start++
	m.started, m.slept = m.now, 0
	if m.IntN(3) == 0 {
		m.setClock()
	}
}

func (m *model) setClock() {
	switch m.IntN(4) {
	case 0:
		m.clockBy = time.Date(1973, 5, 1, 0, 0, 0, 0, time.UTC).Sub(m.now)
	case 1:
		m.clockBy = m.some(400 * day)
	case 2:
		m.clockBy = -m.some(400 * day)
	case 3: // to the date of the held document, as an attacker would
		m.clockBy = m.state.Timestamp.StatusAsOf.Add(m.some(day)).Sub(m.now)
	}
}

// scan records a document with the device's time.
func (m *model) scan() {
	t := m.tell()
	at := m.clock()
	if t.Basis == offline.Proven {
		at = t.Now
	}
	m.scans = append(m.scans, at)
	m.floors = append(m.floors, floor{at.Add(-trust.ClockTolerance), at})
}

// refresh is a refresh from the gateway, with the newest documents and a proof.
func (m *model) refresh() { m.ask(m.some(time.Minute), m.some(time.Minute)) }

// slowRefresh delays the question or the answer for a long time, and the device
// may sleep.
func (m *model) slowRefresh() { m.ask(m.some(10*time.Hour), m.some(10*time.Hour)) }

func (m *model) ask(there, back time.Duration) {
	if m.now.Sub(m.docs[len(m.docs)-1].was) > 30*time.Minute {
		m.publish()
	}
	m.take(len(m.docs) - 1)
	asked := m.boot()
	m.now = m.now.Add(there)
	said := m.utter(time.Second)
	if m.IntN(2) == 0 {
		m.sleep(back)
	} else {
		m.now = m.now.Add(back)
	}
	m.prove(asked, said, time.Second)
	if m.skew == 0 && there+back < trust.ClockTolerance {
		m.corrected()
	}
}

// corrected checks that an honest answer ends every wrong belief permanently:
// after the 10 minutes of tolerance also without the proof.
func (m *model) corrected() {
	if t := m.tell(); t.Basis != offline.Proven || !t.Known || t.Stale {
		m.fail("after an honest answer: %+v", t)
	}
	c := m.reading()
	c.Boot = offline.Boot{ID: "the next start", At: time.Second}
	c.Now = m.now.Add(trust.ClockTolerance + 2*time.Second)
	if t := offline.TimingBy(m.rules, c, &m.state, offline.Policy{}); t.Suspect || t.Stale {
		m.fail("after an honest answer and a start with a right clock: %+v", t)
	}
}

// mirror serves any document that was ever published, and no proof: it is a
// mirror that is behind, or an attacker.
func (m *model) mirror() {
	before := m.tell()
	version := m.state.Timestamp.Version
	i := m.IntN(len(m.docs))
	m.take(i)
	if m.bug == replayIsProof {
		m.proof = offline.Proof{Time: m.docs[i].issued, Boot: m.boot()}
	}
	after := m.tell()
	if m.state.Timestamp.Version == version && before.Stale && !after.Stale {
		m.fail("a replay made it fresh")
	}
	if before.Basis != offline.Proven && after.Basis == offline.Proven {
		m.fail("a mirror proved the time")
	}
}

// replay answers the question for the time with an answer to another one.
func (m *model) replay() {
	if len(m.kept) == 0 {
		return
	}
	before := m.tell()
	if m.bug == nonceUnchecked {
		m.prove(m.boot(), m.kept[m.IntN(len(m.kept))], time.Second)
	}
	if after := m.tell(); before.Stale && !after.Stale {
		m.fail("a replayed answer made it fresh")
	}
}

// receipt is the gateway's answer to a scan that the device sends now.
func (m *model) receipt() {
	m.scan()
	asked := m.boot()
	m.now = m.now.Add(m.some(time.Minute))
	said := m.utter(time.Millisecond)
	m.now = m.now.Add(m.some(time.Minute))
	m.prove(asked, said, time.Millisecond)
}

// oldReceipt is the answer to scans that were sent before and whose first answer an
// attacker has withheld. The device accepts it as a receipt, but not as a proof.
func (m *model) oldReceipt() {
	if len(m.kept) > 0 && m.bug == oldReceiptIsProof {
		m.prove(m.boot(), m.kept[m.IntN(len(m.kept))], time.Millisecond)
	}
}

// setGateway lets the gateway's clock run ahead for a while, and corrects it;
// then the gateway publishes again.
func (m *model) setGateway() {
	if m.skew != 0 {
		m.skew = 0
	} else if m.IntN(3) == 0 {
		m.skew = trust.ClockTolerance + time.Minute + m.some(400*day)
	}
	m.publish()
}

// confirm is the step of an operator who confirms a correct clock, on a device without a
// usable proof.
func (m *model) confirm() {
	if m.clockBy != 0 || m.tell().Basis == offline.Proven {
		return
	}
	if m.proof.Time.After(m.now.Add(trust.ClockTolerance)) {
		m.proof = offline.Proof{Time: m.now} // despite it
	}
	m.lower(m.now)
}

// TestModelAccepts compares the model's device with package trust on signed
// documents.
func TestModelAccepts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 1))
	rootKey, err := trust.NewSigner("model/root", testKey("model root"))
	if err != nil {
		t.Fatal(err)
	}
	online, err := trust.NewSigner("model/online", testKey("model online"))
	if err != nil {
		t.Fatal(err)
	}
	root := trust.Root{Version: 1, Expires: noon.Add(1e4 * day), Threshold: 1, Keys: []trust.VerifierKey{rootKey.Key()}, Online: online.Key()}
	fp, err := root.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	sign := func(d interface {
		Text(trust.Fingerprint) ([]byte, error)
	}, by *trust.Signer,
	) []byte {
		text, err := d.Text(fp)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := trust.SignNote(text, by)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	bundle := sign(trust.Bundle{Version: 1, Issued: noon, Expires: noon.Add(day)}, online)
	status := sign(trust.Status{Version: 1, Issued: noon, Expires: noon.Add(day), Delta: trust.DeltaRef{Since: 1}}, online)
	pinned, err := trust.Pin([][]byte{sign(root, rootKey)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		real, model := pinned, trust.State{}
		for range 8 {
			if r.IntN(3) == 0 && real.Timestamp != nil {
				at := noon.Add(time.Duration(r.IntN(100)-50) * time.Hour)
				real, _ = real.Proved(at)
				model, _ = model.Proved(at)
			} else {
				version, issued := uint64(1+r.IntN(20)), noon.Add(time.Duration(r.IntN(100)-50)*time.Hour)
				next, _, err := real.Apply(trust.Update{Timestamp: sign(trust.Timestamp{
					Version: version, StatusAsOf: issued, Expires: issued.Add(day),
					Bundle: trust.DocumentRef{Version: 1, SHA256: sha256.Sum256(bundle)}, Status: trust.DocumentRef{Version: 1, SHA256: sha256.Sum256(status)},
				}, online), Bundle: bundle, Status: status})
				if err == nil {
					real = next
				}
				model = accept(model, version, issued)
			}
			if real.Timestamp == nil {
				continue
			}
			if real.Timestamp.Version != model.Timestamp.Version || !real.Floor.Equal(model.Floor) || real.Ahead != model.Ahead {
				t.Fatalf("version %d, floor %v, ahead %d; the model says %d, %v, %d",
					real.Timestamp.Version, real.Floor, real.Ahead, model.Timestamp.Version, model.Floor, model.Ahead)
			}
		}
	}
}
