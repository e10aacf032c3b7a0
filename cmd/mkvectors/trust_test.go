package mkvectors_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"tcode/offline/payload"
	"tcode/offline/trust"
)

// trustVectors makes testdata/vectors/trust: single signed notes, and devices with
// updates for them (offline/trust/FORMAT.md, "Reasons and vectors"). Each answer is
// written by hand with its case.
func trustVectors() (files, error) {
	made := files{}
	if err := trustNotes(made); err != nil {
		return nil, err
	}
	return made, trustUpdates(made)
}

// addJSON adds a vector in JSON.
func (f files) addJSON(name string, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	return f.add(name+".json", b.Bytes())
}

// reasons are the words for the errors of package trust.
var reasons = []struct {
	err  error
	word string
}{
	{trust.ErrSyntax, "syntax"},
	{trust.ErrTypeLine, "type_line"},
	{trust.ErrForeignRoot, "foreign_root"},
	{trust.ErrForeignKey, "foreign_key"},
	{trust.ErrSignature, "signature"},
	{trust.ErrThreshold, "threshold"},
	{trust.ErrTooLarge, "too_large"},
	{trust.ErrHash, "hash"},
	{trust.ErrVersion, "version"},
	{trust.ErrRollback, "rollback"},
	{trust.ErrUndone, "undone"},
	{trust.ErrConflict, "conflict"},
	{trust.ErrIncomplete, "incomplete"},
	{trust.ErrRootChain, "root_chain"},
	{trust.ErrTooManyRoots, "too_many_roots"},
	{trust.ErrFingerprint, "fingerprint"},
	{trust.ErrNonce, "nonce"},
}

// reason is "ok", a word of reasons, or an error's own text.
func reason(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.word
		}
	}
	if err != nil {
		return err.Error()
	}
	return "ok"
}

// authority makes trust documents as a gateway does: three root keys of which two
// sign, and an online key.
type authority struct {
	rootKeys  []*trust.Signer
	online    *trust.Signer
	root      trust.Root
	fp        trust.Fingerprint
	bundle    trust.Bundle
	status    trust.Status
	timestamp trust.Timestamp
}

// trustSigner is the key of the vectors with that name.
func trustSigner(name string) *trust.Signer {
	seed := sha256.Sum256([]byte("tcode vector key " + name))
	s, err := trust.NewSigner("gateway.example/"+name, ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		panic(err) // the names are ours
	}
	return s
}

func newAuthority() (*authority, error) {
	a := &authority{rootKeys: []*trust.Signer{trustSigner("root-a"), trustSigner("root-b"), trustSigner("root-c")}, online: trustSigner("online")}
	a.root = trust.Root{Version: 1, Expires: noon.Add(300 * day), Threshold: 2, Online: a.online.Key()}
	for _, s := range a.rootKeys {
		a.root.Keys = append(a.root.Keys, s.Key())
	}
	var err error
	if a.fp, err = a.root.Fingerprint(); err != nil {
		return nil, err
	}
	keys, err := newSigners()
	if err != nil {
		return nil, err
	}
	ed, err := payload.KeyOf(keys.ed.Public())
	if err != nil {
		return nil, err
	}
	es, err := payload.KeyOf(keys.es.Public())
	if err != nil {
		return nil, err
	}
	survivors := sha256.Sum256(nil)
	a.bundle = trust.Bundle{
		Version: 10, Issued: noon, Expires: noon.Add(7 * day),
		Tenants: []trust.Tenant{
			{Reference: "ACME01", Name: "Acme Institute", State: trust.TenantActive},
			{Reference: "UNIGE1", Name: "Université de Genève", State: trust.TenantSuspended},
		},
		Keys: []trust.Key{
			{Tenant: "ACME01", Seq: 0, Public: es, State: trust.KeyCompromised, CompromisedSince: noon.Add(-day), SurvivorList: hex.EncodeToString(survivors[:])},
			{Tenant: "ACME01", Seq: 1, Public: ed, State: trust.KeySigning, ValidFrom: noon.Add(-40 * day)},
			{Tenant: "ACME01", Seq: 2, Public: ed, State: trust.KeyAnnounced, ValidFrom: noon.Add(day)},
			{Tenant: "UNIGE1", Seq: 255, Public: ed, State: trust.KeyVerifying, ValidFrom: noon.Add(-40 * day), ValidUntil: noon.Add(-20 * day)},
		},
		DocumentTypes: []trust.DocumentType{{
			Code: "DIP", Names: map[string]string{"en": "Diploma", "fa": "دانش\u200cنامه"},
			FieldLabels: map[string]map[string]string{"holder": {"de-CH": `Inhaber: \o/`, "en": "Holder"}},
		}},
	}
	a.status = trust.Status{Version: 10, Issued: noon, Expires: noon.Add(7 * day), Delta: trust.DeltaRef{Since: 10, SHA256: trust.Delta{}.Hash()}}
	a.timestamp = trust.Timestamp{Version: 10, StatusAsOf: noon, Expires: noon.Add(day)}
	return a, nil
}

// texter is a trust document.
type texter interface {
	Text(trust.Fingerprint) ([]byte, error)
}

// text is the canonical text of d.
func (a *authority) text(d texter) string {
	raw, err := d.Text(a.fp)
	if err != nil {
		panic(err) // the documents are ours, and their faults are made in their text
	}
	return string(raw)
}

// note is text with signature lines of those keys.
func note(text string, by ...*trust.Signer) string {
	var b strings.Builder
	b.WriteString(text + "\n")
	for _, s := range by {
		b.WriteString(signatureLine(text, s))
	}
	return b.String()
}

func signatureLine(text string, s *trust.Signer) string {
	sig, err := s.Sign([]byte(text))
	if err != nil {
		panic(err) // a key in memory
	}
	hash := s.KeyHash()
	return fmt.Sprintf("— %s %s\n", s.Name(), base64Of([]byte{byte(hash >> 24), byte(hash >> 16), byte(hash >> 8), byte(hash)}, sig))
}

// signed is the note of d by the keys that sign it.
func (a *authority) signed(d texter) string {
	if _, root := d.(trust.Root); root {
		return note(a.text(d), a.rootKeys[0], a.rootKeys[2])
	}
	return note(a.text(d), a.online)
}

// rootNote is the note of a root 1 whose text from its second line on is this, and
// its fingerprint.
func rootNote(text string, by ...*trust.Signer) (string, trust.Fingerprint) {
	fp := trust.Fingerprint(sha256.Sum256([]byte(text)))
	return note("tcode-trust/1 root "+fp.String()+"\n"+text, by...), fp
}

// behind is a text from its second line on.
func behind(text string) string { return text[strings.IndexByte(text, '\n')+1:] }

// witness is a signature line of length bytes, of a key that does not count.
func witness(name string, length int) string {
	line := "— " + name
	fill := length - len(line) - len(" AAAAAAA=\n")
	return line + strings.Repeat("x", max(fill, 0)) + " AAAAAAA=\n"
}

// timeNote is the answer to a nonce.
func timeNote(nonce [32]byte, at time.Time) trust.TimeNote {
	return trust.TimeNote{Nonce: nonce, Time: at}
}
