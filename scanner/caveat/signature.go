package caveat

import (
	"bytes"
	"crypto"
	_ "crypto/sha1" // of old signatures
	_ "crypto/sha256"
	_ "crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"math/big"
	"slices"

	"tcode/scanner/pdfobj"
)

// A signature is the content of a PDF signature (ISO 32000-1, 12.8). No check covers the
// issuer of the certificate, or its validity: the person who made the file can have made
// the certificate too.
type signature struct {
	name   string // of the certificate's subject
	intact bool   // the certificate's key signed the bytes of the range
	whole  bool   // the range is all of the file but the signature itself
}

var errSignature = errors.New("signature not understood")

// readSignature reads the signature dictionary d of file.
func readSignature(file []byte, d pdfobj.Dict) (signature, error) {
	first, second, whole, ok := ranges(d["ByteRange"], file)
	contents, isString := d["Contents"].(pdfobj.String)
	if !ok || !isString || len(contents) < 2 || contents[0] != '<' {
		return signature{}, errSignature
	}
	switch d.Name("SubFilter") {
	case "adbe.pkcs7.detached", "ETSI.CAdES.detached":
	default:
		return signature{}, errSignature
	}
	der, err := hex.DecodeString(string(bytes.Trim(contents, "<> \r\n")))
	if err != nil {
		return signature{}, errSignature
	}
	cert, signer, err := parseCMS(der)
	if err != nil {
		return signature{}, err
	}
	s := signature{name: cert.Subject.CommonName, whole: whole}
	if s.name == "" {
		s.name = cert.Subject.String()
	}
	s.intact, err = signer.signed(cert, first, second)
	return s, err
}

// ranges returns the two runs of bytes that a signature covers. whole reports whether they
// leave out only the signature between them.
func ranges(v any, file []byte) (first, second []byte, whole, ok bool) {
	a, _ := v.(pdfobj.Array)
	if len(a) != 4 {
		return nil, nil, false, false
	}
	var n [4]int
	for i := range n {
		v, isInt := a[i].(int)
		if !isInt || v < 0 || v > len(file) {
			return nil, nil, false, false
		}
		n[i] = v
	}
	if n[0]+n[1] > n[2] || n[2]+n[3] > len(file) {
		return nil, nil, false, false
	}
	first, second = file[n[0]:n[0]+n[1]], file[n[2]:n[2]+n[3]]
	gap := file[n[0]+n[1] : n[2]]
	hole := len(gap) > 1 && gap[0] == '<' && bytes.IndexByte(gap, '>') == len(gap)-1
	return first, second, hole && n[0] == 0 && len(bytes.TrimSpace(file[n[2]+n[3]:])) == 0, true
}

// These are the parts of a CMS SignedData that are read (RFC 5652, section 5).
type (
	contentInfo struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue `asn1:"explicit,tag:0"`
	}
	signedData struct {
		Version      int
		Digests      asn1.RawValue `asn1:"set"`
		Encapsulated asn1.RawValue
		Certificates asn1.RawValue `asn1:"optional,tag:0"`
		CRLs         asn1.RawValue `asn1:"optional,tag:1"`
		Signers      []signerInfo  `asn1:"set"`
	}
	signerInfo struct {
		Version   int
		Signer    issuerAndSerial
		Digest    pkix.AlgorithmIdentifier
		Attrs     asn1.RawValue `asn1:"optional,tag:0"`
		Algorithm pkix.AlgorithmIdentifier
		Signature []byte
		Unsigned  asn1.RawValue `asn1:"optional,tag:1"`
	}
	issuerAndSerial struct {
		Issuer asn1.RawValue
		Serial *big.Int
	}
	attribute struct {
		Type   asn1.ObjectIdentifier
		Values asn1.RawValue `asn1:"set"`
	}
)

// parseCMS returns the first signer of a signed message and its certificate.
func parseCMS(der []byte) (*x509.Certificate, signerInfo, error) {
	var outer contentInfo
	var data signedData
	if _, err := asn1.Unmarshal(der, &outer); err != nil {
		return nil, signerInfo{}, errSignature
	}
	if _, err := asn1.Unmarshal(outer.Content.Bytes, &data); err != nil || len(data.Signers) != 1 {
		return nil, signerInfo{}, errSignature
	}
	signer := data.Signers[0]
	certs, err := x509.ParseCertificates(data.Certificates.Bytes)
	if err != nil {
		return nil, signerInfo{}, errSignature
	}
	for _, c := range certs {
		if bytes.Equal(c.RawIssuer, signer.Signer.Issuer.FullBytes) && c.SerialNumber.Cmp(signer.Signer.Serial) == 0 {
			return c, signer, nil
		}
	}
	return nil, signerInfo{}, errSignature
}

// hashes maps object identifiers to the digests of signatures.
var hashes = map[string]crypto.Hash{
	"1.3.14.3.2.26":          crypto.SHA1,
	"2.16.840.1.101.3.4.2.1": crypto.SHA256,
	"2.16.840.1.101.3.4.2.2": crypto.SHA384,
	"2.16.840.1.101.3.4.2.3": crypto.SHA512,
}

// Kinds of signatures by their object identifiers (RFC 3279, 4055, 5758).
const (
	oidPSS        = "1.2.840.113549.1.1.10"
	oidDigestAttr = "1.2.840.113549.1.9.4"
)

var algorithms = map[crypto.Hash][3]x509.SignatureAlgorithm{ // PKCS #1 1.5, PSS, ECDSA
	crypto.SHA1:   {x509.SHA1WithRSA, x509.UnknownSignatureAlgorithm, x509.ECDSAWithSHA1},
	crypto.SHA256: {x509.SHA256WithRSA, x509.SHA256WithRSAPSS, x509.ECDSAWithSHA256},
	crypto.SHA384: {x509.SHA384WithRSA, x509.SHA384WithRSAPSS, x509.ECDSAWithSHA384},
	crypto.SHA512: {x509.SHA512WithRSA, x509.SHA512WithRSAPSS, x509.ECDSAWithSHA512},
}

// signed reports whether the key of cert signed first and second, one after the
// other, either through their digest among the signed attributes or directly (RFC
// 5652, 5.4).
func (s signerInfo) signed(cert *x509.Certificate, first, second []byte) (bool, error) {
	hash, ok := hashes[s.Digest.Algorithm.String()]
	if !ok {
		return false, errSignature
	}
	message := slices.Concat(first, second)
	if len(s.Attrs.FullBytes) > 0 {
		h := hash.New()
		h.Write(message)
		if !bytes.Equal(s.digest(), h.Sum(nil)) {
			return false, nil
		}
		message = bytes.Clone(s.Attrs.FullBytes)
		message[0] = asn1.TagSet | 0x20 // signed as the SET it is, not as [0]
	}
	kinds := algorithms[hash]
	kind := kinds[0]
	switch oid := s.Algorithm.Algorithm.String(); {
	case cert.PublicKeyAlgorithm == x509.ECDSA:
		kind = kinds[2]
	case cert.PublicKeyAlgorithm == x509.Ed25519:
		kind = x509.PureEd25519
	case oid == oidPSS:
		kind = kinds[1]
	}
	return cert.CheckSignature(kind, message, s.Signature) == nil, nil
}

// digest returns the message digest in the signed attributes.
func (s signerInfo) digest() []byte {
	for rest := s.Attrs.Bytes; len(rest) > 0; {
		var a attribute
		var err error
		if rest, err = asn1.Unmarshal(rest, &a); err != nil {
			return nil
		}
		var sum []byte
		if a.Type.String() == oidDigestAttr {
			if _, err := asn1.Unmarshal(a.Values.Bytes, &sum); err == nil {
				return sum
			}
		}
	}
	return nil
}
