package pdfcrypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// A Dict holds the entries of the dictionary of the standard security handler
// (ISO 32000-2, tables 20 and 21). Strings are decoded and never encrypted.
type Dict struct {
	V, R  int    // version and revision
	O, U  []byte // checks of the owner's and the user's password
	OE    []byte // the file's key under the owner's password, from R 5 on
	UE    []byte // the file's key under the user's password, from R 5 on
	Perms []byte // the permissions under the file's key, from R 5 on
	ID    []byte // the first string of the trailer's ID
	P     int    // the permissions, in the bits of table 22

	// ClearMetadata says that EncryptMetadata is false.
	ClearMetadata bool

	// Length is the length of the key in bits in the dictionary, 0 if it has
	// none.
	Length int
	// FilterLengths are the key lengths in the crypt filters of V 4, in bits or
	// bytes: writers differ.
	FilterLengths []int
}

// MayModify is the permission to change the content of pages (table 22, bit 4).
const MayModify = 1 << 3

// passwordPad extends each password to 32 bytes, the empty one too (algorithm 2).
const passwordPad = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// Known reports whether d has a version and a revision that [Dict.Open] supports.
func (d *Dict) Known() bool {
	switch d.V {
	case 1, 2, 4:
		return d.R >= 2 && d.R <= 4
	case 5:
		return d.R == 5 || d.R == 6
	}
	return false
}

// Open returns the file's key if the empty password is the user's or the
// owner's, otherwise nil. owner says that it is the owner's: then nothing is
// forbidden. For R 6 Open tries the owner's only if the user may not modify,
// because each hash of R 6 takes a millisecond.
func (d *Dict) Open() (key []byte, owner bool) {
	if !d.Known() {
		return nil, false
	}
	if d.R >= 5 {
		return d.open256()
	}
	// Writers put the length of the key in different places and units. Only the
	// right one opens the file.
	for _, n := range d.lengths() {
		if key, owner = d.openWith(n); key != nil {
			return key, owner
		}
	}
	return nil, false
}

// lengths returns the possible lengths of the key in bytes, the most likely
// first.
func (d *Dict) lengths() []int {
	if d.R == 2 {
		return []int{5}
	}
	lengths := []int{d.Length / 8}
	if d.V == 4 {
		for _, n := range d.FilterLengths {
			lengths = append(lengths, n, n/8)
		}
		return append(lengths, 16, 5)
	}
	return append(lengths, 5, 16)
}

// openWith opens d with a key of n bytes. It tries the owner's password first:
// a file whose two passwords are empty opens without limits.
func (d *Dict) openWith(n int) (key []byte, owner bool) {
	if n < 5 || n > 16 || len(d.O) < 32 || len(d.U) < 16 {
		return nil, false
	}
	if key := d.fileKey(d.userPassword(n), n); d.isUser(key) {
		return key, true
	}
	if key := d.fileKey([]byte(passwordPad), n); d.isUser(key) {
		return key, false
	}
	return nil, false
}

// fileKey computes algorithm 2 for a padded user password.
func (d *Dict) fileKey(password []byte, n int) []byte {
	m := md5.New()
	m.Write(password)
	m.Write(d.O[:32])
	m.Write(binary.LittleEndian.AppendUint32(nil, uint32(d.P)))
	m.Write(d.ID)
	if d.R >= 4 && d.ClearMetadata {
		m.Write([]byte{255, 255, 255, 255})
	}
	return d.rehash(m.Sum(nil), n)
}

// rehash returns n bytes of key from a digest, hashed 50 more times from R 3 on.
func (d *Dict) rehash(key []byte, n int) []byte {
	if d.R >= 3 {
		for range 50 {
			sum := md5.Sum(key[:n])
			copy(key, sum[:])
		}
	}
	return key[:n]
}

// isUser is algorithm 6: it reports whether key is the file's key.
func (d *Dict) isUser(key []byte) bool {
	if d.R == 2 {
		return len(d.U) >= 32 && bytes.Equal(rc4With(key, []byte(passwordPad), 0), d.U[:32])
	}
	m := md5.New()
	m.Write([]byte(passwordPad))
	m.Write(d.ID)
	sum := m.Sum(nil)
	for i := range 20 {
		sum = rc4With(key, sum, byte(i))
	}
	return bytes.Equal(sum, d.U[:16])
}

// userPassword is algorithm 7: it returns the padded user password in O, if the
// owner's password is empty.
func (d *Dict) userPassword(n int) []byte {
	sum := md5.Sum([]byte(passwordPad))
	key := d.rehash(sum[:], n)
	password := bytes.Clone(d.O[:32])
	if d.R == 2 {
		return rc4With(key, password, 0)
	}
	for i := 19; i >= 0; i-- {
		password = rc4With(key, password, byte(i))
	}
	return password
}

// open256 is algorithm 2.A for the empty password.
func (d *Dict) open256() (key []byte, owner bool) {
	if len(d.U) >= 48 && len(d.UE) >= 32 && bytes.Equal(d.hash(d.U[32:40], nil), d.U[:32]) {
		key = unwrap(d.hash(d.U[40:48], nil), d.UE)
		if d.Permissions(key)&MayModify != 0 {
			return key, false
		}
	}
	if len(d.O) >= 48 && len(d.U) >= 48 && len(d.OE) >= 32 {
		u := d.U[:48]
		if bytes.Equal(d.hash(d.O[32:40], u), d.O[:32]) {
			return unwrap(d.hash(d.O[40:48], u), d.OE), true
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

// hash is algorithm 2.B for the empty password. user is U for the owner's
// password, nil for the user's. R 5 ends after the first step.
func (d *Dict) hash(salt, user []byte) []byte {
	first := sha256.New()
	first.Write(salt)
	first.Write(user)
	k := first.Sum(nil)
	if d.R == 5 {
		return k
	}
	for round := 1; ; round++ {
		e := bytes.Repeat(append(bytes.Clone(k), user...), 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		sum := 0
		for _, c := range e[:16] { // the number mod 3, as 256 is 1 mod 3
			sum += int(c)
		}
		switch sum % 3 {
		case 0:
			v := sha256.Sum256(e)
			k = v[:]
		case 1:
			v := sha512.Sum384(e)
			k = v[:]
		default:
			v := sha512.Sum512(e)
			k = v[:]
		}
		if round >= 64 && int(e[len(e)-1]) <= round-32 {
			return k[:32]
		}
	}
}

// Permissions returns P. From R 5 on the file also keeps it under key, where
// only a holder of the key can have changed it (algorithm 13); the result
// has the permissions that both grant.
func (d *Dict) Permissions(key []byte) int {
	if d.R < 5 || len(d.Perms) < 16 {
		return d.P
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return d.P
	}
	p := make([]byte, aes.BlockSize)
	block.Decrypt(p, d.Perms[:16])
	if string(p[9:12]) != "adb" {
		return d.P
	}
	return d.P & int(int32(binary.LittleEndian.Uint32(p)))
}
