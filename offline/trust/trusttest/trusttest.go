// Package trusttest has a trust authority for tests: it publishes roots and complete
// sets of trust documents. [New] makes one, [Authority.Set] the next set.
package trusttest

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

// Day0 is when the documents of an [Authority] begin.
var Day0 = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

// An Authority publishes trust documents: one root key, one online key.
type Authority struct {
	Fingerprint trust.Fingerprint
	Root        trust.Root
	Keeper      *trust.Signer // of the root key
	Online      *trust.Signer
	Roots       [][]byte // signed, from version 1 on
	Shards      map[uint16]*statuslist.Shard
	List        statuslist.Survivors // of the compromised key; nil: no key is compromised
	Delta       trust.Delta          // of the next set
	Since       uint64               // the version that Delta leads from; 0: that of the set

	tb testing.TB
}

// NewSigner returns the signer of a key that is made of its name.
func NewSigner(tb testing.TB, name string) *trust.Signer {
	tb.Helper()
	seed := sha256.Sum256([]byte(name))
	s, err := trust.NewSigner("test/"+name, ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// New returns an authority with version 1 of its root and one empty shard.
func New(tb testing.TB, name string) *Authority {
	tb.Helper()
	a := &Authority{tb: tb, Keeper: NewSigner(tb, name+"-root"), Online: NewSigner(tb, name+"-online"), Shards: map[uint16]*statuslist.Shard{0: {}}}
	a.Root = trust.Root{Version: 1, Expires: Day0.AddDate(1, 0, 0), Threshold: 1, Keys: []trust.VerifierKey{a.Keeper.Key()}, Online: a.Online.Key()}
	fp, err := a.Root.Fingerprint()
	if err != nil {
		tb.Fatal(err)
	}
	a.Fingerprint = fp
	a.Roots = [][]byte{a.Sign(a.Root, a.Keeper)}
	return a
}

// Sign returns a document as a note that by has signed.
func (a *Authority) Sign(d interface {
	Text(trust.Fingerprint) ([]byte, error)
}, by *trust.Signer,
) []byte {
	a.tb.Helper()
	text, err := d.Text(a.Fingerprint)
	if err != nil {
		a.tb.Fatal(err)
	}
	raw, err := trust.SignNote(text, by)
	if err != nil {
		a.tb.Fatal(err)
	}
	return raw
}

// Rotate publishes the next root, with another online key if name is not empty.
func (a *Authority) Rotate(name string) {
	a.tb.Helper()
	a.Root.Version++
	if name != "" {
		a.Online = NewSigner(a.tb, name)
		a.Root.Online = a.Online.Key()
	}
	a.Roots = append(a.Roots, a.Sign(a.Root, a.Keeper))
}

// Forget publishes the next root, with another online key, which makes void what devices
// remember.
func (a *Authority) Forget(name string) {
	a.tb.Helper()
	a.Root.Forget = Day0
	a.Rotate(name)
	a.Root.Forget = time.Time{}
}

// Set returns a complete set of this version, issued that many hours after Day0.
func (a *Authority) Set(version uint64, hours int) trust.Update {
	a.tb.Helper()
	issued := Day0.Add(time.Duration(hours) * time.Hour)
	bundle := trust.Bundle{
		Version: version, Issued: issued, Expires: issued.AddDate(0, 0, 7),
		Tenants:       []trust.Tenant{{Reference: "ACME01", Name: "Acme", State: trust.TenantActive}},
		DocumentTypes: []trust.DocumentType{{Code: "DIP", Names: map[string]string{"en": "Diploma"}}},
	}
	public, err := payload.KeyOf(ed25519.NewKeyFromSeed(make([]byte, 32)).Public())
	if err != nil {
		a.tb.Fatal(err)
	}
	key := trust.Key{Tenant: "ACME01", Public: public, State: trust.KeySigning, ValidFrom: Day0}
	if a.List != nil {
		key.State, key.CompromisedSince = trust.KeyCompromised, Day0
		key.SurvivorList = a.List.Hash().String()
	}
	bundle.Keys = []trust.Key{key}
	u := trust.Update{Packs: map[uint16][]byte{}, Shards: map[uint16][]byte{}}
	hashes := make([]digest.SHA256, len(a.Shards))
	for number := range uint16(len(a.Shards)) {
		hashes[number], u.Shards[number] = a.Shards[number].Hash(), a.Shards[number].Deflate()
	}
	status := trust.Status{
		Version: version, Issued: issued, Expires: issued.AddDate(0, 0, 7), Shards: len(hashes),
		Delta: trust.DeltaRef{Since: version, SHA256: a.Delta.Hash()},
	}
	if a.Since > 0 {
		status.Delta.Since = a.Since
	}
	for i, p := range trust.Packs(hashes) {
		status.Packs, u.Packs[uint16(i)] = append(status.Packs, p.Hash()), p.Bytes()
	}
	u.Bundle, u.Status = a.Sign(bundle, a.Online), a.Sign(status, a.Online)
	u.Timestamp = a.Sign(trust.Timestamp{
		Version: version, StatusAsOf: issued, Expires: issued.AddDate(0, 0, 1),
		Bundle: trust.RefTo(version, u.Bundle), Status: trust.RefTo(version, u.Status),
	}, a.Online)
	return u
}
