package pdfstamp

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// A handlerDict is what the dictionary of the standard security handler says
// (ISO 32000-2, table 21).
type handlerDict struct {
	version, revision int
	owner, user       []byte // O and U
	ownerKey, userKey []byte // OE and UE, from R 5 on
	perms, id         []byte
	allowed           int
	clearMetadata     bool
}

// passwordPad makes every password 32 bytes long, the empty one too (algorithm
// 2).
const passwordPad = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// open returns the file's key of n bytes if the empty password is the user's or
// the owner's, else nil.
func (h *handlerDict) open(n int) (key []byte, owner bool) {
	if h.revision >= 5 {
		return h.open256()
	}
	if n < 5 || n > 16 || len(h.owner) < 32 || len(h.user) < 16 {
		return nil, false
	}
	// The owner's first: what opens as both opens without limits.
	if key := h.fileKey(h.userPassword(n), n); h.isUser(key) {
		return key, true
	}
	if key := h.fileKey([]byte(passwordPad), n); h.isUser(key) {
		return key, false
	}
	return nil, false
}

// fileKey is algorithm 2, for a padded user password.
func (h *handlerDict) fileKey(password []byte, n int) []byte {
	m := md5.New()
	m.Write(password)
	m.Write(h.owner[:32])
	m.Write(binary.LittleEndian.AppendUint32(nil, uint32(h.allowed)))
	m.Write(h.id)
	if h.revision >= 4 && h.clearMetadata {
		m.Write([]byte{255, 255, 255, 255})
	}
	return h.rehash(m.Sum(nil), n)
}

// rehash takes n bytes of key from a digest, hashed 50 times more from R 3 on.
func (h *handlerDict) rehash(key []byte, n int) []byte {
	if h.revision >= 3 {
		for range 50 {
			sum := md5.Sum(key[:n])
			copy(key, sum[:])
		}
	}
	return key[:n]
}

// isUser is algorithm 6: whether key is the file's.
func (h *handlerDict) isUser(key []byte) bool {
	if h.revision == 2 {
		return len(h.user) >= 32 && bytes.Equal(rc4With(key, []byte(passwordPad), 0), h.user[:32])
	}
	m := md5.New()
	m.Write([]byte(passwordPad))
	m.Write(h.id)
	sum := m.Sum(nil)
	for i := range 20 {
		sum = rc4With(key, sum, byte(i))
	}
	return bytes.Equal(sum, h.user[:16])
}

// userPassword is algorithm 7: the padded user password that O holds, if the
// owner's password is empty.
func (h *handlerDict) userPassword(n int) []byte {
	sum := md5.Sum([]byte(passwordPad))
	key := h.rehash(sum[:], n)
	password := bytes.Clone(h.owner[:32])
	if h.revision == 2 {
		return rc4With(key, password, 0)
	}
	for i := 19; i >= 0; i-- {
		password = rc4With(key, password, byte(i))
	}
	return password
}

// rc4With returns data under key, each byte of which is XORed with mask.
func rc4With(key, data []byte, mask byte) []byte {
	masked := bytes.Clone(key)
	for i := range masked {
		masked[i] ^= mask
	}
	c, err := rc4.NewCipher(masked)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// open256 is algorithm 2.A for the empty password. Each hash of R 6 takes a
// millisecond, so the owner's is asked for only where the user may not stamp.
func (h *handlerDict) open256() (key []byte, owner bool) {
	if len(h.user) >= 48 && len(h.userKey) >= 32 && bytes.Equal(h.hash(h.user[32:40], nil), h.user[:32]) {
		key = unwrap(h.hash(h.user[40:48], nil), h.userKey)
		if h.permissions(key)&mayModify != 0 {
			return key, false
		}
	}
	if len(h.owner) >= 48 && len(h.user) >= 48 && len(h.ownerKey) >= 32 {
		u := h.user[:48]
		if bytes.Equal(h.hash(h.owner[32:40], u), h.owner[:32]) {
			return unwrap(h.hash(h.owner[40:48], u), h.ownerKey), true
		}
	}
	return key, false
}

// unwrap decrypts the file's key.
func unwrap(key, wrapped []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(out, wrapped[:32])
	return out
}

// hash is algorithm 2.B for the empty password; R 5 stops after its first step.
func (h *handlerDict) hash(salt, user []byte) []byte {
	first := sha256.New()
	first.Write(salt)
	first.Write(user)
	k := first.Sum(nil)
	if h.revision == 5 {
		return k
	}
	for i := 0; ; i++ {
		k1 := bytes.Repeat(append(bytes.Clone(k), user...), 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(k1, k1)
		sum := 0
		for _, c := range k1[:16] { // the number mod 3: 256 is 1 mod 3
			sum += int(c)
		}
		switch sum % 3 {
		case 0:
			v := sha256.Sum256(k1)
			k = v[:]
		case 1:
			v := sha512.Sum384(k1)
			k = v[:]
		default:
			v := sha512.Sum512(k1)
			k = v[:]
		}
		if i >= 63 && int(k1[len(k1)-1]) <= i-31 {
			return k[:32]
		}
	}
}

// permissions returns P. R 6 also keeps it under the key, where nobody without
// it can have changed it (algorithm 13); both must allow.
func (h *handlerDict) permissions(key []byte) int {
	if h.revision < 5 || len(h.perms) < 16 {
		return h.allowed
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return h.allowed
	}
	p := make([]byte, aes.BlockSize)
	block.Decrypt(p, h.perms[:16])
	if string(p[9:12]) != "adb" {
		return h.allowed
	}
	return h.allowed & int(int32(binary.LittleEndian.Uint32(p)))
}
