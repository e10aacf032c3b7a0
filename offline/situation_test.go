package offline_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

var noon = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// snapshot is a Snapshot with open fields. These tests build trust states
// directly; package trust tests the usual way.
type snapshot struct {
	state      *trust.State
	shards     map[uint16]*statuslist.Shard
	shardErr   error
	remembered map[digest.SHA256]bool
	memoryErr  error
	survivors  map[string]statuslist.Survivors
}

func (s *snapshot) State() *trust.State { return s.state }
func (s *snapshot) Shard(number uint16) (*statuslist.Shard, error) {
	return s.shards[number], s.shardErr
}

func (s *snapshot) Remembered(core digest.SHA256) (bool, error) {
	return s.remembered[core], s.memoryErr
}

func (s *snapshot) Survivors(sha string) (statuslist.Survivors, bool) {
	list, ok := s.survivors[sha]
	return list, ok
}

// Constant parts are made once, because TestTable builds 311,040 devices.
var (
	acme       = testKey("acme")
	acmePublic = publicKey(acme)
	shardSums  = map[statuslist.Value]digest.SHA256{} // hash of a shard whose entry 7 has that value
)

func init() {
	for v := range statuslist.Value(4) {
		var s statuslist.Shard
		s.Set(7, v)
		shardSums[v] = s.Hash()
	}
}

func publicKey(k ed25519.PrivateKey) payload.PublicKey {
	public, err := payload.KeyOf(k.Public())
	if err != nil {
		panic(err)
	}
	return public
}

func testKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("offline test key " + name))
	return ed25519.NewKeyFromSeed(seed[:])
}

// seal signs p as ACME01 and returns its bytes and the hash of its core.
func seal(t testing.TB, p payload.Payload) (raw []byte, core digest.SHA256) {
	t.Helper()
	if err := p.Seal(acme); err != nil {
		t.Fatal(err)
	}
	raw, err := p.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return raw, digest.Of(payload.Core(raw))
}

// stamp returns a payload of ACME01, issued a month before noon.
func stamp() payload.Payload {
	return payload.Payload{
		Issuer:       "ACME01",
		KeySeq:       1,
		Reference:    payload.Reference{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		DocumentType: "DIP",
		IssuedAt:     noon.Add(-30 * day),
		Status:       payload.NewStatusIndex(3, 7),
		Fields:       []payload.Field{{Key: "grade", Value: "A <1>"}, {Key: "holder", Value: "Ann Ax"}},
	}
}

// base returns a device that refreshed an hour before noon and finds stamp valid.
func base() *snapshot {
	shard := new(statuslist.Shard)
	return &snapshot{
		state: &trust.State{
			Root: trust.Root{Version: 1, Expires: noon.Add(200 * day)},
			Bundle: &trust.Bundle{
				Version: 5, Issued: noon.Add(-time.Hour), Expires: noon.Add(100 * day),
				Tenants: []trust.Tenant{{Reference: "ACME01", Name: "Acme Ltd", State: trust.TenantActive}},
				Keys:    []trust.Key{{Tenant: "ACME01", Seq: 1, Public: acmePublic, State: trust.KeySigning}},
				DocumentTypes: []trust.DocumentType{{
					Code:        "DIP",
					Names:       map[string]string{"de": "Diplom", "en": "Diploma"},
					FieldLabels: map[string]map[string]string{"holder": {"de": "Inhaberin", "en": "Holder"}},
				}},
			},
			Status: &trust.Status{
				Version: 5, Issued: noon.Add(-time.Hour), Expires: noon.Add(100 * day),
			},
			Shards:    []digest.SHA256{{}, {}, {}, shardSums[statuslist.None]},
			Timestamp: &trust.Timestamp{Version: 9, StatusAsOf: noon.Add(-time.Hour), Expires: noon.Add(100 * day)},
			Floor:     noon.Add(-time.Hour),
		},
		shards:     map[uint16]*statuslist.Shard{3: shard},
		remembered: make(map[digest.SHA256]bool),
		survivors:  make(map[string]statuslist.Survivors),
	}
}

// boot returns a reading of the boot-time clock of these tests.
func boot(at time.Duration) offline.Boot { return offline.Boot{ID: "boot", At: at} }

// age makes the trust state d old at noon.
func (s *snapshot) age(d time.Duration) {
	s.state.Timestamp.StatusAsOf = noon.Add(-d)
	s.state.Floor = noon.Add(-d)
}

// set changes the stamp's entry and signs for it.
func (s *snapshot) set(v statuslist.Value) {
	s.shards[3].Set(7, v)
	s.state.Shards[3] = shardSums[v]
}

// compromise marks the key as known to others; the survivor list holds marks.
func (s *snapshot) compromise(held bool, marks ...statuslist.Mark) {
	list := statuslist.NewSurvivors(marks)
	hash := list.Hash()
	k := &s.state.Bundle.Keys[0]
	k.State, k.CompromisedSince, k.SurvivorList = trust.KeyCompromised, noon.Add(-10*day), hash.String()
	if held {
		s.survivors[k.SurvivorList] = list
	}
}

func verify(s *snapshot, raw []byte) offline.Result {
	return offline.New(s, offline.Policy{}).Verify(offline.Clock{Now: noon}, offline.Request{Payload: raw, Binding: binding.Match})
}

func coreOf(raw []byte) digest.SHA256 { return digest.Of(payload.Core(raw)) }
