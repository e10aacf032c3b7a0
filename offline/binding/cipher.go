package binding

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rc4"
	"encoding/hex"
)

// A Cipher says how a PDF encrypts the hole (FORMAT.md section 7). A viewer
// decrypts every stream of an encrypted PDF with the stream's own key before it
// draws it, so the symbol must be encrypted too. The standard's exception, the
// Identity crypt filter, does not work: poppler and MuPDF obey it, but PDFium,
// pdf.js and Ghostscript decrypt the stream anyway and draw noise.
//
// The key belongs to one stream of a file that opens without a password, so
// everyone who has the file has the key.
type Cipher struct {
	Method Method
	Key    string // raw bytes, of the symbol's stream: RC4 10 to 16, AES 16 or 32
}

// A Method is an algorithm of ISO 32000-2, 7.6.3. The zero value is none.
type Method string

// The methods.
const (
	RC4 Method = "RC4"
	AES Method = "AES" // CBC, the 16 bytes before the hole are the initialization vector
)

// IVLen is the length of the initialization vector before a hole
// encrypted by [AES].
const IVLen = aes.BlockSize

// valid reports whether c has the key its method asks for.
func (c Cipher) valid() bool {
	switch n := len(c.Key); c.Method {
	case "":
		return n == 0
	case RC4:
		return n >= 10 && n <= 16
	case AES:
		return n == 16 || n == 32
	}
	return false
}

// HoleLen is the length in bytes of the hole of a symbol with side modules a
// side, encrypted by c, or 0 if there is no such symbol.
func (c Cipher) HoleLen(side int) int {
	n := StreamLen(side)
	if n > 0 && c.Method == AES {
		n += aes.BlockSize - n%aes.BlockSize
	}
	return n
}

// appendTo appends the entries of a mark that name c.
func (c Cipher) appendTo(b []byte) []byte {
	b = append(append(b, markMethod...), c.Method...)
	b = append(b, markKey...)
	at := len(b)
	b = hex.AppendEncode(b, []byte(c.Key))
	copy(b[at:], bytes.ToUpper(b[at:]))
	return b
}

// Hole returns the bytes that the symbol m has in the hole of mark k of file.
// They depend on the modules alone if k names no cipher. Hole returns nil if
// there is no such symbol, or no room for the vector before the hole.
func Hole(file []byte, k Mark, m Modules) []byte {
	data := SymbolStream(m)
	if data == nil || !k.Cipher.valid() {
		return nil
	}
	switch k.Cipher.Method {
	case RC4:
		c, err := rc4.NewCipher([]byte(k.Cipher.Key))
		if err != nil {
			return nil
		}
		c.XORKeyStream(data, data)
	case AES:
		block, err := aes.NewCipher([]byte(k.Cipher.Key))
		if err != nil || k.Start < IVLen || k.Start > int64(len(file)) {
			return nil
		}
		pad := aes.BlockSize - len(data)%aes.BlockSize // PKCS #7
		data = append(data, bytes.Repeat([]byte{byte(pad)}, pad)...)
		cipher.NewCBCEncrypter(block, file[k.Start-IVLen:k.Start]).CryptBlocks(data, data)
	}
	return data
}

// Drawn returns the modules of the symbol in the hole of mark k of file, even
// if no page shows it. It is the inverse of [Hole]. ok is false if the bytes
// are not exactly those of a symbol.
func Drawn(file []byte, k Mark) (m Modules, ok bool) {
	if k.Start < 0 || k.Length <= 0 || k.Start > int64(len(file)) || k.Length > int64(len(file))-k.Start || !k.Cipher.valid() {
		return Modules{}, false
	}
	hole := file[k.Start : k.Start+k.Length]
	data, err := k.plain(file, hole)
	if err != nil {
		return Modules{}, false
	}
	for side := 10; side <= 144; side += 2 {
		if StreamLen(side) <= len(data) && int64(k.Cipher.HoleLen(side)) == k.Length {
			m = modulesOf(data, side)
			return m, bytes.Equal(Hole(file, k, m), hole)
		}
	}
	return Modules{}, false
}

// plain returns the hole's bytes as a viewer decrypts them, padding included.
func (k Mark) plain(file, hole []byte) ([]byte, error) {
	data := bytes.Clone(hole)
	switch k.Cipher.Method {
	case RC4:
		c, err := rc4.NewCipher([]byte(k.Cipher.Key))
		if err != nil {
			return nil, err
		}
		c.XORKeyStream(data, data)
	case AES:
		block, err := aes.NewCipher([]byte(k.Cipher.Key))
		if err != nil {
			return nil, err
		}
		if k.Start < IVLen || len(data)%aes.BlockSize != 0 {
			return nil, ErrRange
		}
		cipher.NewCBCDecrypter(block, file[k.Start-IVLen:k.Start]).CryptBlocks(data, data)
	}
	return data, nil
}
