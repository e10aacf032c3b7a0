package mkvectors_test

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// verdictVectors makes testdata/vectors/verdict: one situation a file, as
// [offline.Vector] in JSON, with the answer. Each expected answer is
// written next to the situation, so that making the files is a test, too.
func verdictVectors() (files, error) {
	keys, err := newSigners()
	if err != nil {
		return nil, err
	}
	made := files{}
	for _, c := range verdictCases() {
		w, err := newWorld(keys)
		if err != nil {
			return nil, err
		}
		c.change(w)
		file, err := w.file(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		if _, twice := made[c.name+".json"]; twice {
			return nil, fmt.Errorf("%s: there twice", c.name)
		}
		made[c.name+".json"] = file
	}
	return made, nil
}

// verdictCase is one vector: the verdict and the code of the check that
// decides, written by hand.
type verdictCase struct {
	name, comment string
	change        func(w *world)
	verdict       offline.Verdict
	assurance     offline.Assurance
	check, code   string
}

// noon is when the vectors are scanned.
var noon = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// world is a device and a stamp: valid, fresh and bound to its file. Cases
// change it before anything is signed.
type world struct {
	signers
	rootKey, online *trust.Signer
	root            trust.Root
	bundle          trust.Bundle
	status          trust.Status
	timestamp       trust.Timestamp
	entry           statuslist.Value // of the stamp
	stamp           payload.Payload
	signer          crypto.Signer

	vector offline.Vector // all but the values that are made from the above
	// after changes the payload's bytes, and the facts that are remembered or vouched for,
	// once they are known.
	after    func(w *world, raw []byte) []byte
	rootOnly bool
	bare     bool
	damaged  bool // the shard on the device is not the signed one
	missing  bool // the shard is not on the device
	unnamed  bool // the shard is not in the status
}

func newWorld(keys signers) (*world, error) {
	signer := func(name string) (*trust.Signer, error) {
		seed := sha256.Sum256([]byte("tcode vector key " + name))
		return trust.NewSigner("gateway.example/"+name, ed25519.NewKeyFromSeed(seed[:]))
	}
	rootKey, err := signer("root")
	if err != nil {
		return nil, err
	}
	online, err := signer("online")
	if err != nil {
		return nil, err
	}
	issued := noon.Add(-time.Hour)
	version := uint64(issued.Unix())
	w := &world{
		signers: keys, rootKey: rootKey, online: online, signer: keys.ed,
		root:      trust.Root{Version: 1, Expires: noon.Add(300 * day), Threshold: 1, Keys: []trust.VerifierKey{rootKey.Key()}, Online: online.Key()},
		bundle:    trust.Bundle{Version: version, Issued: issued, Expires: issued.Add(7 * day)},
		status:    trust.Status{Version: version, Issued: issued, Expires: issued.Add(7 * day)},
		timestamp: trust.Timestamp{Version: version, StatusAsOf: issued, Expires: issued.Add(day)},
		stamp: payload.Payload{
			Issuer: "ACME01", KeySeq: 1, DocumentType: "DIP", IssuedAt: noon.Add(-30 * day),
			Reference:   payload.Reference{0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE, 0x01, 0x23},
			Status:      payload.NewStatusIndex(3, 4711),
			Fields:      []payload.Field{{Key: "grade", Value: "5.5"}, {Key: "holder", Value: "Ann Ax"}},
			Fingerprint: [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		},
		vector: offline.Vector{Now: noon, Binding: binding.Match},
	}
	w.bundle.Tenants = []trust.Tenant{
		{Reference: "ACME01", Name: "Acme Institute", State: trust.TenantActive},
		{Reference: "SUSP01", Name: "Suspended School", State: trust.TenantSuspended},
	}
	ed, err := payload.KeyOf(keys.ed.Public())
	if err != nil {
		return nil, err
	}
	es, err := payload.KeyOf(keys.es.Public())
	if err != nil {
		return nil, err
	}
	other, err := payload.KeyOf(keys.edOther.Public())
	if err != nil {
		return nil, err
	}
	w.bundle.Keys = []trust.Key{
		{Tenant: "ACME01", Seq: 0, Public: es, State: trust.KeyVerifying, ValidUntil: noon.Add(-20 * day)},
		{Tenant: "ACME01", Seq: 1, Public: ed, State: trust.KeySigning, ValidFrom: noon.Add(-40 * day)},
		{Tenant: "ACME01", Seq: 2, Public: other, State: trust.KeyAnnounced, ValidFrom: noon.Add(-time.Hour)},
		{Tenant: "SUSP01", Seq: 1, Public: ed, State: trust.KeySigning},
	}
	w.bundle.DocumentTypes = []trust.DocumentType{{
		Code:        "DIP",
		Names:       map[string]string{"de": "Diplom", "en": "Diploma", "fr-CH": "Diplôme"},
		FieldLabels: map[string]map[string]string{"holder": {"de": "Inhaberin", "en": "Holder"}},
	}}
	return w, nil
}

// age makes the trust state that old at noon, with its documents valid for
// their usual week.
func (w *world) age(d time.Duration) {
	issued := noon.Add(-d)
	w.bundle.Issued, w.bundle.Expires = issued, issued.Add(7*day)
	w.status.Issued, w.status.Expires = issued, issued.Add(7*day)
	w.timestamp.StatusAsOf, w.timestamp.Expires = issued, issued.Add(day)
}

// outlive lets bundle and status be valid for long, so that age alone counts.
func (w *world) outlive() {
	w.bundle.Expires, w.status.Expires = noon.Add(100*day), noon.Add(100*day)
	w.timestamp.Expires = noon.Add(100 * day)
}

// compromise makes the stamp's key known to others since ten days. The list
// vouches for the stamp or for another; held says whether the device has it.
func (w *world) compromise(vouched, held bool) {
	w.after = func(w *world, raw []byte) []byte {
		mark := statuslist.MarkOf(payload.Core(raw))
		if !vouched {
			mark[0] ^= 1
		}
		hash := statuslist.Survivors{mark}.Hash()
		k := &w.bundle.Keys[1]
		k.State, k.CompromisedSince, k.SurvivorList = trust.KeyCompromised, noon.Add(-10*day), hash.String()
		if held {
			w.vector.Survivors = [][]string{{hex.EncodeToString(mark[:])}}
		}
		return raw
	}
}

// remember makes the device have seen the stamp revoked.
func (w *world) remember() {
	w.after = func(w *world, raw []byte) []byte {
		w.vector.Remembered = []string{digest.Of(payload.Core(raw)).String()}
		return raw
	}
}

// lacks makes the device remember marks of what its documents lack.
func (w *world) lacks(marks ...digest.SHA256) {
	for _, m := range marks {
		w.vector.Remembered = append(w.vector.Remembered, m.String())
	}
}

// proof gives the device a proof of time, taken so long ago by the boot-time
// clock.
func (w *world) proof(said time.Time, ago time.Duration) {
	w.vector.Proof = offline.VectorProof{Time: said, Boot: offline.VectorBoot{ID: "boot", Seconds: 1000}}
	w.vector.Boot = offline.VectorBoot{ID: "boot", Seconds: 1000 + int64(ago/time.Second)}
}

// edit changes the payload's bytes after signing.
func (w *world) edit(change func(raw []byte) []byte) {
	w.after = func(_ *world, raw []byte) []byte { return change(raw) }
}

// asText gives the payload by its text form, changed.
func (w *world) asText(change func(text string) string) {
	w.after = func(w *world, raw []byte) []byte {
		w.vector.Text = change(payload.EncodeText(raw))
		return nil
	}
}

// file signs everything, judges it, and compares with the expected answer.
func (w *world) file(c verdictCase) ([]byte, error) {
	if err := w.stamp.Seal(w.signer); err != nil {
		return nil, err
	}
	raw, err := w.stamp.Append(nil)
	if err != nil {
		return nil, err
	}
	if w.after != nil {
		raw = w.after(w, raw)
	}
	w.vector.Comment = c.comment
	w.vector.Payload = hex.EncodeToString(raw)
	if err := w.publish(); err != nil {
		return nil, err
	}
	r, err := w.vector.Run()
	if err != nil {
		return nil, err
	}
	check, ok := offline.FindCheck(r.Checks, c.check)
	if r.Verdict != c.verdict || r.Assurance != c.assurance || !ok || check.Code != c.code {
		return nil, fmt.Errorf("got %s, %s, %+v; want %s, %s, %s: %s; reason %q",
			r.Verdict, r.Assurance, check, c.verdict, c.assurance, c.check, c.code, r.Reason)
	}
	if w.vector.Want, err = json.Marshal(r); err != nil {
		return nil, err
	}
	file, err := json.MarshalIndent(w.vector, "", "  ")
	return append(bytes.TrimSpace(file), '\n'), err
}

// publish signs the trust documents into the vector.
func (w *world) publish() error {
	if w.bare {
		return nil
	}
	shard := new(statuslist.Shard)
	shard.Set(w.stamp.Status.Entry(), w.entry)
	number := w.stamp.Status.Shard()
	hashes := make([]digest.SHA256, number, number+1)
	for i := range hashes {
		hashes[i] = new(statuslist.Shard).Hash()
	}
	if !w.unnamed {
		hashes = append(hashes, shard.Hash())
	}
	w.status.Shards = len(hashes)
	w.status.Delta = trust.DeltaRef{Since: w.status.Version, SHA256: trust.Delta{}.Hash()}
	for _, p := range trust.Packs(hashes) {
		w.status.Packs = append(w.status.Packs, p.Hash())
		if !w.rootOnly {
			w.vector.Packs = append(w.vector.Packs, hex.EncodeToString(p.Bytes()))
		}
	}
	if !w.missing && !w.rootOnly {
		held := map[uint16]statuslist.Value{}
		if w.entry != statuslist.None {
			held[w.stamp.Status.Entry()] = w.entry
		}
		if w.damaged {
			held[w.stamp.Status.Entry()+1] = statuslist.Revoked
		}
		w.vector.Shards = map[uint16]map[uint16]statuslist.Value{number: held}
	}
	fp, err := w.root.Fingerprint()
	if err != nil {
		return err
	}
	sign := func(d interface {
		Text(trust.Fingerprint) ([]byte, error)
	}, s *trust.Signer,
	) (raw []byte) {
		if err != nil {
			return nil
		}
		var text []byte
		if text, err = d.Text(fp); err == nil {
			raw, err = trust.SignNote(text, s)
		}
		return raw
	}
	w.vector.Roots = []string{string(sign(w.root, w.rootKey))}
	if w.rootOnly {
		return err
	}
	bundle, status := sign(w.bundle, w.online), sign(w.status, w.online)
	w.timestamp.Bundle = trust.RefTo(w.bundle.Version, bundle)
	w.timestamp.Status = trust.RefTo(w.status.Version, status)
	w.vector.Bundle, w.vector.Status = string(bundle), string(status)
	w.vector.Timestamp = string(sign(w.timestamp, w.online))
	return err
}
