package caveat

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tcode/testdata/corpus"
)

var signedText = [2][]byte{[]byte("before the signature"), []byte("behind it")}

// agree compares a signature with the oracle, and reports whether both understand it. Only
// a changed one may be understood by the oracle alone: encoding/asn1 skips some malformed parts.
func agree(t *testing.T, der []byte, text [2][]byte, changed bool) (understood, intact bool) {
	t.Helper()
	wantName, want, wantErr := oracle(der, text[0], text[1])
	var got bool
	cert, s, err := readCMS(der)
	name := cert.subject.String()
	if err == nil {
		got, err = s.signed(cert, text[0], text[1])
	}
	stricter := changed && err != nil && !want
	// x509 refuses certificates of real signers for contents of extensions, which say nothing about a signature.
	if wider := err == nil && wantErr != nil && !got; wider {
		return false, false
	}
	if (err == nil) != (wantErr == nil) && !stricter || err == nil && (name != wantName || got != want) {
		t.Errorf("%x: (%q, %v, %v), want (%q, %v, %v)", der, name, got, err, wantName, want, wantErr)
	}
	return err == nil && wantErr == nil, got
}

// TestRealSignatures compares the signatures of real files, and changes of them.
func TestRealSignatures(t *testing.T) {
	t.Parallel()
	names, real := corpus.PDFs(t)
	found := 0
	for _, path := range names {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`/Contents ?<([0-9a-fA-F]{200,})>`).FindAllSubmatch(file, -1) {
			der, err := hex.DecodeString(string(m[1]))
			if err != nil {
				continue
			}
			if understood, _ := agree(t, der, signedText, false); understood {
				found++
				changes(t, der, 300)
			}
		}
		t.Logf("%s: %d", filepath.Base(path), found)
	}
	if real && found < 5 {
		t.Errorf("%d signatures, want 5", found)
	}
}

// changes compares changes of der.
func changes(t *testing.T, der []byte, rounds int) {
	t.Helper()
	random := mathrand.New(mathrand.NewPCG(1, uint64(len(der))))
	for range rounds {
		changed := append([]byte(nil), der...)
		for range 1 + random.IntN(2) {
			switch at := random.IntN(len(changed)); random.IntN(4) {
			case 0:
				changed[at] ^= 1 << random.IntN(8)
			case 1:
				changed[at] = byte(random.IntN(256))
			case 2:
				changed[at] = changed[random.IntN(len(changed))]
			default:
				changed = changed[:at+1]
			}
		}
		agree(t, changed, signedText, true)
	}
}

// A made signature has the key kind and the hash; pss is for RSA.
type madeSignature struct {
	key  crypto.Signer
	hash crypto.Hash
	pss  bool
}

func madeKeys(t testing.TB) map[string]crypto.Signer {
	t.Helper()
	all := map[string]crypto.Signer{}
	for _, c := range []elliptic.Curve{elliptic.P224(), elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		k, err := ecdsa.GenerateKey(c, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		all[c.Params().Name] = k
	}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, e, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	all["RSA"], all["Ed25519"] = r, e
	return all
}

var subjects = []pkix.Name{
	{CommonName: "A. Müller & Co *"},
	{Organization: []string{"Left, \"right\"", " edges "}, Country: []string{"DE", "CH"}, SerialNumber: "7", OrganizationalUnit: []string{"#1"}},
	{ExtraNames: []pkix.AttributeTypeAndValue{
		{Type: []int{1, 2, 840, 113549, 1, 9, 1}, Value: "a@example.com"},
		{Type: []int{2, 5, 4, 3}, Value: ""},
		{Type: []int{2, 5, 4, 5}, Value: "1"},
		{Type: []int{2, 5, 4, 5}, Value: ""},
		{Type: []int{2, 5, 4, 65}, Value: "pseudonym"},
		{Type: []int{2, 5, 4, 17}, Value: "8001"},
		{Type: []int{2, 5, 4, 9}, Value: "Way 1"},
		{Type: []int{2, 5, 4, 7}, Value: "Zürich"},
		{Type: []int{2, 5, 4, 8}, Value: "ZH"},
		{Type: []int{2, 5, 4, 12}, Value: strings.Repeat("long ", 60)},
	}},
	{},
}

// make returns a CMS message over the signed text, with a certificate of the subject's own.
func (m madeSignature) make(t testing.TB, subject pkix.Name, attributes bool) []byte {
	t.Helper()
	template := x509.Certificate{
		SerialNumber: big.NewInt(1 << 40), Subject: subject, NotBefore: time.Unix(1, 0), NotAfter: time.Date(2060, 1, 1, 0, 0, 0, 0, time.UTC),
		ExtraExtensions: []pkix.Extension{{Id: []int{1, 2, 3, 4}, Critical: true, Value: []byte{1}}},
	}
	cert, err := x509.CreateCertificate(rand.Reader, &template, &template, m.key.Public(), m.key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(cert)
	if err != nil {
		t.Fatal(err)
	}
	message := append(append([]byte(nil), signedText[0]...), signedText[1]...)
	set := func(tag int, class int, content ...[]byte) asn1.RawValue {
		v := asn1.RawValue{Class: class, Tag: tag, IsCompound: true}
		for _, c := range content {
			v.Bytes = append(v.Bytes, c...)
		}
		return v
	}
	var digestID asn1.ObjectIdentifier
	for id, h := range hashes {
		if h == m.hash {
			digestID = oid(t, id)
		}
	}
	info := oracleSignerInfo{
		Version: 1, Signer: oracleIssuerAndSerial{asn1.RawValue{FullBytes: parsed.RawIssuer}, parsed.SerialNumber},
		Digest: pkix.AlgorithmIdentifier{Algorithm: digestID}, Algorithm: pkix.AlgorithmIdentifier{Algorithm: oid(t, "1.2.840.113549.1.1.11"), Parameters: asn1.NullRawValue},
	}
	if m.pss {
		info.Algorithm.Algorithm = oid(t, oidPSS)
	}
	if attributes {
		type one struct {
			Type   asn1.ObjectIdentifier
			Values [][]byte `asn1:"set"`
		}
		other := der(t, oracleAttribute{oid(t, "1.2.840.113549.1.9.3"), set(asn1.TagSet, 0, der(t, oid(t, "1.2.840.113549.1.7.1")))})
		digest := der(t, one{oid(t, oidDigestAttr), [][]byte{sum(m.hash, message)}})
		message = der(t, set(asn1.TagSet, 0, other, digest))
		info.Attrs = set(0, asn1.ClassContextSpecific, other, digest)
	}
	opts := crypto.SignerOpts(m.hash)
	signed := sum(m.hash, message)
	if _, ok := m.key.(ed25519.PrivateKey); ok {
		opts, signed = crypto.Hash(0), message
	} else if m.pss {
		opts = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: m.hash}
	}
	if info.Signature, err = m.key.Sign(rand.Reader, signed, opts); err != nil {
		t.Fatal(err)
	}
	data := oracleSignedData{
		Version: 1, Digests: set(asn1.TagSet, 0), Encapsulated: asn1.RawValue{FullBytes: []byte{0x30, 0}},
		Certificates: set(0, asn1.ClassContextSpecific, cert), Signers: []oracleSignerInfo{info},
	}
	return append(der(t, oracleContentInfo{oid(t, "1.2.840.113549.1.7.2"), set(0, asn1.ClassContextSpecific, der(t, data))}), 0, 0, 0)
}

func der(t testing.TB, v any) []byte {
	t.Helper()
	b, err := asn1.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func oid(t testing.TB, text string) (id asn1.ObjectIdentifier) {
	t.Helper()
	for part := range strings.SplitSeq(text, ".") {
		var n int
		if _, err := fmt.Sscan(part, &n); err != nil {
			t.Fatal(err)
		}
		id = append(id, n)
	}
	return id
}

// TestMadeSignatures compares signatures of all kinds, and changes of them.
func TestMadeSignatures(t *testing.T) {
	t.Parallel()
	for kind, key := range madeKeys(t) {
		for _, hash := range hashes {
			for _, pss := range []bool{false, true} {
				if pss && kind != "RSA" {
					continue
				}
				for i, subject := range subjects {
					made := madeSignature{key, hash, pss}.make(t, subject, i%2 == 0)
					understood, intact := agree(t, made, signedText, false)
					if !understood || intact == (pss && hash == crypto.SHA1) {
						t.Errorf("%s, %v, PSS %v, %v: understood %v, intact %v", kind, hash, pss, subject, understood, intact)
					}
					changes(t, made, 100)
					if _, intact := agree(t, made, [2][]byte{signedText[0], []byte("other")}, false); intact {
						t.Errorf("%s, %v: intact for another text", kind, hash)
					}
				}
			}
		}
	}
}

// TestTexts compares the texts of names, with strings of every kind.
func TestTexts(t *testing.T) {
	t.Parallel()
	for _, tag := range []int{asn1.TagUTF8String, asn1.TagPrintableString, asn1.TagNumericString, asn1.TagIA5String, asn1.TagT61String, asn1.TagBMPString, asn1.TagGeneralString} {
		for _, text := range []string{"", "12 3", "abc", "a*&", "a@b", "é", "\xff", "\x00a", "\x00a\x00\x00", "\x00\x00", "\xd8\x00\xdc\x00", "\xff\xfe", "\xfd\xd0", "\xfd\xf0", "odd"} {
			name := der(t, []any{asn1.RawValue{FullBytes: der(t, asn1.RawValue{
				Tag: asn1.TagSet, IsCompound: true,
				Bytes: der(t, []any{oid(t, "2.5.4.3"), asn1.RawValue{Tag: tag, Bytes: []byte(text)}}),
			})}})
			got, ok := readName(name)
			want, err := parsedName(t, name)
			if ok != (err == nil) || ok && got.String() != want {
				t.Errorf("tag %d, %q: %q, %v, want %q, %v", tag, text, got, ok, want, err)
			}
		}
	}
}

// parsedName returns the common name that crypto/x509 reads.
func parsedName(t *testing.T, name []byte) (string, error) {
	t.Helper()
	key := madeKeys(t)["Ed25519"]
	template := x509.Certificate{SerialNumber: big.NewInt(1), RawSubject: name}
	cert, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		return "", err
	}
	parsed, err := x509.ParseCertificate(cert)
	if err != nil {
		return "", err
	}
	if parsed.Subject.CommonName == "" {
		return parsed.Subject.String(), nil
	}
	return parsed.Subject.CommonName, nil
}

func FuzzSignature(f *testing.F) {
	all := madeKeys(f)
	for _, kind := range []string{"P-256", "RSA", "Ed25519"} {
		for i, subject := range subjects {
			f.Add(madeSignature{all[kind], crypto.SHA256, false}.make(f, subject, i%2 == 0))
		}
	}
	f.Fuzz(func(t *testing.T, der []byte) { agree(t, der, signedText, true) })
}
