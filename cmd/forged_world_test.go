package cmd_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/sync/feed"
)

// Documents that are changed on their way to a device: what the authority below
// published, with one fault each, from a mirror and in a file.

var forgedDay = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

func forgedKey(name string) *trust.Signer {
	seed := sha256.Sum256([]byte("forged documents " + name))
	s, err := trust.NewSigner("test/"+name, ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		panic(err)
	}
	return s
}

// named is a key under another name.
func named(name string, of string) *trust.Signer {
	seed := sha256.Sum256([]byte("forged documents " + of))
	s, err := trust.NewSigner("test/"+name, ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		panic(err)
	}
	return s
}

// docs is one set before it is signed, with what is done to each document on the
// way: edit changes the text before it is signed, sign takes the place of the
// right signature, after changes the note before the timestamp names it, late
// after that. The documents are called root, bundle, status and timestamp.
type docs struct {
	fp        trust.Fingerprint
	roots     [][]byte // served, from version 1 on
	root      *trust.Root
	bundle    trust.Bundle
	status    trust.Status
	timestamp trust.Timestamp
	shards    map[uint16]*statuslist.Shard

	edit, sign, after, late map[string]func([]byte) []byte

	lateShard func(number uint16, deflated []byte) []byte
	drop      map[string]bool // documents that are not there: their names, or a shard's number
}

// Keys of the authority: root 1 has old-a and old-b, root 2 and 3 have a, b and c;
// the online key of root 1 was retired by root 2.
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

// rootChain is roots 1 to 3.
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

// newDocs is the set of that version, issued that many hours after the first day.
// The stamp 7 of shard 1 is revoked from version 101 on.
func newDocs(version uint64, hours int) *docs {
	fp, roots, _ := rootChain()
	issued := forgedDay.Add(time.Duration(hours) * time.Hour)
	public, err := payload.KeyOf(ed25519.NewKeyFromSeed(make([]byte, 32)).Public())
	if err != nil {
		panic(err)
	}
	d := &docs{
		fp: fp, roots: roots, shards: map[uint16]*statuslist.Shard{0: {}, 1: {}, 2: {}},
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
	d.status = trust.Status{Version: version, Issued: issued, Expires: issued.AddDate(0, 0, 7)}
	for _, number := range []uint16{0, 1, 2} {
		v := uint64(100)
		if number == 1 {
			v = version
		}
		d.status.Shards = append(d.status.Shards, trust.ShardEntry{Number: number, Version: v})
	}
	d.timestamp = trust.Timestamp{Version: version, Issued: issued, Expires: issued.AddDate(0, 0, 1)}
	return d
}

// nextRoot has the set come with root 4, signed by those given.
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

// forged is what a mirror serves and a file holds.
type forged struct {
	roots                     [][]byte
	timestamp, bundle, status []byte // nil: not there
	shards                    map[uint16][]byte
	names                     map[string]string // hash that a document names: what it is of
}

// assemble signs the set.
func (d *docs) assemble() forged {
	f := forged{roots: slices.Clone(d.roots), shards: map[uint16][]byte{}, names: map[string]string{}}
	if d.root != nil {
		f.roots = append(f.roots, d.late1("root", d.note("root", *d.root)))
	}
	for i, e := range d.status.Shards {
		if s := d.shards[e.Number]; s != nil {
			if e.SHA256 == ([32]byte{}) {
				d.status.Shards[i].SHA256 = s.Hash()
			}
			f.shards[e.Number] = s.Deflate()
		}
		f.names[trust.Fingerprint(d.status.Shards[i].SHA256).String()] = strconv.Itoa(int(e.Number))
	}
	bundle, status := d.note("bundle", d.bundle), d.note("status", d.status)
	ref := func(to *trust.DocumentRef, kind string, version uint64, raw []byte) {
		if to.SHA256 == ([32]byte{}) {
			to.SHA256 = sha256.Sum256(raw)
		}
		if to.Version == 0 {
			to.Version = version
		}
		f.names[trust.Fingerprint(to.SHA256).String()] = kind
	}
	ref(&d.timestamp.Bundle, "bundle", d.bundle.Version, bundle)
	ref(&d.timestamp.Status, "status", d.status.Version, status)
	f.timestamp = d.late1("timestamp", d.note("timestamp", d.timestamp))
	f.bundle, f.status = d.late1("bundle", bundle), d.late1("status", status)
	for number, raw := range f.shards {
		if d.lateShard != nil {
			f.shards[number] = d.lateShard(number, raw)
		}
		if d.drop[strconv.Itoa(int(number))] {
			delete(f.shards, number)
		}
	}
	for kind, to := range map[string]*[]byte{"timestamp": &f.timestamp, "bundle": &f.bundle, "status": &f.status} {
		if d.drop[kind] {
			*to = nil
		}
	}
	return f
}

func (d *docs) late1(kind string, raw []byte) []byte {
	if f := d.late[kind]; f != nil {
		return f(bytes.Clone(raw))
	}
	return raw
}

// body is what the mirror answers for a name below the trust store; nil: nothing.
func (f forged) body(name string) []byte {
	if n, ok := strings.CutPrefix(name, "root/"); ok {
		if v, err := strconv.Atoi(n); err == nil && v >= 1 && v <= len(f.roots) {
			return f.roots[v-1]
		}
		return nil
	}
	if name == "timestamp" {
		return f.timestamp
	}
	switch what := f.names[name]; what {
	case "bundle":
		return f.bundle
	case "status":
		return f.status
	default:
		n, err := strconv.Atoi(what)
		if err != nil {
			return nil
		}
		return f.shards[uint16(n)]
	}
}

// file is what an export file of it looks like.
func (f forged) file() []byte {
	var b bytes.Buffer
	entry := func(kind, name string, data []byte) {
		if data != nil {
			fmt.Fprintf(&b, "%s %s %d\n%s\n", kind, name, len(data), data)
		}
	}
	b.WriteString("tcode-trust-export/1\n")
	for i, raw := range f.roots {
		entry("root", strconv.Itoa(i+1), raw)
	}
	entry("timestamp", "-", f.timestamp)
	entry("bundle", "-", f.bundle)
	entry("status", "-", f.status)
	for _, number := range slices.Sorted(maps.Keys(f.shards)) {
		entry("shard", strconv.Itoa(int(number)), f.shards[number])
	}
	b.WriteString("end\n")
	return b.Bytes()
}

// A forger is a mirror that serves what it is told to.
type forger struct {
	url  string
	now  forged
	hook func(w http.ResponseWriter, name string) bool // answers in its place
}

func newForger(t *testing.T) *forger {
	t.Helper()
	m := &forger{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, feed.Path)
		if m.hook != nil && m.hook(w, name) {
			return
		}
		if body := m.now.body(name); body != nil {
			w.Write(body)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(srv.Close)
	m.url = srv.URL
	return m
}

// swapped returns an edit that takes one text for another, which must be there.
func swapped(old, with string) func([]byte) []byte {
	return func(text []byte) []byte {
		if !bytes.Contains(text, []byte(old)) {
			panic(fmt.Sprintf("no %q in %q", old, text))
		}
		return bytes.Replace(text, []byte(old), []byte(with), 1)
	}
}

// matched is swapped by a pattern.
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
