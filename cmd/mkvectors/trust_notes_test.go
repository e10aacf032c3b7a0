package mkvectors_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"tcode/offline/trust"
)

// noteVector is one signed note with the answer to it.
type noteVector struct {
	Comment string `json:"comment"`
	Type    string `json:"type"`
	Root    string `json:"root"`
	Online  string `json:"online,omitempty"`
	Nonce   string `json:"nonce,omitempty"`
	Note    string `json:"note,omitempty"`
	NoteHex string `json:"noteHex,omitempty"` // where the note is no UTF-8
	Want    string `json:"want"`
}

// run reads the note.
func (v noteVector) run() (err error) {
	raw := []byte(v.Note)
	if v.NoteHex != "" {
		if raw, err = hex.DecodeString(v.NoteHex); err != nil {
			return err
		}
	}
	fp, err := trust.ParseFingerprint(v.Root)
	if err != nil {
		return err
	}
	if v.Type == trust.TypeRoot {
		_, err = trust.ParseRoot(fp, raw)
		return err
	}
	online, err := trust.ParseVerifierKey(v.Online)
	if err != nil {
		return err
	}
	switch v.Type {
	case trust.TypeBundle:
		_, err = trust.ParseBundle(fp, online, raw)
	case trust.TypeStatus:
		_, err = trust.ParseStatus(fp, online, raw)
	case trust.TypeTimestamp:
		_, err = trust.ParseTimestamp(fp, online, raw)
	default:
		nonce, bad := trust.ParseFingerprint(v.Nonce)
		if bad != nil {
			return bad
		}
		_, err = trust.ParseTimeNote(fp, online, nonce, raw)
	}
	return err
}

// noteMaker collects the vectors of notes.
type noteMaker struct {
	*authority
	made files
	err  error
}

func (m *noteMaker) add(name string, v noteVector) {
	if m.err != nil {
		return
	}
	if got := reason(v.run()); got != v.Want {
		m.err = fmt.Errorf("document-%s: got %s, want %s", name, got, v.Want)
		return
	}
	m.err = m.made.addJSON("document-"+name, v)
}

// online adds a note of a document that the online key signs.
func (m *noteMaker) ofOnline(kind, name, comment, want, raw string) {
	v := noteVector{Comment: comment, Type: kind, Root: m.fp.String(), Online: m.authority.online.Key().String(), Note: raw, Want: want}
	if kind == trust.TypeTime {
		v.Nonce = strings.Repeat("a5", 32)
	}
	m.add(kind+"-"+name, v)
}

// edited adds a document whose text has one fault and is signed with it.
func (m *noteMaker) edited(d texter, kind, name, comment, from, to string) {
	text := m.text(d)
	if n := strings.Count(text, from); n != 1 && m.err == nil {
		m.err = fmt.Errorf("document-%s-%s: %q is there %d times", kind, name, from, n)
	}
	text = strings.Replace(text, from, to, 1)
	if kind == trust.TypeRoot {
		raw, fp := rootNote(behind(text), m.rootKeys[0], m.rootKeys[2])
		m.add("root-"+name, noteVector{Comment: comment, Type: kind, Root: fp.String(), Note: raw, Want: "syntax"})
		return
	}
	m.ofOnline(kind, name, comment, "syntax", note(text, m.authority.online))
}

func trustNotes(made files) error {
	a, err := newAuthority()
	if err != nil {
		return err
	}
	m := &noteMaker{authority: a, made: made}
	m.rootSignatures()
	m.rootTexts()
	m.onlineNotes()
	m.noteForms()
	m.bundleTexts()
	m.statusTexts()
	m.timestampTexts()
	return m.err
}

func (m *noteMaker) rootSignatures() {
	text := m.text(m.root)
	a, b, c := m.rootKeys[0], m.rootKeys[1], m.rootKeys[2]
	one := m.root
	one.Threshold, one.Keys = 1, one.Keys[:1]
	single, fp := rootNote(behind(m.text(one)), a)
	m.add("root-ok-single", noteVector{"one key, threshold 1", trust.TypeRoot, fp.String(), "", "", single, "", "ok"})
	wrong := signatureLine(text+"x", b)
	good := m.fp.String()
	for _, v := range []struct{ name, comment, root, raw, want string }{
		{"ok", "two of three", good, note(text, a, c), "ok"},
		{"ok-three", "all three", good, note(text, a, b, c), "ok"},
		{"ok-order", "signature lines in another order", good, note(text, c, a), "ok"},
		{"ok-witness", "a line of a witness", good, note(text, a, trustSigner("witness"), c), "ok"},
		{"one", "one of two signatures", good, note(text, a), "threshold"},
		{"twice", "one key has signed twice", good, note(text, a, a), "threshold"},
		{"online", "the online key in place of a root key", good, note(text, a, m.authority.online), "threshold"},
		{"witness", "a witness in place of a root key", good, note(text, a, trustSigner("witness")), "threshold"},
		{"wrong-line", "two good signatures, and a wrong one of the third key", good, note(text, a, c) + wrong, "signature"},
		{"fingerprint", "the text is not that of its fingerprint", good, note(strings.Replace(text, "threshold 2", "threshold 1", 1), a, b), "fingerprint"},
		{"foreign", "of another trust root", strings.Repeat("0", 64), note(text, a, c), "foreign_root"},
		{"type", "the type line of a bundle", good, note(strings.Replace(text, " root ", " bundle ", 1), a, c), "type_line"},
		{"format", "the type line of another format", good, note(strings.Replace(text, "trust/1", "trust/2", 1), a, c), "type_line"},
		{"no-fingerprint", "no fingerprint in the type line", good, note(strings.Replace(text, " "+good, "", 1), a, c), "type_line"},
		{"upper-fingerprint", "the fingerprint in upper case", good, note(strings.Replace(text, good, strings.ToUpper(good), 1), a, c), "type_line"},
		{"word", "a word more in the type line", good, note(strings.Replace(text, good, good+" 1", 1), a, c), "type_line"},
		{"too-large", "65,537 bytes", good, filled(note(text, a, c), 65537), "too_large"},
		{"ok-largest", "65,536 bytes", good, filled(note(text, a, c), 65536), "ok"},
	} {
		m.add("root-"+v.name, noteVector{v.comment, trust.TypeRoot, v.root, "", "", v.raw, "", v.want})
	}
}

// filled is raw with lines of witnesses, up to length bytes.
func filled(raw string, length int) string {
	for i := 0; len(raw) < length; i++ {
		n := min(length-len(raw), 2000)
		if left := length - len(raw) - n; left > 0 && left < 100 {
			n -= 100
		}
		raw += witness(fmt.Sprintf("witness-%d-", i), n)
	}
	return raw
}

func (m *noteMaker) rootTexts() {
	a := m.rootKeys[0].Key().String()
	b := m.rootKeys[1].Key().String()
	keys := []string{a, b, m.rootKeys[2].Key().String()}
	slices.Sort(keys)
	online := m.authority.online.Key().String()
	hash := strings.Split(a, "+")[1]
	renamed := trust.VerifierKey{Name: "gateway.example/root-d", Public: m.rootKeys[0].Key().Public}.String()
	for _, v := range []struct{ name, comment, from, to string }{
		{"version-0", "version 0", "version 1", "version 0"},
		{"version-zero", "a zero before the version", "version 1", "version 01"},
		{"version-sign", "a sign before the version", "version 1", "version +1"},
		{"threshold-0", "threshold 0", "threshold 2", "threshold 0"},
		{"threshold-4", "threshold 4 of 3 keys", "threshold 2", "threshold 4"},
		{"no-expires", "no expiry", "expires 2027-04-11T12:00:00Z\n", ""},
		{"fraction", "a time with a fraction", "T12:00:00Z", "T12:00:00.0Z"},
		{"offset", "a time with an offset", "T12:00:00Z", "T12:00:00+00:00"},
		{"leap-second", "a leap second", "T12:00:00Z", "T23:59:60Z"},
		{"date", "a day that does not exist", "2027-04-11", "2027-02-29"},
		{"year-0", "the year 0", "2027-04-11", "0000-04-11"},
		{"zero-time", "the first second of the year 1", "2027-04-11T12:00:00Z", "0001-01-01T00:00:00Z"},
		{"order", "keys descend", "key " + keys[0] + "\nkey " + keys[1], "key " + keys[1] + "\nkey " + keys[0]},
		{"key-twice", "a key is there twice", "key " + keys[0] + "\n", "key " + keys[0] + "\nkey " + keys[0] + "\n"},
		{"key-two-names", "one public key under two names", "online ", "key " + renamed + "\nonline "},
		{"online-is-root", "the online key is a root key", "online " + online, "online " + a},
		{"no-online", "no online key", "online " + online + "\n", ""},
		{"key-hash", "the hash of another key", hash, strings.Split(b, "+")[1]},
		{"key-hash-upper", "the hash of the key in upper case", hash, strings.ToUpper(hash)},
		{"line-more", "a line more", "online " + online + "\n", "online " + online + "\nmore 1\n"},
		{"forget-first", "forget before online", "online ", "forget 2026-06-14T12:00:00Z\nonline "},
		{"forget-twice", "forget twice", "online " + online + "\n", "online " + online + strings.Repeat("\nforget 2026-06-14T12:00:00Z", 2) + "\n"},
		{"spaces", "two spaces", "threshold 2", "threshold  2"},
		{"space-behind", "a space at the end of a line", "threshold 2", "threshold 2 "},
		{"tab", "a tab", "threshold 2", "threshold\t2"},
		{"case", "a name in upper case", "threshold 2", "Threshold 2"},
		{"lines-order", "threshold before expires", "expires 2027-04-11T12:00:00Z\nthreshold 2\n", "threshold 2\nexpires 2027-04-11T12:00:00Z\n"},
	} {
		m.edited(m.root, trust.TypeRoot, v.name, v.comment, v.from, v.to)
	}
	text, more := behind(m.text(m.root)), ""
	for i := range 30 {
		more += "key " + trustSigner(fmt.Sprintf("z-%02d", i)).Key().String() + "\n"
	}
	raw, fp := rootNote(strings.Replace(text, "online ", more+"online ", 1), m.rootKeys[0], m.rootKeys[2])
	m.add("root-33-keys", noteVector{"33 root keys", trust.TypeRoot, fp.String(), "", "", raw, "", "syntax"})
	raw, fp = rootNote(text+"forget 2026-06-14T12:00:00Z\n", m.rootKeys[0], m.rootKeys[2])
	m.add("root-ok-forget", noteVector{"what devices remember is void", trust.TypeRoot, fp.String(), "", "", raw, "", "ok"})
	small := "gateway.example/small+" + vkeyOf("gateway.example/small", make([]byte, 32))
	raw, fp = rootNote(strings.Replace(text, "online "+online, "online "+small, 1), m.rootKeys[0], m.rootKeys[2])
	m.add("root-small-order", noteVector{"an online key of small order", trust.TypeRoot, fp.String(), "", "", raw, "", "syntax"})
}

func base64Of(parts ...[]byte) string {
	return base64.StdEncoding.EncodeToString(slices.Concat(parts...))
}
