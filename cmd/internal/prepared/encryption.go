package prepared

import (
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
)

// padding replaces an empty password (ISO 32000-1, 7.6.3.3).
const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"

// A lock encrypts with RC4 and the empty password. Revision 2 has keys of 5
// bytes, others of 16.
type lock struct {
	revision int
	key      []byte
	user     string
}

func (l lock) rc4(key []byte, text string) string {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // keys have 5 to 16 bytes
	}
	out := make([]byte, len(text))
	c.XORKeyStream(out, []byte(text))
	return string(out)
}

const (
	owner  = "0123456789abcdef0123456789abcdef"
	fileID = "0123456789abcdef"
)

func newLock(revision int, metadata bool) lock {
	allow := int32(-4)
	seed := append([]byte(padding+owner), binary.LittleEndian.AppendUint32(nil, uint32(allow))...)
	seed = append(seed, fileID...)
	if revision >= 4 && !metadata {
		seed = append(seed, "\xff\xff\xff\xff"...)
	}
	sum := md5.Sum(seed)
	l := lock{revision: revision, key: sum[:5]}
	if revision == 2 {
		l.user = l.rc4(l.key, padding)
		return l
	}
	for range 50 {
		sum = md5.Sum(sum[:])
	}
	l.key = sum[:]
	id := md5.Sum([]byte(padding + fileID))
	l.user = string(id[:])
	for i := range 20 {
		key := make([]byte, 16)
		for k := range key {
			key[k] = l.key[k] ^ byte(i)
		}
		l.user = l.rc4(key, l.user)
	}
	l.user += padding[:16]
	return l
}

// of encrypts the content of object n.
func (l lock) of(n int, text string) string {
	seed := append([]byte{}, l.key...)
	seed = append(seed, byte(n), byte(n>>8), byte(n>>16), 0, 0)
	sum := md5.Sum(seed)
	return l.rc4(sum[:min(len(l.key)+5, 16)], text)
}

// encryption are files whose contents are two streams: the amount, encrypted,
// and a cover for it, which is not encrypted, so that the display depends on
// how a viewer reads the encryption dictionary.
func encryption() []variant {
	of := func(name string, l lock, entries, second string) variant {
		f := begin("%PDF-1.7\n")
		all := doc{}.objects()
		all[3] = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 5 0 R>>>>/Contents[4 0 R 10 0 R]>>"
		all[4] = stream("", l.of(4, honest))
		all[10] = stream(second, " "+covered)
		all[11] = fmt.Sprintf("<</Filter/Standard/R %d/O<%x>/U<%x>/P -4%s>>", l.revision, owner, l.user, entries)
		f.put(all)
		f.end(f.table(), fmt.Sprintf("/Root 1 0 R/Encrypt 11 0 R/ID[<%x><%x>]", fileID, fileID))
		return variant{name, f.Bytes()}
	}
	two, three, four := newLock(2, true), newLock(3, true), newLock(4, true)
	const v2, streams = "/V 4/Length 128/CF<</StdCF<</AuthEvent/DocOpen/CFM/V2/Length 16>>", "/StmF/StdCF/StrF/StdCF"
	out := []variant{
		of("rc4-40", two, "/V 1", ""),
		of("rc4-128", three, "/V 2/Length 128", ""),
		of("rc4-crypt-ignored", three, "/V 2/Length 128", "/Filter/Crypt/DecodeParms<</Name/Identity>>"),
		of("v4", four, v2+">>"+streams, ""),
		of("v4-identity", four, v2+">>"+streams, "/Filter/Crypt/DecodeParms<</Name/Identity>>"),
		of("v4-crypt-no-name", four, v2+">>"+streams, "/Filter/Crypt"),
		of("v4-crypt-unknown", four, v2+">>"+streams, "/Filter/Crypt/DecodeParms<</Name/Acme>>"),
		of("v4-crypt-array", four, v2+">>"+streams, "/Filter[/Crypt]/DecodeParms[<</Name/Identity>>]"),
		of("v4-none", four, v2+"/Plain<</CFM/None>>>>"+streams, "/Filter/Crypt/DecodeParms<</Name/Plain>>"),
		of("v4-streams-identity", four, v2+">>/StmF/Identity/StrF/StdCF", ""),
		of("v4-no-streams", four, v2+">>", ""),
		of("v4-streams-unknown", four, v2+">>/StmF/Acme/StrF/StdCF", ""),
		of("v4-embedded", four, v2+">>/StmF/StdCF/StrF/StdCF/EFF/Identity", "/Type/EmbeddedFile"),
		of("v4-metadata", four, v2+">>"+streams+"/EncryptMetadata true", "/Type/Metadata/Subtype/XML"),
		of("v4-metadata-plain", newLock(4, false), v2+">>"+streams+"/EncryptMetadata false", "/Type/Metadata/Subtype/XML"),
		of("v4-metadata-no-subtype", newLock(4, false), v2+">>"+streams+"/EncryptMetadata false", "/Type/Metadata"),
		of("v4-xref-type", four, v2+">>"+streams, "/Type/XRef"),
		of("v4-identity-redefined", four, v2+"/Identity<</CFM/V2/Length 16>>>>"+streams, "/Filter/Crypt/DecodeParms<</Name/Identity>>"),
		of("filter-unknown", four, v2+">>"+streams+"/Filter/Acme", ""),
		of("filter-twice", three, "/V 2/Length 128/V 9", ""),
		of("length-none", three, "/V 2", ""),
		of("length-bytes", three, "/V 2/Length 16", ""),
		of("version-none", two, "", ""),
		of("version-9", three, "/V 9/Length 128", ""),
		of("revision-9", three, "/V 2/Length 128/R 9", ""),
	}
	return append(out, variant{"missing", doc{trailer: "/Encrypt 99 0 R", contents: covered}.pdf()}, variant{"null", doc{trailer: "/Encrypt null", contents: covered}.pdf()}, variant{"empty", doc{trailer: "/Encrypt<<>>", contents: covered}.pdf()})
}
