package caveat

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"slices"
)

// This reads signatures by encoding/asn1 and crypto/x509.

// oracle returns the name and the finding of a signature over first and second.
func oracle(der, first, second []byte) (name string, intact bool, err error) {
	cert, signer, err := oracleParseCMS(der)
	if err != nil {
		return "", false, err
	}
	if name = cert.Subject.CommonName; name == "" {
		name = cert.Subject.String()
	}
	intact, err = signer.signed(cert, first, second)
	return name, intact, err
}

// These are the parts of a CMS SignedData that are read (RFC 5652, section 5).
type (
	oracleContentInfo struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue `asn1:"explicit,tag:0"`
	}
	oracleSignedData struct {
		Version      int
		Digests      asn1.RawValue `asn1:"set"`
		Encapsulated asn1.RawValue
		Certificates asn1.RawValue      `asn1:"optional,tag:0"`
		CRLs         asn1.RawValue      `asn1:"optional,tag:1"`
		Signers      []oracleSignerInfo `asn1:"set"`
	}
	oracleSignerInfo struct {
		Version   int
		Signer    oracleIssuerAndSerial
		Digest    pkix.AlgorithmIdentifier
		Attrs     asn1.RawValue `asn1:"optional,tag:0"`
		Algorithm pkix.AlgorithmIdentifier
		Signature []byte
		Unsigned  asn1.RawValue `asn1:"optional,tag:1"`
	}
	oracleIssuerAndSerial struct {
		Issuer asn1.RawValue
		Serial *big.Int
	}
	oracleAttribute struct {
		Type   asn1.ObjectIdentifier
		Values asn1.RawValue `asn1:"set"`
	}
)

// oracleParseCMS returns the first signer of a signed message and its certificate.
func oracleParseCMS(der []byte) (*x509.Certificate, oracleSignerInfo, error) {
	var outer oracleContentInfo
	var data oracleSignedData
	if _, err := asn1.Unmarshal(der, &outer); err != nil {
		return nil, oracleSignerInfo{}, errSignature
	}
	if _, err := asn1.Unmarshal(outer.Content.Bytes, &data); err != nil || len(data.Signers) != 1 {
		return nil, oracleSignerInfo{}, errSignature
	}
	signer := data.Signers[0]
	var certs []*x509.Certificate
	for rest := data.Certificates.Bytes; len(rest) > 0; {
		var one asn1.RawValue
		var err error
		if rest, err = asn1.Unmarshal(rest, &one); err != nil {
			return nil, oracleSignerInfo{}, errSignature
		}
		if c, err := x509.ParseCertificate(one.FullBytes); err == nil { // real files hold authorities that x509 refuses
			certs = append(certs, c)
		}
	}
	for _, c := range certs {
		if bytes.Equal(c.RawIssuer, signer.Signer.Issuer.FullBytes) && c.SerialNumber.Cmp(signer.Signer.Serial) == 0 {
			return c, signer, nil
		}
	}
	return nil, oracleSignerInfo{}, errSignature
}

var algorithms = map[crypto.Hash][3]x509.SignatureAlgorithm{ // PKCS #1 1.5, PSS, ECDSA
	crypto.SHA1:   {x509.SHA1WithRSA, x509.UnknownSignatureAlgorithm, x509.ECDSAWithSHA1},
	crypto.SHA256: {x509.SHA256WithRSA, x509.SHA256WithRSAPSS, x509.ECDSAWithSHA256},
	crypto.SHA384: {x509.SHA384WithRSA, x509.SHA384WithRSAPSS, x509.ECDSAWithSHA384},
	crypto.SHA512: {x509.SHA512WithRSA, x509.SHA512WithRSAPSS, x509.ECDSAWithSHA512},
}

// signed reports whether the key of cert signed first and second, one after the
// other, either through their digest among the signed attributes or directly (RFC
// 5652, 5.4).
func (s oracleSignerInfo) signed(cert *x509.Certificate, first, second []byte) (bool, error) {
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
func (s oracleSignerInfo) digest() []byte {
	for rest := s.Attrs.Bytes; len(rest) > 0; {
		var a oracleAttribute
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
