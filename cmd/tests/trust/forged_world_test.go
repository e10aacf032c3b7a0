package trust_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// These are documents that are changed on their way to a device: the set of the
// authority below, with one fault each, from a mirror and in a file.

var forgedDay = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

func forgedKey(name string) *trust.Signer {
	seed := sha256.Sum256([]byte("forged documents " + name))
	s, err := trust.NewSigner("test/"+name, ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		panic(err)
	}
	return s
}

// named returns a key under another name.
func named(name string, of string) *trust.Signer {
	seed := sha256.Sum256([]byte("forged documents " + of))
	s, err := trust.NewSigner("test/"+name, ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		panic(err)
	}
	return s
}

// docs is one set before it is signed, with the changes to each document: edit changes
// the text before it is signed, sign replaces the correct signature, after changes the
// note before the timestamp names it, late after that. The documents are called root,
// bundle, status and timestamp. Packs and the delta are unsigned: afterPack changes
// one before the status names it, latePack and lateDelta after that.
// and lateDelta after that.
type docs struct {
	fp        trust.Fingerprint
	roots     [][]byte // served, from version 1 on
	root      *trust.Root
	bundle    trust.Bundle
	status    trust.Status
	timestamp trust.Timestamp
	shards    []*statuslist.Shard
	delta     trust.Delta

	edit, sign, after, late map[string]func([]byte) []byte

	afterPack func(number int, p trust.Pack) trust.Pack
	latePack  func(number int, raw []byte) []byte
	lateWhole func(number int, raw []byte) []byte // a pack with its shards, as packs/ and a file have it
	lateShard func(number uint16, deflated []byte) []byte
	lateDelta func(raw []byte) []byte
	drop      map[string]bool // missing documents: their names, "pack" and its number, or a shard's number
}

// The authority has these keys: root 1 has old-a and old-b, roots 2 and 3 have
// a, b and c; root 2 retired the online key of root 1.
var (
	rootA, rootB, rootC = forgedKey("root-a"), forgedKey("root-b"), forgedKey("root-c")
	oldA, oldB          = forgedKey("old-a"), forgedKey("old-b")
	online, oldOnline   = forgedKey("online"), forgedKey("old-online")
	thief, thief2       = forgedKey("thief"), forgedKey("thief-2")
)

func signedBy(by ...*trust.Signer) func([]byte) []byte {
	return func(text []byte) []byte {
		raw, err := trust.SignNote(text, by...)
		if err != nil {
			panic(err)
		}
		return raw
	}
}

// rootChain returns roots 1 to 3.
func rootChain() (fp trust.Fingerprint, roots [][]byte, last trust.Root) {
	r := trust.Root{Version: 1, Expires: forgedDay.AddDate(1, 0, 0), Threshold: 2, Keys: []trust.VerifierKey{oldA.Key(), oldB.Key()}, Online: oldOnline.Key()}
	fp, err := r.Fingerprint()
	if err != nil {
		panic(err)
	}
	add := func(by ...*trust.Signer) {
		text, err := r.Text(fp)
		if err != nil {
			panic(err)
		}
		roots = append(roots, signedBy(by...)(text))
	}
	add(oldA, oldB)
	r.Version, r.Keys, r.Online = 2, []trust.VerifierKey{rootA.Key(), rootB.Key(), rootC.Key()}, online.Key()
	add(oldA, oldB, rootA, rootB)
	r.Version, r.Expires = 3, forgedDay.AddDate(2, 0, 0)
	add(rootA, rootC)
	return fp, roots, r
}

// newDocs returns the set of that version, issued that many hours after the
// first day. Stamp 7 of shard 1 is revoked from version 101 on.
func newDocs(version uint64, hours int) *docs {
	fp, roots, _ := rootChain()
	issued := forgedDay.Add(time.Duration(hours) * time.Hour)
	public, err := payload.KeyOf(ed25519.NewKeyFromSeed(make([]byte, 32)).Public())
	if err != nil {
		panic(err)
	}
	d := &docs{
		fp: fp, roots: roots, shards: []*statuslist.Shard{{}, {}, {}},
		edit: map[string]func([]byte) []byte{}, after: map[string]func([]byte) []byte{}, late: map[string]func([]byte) []byte{},
		sign: map[string]func([]byte) []byte{}, drop: map[string]bool{},
	}
	d.shards[0].Set(3, statuslist.Revoked)
	if version > 100 {
		d.shards[1].Set(7, statuslist.Revoked)
	}
	d.bundle = trust.Bundle{
		Version: version, Issued: issued, Expires: issued.AddDate(0, 0, 7),
		Tenants: []trust.Tenant{{Reference: "ACME01", Name: "Acme", State: trust.TenantActive}, {Reference: "BETA01", Name: "Beta", State: trust.TenantActive}},
		Keys: []trust.Key{
			{Tenant: "ACME01", Public: public, State: trust.KeySigning, ValidFrom: forgedDay},
			{Tenant: "BETA01", Public: public, State: trust.KeyVerifying, ValidFrom: forgedDay},
		},
		DocumentTypes: []trust.DocumentType{{Code: "DIP", Names: map[string]string{"en": "Diploma"}}},
	}
	// The delta starts at this version; a device fetches other changes by packs
	// and shards.
	d.status = trust.Status{Version: version, Issued: issued, Expires: issued.AddDate(0, 0, 7), Delta: trust.DeltaRef{Since: version}}
	d.timestamp = trust.Timestamp{Version: version, StatusAsOf: issued, Expires: issued.AddDate(0, 0, 1)}
	return d
}

// wide makes the set come with two packs, the second with two shards.
func (d *docs) wide() *docs {
	empty := new(statuslist.Shard)
	for len(d.shards) < trust.PackShards+2 {
		d.shards = append(d.shards, empty)
	}
	last := new(statuslist.Shard)
	last.Set(5, statuslist.Revoked)
	d.shards[trust.PackShards+1] = last
	return d
}

// byDelta makes the set come with a delta from the device's version.
func (d *docs) byDelta() *docs {
	d.status.Delta.Since = 100
	d.delta = trust.Delta{{Shard: 1, Entry: 7, Value: statuslist.Revoked}}
	return d
}

// nextRoot makes the set come with root 4, signed by the given signers.
func (d *docs) nextRoot(by ...*trust.Signer) *docs {
	_, _, r := rootChain()
	r.Version, r.Expires = 4, forgedDay.AddDate(3, 0, 0)
	d.root = &r
	d.sign["root"] = signedBy(by...)
	return d
}

func (d *docs) note(kind string, doc interface {
	Text(trust.Fingerprint) ([]byte, error)
},
) []byte {
	text, err := doc.Text(d.fp)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", kind, err))
	}
	if f := d.edit[kind]; f != nil {
		text = f(bytes.Clone(text))
	}
	sign := d.sign[kind]
	if sign == nil {
		sign = signedBy(online)
	}
	raw := sign(text)
	if f := d.after[kind]; f != nil {
		raw = f(bytes.Clone(raw))
	}
	return raw
}

// A forged is the content of a mirror and of a file.
type forged struct {
	roots                     [][]byte
	timestamp, bundle, status []byte // nil: missing
	shards                    map[uint16][]byte
	packs, wholes             map[int][]byte // a whole is a pack with its shards
	delta                     []byte
	names                     map[string]string // hash that a document names: the object with that hash
}

// assemble signs the set.
func (d *docs) assemble() forged {
	f := forged{roots: slices.Clone(d.roots), shards: map[uint16][]byte{}, packs: map[int][]byte{}, wholes: map[int][]byte{}, names: map[string]string{}}
	if d.root != nil {
		f.roots = append(f.roots, d.late1("root", d.note("root", *d.root)))
	}
	d.assembleStatus(&f)
	bundle, status := d.note("bundle", d.bundle), d.note("status", d.status)
	ref := func(to *trust.DocumentRef, kind string, version uint64, raw []byte) {
		if to.SHA256.IsZero() {
			to.SHA256 = sha256.Sum256(raw)
		}
		if to.Version == 0 {
			to.Version = version
		}
		f.names[to.SHA256.String()] = kind
	}
	ref(&d.timestamp.Bundle, "bundle", d.bundle.Version, bundle)
	ref(&d.timestamp.Status, "status", d.status.Version, status)
	f.timestamp = d.late1("timestamp", d.note("timestamp", d.timestamp))
	f.bundle, f.status = d.late1("bundle", bundle), d.late1("status", status)
	for kind, to := range map[string]*[]byte{"timestamp": &f.timestamp, "bundle": &f.bundle, "status": &f.status} {
		if d.drop[kind] {
			*to = nil
		}
	}
	return f
}

// assembleStatus makes the status name the existing packs and delta, unless it
// names some already.
func (d *docs) assembleStatus(f *forged) {
	hashes := make([]digest.SHA256, len(d.shards))
	for i, s := range d.shards {
		hashes[i] = s.Hash()
		if raw := deflated(s); d.lateShard == nil {
			f.shards[uint16(i)] = raw
		} else {
			f.shards[uint16(i)] = d.lateShard(uint16(i), bytes.Clone(raw))
		}
		if d.drop[strconv.Itoa(i)] {
			delete(f.shards, uint16(i))
		}
	}
	if d.status.Shards == 0 {
		d.status.Shards = len(d.shards)
	}
	named := d.status.Packs != nil
	for i, p := range trust.Packs(hashes) {
		if d.afterPack != nil {
			p = d.afterPack(i, slices.Clone(p))
		}
		if !named {
			d.status.Packs = append(d.status.Packs, p.Hash())
		}
		f.packs[i], f.wholes[i] = p.Bytes(), f.whole(i, len(p))
		if d.latePack != nil {
			f.packs[i] = d.latePack(i, f.packs[i])
		}
		if d.lateWhole != nil {
			f.wholes[i] = d.lateWhole(i, f.wholes[i])
		}
		if d.drop["pack"+strconv.Itoa(i)] {
			delete(f.packs, i)
			delete(f.wholes, i)
		}
		for j, hash := range p {
			f.names[hash.String()] = strconv.Itoa(i*trust.PackShards + j)
		}
	}
	for i, hash := range d.status.Packs {
		f.names[hash.String()] = "pack" + strconv.Itoa(i)
	}
	d.status.Delta.Since = min(d.status.Delta.Since, d.status.Version)
	f.delta = d.delta.Bytes()
	if d.status.Delta.SHA256.IsZero() {
		d.status.Delta.SHA256 = d.delta.Hash()
	}
	f.names[d.status.Delta.SHA256.String()] = "delta"
	if d.lateDelta != nil {
		f.delta = d.lateDelta(f.delta)
	}
}

func (d *docs) late1(kind string, raw []byte) []byte {
	if f := d.late[kind]; f != nil {
		return f(bytes.Clone(raw))
	}
	return raw
}

// swapped returns an edit that replaces a text, which must be present.
func swapped(old, with string) func([]byte) []byte {
	return func(text []byte) []byte {
		if !bytes.Contains(text, []byte(old)) {
			panic(fmt.Sprintf("no %q in %q", old, text))
		}
		return bytes.Replace(text, []byte(old), []byte(with), 1)
	}
}

// matched is like swapped, but with a pattern.
func matched(pattern, with string) func([]byte) []byte {
	re := regexp.MustCompile("(?m)" + pattern)
	return func(text []byte) []byte {
		at := re.FindSubmatchIndex(text)
		if at == nil {
			panic(fmt.Sprintf("no %s in %q", pattern, text))
		}
		return slices.Concat(text[:at[0]], re.Expand(nil, []byte(with), text, at), text[at[1]:])
	}
}
