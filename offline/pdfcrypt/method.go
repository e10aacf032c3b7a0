package pdfcrypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"errors"
)

// ErrDamaged means that the method cannot have made the data.
var ErrDamaged = errors.New("encrypted data is damaged")

// A Method is an encryption that a crypt filter applies to streams or strings
// (ISO 32000-2, table 25).
type Method uint8

// The methods. The zero value leaves data as it is.
const (
	Identity    Method = iota
	RC4                // V2: each object has its own key
	AES128             // AESV2: each object has its own key
	AES256             // AESV3: the file's key
	Unsupported        // a filter that the standard does not define
)

// MethodOf returns the method that the value of CFM names, without its slash.
func MethodOf(cfm string) Method {
	switch cfm {
	case "None":
		return Identity
	case "V2":
		return RC4
	case "AESV2":
		return AES128
	case "AESV3":
		return AES256
	}
	return Unsupported
}

// ObjectKey returns the key of the streams or strings of object num, generation
// gen, from the file's key: algorithm 1, or 1.A for [AES256]. It is nil for
// [Identity] and [Unsupported].
func (m Method) ObjectKey(file []byte, num, gen int) []byte {
	switch m {
	case RC4, AES128:
		seed := append(bytes.Clone(file), byte(num), byte(num>>8), byte(num>>16), byte(gen), byte(gen>>8))
		n := min(len(file)+5, md5.Size)
		if m == AES128 {
			seed, n = append(seed, "sAlT"...), md5.Size
		}
		sum := md5.Sum(seed)
		return sum[:n]
	case AES256:
		return file
	}
	return nil
}

// Decrypt decrypts data with key, which comes from [Method.ObjectKey]. AES data
// begins with its initialization vector. Decrypt removes correct padding and
// keeps incorrect padding, as viewers do, and drops bytes after the last whole
// block. For [Identity] the result aliases data. The error is ErrDamaged for
// AES data shorter than a block and for [Unsupported].
func (m Method) Decrypt(key, data []byte) ([]byte, error) {
	switch m {
	case Identity:
		return data, nil
	case RC4:
		if out := rc4With(key, data, 0); out != nil {
			return out, nil
		}
	case AES128, AES256:
		return decryptAES(key, data)
	}
	return nil, ErrDamaged
}

func decryptAES(key, data []byte) ([]byte, error) {
	if len(data) == 0 {
		return data, nil
	}
	block, err := aes.NewCipher(key)
	n := len(data)/aes.BlockSize*aes.BlockSize - aes.BlockSize
	if err != nil || n < 0 {
		return nil, ErrDamaged
	}
	out := make([]byte, n)
	cipher.NewCBCDecrypter(block, data[:aes.BlockSize]).CryptBlocks(out, data[aes.BlockSize:][:n])
	if n > 0 {
		if pad := int(out[n-1]); pad >= 1 && pad <= aes.BlockSize {
			out = out[:n-pad]
		}
	}
	return out, nil
}

// rc4With decrypts data with key, each byte of which is XORed with mask; it
// returns nil for an empty key.
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
