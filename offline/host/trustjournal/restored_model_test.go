package trustjournal_test

import (
	"context"
	"crypto/ed25519"
	"math/rand/v2"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

// The model plays random schedules of a gateway and its devices: revocations, backups,
// restores, confirmations with the exports of any devices, later exports, new online keys,
// refreshes, imports, scans and restarts. The documents, the devices' rules, stores, exports
// and verdicts are the real ones. The gateway's rows are a set of entries, and its rule is
// that of tcode-gateway fsck: it repeats what exports show. It checks that
//
//   - no device calls a stamp valid that it has called revoked, or whose revocation it has
//     held, until a root says that what devices remember is void
//   - the restored gateway publishes every revocation of every export that it was given,
//     also after the confirmation
//   - every device can follow the gateway at any time

const (
	modelStamps  = 3 // in two shards
	modelDevices = 2
	modelSteps   = 40
)

// A mistake is a bug that the model must find.
type mistake string

const (
	noMistake     mistake = ""
	comparesNot   mistake = "a device does not compare a set with the one before"
	dropsMemory   mistake = "a new online key drops what devices remember"
	dropsShards   mistake = "a new online key drops shards before they are compared"
	oneExport     mistake = "the gateway reads one of several exports"
	refusesLater  mistake = "the gateway refuses exports after the confirmation"
	forgetsScans  mistake = "a root that forgets leaves what devices remember"
	reusesVersion mistake = "the gateway continues at the version of the backup"
)

var mistakes = []mistake{
	comparesNot, dropsMemory, dropsShards, oneExport, refusesLater, forgetsScans, reusesVersion,
}

// faulty is a store of a device with a mistake.
type faulty struct {
	trustbook.Store
	bug mistake
}

// Update implements [trustbook.Store].
func (f faulty) Update(
	ctx context.Context, change func(trustbook.Reader) (trustbook.Change, error),
) error {
	return f.Store.Update(ctx, func(r trustbook.Reader) (trustbook.Change, error) {
		c, err := change(r)
		reset := c.Clear&trustbook.PartDocuments != 0
		switch {
		case f.bug == comparesNot && c.Timestamp != nil:
			c.Remembered = nil
		case f.bug == dropsMemory && reset:
			c.Clear |= trustbook.PartRemembered
		case f.bug == dropsShards && reset:
			c.Clear |= trustbook.PartShards
		case f.bug == forgetsScans:
			c.Clear &^= trustbook.PartRemembered
		}
		return c, err
	})
}

// state is what a backup of the gateway has.
type state struct {
	revoked [modelStamps]bool
	version uint64
	roots   int
}

type modelDevice struct {
	disk *journal.Disk
	book *trustbook.Book
	seen [modelStamps]bool // shown or held as revoked, since the last root that forgets
	root int               // version of the last root that it has accepted
}

// A model is one schedule.

type model struct {
	t       *testing.T
	rng     *rand.Rand
	bug     mistake
	a       *trusttest.Authority
	hours   int // the clock
	now     state
	waits   bool // restored, and not confirmed
	backups []state
	exports []export
	given   [modelStamps]bool // in exports that the gateway was given
	forgets []int             // versions of roots that forget
	set     *trust.Update     // the newest that is published
	devices [modelDevices]*modelDevice
	stamps  [modelStamps][]byte // payloads
	counts  *[3]int             // valid stamps, restores, roots that forget
}

// An export is a device's file with what it shows.
type export struct {
	file    []byte
	version uint64
	online  trust.VerifierKey
	revoked [modelStamps]bool
}

func place(stamp int) (shard, entry uint16) { return uint16(stamp % 2), uint16(1000 * stamp) }

func newModel(t *testing.T, seed uint64, bug mistake, counts *[3]int) *model {
	m := &model{t: t, rng: rand.New(rand.NewPCG(seed, 0)), bug: bug, counts: counts}
	m.a = trusttest.New(t, "model")
	m.a.Shards[1] = new(statuslist.Shard)
	m.now.roots = 1
	m.backups = []state{m.now}
	signer := ed25519.NewKeyFromSeed(make([]byte, 32)) // the key of trusttest's bundle
	for i := range m.stamps {
		p := payload.Payload{
			Issuer: "ACME01", DocumentType: "DIP", IssuedAt: trusttest.Day0.Add(time.Hour),
			Reference: payload.Reference{byte(i)}, Status: payload.NewStatusIndex(place(i)),
		}
		must(t, p.Seal(signer))
		raw, err := p.Append(nil)
		must(t, err)
		m.stamps[i] = raw
	}
	m.publish()
	for i := range m.devices {
		d := &modelDevice{disk: new(journal.Disk), root: 1}
		m.devices[i] = d
		m.open(d)
		first, err := trust.Pin(m.a.Roots[:1], nil)
		must(t, err)
		must(t, d.book.Pin(t.Context(), first))
	}
	return m
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open starts a device's program again.
func (m *model) open(d *modelDevice) {
	store, err := trustjournal.OpenStore(m.t.Context(), func(context.Context) (journal.Journal, error) {
		return d.disk.Open()
	})
	must(m.t, err)
	d.book = trustbook.New(faulty{store, m.bug}, m.clock)
}

func (m *model) clock() time.Time {
	return trusttest.Day0.Add(time.Duration(m.hours) * time.Hour)
}

// publish publishes what the rows say.
func (m *model) publish() {
	if m.waits {
		return
	}
	m.hours++
	if m.now.version++; m.bug != reusesVersion {
		m.now.version = max(m.now.version, uint64(m.hours))
	}
	for i, revoked := range m.now.revoked {
		shard, entry := place(i)
		value := statuslist.None
		if revoked {
			value = statuslist.Revoked
		}
		m.a.Shards[shard].Set(entry, value)
	}
	u := m.a.Set(m.now.version, m.hours)
	m.set = &u
}
