package mkvectors_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"tcode/offline/digest"
	"tcode/offline/trust"
)

// vkeyOf is the hash and the Base64 of a verifier key.
func vkeyOf(name string, public []byte) string {
	key := append([]byte{1}, public...)
	sum := sha256.Sum256(append([]byte(name+"\n"), key...))
	return hex.EncodeToString(sum[:4]) + "+" + base64Of(key)
}

// onlineNotes are whole notes of each type, and their signatures.
func (m *noteMaker) onlineNotes() {
	nonce := [32]byte([]byte(strings.Repeat("\xA5", 32)))
	now := timeNote(nonce, noon)
	many := m.status
	many.Shards, many.Packs = 129, []digest.SHA256{{1}, {2}}
	for _, v := range []struct {
		kind, name, comment string
		d                   texter
	}{
		{trust.TypeBundle, "ok", "two issuers, four keys, one type", m.bundle},
		{trust.TypeBundle, "ok-empty", "no issuer and no type", trust.Bundle{Version: 1, Issued: noon, Expires: noon.Add(1e9)}},
		{trust.TypeStatus, "ok", "no shards", m.status},
		{trust.TypeStatus, "ok-129", "129 shards in two packs", many},
		{trust.TypeTimestamp, "ok", "a timestamp", m.timestampOf(1)},
		{trust.TypeTimestamp, "ok-greatest", "the greatest version", m.timestampOf(trust.MaxVersion)},
		{trust.TypeTime, "ok", "the answer to the nonce", now},
	} {
		m.ofOnline(v.kind, v.name, v.comment, "ok", m.signed(v.d))
	}
	other := m.signed(timeNote([32]byte{1}, noon))
	m.ofOnline(trust.TypeTime, "nonce", "the answer to another nonce", "nonce", other)
	m.edited(now, trust.TypeTime, "upper-nonce", "the nonce in upper case", strings.Repeat("a5", 32), strings.Repeat("A5", 32))
	m.edited(now, trust.TypeTime, "fraction", "a time with a fraction", "T12:00:00Z", "T12:00:00.5Z")
	m.edited(now, trust.TypeTime, "line-more", "a line more", "T12:00:00Z\n", "T12:00:00Z\ntime 2026-06-15T12:00:00Z\n")
	m.ofOnline(trust.TypeTime, "type", "a timestamp in its place", "type_line", m.signed(m.timestampOf(1)))
	m.ofOnline(trust.TypeTime, "key", "signed by a root key", "foreign_key", note(m.text(now), m.rootKeys[0]))
}

func (m *noteMaker) timestampOf(version uint64) trust.Timestamp {
	t := m.timestamp
	t.Version = version
	t.Bundle, t.Status = trust.RefTo(10, []byte(m.signed(m.bundle))), trust.RefTo(10, []byte(m.signed(m.status)))
	return t
}

// noteForms are faults of the note around a good timestamp.
func (m *noteMaker) noteForms() {
	text := m.text(m.timestampOf(1))
	online := m.authority.online
	line := signatureLine(text, online)
	good := text + "\n" + line
	words := strings.Fields(line)
	key := online.Key()
	sig, _ := base64.StdEncoding.DecodeString(words[2])
	as := func(name string, hash, sig []byte) string {
		return text + "\n— " + name + " " + base64Of(hash, sig) + "\n"
	}
	renamed, err := hex.DecodeString(vkeyOf("gateway.example/other", key.Public[:])[:8])
	if err != nil && m.err == nil {
		m.err = err
	}
	for _, v := range []struct{ name, comment, want, raw string }{
		{"signature", "one bit of the signature", "signature", as(key.Name, sig[:4], append(append([]byte{}, sig[4:67]...), sig[67]^1))},
		{"signature-short", "a signature of 63 bytes", "signature", as(key.Name, sig[:4], sig[4:67])},
		{"signature-of-note", "the empty line was signed too", "signature", text + "\n" + signatureLine(text+"\n", online)},
		{"other-key", "signed by another key", "foreign_key", note(text, trustSigner("other"))},
		{"other-name", "the key under another name", "foreign_key", as("gateway.example/other", renamed, sig[4:])},
		{"other-hash", "the key's name with another hash", "foreign_key", as(key.Name, []byte{1, 2, 3, 4}, sig[4:])},
		{"witness-only", "a line of a witness alone", "foreign_key", text + "\n" + witness("witness", 60)},
		{"ok-witness", "a line of a witness before", "ok", text + "\n" + witness("witness", 60) + line},
		{"ok-second-wrong", "a second line of the key is skipped, and is wrong", "ok", good + strings.Replace(line, words[2], base64Of(sig[:4], make([]byte, 64)), 1)},
		{"first-wrong", "a wrong line of the key before the good one", "signature", text + "\n" + strings.Replace(line, words[2], base64Of(sig[:4], make([]byte, 64)), 1) + line},
		{"ok-name", "a witness with a name that we would not give", "ok", text + "\n" + witness("zeuge,höflich", 60) + line},
		{"name-plus", "a witness with a plus in its name", "syntax", text + "\n" + witness("wit+ness", 60) + line},
		{"name-space", "a witness with a space of Unicode in its name", "syntax", text + "\n" + witness("wit\u00a0ness", 60) + line},
		{"ok-100", "100 signature lines", "ok", text + "\n" + strings.Repeat(witness("w", 30), 99) + line},
		{"101", "101 signature lines", "syntax", text + "\n" + strings.Repeat(witness("w", 30), 100) + line},
		{"no-signature", "no signature line", "syntax", text + "\n"},
		{"text-only", "the text alone", "syntax", text},
		{"no-empty-line", "no empty line before the signature", "syntax", text + line},
		{"line-end", "no line feed at the end", "syntax", strings.TrimSuffix(good, "\n")},
		{"empty-behind", "an empty line at the end", "syntax", good + "\n"},
		{"text-behind", "a line that is no signature", "syntax", good + "more\n"},
		{"hyphen", "a hyphen for the em dash", "syntax", strings.Replace(good, "— ", "- ", 1)},
		{"no-space", "no space behind the em dash", "syntax", strings.Replace(good, "— ", "—", 1)},
		{"base64-4", "four bytes in a signature line", "syntax", text + "\n— w AAAAAA==\n" + line},
		{"base64-padding", "Base64 without its padding", "syntax", strings.Replace(good, "=\n", "\n", 1)},
		{"base64-url", "Base64 with another alphabet", "syntax", text + "\n— w AAAA_AAA\n" + line},
		{"carriage-return", "a carriage return", "syntax", strings.Replace(good, "\n\n", "\r\n\n", 1)},
		{"control", "a control character in a witness's line", "syntax", text + "\n— w AAAAAAA=\x01\n" + line},
		{"bom", "U+FEFF before the text", "type_line", "\ufeff" + good},
		{"empty", "no bytes", "type_line", ""},
		{"ok-4096", "4,096 bytes", "ok", good + strings.Repeat(witness("w", 100), (4096-len(good))/100-1) + witness("w", 100+(4096-len(good))%100)},
		{"too-large", "4,097 bytes", "too_large", good + strings.Repeat(witness("w", 100), (4096-len(good))/100-1) + witness("w", 101+(4096-len(good))%100)},
		{"foreign", "of another trust root", "foreign_root", note(strings.Replace(text, m.fp.String(), strings.Repeat("0", 64), 1), online)},
	} {
		m.ofOnline(trust.TypeTimestamp, v.name, v.comment, v.want, v.raw)
	}
	left := strings.TrimSuffix(words[2], "=")
	left = left[:len(left)-1] + string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", left[len(left)-1])|1])
	m.ofOnline(trust.TypeTimestamp, "ok-bits-left", "bits that Base64 leaves over are not 0", "ok", strings.Replace(good, words[2], left+"=", 1))
	m.add("timestamp-utf8", noteVector{"a byte that is no UTF-8 in a witness's line", trust.TypeTimestamp, m.fp.String(), key.String(), "", "", hex.EncodeToString([]byte(text + "\n— w\xff AAAAAAA=\n" + line)), "syntax"})
}

// bundleTexts are bundles with one fault.
func (m *noteMaker) bundleTexts() {
	text := m.text(m.bundle)
	lines := strings.SplitAfter(text, "\n")
	acme, zero, geneva := lines[4], lines[5], lines[8]
	kind, english, holder := lines[10], lines[11], lines[14]
	ed := strings.Fields(lines[6])[8]
	es := strings.Fields(zero)[8]
	off, _ := base64.StdEncoding.DecodeString(es)
	off[64] ^= 1
	survivors := strings.Fields(zero)[6]
	for _, v := range []struct{ name, comment, from, to string }{
		{"expires", "expires when it was issued", "expires 2026-06-22", "expires 2026-06-15"},
		{"tenants-order", "tenants descend", text[strings.Index(text, acme):strings.Index(text, kind)], geneva + acme},
		{"tenant-twice", "a tenant is there twice", acme, acme + acme},
		{"tenant-state", "a state that no tenant has", "UNIGE1 suspended", "UNIGE1 closed"},
		{"tenant-lower-case", "a reference in lower case", "tenant ACME01", "tenant acme01"},
		{"tenant-short", "a reference of five characters", "tenant ACME01", "tenant ACME1"},
		{"tenant-no-name", "no name", "active Acme Institute", "active "},
		{"name-bare", "a character that must be escaped", "Acme Institute", "Acme\u202eInstitute"},
		{"name-escaped", "an escape that is not needed", "Acme Institute", `\u{41}cme Institute`},
		{"name-upper-case", "an escape in upper case", `\u{200c}`, `\u{200C}`},
		{"name-zeros", "an escape with a zero before", `\u{200c}`, `\u{0200c}`},
		{"name-backslash", "a backslash alone", "Acme Institute", `Acme\Institute`},
		{"name-space-first", "a space begins a name", "active Acme", "active  Acme"},
		{"name-space-last", "a space ends a name", "Acme Institute", "Acme Institute "},
		{"name-space-escaped", "a space inside is escaped", "Acme Institute", `Acme\u{20}Institute`},
		{"name-surrogate", "an escape of half a surrogate pair", "Acme Institute", `Acme\u{d83c}`},
		{"name-beyond", "an escape beyond U+10FFFF", "Acme Institute", `Acme\u{110000}`},
		{"name-1001", "a name of 1,001 bytes", "Acme Institute", strings.Repeat("a", 1001)},
		{"key-256", "key 256", "key 255", "key 256"},
		{"key-zeros", "a zero before the number", "key 1 ", "key 01 "},
		{"keys-order", "keys descend", lines[6] + lines[7], lines[7] + lines[6]},
		{"key-twice", "a key is there twice", zero, zero + zero},
		{"key-state", "a state that no key has", "key 1 signing", "key 1 resting"},
		{"key-announced", "announced without a beginning", "announced 2026-06-16T12:00:00Z", "announced -"},
		{"key-window", "ends when it begins", "verifying 2026-05-06T12:00:00Z 2026-05-26T12:00:00Z", "verifying 2026-05-06T12:00:00Z 2026-05-06T12:00:00Z"},
		{"key-compromised", "compromised without a time", "- - 2026-06-14T12:00:00Z", "- - -"},
		{"key-not-compromised", "a time of compromise of a key that is not", "signing 2026-05-06T12:00:00Z - -", "signing 2026-05-06T12:00:00Z - 2026-06-14T12:00:00Z"},
		{"key-survivors", "a survivor list of a key that is not compromised", "signing 2026-05-06T12:00:00Z - - -", "signing 2026-05-06T12:00:00Z - - " + survivors},
		{"key-survivors-upper", "a survivor list in upper case", survivors, strings.ToUpper(survivors)},
		{"key-algorithm", "an algorithm in another case", "- Ed25519 " + ed + "\nkey 2", "- ED25519 " + ed + "\nkey 2"},
		{"key-other-algorithm", "an Ed25519 key called ES256", "- Ed25519 " + ed + "\nkey 2", "- ES256 " + ed + "\nkey 2"},
		{"key-small-order", "a key of small order", "signing 2026-05-06T12:00:00Z - - - Ed25519 " + ed, "signing 2026-05-06T12:00:00Z - - - Ed25519 " + base64Of(make([]byte, 32))},
		{"key-off-curve", "a key that is not on the curve", es, base64Of(off)},
		{"key-padding", "Base64 without its padding", es, strings.TrimRight(es, "=")},
		{"key-bits-left", "bits that Base64 leaves over are not 0", es, es[:len(es)-2] + string(es[len(es)-2]+1) + "="},
		{"key-words", "a word more", es + "\n", es + " -\n"},
		{"key-first", "a key before all tenants", acme + zero, zero + acme},
		{"type-lower-case", "a type in lower case", "type DIP", "type dip"},
		{"type-no-name", "a type without a name", english + lines[12], ""},
		{"type-first", "a type before the tenants", text[strings.Index(text, acme):], text[strings.Index(text, kind):] + text[strings.Index(text, acme):strings.Index(text, kind)]},
		{"language-twice", "a language is there twice", english, english + english},
		{"languages-order", "languages descend", english + lines[12], lines[12] + english},
		{"language-case", "a language in upper case", "name en ", "name EN "},
		{"language-long", "a language of 36 characters", "name en ", "name en-abcdefgh-abcdefgh-abcdefgh-abcdef "},
		{"language-letters", "a language of four letters", "name en ", "name engl "},
		{"label-field", "a label of a field in upper case", holder, strings.Replace(holder, "holder", "Holder", 1)},
		{"label-first", "a label before the names", english + lines[12] + lines[13] + holder, holder + english + lines[12] + lines[13]},
	} {
		m.edited(m.bundle, trust.TypeBundle, v.name, v.comment, v.from, v.to)
	}
	b := m.bundle
	b.Tenants = append([]trust.Tenant{}, b.Tenants...)
	b.Tenants[0].Name = strings.Repeat("a", 1000)
	m.ofOnline(trust.TypeBundle, "ok-name-1000", "a name of 1,000 bytes", "ok", m.signed(b))
	b.Tenants[0].Name = " \t a  b \\ \u202e\U000E0041\ufeff"
	m.ofOnline(trust.TypeBundle, "ok-name-escapes", "a name with all kinds of escapes, and two spaces inside", "ok", m.signed(b))
}

func (m *noteMaker) statusTexts() {
	d := m.status
	d.Shards, d.Packs = 129, []digest.SHA256{{1}, {2}}
	text := m.text(d)
	first := text[strings.Index(text, "pack 0"):strings.Index(text, "pack 1")]
	second := text[strings.Index(text, "pack 1"):strings.Index(text, "delta")]
	delta := text[strings.Index(text, "delta"):]
	for _, v := range []struct{ name, comment, from, to string }{
		{"pack-missing", "a pack is missing", second, ""},
		{"pack-more", "a pack more", second, second + strings.Replace(second, "pack 1", "pack 2", 1)},
		{"packs-order", "packs descend", first + second, second + first},
		{"pack-number", "a pack has another number", "pack 1", "pack 2"},
		{"shards", "65,537 shards", "shards 129", "shards 65537"},
		{"shards-sign", "a sign before a number", "shards 129", "shards -1"},
		{"no-delta", "no delta", delta, ""},
		{"delta-after", "the delta is since a version after this one", "delta 10", "delta 11"},
		{"delta-0", "the delta is since version 0", "delta 10", "delta 0"},
		{"hash-upper", "a hash in upper case", "delta 10 " + strings.Fields(delta)[2], "delta 10 " + strings.ToUpper(strings.Fields(delta)[2])},
		{"hash-short", "a hash of 63 digits", strings.Fields(delta)[2], strings.Fields(delta)[2][1:]},
	} {
		m.edited(d, trust.TypeStatus, v.name, v.comment, v.from, v.to)
	}
}

func (m *noteMaker) timestampTexts() {
	d := m.timestampOf(1)
	text := m.text(d)
	lines := strings.SplitAfter(text, "\n")
	for _, v := range []struct{ name, comment, from, to string }{
		{"lines-order", "status before bundle", lines[4] + lines[5], lines[5] + lines[4]},
		{"version-0", "version 0", "version 1\n", "version 0\n"},
		{"version-2-53", "version 2^53", "version 1\n", fmt.Sprintf("version %d\n", trust.MaxVersion+1)},
		{"bundle-0", "a bundle of version 0", "bundle 10", "bundle 0"},
		{"expires", "expires when it was issued", "expires 2026-06-16", "expires 2026-06-15"},
		{"no-status", "no status", lines[5], ""},
		{"line-more", "a line more", lines[5], lines[5] + "time 2026-06-15T12:00:00Z\n"},
		{"empty-line", "an empty line inside", lines[4], "\n" + lines[4]},
		{"lower-time", "a time in lower case", "issued 2026-06-15T12:00:00Z", "issued 2026-06-15t12:00:00z"},
	} {
		m.edited(d, trust.TypeTimestamp, v.name, v.comment, v.from, v.to)
	}
}
