package mkvectors_test

import (
	"crypto"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"tcode/offline/payload"
	"tcode/server/issue/trustdoc"
)

// documentVectors are signed texts of Trust documents (server/issue/trustdoc/FORMAT.md):
// good ones, texts that are not canonical though they are signed,
// and signatures that do not hold.
func documentVectors() (files, error) {
	keys, err := newSigners()
	if err != nil {
		return nil, err
	}
	made := files{}
	for _, step := range []func(files, signers) error{goodDocuments, badStatements, badDocumentSignatures} {
		if err := step(made, keys); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// statement returns the statement of most vectors.
func statement() trustdoc.Statement {
	return trustdoc.Statement{
		DocumentTitle: "Diploma", DocumentType: "DIP", ExpiresAt: time.Date(2031, time.March, 14, 0, 0, 0, 0, time.UTC),
		Fields:   []payload.Field{{Key: "degree", Value: "Mathematics"}, {Key: "grade", Value: "1.0"}},
		IssuedAt: time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC), Issuer: "ACME01", KeyID: "ACME01-0",
		PDFSHA256: strings.Repeat("0123456789abcdef", 4), RecipientName: "Ada Lovelace",
		Reference: trustdoc.Reference{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Stamp: "TCR-0000000000000000",
	}
}

// addDocument signs text with s, after prefix, and adds the vector.
func addDocument(made files, class, name, comment, prefix, text string, s crypto.Signer) error {
	sig, err := payload.SignMessage([]byte(prefix+text), s)
	if err != nil {
		return err
	}
	return addText(made, class, name, comment, text, s, sig)
}

func addText(made files, class, name, comment, text string, s crypto.Signer, sig [payload.SignatureLen]byte) error {
	key, err := payload.KeyOf(s.Public())
	if err != nil {
		return err
	}
	headers := []header{{"algorithm", key.Algorithm().String()}, {"key", hex.EncodeToString(key.Bytes())}, {"signature", hex.EncodeToString(sig[:])}}
	return made.add(name, vector(class, comment, headers, text))
}

const signedAfter = trustdoc.Format + "\n"

func goodDocuments(made files, keys signers) error {
	for _, v := range []struct {
		name, comment string
		edit          func(*trustdoc.Statement)
	}{
		{"sample", "what most documents say", func(*trustdoc.Statement) {}},
		{"bare", "all that may be empty is", func(s *trustdoc.Statement) {
			s.DocumentTitle, s.ExpiresAt, s.Fields, s.PDFSHA256, s.Stamp = "", time.Time{}, nil, "", ""
		}},
		{"test", "a test document that replaces another", func(s *trustdoc.Statement) { s.Test, s.Replaces = true, "TRF-0000000000000001" }},
		{"scripts", "several scripts, and what is not normalised", func(s *trustdoc.Statement) {
			s.RecipientName, s.DocumentTitle = "Åsa e\u0301 é 王小明", "جامعة 🎓"
		}},
		{"escapes", "what JSON escapes, and what it need not", func(s *trustdoc.Statement) {
			s.DocumentTitle = "\"\\/\b\f\n\r\t\x01\x1f\x7f<>&\u2028\u2029"
		}},
		{"order", "keys in the order of UTF-16, which is not that of UTF-8", func(s *trustdoc.Statement) {
			s.Fields = []payload.Field{{Key: "\ufb33", Value: "2"}, {Key: "😀", Value: "1"}, {Key: "a", Value: ""}, {Key: "B", Value: "b"}}
		}},
		{"keys", "keys that some languages put in an order of their own, or have a meaning for", func(s *trustdoc.Statement) {
			s.Fields = []payload.Field{{Key: "10", Value: "ten"}, {Key: "9", Value: "nine"}, {Key: "__proto__", Value: "a field"}, {Key: "constructor", Value: "another"}, {Key: " ", Value: " "}}
		}},
		{"second", "ends a second after it began", func(s *trustdoc.Statement) { s.ExpiresAt = s.IssuedAt.Add(time.Second) }},
	} {
		s := statement()
		v.edit(&s)
		for name, key := range map[string]crypto.Signer{"ed25519": keys.ed, "es256": keys.es} {
			if err := addDocument(made, "ok", fmt.Sprintf("ok-%s-%s", v.name, name), v.comment, signedAfter, s.Text(), key); err != nil {
				return err
			}
		}
	}
	return nil
}

// badStatements are signed statements that no issuer may sign.
func badStatements(made files, keys signers) error {
	good := statement().Text()
	for _, v := range []struct{ name, comment, from, to string }{
		{"space", "white space after a colon", `"format":"`, `"format": "`},
		{"line-end", "a line end after the text", `"test":false}`, "\"test\":false}\n"},
		{"mark", "a byte order mark before the text", `{"documentTitle"`, "\ufeff" + `{"documentTitle"`},
		{"order", "two members in another order", `"replaces":"","stamp":"TCR-0000000000000000"`, `"stamp":"TCR-0000000000000000","replaces":""`},
		{"field-order", "two fields in another order", `"degree":"Mathematics","grade":"1.0"`, `"grade":"1.0","degree":"Mathematics"`},
		{"missing", "a member is missing", `"replaces":"",`, ``},
		{"unknown", "a member nobody knows", `"replaces":"",`, `"replaces":"","signature":"",`},
		{"twice", "a member twice", `"replaces":"",`, `"replaces":"","replaces":"",`},
		{"field-twice", "a field twice", `"grade":"1.0"`, `"grade":"1.0","grade":"1.0"`},
		{"case", "a member in another case", `"replaces"`, `"Replaces"`},
		{"escape", "an escape that is not needed", `"Mathematics"`, `"\u004dathematics"`},
		{"slash", "an escaped slash", `"Diploma"`, `"Diploma\/"`},
		{"surrogate", "half of a surrogate pair", `"Diploma"`, `"\ud83c"`},
		{"surrogate-field", "half of a surrogate pair in a field", `"Mathematics"`, `"\ud83c"`},
		{"surrogate-key", "half of a surrogate pair in a field's key", `"degree"`, `"degree\udf93"`},
		{"utf8", "not UTF-8", `"Diploma"`, "\"\xff\""},
		{"number", "a number for a string", `"grade":"1.0"`, `"grade":1.0`},
		{"null", "null for a string", `"replaces":""`, `"replaces":null`},
		{"test", "a string for the boolean", `"test":false`, `"test":"false"`},
		{"format", "another format", `TCode-Trust/1`, `TCode-Trust/2`},
		{"stamp-reference", "the reference of a stamp", `"reference":"TRF-`, `"reference":"TCR-`},
		{"lower-reference", "a reference in lower case", `"reference":"TRF-`, `"reference":"trf-`},
		{"no-recipient", "no recipient", `Ada Lovelace`, ``},
		{"other-key", "the key of another issuer", `"keyId":"ACME01-0"`, `"keyId":"ACME02-0"`},
		{"fraction", "a time with a fraction", `2026-11-20T12:00:00Z`, `2026-11-20T12:00:00.000Z`},
		{"offset", "a time with an offset", `2026-11-20T12:00:00Z`, `2026-11-20T12:00:00+00:00`},
		{"no-time", "no time of issue", `"issuedAt":"2026-11-20T12:00:00Z"`, `"issuedAt":""`},
		{"key-number", "a key's number with a zero before it", `"keyId":"ACME01-0"`, `"keyId":"ACME01-00"`},
		{"key-256", "a key's number that no key has", `"keyId":"ACME01-0"`, `"keyId":"ACME01-256"`},
		{"no-key", "no key", `"keyId":"ACME01-0"`, `"keyId":"ACME01-"`},
		{"issuer", "an issuer in lower case", `"issuer":"ACME01","keyId":"ACME01-0"`, `"issuer":"acme01","keyId":"acme01-0"`},
		{"type", "a document type of four characters", `"DIP"`, `"DIPL"`},
		{"no-type", "no document type", `"DIP"`, `""`},
		{"pdf", "a hash in upper case", `89abcdef"`, `89ABCDEF"`},
		{"short-pdf", "a hash that is too short", `89abcdef"`, `89abcd"`},
		{"stamp", "the reference of a document for that of the TCode", `"stamp":"TCR-`, `"stamp":"TRF-`},
		{"lower-stamp", "the reference of the TCode in lower case", `TCR-0000000000000000`, `TCR-000000000000000a`},
		{"replaces", "the reference of a TCode for that of a document", `"replaces":""`, `"replaces":"TCR-0000000000000001"`},
		{"replaces-spelling", "a letter for a digit in a reference", `"replaces":""`, `"replaces":"TRF-000000000000000O"`},
		{"date", "a day that does not exist", `2031-03-14`, `2031-02-29`},
		{"leap-second", "a leap second", `2026-11-20T12:00:00Z`, `2026-11-20T12:00:60Z`},
		{"ended", "ends when it begins", `2031-03-14T00:00:00Z`, `2026-11-20T12:00:00Z`},
	} {
		text := strings.Replace(good, v.from, v.to, 1)
		if text == good {
			return fmt.Errorf("vector %s changes nothing", v.name)
		}
		if err := addDocument(made, "text", "text-"+v.name, v.comment, signedAfter, text, keys.ed); err != nil {
			return err
		}
	}
	return nil
}

// badDocumentSignatures are under good texts.
func badDocumentSignatures(made files, keys signers) error {
	good := statement().Text()
	other := strings.Replace(good, "Ada", "Eve", 1)
	for _, key := range []struct {
		name string
		s    crypto.Signer
	}{{"ed25519", keys.ed}, {"es256", keys.es}} {
		for _, v := range []struct{ name, comment, prefix, signed string }{
			{"other", "of a document with another recipient", signedAfter, other},
			{"bare", "of the text alone, without the format's name", "", good},
			{"no-line-end", "the format's name without the line end", trustdoc.Format, good},
			{"carriage-return", "a carriage return before the line end", trustdoc.Format + "\r\n", good},
			{"line-end", "a line end after the text", signedAfter, good + "\n"},
		} {
			sig, err := payload.SignMessage([]byte(v.prefix+v.signed), key.s)
			if err != nil {
				return err
			}
			if err := addText(made, "signature", fmt.Sprintf("signature-%s-%s", v.name, key.name), v.comment, good, key.s, sig); err != nil {
				return err
			}
		}
		sig, err := payload.SignMessage([]byte(signedAfter+good), key.s)
		if err != nil {
			return err
		}
		sig[0] ^= 1
		if err := addText(made, "signature", "signature-changed-"+key.name, "one bit of it changed", good, key.s, sig); err != nil {
			return err
		}
	}
	return nil
}
