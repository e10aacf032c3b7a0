package corpus

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

// room is the number of bytes kept for a signature.
const room = 2000

// Signed returns a PDF of one page with an invisible signature over all of it
// in the name of who (ISO 32000-1, 12.8).
func Signed(tb testing.TB, who string) []byte {
	tb.Helper()
	const ranges = "[0000000000 0000000000 0000000000 0000000000]"
	content := "BT /F 24 Tf 72 720 Td (A signed page) Tj ET"
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var offsets []int
	for i, body := range []string{
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]/SigFlags 3>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>/Annots[6 0 R]>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		"<</Type/Annot/Subtype/Widget/FT/Sig/T(signature)/Rect[0 0 0 0]/F 132/V 7 0 R>>",
		"<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/ByteRange" + ranges +
			"/Contents<" + string(bytes.Repeat([]byte("0"), 2*room)) + ">>>",
	} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	out := b.Bytes()
	from := bytes.LastIndex(out, []byte("/Contents<")) + len("/Contents")
	to := from + 2*room + 2
	copy(out[bytes.LastIndex(out, []byte(ranges)):], fmt.Sprintf("[%010d %010d %010d %010d]", 0, from, to, len(out)-to))
	copy(out[from+1:], fmt.Sprintf("%x", CMS(tb, slices.Concat(out[:from], out[to:]), who)))
	return out
}

// CMS returns a detached signature over message in the name of who, by a
// certificate that signs itself (RFC 5652).
func CMS(t testing.TB, message []byte, who string) []byte {
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
