package cmd_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"
)

// signatureRoom is the number of bytes kept for a signature.
const signatureRoom = 2000

// signed appends a revision with an invisible signature in the name of who, by
// a certificate that signs itself (ISO 32000-1, 12.8; RFC 5652).
func signed(t *testing.T, file []byte, who string) []byte {
	t.Helper()
	const ranges = "[0000000000 0000000000 0000000000 0000000000]"
	out := update(file, objects{
		1:   "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[160 0 R]/SigFlags 3>>>>",
		160: "<</Subtype/Widget/FT/Sig/T(signature)/Rect[0 0 0 0]/F 132/V 161 0 R>>",
		161: "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/Reason(I agree)/ByteRange" + ranges +
			"/Contents<" + string(bytes.Repeat([]byte("0"), 2*signatureRoom)) + ">>>",
	})
	from := bytes.LastIndex(out, []byte("/Contents<")) + len("/Contents")
	to := from + 2*signatureRoom + 2
	at := bytes.LastIndex(out, []byte(ranges))
	copy(out[at:], fmt.Sprintf("[%010d %010d %010d %010d]", 0, from, to, len(out)-to))
	der := cms(t, slices.Concat(out[:from], out[to:]), who)
	copy(out[from+1:], fmt.Sprintf("%x", der))
	return out
}

// cms is a detached signature over message.
func cms(t *testing.T, message []byte, who string) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: who}, NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	marshal := func(v any) []byte {
		der, err := asn1.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	wrap := func(class, tag int, parts ...[]byte) []byte {
		return marshal(asn1.RawValue{Class: class, Tag: tag, IsCompound: true, Bytes: slices.Concat(parts...)})
	}
	sequence := func(parts ...[]byte) []byte { return wrap(asn1.ClassUniversal, asn1.TagSequence, parts...) }
	set := func(parts ...[]byte) []byte { return wrap(asn1.ClassUniversal, asn1.TagSet, parts...) }
	oid := func(n ...int) []byte { return marshal(asn1.ObjectIdentifier(n)) }

	sum := sha256.Sum256(message)
	data := oid(1, 2, 840, 113549, 1, 7, 1)
	attrs := slices.Concat(
		sequence(oid(1, 2, 840, 113549, 1, 9, 3), set(data)),
		sequence(oid(1, 2, 840, 113549, 1, 9, 4), set(marshal(sum[:]))),
	)
	digest := sha256.Sum256(set(attrs))
	signature, err := key.Sign(rand.Reader, digest[:], crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	sha := sequence(oid(2, 16, 840, 1, 101, 3, 4, 2, 1))
	signer := sequence(marshal(1), sequence(cert.RawIssuer, marshal(cert.SerialNumber)), sha,
		wrap(asn1.ClassContextSpecific, 0, attrs), sequence(oid(1, 2, 840, 10045, 4, 3, 2)), marshal(signature))
	body := sequence(marshal(1), set(sha), sequence(data), wrap(asn1.ClassContextSpecific, 0, cert.Raw), set(signer))
	return sequence(oid(1, 2, 840, 113549, 1, 7, 2), wrap(asn1.ClassContextSpecific, 0, body))
}
