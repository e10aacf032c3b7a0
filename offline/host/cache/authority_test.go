package cache_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

var day0 = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

// authority publishes trust documents: one root key, one online key.
type authority struct {
	tb     testing.TB
	fp     trust.Fingerprint
	root   trust.Root
	keeper *trust.Signer // of the root key
	online *trust.Signer
	roots  [][]byte
	shards map[uint16]*statuslist.Shard
	list   statuslist.Survivors // of the compromised key; nil: no key is compromised
}

func signer(tb testing.TB, name string) *trust.Signer {
	tb.Helper()
	seed := sha256.Sum256([]byte(name))
	s, err := trust.NewSigner("test/"+name, ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func newAuthority(tb testing.TB, name string) *authority {
	tb.Helper()
	a := &authority{tb: tb, keeper: signer(tb, name+"-root"), online: signer(tb, name+"-online"), shards: map[uint16]*statuslist.Shard{0: {}}}
	a.root = trust.Root{Version: 1, Expires: day0.AddDate(1, 0, 0), Threshold: 1, Keys: []trust.VerifierKey{a.keeper.Key()}, Online: a.online.Key()}
	fp, err := a.root.Fingerprint()
	if err != nil {
		tb.Fatal(err)
	}
	a.fp = fp
	a.roots = [][]byte{a.sign(a.root, a.keeper)}
	return a
}

func (a *authority) sign(d interface {
	Text(trust.Fingerprint) ([]byte, error)
}, by *trust.Signer,
) []byte {
	a.tb.Helper()
	text, err := d.Text(a.fp)
	if err != nil {
		a.tb.Fatal(err)
	}
	raw, err := trust.SignNote(text, by)
	if err != nil {
		a.tb.Fatal(err)
	}
	return raw
}

// rotate publishes the next root, with another online key if name is not empty.
func (a *authority) rotate(name string) {
	a.tb.Helper()
	a.root.Version++
	if name != "" {
		a.online = signer(a.tb, name)
		a.root.Online = a.online.Key()
	}
	a.roots = append(a.roots, a.sign(a.root, a.keeper))
}

// set is a complete set of this version, issued that many hours after day0.
func (a *authority) set(version uint64, hours int) trust.Update {
	a.tb.Helper()
	issued := day0.Add(time.Duration(hours) * time.Hour)
	bundle := trust.Bundle{
		Version: version, Issued: issued, Expires: issued.AddDate(0, 0, 7),
		Tenants:       []trust.Tenant{{Reference: "ACME01", Name: "Acme", State: trust.TenantActive}},
		DocumentTypes: []trust.DocumentType{{Code: "DIP", Names: map[string]string{"en": "Diploma"}}},
	}
	public, err := payload.KeyOf(ed25519.NewKeyFromSeed(make([]byte, 32)).Public())
	if err != nil {
		a.tb.Fatal(err)
	}
	key := trust.Key{Tenant: "ACME01", Public: public, State: trust.KeySigning, ValidFrom: day0}
	if a.list != nil {
		key.State, key.CompromisedSince = trust.KeyCompromised, day0
		key.SurvivorList = a.list.Hash().String()
	}
	bundle.Keys = []trust.Key{key}
	u := trust.Update{Packs: map[uint16][]byte{}, Shards: map[uint16][]byte{}}
	hashes := make([]digest.SHA256, len(a.shards))
	for number := range uint16(len(a.shards)) {
		hashes[number], u.Shards[number] = a.shards[number].Hash(), a.shards[number].Deflate()
	}
	status := trust.Status{
		Version: version, Issued: issued, Expires: issued.AddDate(0, 0, 7), Shards: len(hashes),
		Delta: trust.DeltaRef{Since: version, SHA256: trust.Delta{}.Hash()},
	}
	for i, p := range trust.Packs(hashes) {
		status.Packs, u.Packs[uint16(i)] = append(status.Packs, p.Hash()), p.Bytes()
	}
	u.Bundle, u.Status = a.sign(bundle, a.online), a.sign(status, a.online)
	u.Timestamp = a.sign(trust.Timestamp{
		Version: version, StatusAsOf: issued, Expires: issued.AddDate(0, 0, 1),
		Bundle: trust.RefTo(version, u.Bundle), Status: trust.RefTo(version, u.Status),
	}, a.online)
	return u
}
