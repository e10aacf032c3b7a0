package caveat

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/asn1"
	"math/big"
	"time"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"
)

// A certificate has the parts of an X.509 certificate that a signature needs (RFC 5280, 4.1).
// crypto/x509 reads the same ones, and refuses more: it also reads the contents of known extensions,
// about purposes and networks. They matter to a check of the issuer, which is not made here, and
// their packages would be a twentieth of the scanner in a browser.
type certificate struct {
	issuer  []byte // DER
	serial  []byte // DER; a number has one form
	subject name
	key     any // *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey, or nil: another algorithm
}

// readCertificates reads certificates that follow each other. All must be well formed.
func readCertificates(der []byte) (all []certificate, ok bool) {
	for rest := cryptobyte.String(der); !rest.Empty(); {
		var outer, inner cryptobyte.String
		if !rest.ReadASN1(&outer, tags.SEQUENCE) || !outer.ReadASN1(&inner, tags.SEQUENCE) {
			return nil, false
		}
		c, algorithm, ok := readCertificate(inner)
		var again cryptobyte.String
		var signature asn1.BitString
		if !ok || !outer.ReadASN1(&again, tags.SEQUENCE) || !bytes.Equal(again, algorithm) || !outer.ReadASN1BitString(&signature) {
			return nil, false
		}
		all = append(all, c)
	}
	return all, true
}

// readCertificate reads a TBSCertificate. algorithm is that of the issuer's signature.
func readCertificate(s cryptobyte.String) (c certificate, algorithm cryptobyte.String, ok bool) {
	var version int
	var serial, issuer, validity, subject, key, keyAlgorithm cryptobyte.String
	if !s.ReadOptionalASN1Integer(&version, tags.Tag(0).Constructed().ContextSpecific(), 0) || version < 0 || version > 2 ||
		!s.ReadASN1Element(&serial, tags.INTEGER) || !s.ReadASN1(&algorithm, tags.SEQUENCE) ||
		!s.ReadASN1Element(&issuer, tags.SEQUENCE) || !s.ReadASN1(&validity, tags.SEQUENCE) ||
		!s.ReadASN1Element(&subject, tags.SEQUENCE) || !s.ReadASN1(&key, tags.SEQUENCE) ||
		!key.ReadASN1(&keyAlgorithm, tags.SEQUENCE) {
		return c, nil, false
	}
	number, checked := new(big.Int), serial
	if !checked.ReadASN1Integer(number) || number.Sign() < 0 || !isAlgorithm(algorithm) || !skipTime(&validity) || !skipTime(&validity) {
		return c, nil, false
	}
	if _, ok = readName(issuer); !ok {
		return c, nil, false
	}
	if c.subject, ok = readName(subject); !ok {
		return c, nil, false
	}
	c.issuer, c.serial = issuer, serial
	if c.key, ok = readKey(keyAlgorithm, key); !ok {
		return c, nil, false
	}
	return c, algorithm, version == 0 || skipUniqueIDs(&s) && (version == 1 || skipExtensions(s))
}

// isAlgorithm reports whether s is the content of an AlgorithmIdentifier.
func isAlgorithm(s cryptobyte.String) bool {
	_, _, ok := readAlgorithm(s)
	return ok
}

// readAlgorithm reads the content of an AlgorithmIdentifier; parameters is DER, nil if there are none.
func readAlgorithm(s cryptobyte.String) (id string, parameters cryptobyte.String, ok bool) {
	var oid asn1.ObjectIdentifier
	if !s.ReadASN1ObjectIdentifier(&oid) || !s.Empty() && !s.ReadAnyASN1Element(&parameters, new(tags.Tag)) {
		return "", nil, false
	}
	return oid.String(), parameters, true
}

func skipTime(s *cryptobyte.String) bool {
	var t time.Time
	if s.PeekASN1Tag(tags.UTCTime) {
		return s.ReadASN1UTCTime(&t)
	}
	return s.ReadASN1GeneralizedTime(&t)
}

func skipUniqueIDs(s *cryptobyte.String) bool {
	return s.SkipOptionalASN1(tags.Tag(1).ContextSpecific()) && s.SkipOptionalASN1(tags.Tag(2).ContextSpecific())
}

// skipExtensions checks that there is at most one extension of each kind.
func skipExtensions(s cryptobyte.String) bool {
	var all cryptobyte.String
	var present bool
	if !s.ReadOptionalASN1(&all, &present, tags.Tag(3).Constructed().ContextSpecific()) || present && !all.ReadASN1(&all, tags.SEQUENCE) {
		return false
	}
	met := map[string]bool{}
	for !all.Empty() {
		var e, value cryptobyte.String
		var id asn1.ObjectIdentifier
		var critical bool
		if !all.ReadASN1(&e, tags.SEQUENCE) || !e.ReadASN1ObjectIdentifier(&id) || met[id.String()] ||
			e.PeekASN1Tag(tags.BOOLEAN) && !e.ReadASN1Boolean(&critical) || !e.ReadASN1(&value, tags.OCTET_STRING) {
			return false
		}
		met[id.String()] = true
	}
	return true
}

// Public keys by their object identifiers (RFC 3279, 5480, 8410).
const (
	oidRSA     = "1.2.840.113549.1.1.1"
	oidEC      = "1.2.840.10045.2.1"
	oidEd25519 = "1.3.101.112"
)

var curves = map[string]elliptic.Curve{
	"1.3.132.0.33":        elliptic.P224(),
	"1.2.840.10045.3.1.7": elliptic.P256(),
	"1.3.132.0.34":        elliptic.P384(),
	"1.3.132.0.35":        elliptic.P521(),
}

// readKey reads the rest of a SubjectPublicKeyInfo whose algorithm has been read.
func readKey(algorithm, s cryptobyte.String) (key any, ok bool) {
	id, parameters, ok := readAlgorithm(algorithm)
	var bits asn1.BitString
	if !ok || !s.ReadASN1BitString(&bits) {
		return nil, false
	}
	data := bits.RightAlign()
	switch id {
	case oidRSA:
		return readRSA(parameters, data)
	case oidEC:
		var curve asn1.ObjectIdentifier
		if !parameters.ReadASN1ObjectIdentifier(&curve) || curves[curve.String()] == nil {
			return nil, false
		}
		key, err := ecdsa.ParseUncompressedPublicKey(curves[curve.String()], data)
		return key, err == nil
	case oidEd25519:
		return ed25519.PublicKey(data), len(parameters) == 0 && len(data) == ed25519.PublicKeySize
	}
	return nil, true
}

func readRSA(parameters, s cryptobyte.String) (key any, ok bool) {
	k := rsa.PublicKey{N: new(big.Int)}
	return &k, bytes.Equal(parameters, asn1.NullBytes) && s.ReadASN1(&s, tags.SEQUENCE) &&
		s.ReadASN1Integer(k.N) && s.ReadASN1Integer(&k.E) && k.N.Sign() > 0 && k.E > 0
}
