package caveat

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	_ "crypto/sha1" // of old signatures
	_ "crypto/sha256"
	_ "crypto/sha512"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"

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
	cert, signer, err := readCMS(der)
	if err != nil {
		return signature{}, err
	}
	s := signature{name: cert.subject.String(), whole: whole}
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

// A signer has the parts of a CMS SignerInfo that are read (RFC 5652, section 5.3).
type signer struct {
	issuer, serial    cryptobyte.String // DER; which certificate
	digest, algorithm string            // object identifiers
	attributes        cryptobyte.String // DER of the signed attributes; empty: none
	signature         []byte
}

// optional reads the DER of a part that may be missing, primitive or constructed. If
// it is missing, the part that follows must be well formed.
func optional(s *cryptobyte.String, number tags.Tag) (part cryptobyte.String, ok bool) {
	number = number.ContextSpecific()
	rest := *s
	var tag tags.Tag
	if rest.Empty() || rest.ReadAnyASN1Element(&part, &tag) && tag&^tags.Tag(0).Constructed() != number {
		return nil, true
	}
	*s = rest
	return part, len(part) > 0
}

// readCMS returns the only signer of a signed message and its certificate. Zeros may follow the
// message: the space for it is larger than a signature needs.
func readCMS(der cryptobyte.String) (certificate, signer, error) {
	var outer, data, certs, signers cryptobyte.String
	var kind asn1.ObjectIdentifier
	var version int64
	if !der.ReadASN1(&outer, tags.SEQUENCE) || !outer.ReadASN1ObjectIdentifier(&kind) ||
		!outer.ReadASN1(&data, tags.Tag(0).ContextSpecific().Constructed()) || !data.ReadASN1(&data, tags.SEQUENCE) ||
		!data.ReadASN1Int64WithTag(&version, tags.INTEGER) || !skip(&data) || !skip(&data) {
		return certificate{}, signer{}, errSignature
	}
	certs, ok := optional(&data, 0)
	_, ok2 := optional(&data, 1)
	if !ok || !ok2 || !data.ReadASN1(&signers, tags.SET) {
		return certificate{}, signer{}, errSignature
	}
	s, ok := readSigner(&signers)
	if !ok || !signers.Empty() || !content(&certs) {
		return certificate{}, signer{}, errSignature
	}
	all, ok := readCertificates(certs)
	if !ok {
		return certificate{}, signer{}, errSignature
	}
	for _, c := range all {
		if bytes.Equal(c.issuer, s.issuer) && bytes.Equal(c.serial, s.serial) {
			return c, s, nil
		}
	}
	return certificate{}, signer{}, errSignature
}

// skip skips one element of any kind.
func skip(s *cryptobyte.String) bool {
	return s.ReadAnyASN1Element(new(cryptobyte.String), new(tags.Tag))
}

// content removes the tag and the length of an element. Nothing remains nothing.
func content(s *cryptobyte.String) bool { return s.Empty() || s.ReadAnyASN1(s, new(tags.Tag)) }

func readSigner(s *cryptobyte.String) (r signer, ok bool) {
	var info, id, digest, algorithm, signature cryptobyte.String
	var version int64
	if !s.ReadASN1(&info, tags.SEQUENCE) || !info.ReadASN1Int64WithTag(&version, tags.INTEGER) ||
		!info.ReadASN1(&id, tags.SEQUENCE) || !id.ReadAnyASN1Element(&r.issuer, new(tags.Tag)) || !id.ReadASN1Element(&r.serial, tags.INTEGER) ||
		!info.ReadASN1(&digest, tags.SEQUENCE) {
		return r, false
	}
	if r.attributes, ok = optional(&info, 0); !ok || !info.ReadASN1(&algorithm, tags.SEQUENCE) || !info.ReadASN1(&signature, tags.OCTET_STRING) {
		return r, false
	}
	if _, ok = optional(&info, 1); !ok {
		return r, false
	}
	r.signature = signature
	var ok2 bool
	r.digest, _, ok = readAlgorithm(digest)
	r.algorithm, _, ok2 = readAlgorithm(algorithm)
	return r, ok && ok2
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

// signed reports whether the key of cert signed first and second, one after the
// other, either through their digest among the signed attributes or directly (RFC
// 5652, 5.4).
func (s signer) signed(cert certificate, first, second []byte) (bool, error) {
	hash, ok := hashes[s.digest]
	if !ok {
		return false, errSignature
	}
	message := slices.Concat(first, second)
	if len(s.attributes) > 0 {
		if !bytes.Equal(s.messageDigest(), sum(hash, message)) {
			return false, nil
		}
		message = bytes.Clone(s.attributes)
		message[0] = byte(tags.SET) // signed as the SET it is, not as [0]
	}
	switch key := cert.key.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, sum(hash, message), s.signature), nil
	case ed25519.PublicKey:
		return ed25519.Verify(key, message, s.signature), nil
	case *rsa.PublicKey:
		if s.algorithm != oidPSS {
			return rsa.VerifyPKCS1v15(key, hash, sum(hash, message), s.signature) == nil, nil
		}
		salt := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}
		return hash != crypto.SHA1 && rsa.VerifyPSS(key, hash, sum(hash, message), s.signature, salt) == nil, nil
	}
	return false, nil
}

func sum(hash crypto.Hash, message []byte) []byte {
	h := hash.New()
	h.Write(message)
	return h.Sum(nil)
}

// messageDigest returns the message digest in the signed attributes, nil if there is none.
func (s signer) messageDigest() (digest cryptobyte.String) {
	rest := s.attributes
	for ok := content(&rest); ok && !rest.Empty(); {
		var a, values cryptobyte.String
		var id asn1.ObjectIdentifier
		if ok = rest.ReadASN1(&a, tags.SEQUENCE) && a.ReadASN1ObjectIdentifier(&id) && a.ReadAnyASN1(&values, new(tags.Tag)); !ok {
			return nil
		}
		if id.String() == oidDigestAttr && values.ReadASN1(&digest, tags.OCTET_STRING) {
			return digest
		}
	}
	return nil
}
