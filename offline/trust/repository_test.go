package trust_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

var day0 = time.Date(2026, 1, 10, 8, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// testKey returns a private key derived from a name.
func testKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("trust test key " + name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func signer(t testing.TB, name string) *trust.Signer {
	t.Helper()
	s, err := trust.NewSigner("gateway.example/"+name, testKey(name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A repository is a gateway in memory: change its fields, then publish.
type repository struct {
	t        testing.TB
	fp       trust.Fingerprint
	root     trust.Root
	rootKeys []*trust.Signer // signers of the next root
	online   *trust.Signer
	roots    [][]byte

	bundle    trust.Bundle
	status    trust.Status
	timestamp trust.Timestamp
	shards    []*statuslist.Shard
	delta     trust.Delta

	rawBundle, rawStatus, rawTimestamp []byte
}

// newRepository has two of three root keys, two tenants, two shards, and
// publishes everything as version 10.
func newRepository(t testing.TB) *repository {
	t.Helper()
	r := &repository{
		t:        t,
		rootKeys: []*trust.Signer{signer(t, "root-a"), signer(t, "root-b"), signer(t, "root-c")},
		online:   signer(t, "online"),
		shards:   []*statuslist.Shard{{}, {}},
	}
	r.shards[0].Set(7, statuslist.Revoked)
	r.root = trust.Root{Version: 1, Expires: day0.Add(365 * day), Threshold: 2, Online: r.online.Key()}
	r.setRootKeys(r.rootKeys...)
	fp, err := r.root.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	r.fp = fp
	r.roots = [][]byte{r.signRoot(r.rootKeys...)}
	r.bundle = trust.Bundle{
		Version: 10, Issued: day0, Expires: day0.Add(7 * day),
		Tenants: []trust.Tenant{
			{Reference: "ACME01", Name: "Acme Ltd", State: trust.TenantActive},
			{Reference: "UNIGE1", Name: "Université de Genève", State: trust.TenantSuspended},
		},
		Keys: []trust.Key{
			{Tenant: "ACME01", Seq: 0, Public: publicKey(t, "acme 0"), State: trust.KeyVerifying, ValidUntil: day0},
			{Tenant: "ACME01", Seq: 1, Public: publicKey(t, "acme 1"), State: trust.KeySigning, ValidFrom: day0},
			{Tenant: "UNIGE1", Seq: 0, Public: publicKey(t, "unige 0"), State: trust.KeyCompromised, CompromisedSince: day0, SurvivorList: fmt.Sprintf("%x", sha256.Sum256(nil))},
		},
		DocumentTypes: []trust.DocumentType{{
			Code:        "DIP",
			Names:       map[string]string{"en": "Diploma", "fa": "دانش\u200cنامه"},
			FieldLabels: map[string]map[string]string{"holder": {"en": "Holder", "de-CH": "Inhaber: \\o/"}},
		}},
	}
	r.status = trust.Status{Version: 10, Issued: day0, Expires: day0.Add(7 * day), Delta: trust.DeltaRef{Since: 9}}
	r.delta = trust.Delta{{Shard: 0, Entry: 7, Value: statuslist.Revoked}}
	r.timestamp = trust.Timestamp{Version: 10, StatusAsOf: day0, Expires: day0.Add(day)}
	r.publish()
	return r
}

func publicKey(t testing.TB, name string) payload.PublicKey {
	t.Helper()
	k, err := payload.KeyOf(testKey(name).Public())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (r *repository) setRootKeys(keys ...*trust.Signer) {
	r.rootKeys = keys
	r.root.Keys = nil
	for _, k := range keys {
		r.root.Keys = append(r.root.Keys, k.Key())
	}
}

// sign writes and signs any document.
func (r *repository) sign(d interface {
	Text(trust.Fingerprint) ([]byte, error)
}, signers ...*trust.Signer,
) []byte {
	r.t.Helper()
	text, err := d.Text(r.fp)
	if err != nil {
		r.t.Fatal(err)
	}
	raw, err := trust.SignNote(text, signers...)
	if err != nil {
		r.t.Fatal(err)
	}
	return raw
}

func (r *repository) signRoot(signers ...*trust.Signer) []byte {
	r.t.Helper()
	return r.sign(r.root, signers...)
}

// publishRoot adds the next root, signed by exactly the given keys.
func (r *repository) publishRoot(signers ...*trust.Signer) []byte {
	r.t.Helper()
	r.root.Version++
	raw := r.signRoot(signers...)
	r.roots = append(r.roots, raw)
	return raw
}

// rotateOnline adds a root with another online key.
func (r *repository) rotateOnline(name string) {
	r.t.Helper()
	r.online = signer(r.t, name)
	r.root.Online = r.online.Key()
	r.publishRoot(r.rootKeys...)
}

// publish signs everything according to the fields, with the resulting hashes.
func (r *repository) publish() {
	r.t.Helper()
	r.status.Shards, r.status.Packs = len(r.shards), nil
	for _, p := range r.packs() {
		r.status.Packs = append(r.status.Packs, p.Hash())
	}
	r.status.Delta = trust.DeltaRef{Since: min(r.status.Delta.Since, r.status.Version), SHA256: r.delta.Hash()}
	r.rawBundle = r.sign(r.bundle, r.online)
	r.rawStatus = r.sign(r.status, r.online)
	r.timestamp.Bundle = trust.RefTo(r.bundle.Version, r.rawBundle)
	r.timestamp.Status = trust.RefTo(r.status.Version, r.rawStatus)
	r.publishTimestamp()
}

// packs returns the packs that name the shards.
func (r *repository) packs() []trust.Pack {
	hashes := make([]digest.SHA256, len(r.shards))
	for i, s := range r.shards {
		hashes[i] = s.Hash()
	}
	return trust.Packs(hashes)
}

// publishTimestamp signs only the timestamp, according to its fields.
func (r *repository) publishTimestamp() { r.rawTimestamp = r.sign(r.timestamp, r.online) }

// bump makes everything one version newer and publishes.
func (r *repository) bump() {
	r.t.Helper()
	r.bundle.Version++
	r.status.Version++
	r.timestamp.Version++
	r.timestamp.StatusAsOf = r.timestamp.StatusAsOf.Add(time.Hour)
	r.timestamp.Expires = r.timestamp.StatusAsOf.Add(day)
	r.publish()
}

// update returns everything.
func (r *repository) update() trust.Update {
	u := trust.Update{
		Roots:     slices.Clone(r.roots),
		Timestamp: r.rawTimestamp, Bundle: r.rawBundle, Status: r.rawStatus,
		Packs: make(map[uint16][]byte), Shards: make(map[uint16][]byte),
	}
	for i, p := range r.packs() {
		u.Packs[uint16(i)] = p.Bytes()
	}
	for i, s := range r.shards {
		u.Shards[uint16(i)] = s.Deflate()
	}
	return u
}

// device pins the roots and accepts one update.
func (r *repository) device() trust.State {
	r.t.Helper()
	s, err := trust.Pin(r.roots, &r.fp)
	if err != nil {
		r.t.Fatal(err)
	}
	s, _, err = s.Apply(r.update())
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }
