package offline_test

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// held is a Snapshot in memory. A program uses the one of package trustbook.
type held struct {
	state *trust.State
	shard *statuslist.Shard
}

func (h held) State() *trust.State                               { return h.state }
func (h held) Shard(uint16) (*statuslist.Shard, error)           { return h.shard, nil }
func (h held) Remembered(digest.SHA256) (bool, error)            { return false, nil }
func (h held) Survivors(string) (_ statuslist.Survivors, _ bool) { return nil, false }

// A device judges a payload by its trust documents and by a clock, and reports
// how far it trusts the clock.
func ExampleVerifier_Verify() {
	issuer := ed25519.NewKeyFromSeed([]byte("an example, not a secret at all."))
	issued := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	p := payload.Payload{Issuer: "ACME01", KeySeq: 1, DocumentType: "DIP", IssuedAt: issued, Status: payload.NewStatusIndex(0, 7), Plain: true}
	if err := p.Seal(issuer); err != nil {
		fmt.Println(err)
		return
	}
	raw, err := p.Append(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	key, err := payload.KeyOf(issuer.Public())
	if err != nil {
		fmt.Println(err)
		return
	}
	asOf := issued.Add(time.Hour)
	week := asOf.Add(7 * 24 * time.Hour)
	shard := new(statuslist.Shard)
	snapshot := held{shard: shard, state: &trust.State{
		Root:      trust.Root{Version: 1, Expires: week},
		Timestamp: &trust.Timestamp{Version: 1, StatusAsOf: asOf, Expires: week},
		Status:    &trust.Status{Version: 1, Issued: asOf, Expires: week, Shards: 1},
		Bundle: &trust.Bundle{
			Version: 1, Issued: asOf, Expires: week,
			Tenants:       []trust.Tenant{{Reference: "ACME01", Name: "Acme University", State: trust.TenantActive}},
			Keys:          []trust.Key{{Tenant: "ACME01", Seq: 1, State: trust.KeySigning, Public: key, ValidFrom: issued.Add(-time.Hour)}},
			DocumentTypes: []trust.DocumentType{{Code: "DIP", Names: map[string]string{"en": "Diploma"}}},
		},
		Shards: []digest.SHA256{shard.Hash()}, Floor: asOf,
	}}
	v := offline.New(snapshot, offline.Policy{Language: "en"})
	clock := offline.Clock{Now: asOf.Add(time.Minute)}
	r := v.Verify(clock, offline.Request{Payload: raw, Binding: binding.Match})
	fmt.Println(r.Verdict, r.Assurance, r.Stale, r.Basis)

	shard.Set(7, statuslist.Revoked)
	snapshot.state.Shards[0] = shard.Hash()
	r = v.Verify(clock, offline.Request{Payload: raw, Binding: binding.Match})
	fmt.Println(r.Verdict)

	raw[20] ^= 1
	fmt.Println(v.Verify(clock, offline.Request{Payload: raw, Binding: binding.Match}).Verdict)
	// Output:
	// valid signature_and_status false device_clock
	// revoked
	// not_found
}

// A proof of time makes an age known until the machine restarts.
func ExampleTimingOf() {
	said := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	proof, ok := offline.NewProof(offline.Boot{ID: "boot 1", At: time.Minute}, offline.Boot{ID: "boot 1", At: time.Minute + time.Second}, said, time.Second)
	if !ok {
		fmt.Println("the machine was started anew between question and answer")
		return
	}
	dead := time.Date(1973, 1, 1, 0, 0, 0, 0, time.UTC) // the real-time clock's time
	t := offline.TimingOf(offline.Clock{Now: dead, Proof: proof, Boot: offline.Boot{ID: "boot 1", At: time.Hour + time.Minute}}, nil, offline.Policy{})
	fmt.Println(t.Basis, t.Now.Sub(said).Truncate(time.Hour))
	t = offline.TimingOf(offline.Clock{Now: dead, Proof: proof, Boot: offline.Boot{ID: "boot 2", At: time.Minute}}, nil, offline.Policy{})
	fmt.Println(t.Basis, t.Suspect)
	// Output:
	// proven 1h0m0s
	// device_clock true
}
