package trust_test

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// exampleSigner returns the key of a root or of a gateway. Never derive a real
// one like this.
func exampleSigner(name, seed string) (*trust.Signer, trust.VerifierKey) {
	key := ed25519.NewKeyFromSeed([]byte(seed))
	signer, err := trust.NewSigner(name, key)
	if err != nil {
		panic(err)
	}
	verifier, err := trust.NewVerifierKey(name, key.Public().(ed25519.PublicKey))
	if err != nil {
		panic(err)
	}
	return signer, verifier
}

// exampleRoot returns a root with one key, and the signer of the other documents.
func exampleRoot() (raw []byte, fp trust.Fingerprint, online *trust.Signer) {
	rootKey, rootName := exampleSigner("root", "an example root, no secret at al")
	online, onlineName := exampleSigner("online", "an example online key, no secret")
	root := trust.Root{
		Version: 1, Expires: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Threshold: 1, Keys: []trust.VerifierKey{rootName}, Online: onlineName,
	}
	fp, err := root.Fingerprint()
	if err != nil {
		panic(err)
	}
	text, err := root.Text(fp)
	if err != nil {
		panic(err)
	}
	if raw, err = trust.SignNote(text, rootKey); err != nil {
		panic(err)
	}
	return raw, fp, online
}

// signed returns a document as the gateway publishes it.
func signed(text []byte, err error) func(*trust.Signer) []byte {
	return func(by *trust.Signer) []byte {
		if err != nil {
			panic(err)
		}
		raw, err := trust.SignNote(text, by)
		if err != nil {
			panic(err)
		}
		return raw
	}
}

// A device pins the first root, by its fingerprint if it knows one, and then
// accepts one complete set of documents after the other.
func Example() {
	root, fp, online := exampleRoot()
	state, err := trust.Pin([][]byte{root}, &fp)
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	week := now.Add(7 * 24 * time.Hour)
	bundle := signed(trust.Bundle{Version: 1, Issued: now, Expires: week, Tenants: []trust.Tenant{
		{Reference: "ACME01", Name: "Acme University", State: trust.TenantActive},
	}}.Text(fp))(online)
	shard := new(statuslist.Shard)
	packs := trust.Packs([]digest.SHA256{shard.Hash()})
	status := signed(trust.Status{
		Version: 1, Issued: now, Expires: week, Shards: 1, Packs: []digest.SHA256{packs[0].Hash()},
		Delta: trust.DeltaRef{Since: 1, SHA256: trust.Delta(nil).Hash()},
	}.Text(fp))(online)
	timestamp := signed(trust.Timestamp{
		Version: 1, StatusAsOf: now, Expires: week, Bundle: trust.RefTo(1, bundle), Status: trust.RefTo(1, status),
	}.Text(fp))(online)

	set := trust.Update{
		Timestamp: timestamp, Bundle: bundle, Status: status,
		Packs: map[uint16][]byte{0: packs[0].Bytes()}, Shards: map[uint16][]byte{0: shard.Deflate()},
	}
	state, changes, err := state.Apply(set)
	fmt.Println(state.Complete(), changes.Bundle, changes.Status, err)
	tenant, ok := state.Bundle.Tenant("ACME01")
	fmt.Println(tenant.Name, ok)

	older := set
	older.Timestamp = signed(trust.Timestamp{
		Version: 1, StatusAsOf: now.Add(-time.Hour), Expires: week, Bundle: trust.RefTo(1, bundle), Status: trust.RefTo(1, status),
	}.Text(fp))(online)
	_, _, err = state.Apply(older)
	fmt.Println(err != nil)
	// Output:
	// true true true <nil>
	// Acme University true
	// true
}

// People compare the fingerprint on paper with the pinned one.
func ExampleReadRoot() {
	raw, want, _ := exampleRoot()
	fp, root, err := trust.ReadRoot(raw)
	fmt.Println(fp == want, root.Version, root.Threshold, root.Online.Name, err)
	again, err := trust.ParseFingerprint(fp.String())
	fmt.Println(again == fp, err)
	// Output:
	// true 1 1 online <nil>
	// true <nil>
}

// A proof of time answers one nonce and no other.
func ExampleParseTimeNote() {
	raw, fp, online := exampleRoot()
	_, root, err := trust.ReadRoot(raw)
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce := [32]byte{1} // crypto/rand in a program
	answer := signed(trust.TimeNote{Nonce: nonce, Time: time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)}.Text(fp))(online)
	note, err := trust.ParseTimeNote(fp, root.Online, nonce, answer)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = trust.ParseTimeNote(fp, root.Online, digest.SHA256{2}, answer)
	fmt.Println(note.Time, err != nil)
	// Output:
	// 2026-11-24 08:00:00 +0000 UTC true
}
